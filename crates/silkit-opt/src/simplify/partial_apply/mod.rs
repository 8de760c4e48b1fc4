//! Replaces calls of closures by direct calls of their functions, and removes unneeded closures.
//!
//! ```text
//! %2 = partial_apply [callee_guaranteed] [on_stack] %1(%0)
//! %3 = apply %2(%4)
//! destroy_value %2
//! ---
//! %3 = apply %1(%4, %0)
//! ```
//!
//! A heap closure consumes its captures. Captures that the calls need are copied before:
//!
//! ```text
//! %2 = partial_apply [callee_guaranteed] %1(%0)
//! %3 = apply %2()
//! destroy_value %2
//! ---
//! %2 = copy_value %0
//! destroy_value %0
//! %3 = apply %1(%2)
//! destroy_value %2
//! ```

mod captures;
mod dead;

use super::always;
use captures::Captures;
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::{ConvertEscapeToNoEscape, MarkDependence, PartialApply};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};
use silkit_transform::callee::{self, NewCallee};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{CalleeConvention, FnFlags, ResultConvention};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::PartialApply, "partial_apply of called closure", use_function),
    always(Opcode::PartialApply, "partial_apply that is only kept", remove_unneeded),
];

/// Calls the function of a closure directly, and removes the closure if it is not needed any more.
fn use_function(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if call_directly(rw, inst) {
        rw.nest_stack();
        remove(rw, inst, true);
    }
}

fn remove_unneeded(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    remove(rw, inst, false);
}

fn remove(rw: &mut Rewriter<'_, '_>, inst: Inst, are_captures_kept: bool) {
    let is_variable = |user: Inst| rw.is(user, Opcode::DebugValue);
    let has_variable = rw.body().results(inst).flat_map(|closure| rw.body().users(closure)).any(is_variable);
    if !(rw.keeps_debug_info() && has_variable) && dead::remove(rw, inst, are_captures_kept) {
        rw.nest_stack();
    }
}

/// The uses of a closure and of its copies.
struct Uses {
    /// The calls.
    calls: Vec<Inst>,
    /// The calls, copies and conversions, and the lifetime ends.
    users: Vec<Inst>,
}

/// Collects the uses of a closure and of its copies.
fn uses(body: &Body, closure: Value) -> Uses {
    let mut found = Uses { calls: Vec::new(), users: Vec::new() };
    let mut work = vec![closure];
    while let Some(value) = work.pop() {
        for operand in body.uses(value) {
            let user = body.operand(operand).user;
            if is_other_name(body, operand) {
                work.extend(body.results(user));
            } else if is_called(body, operand) {
                found.calls.push(user);
            } else if !ends_lifetime(body, user) {
                continue;
            }
            found.users.push(user);
        }
    }
    found
}

fn ends_lifetime(body: &Body, user: Inst) -> bool {
    matches!(
        body.inst(user).opcode,
        Opcode::DestroyValue
            | Opcode::EndBorrow
            | Opcode::StrongRelease
            | Opcode::ReleaseValue
            | Opcode::DeallocStack
            | Opcode::DebugValue
    )
}

/// Returns true if the result of a user is also the closure.
fn is_other_name(body: &Body, operand: Operand) -> bool {
    let user = body.operand(operand).user;
    match body.inst(user).opcode {
        Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MoveValue => true,
        Opcode::MarkDependence => {
            let closure = body.view_as::<MarkDependence>(user).map(|mark| mark.value);
            let is_noescape = |value: Value| {
                let function = body.value(value).ty.ty().as_function();
                function.is_some_and(|function| function.flags.contains(FnFlags::NOESCAPE))
            };
            closure.is_some_and(|closure| closure == body.operand(operand).value && is_noescape(closure))
        }
        Opcode::ConvertEscapeToNoEscape => is_plain_conversion(body, user),
        _ => false,
    }
}

/// Returns true if a conversion only adds `@noescape`.
fn is_plain_conversion(body: &Body, conversion: Inst) -> bool {
    let Some(ConvertEscapeToNoEscape { operand, ty, .. }) = body.view_as(conversion) else { return false };
    let (Some(from), Some(to)) = (body.value(operand).ty.ty().as_function(), ty.ty().as_function()) else {
        return false;
    };
    let mut from = from.clone();
    from.flags.insert(FnFlags::NOESCAPE);
    from == *to
}

/// Returns true if a use is a call of a closure without remaining generic parameters.
fn is_called(body: &Body, operand: Operand) -> bool {
    let user = body.operand(operand).user;
    let is_full = body.info(user).apply == Some(silkit_ir::info::ApplyKind::Full);
    is_full && body.operand_index(operand) == 0 && body.word(user, "subs").is_none()
}

/// Replaces calls of a closure by calls of its function.
fn call_directly(rw: &mut Rewriter<'_, '_>, inst: Inst) -> bool {
    let Some(closure) = rw.body().first_result(inst) else { return false };
    let Uses { calls, users } = uses(rw.body(), closure);
    let has_opened_types = !rw.body().type_operands(inst).is_empty();
    let may_open = calls.iter().all(|&call| rw.is(call, Opcode::Apply));
    if calls.is_empty() || has_opened_types && !may_open || returns_inner_pointer(rw, inst) {
        return false;
    }
    let Some(captures) = Captures::of(rw, inst) else { return false };
    if !rw.may_change() {
        return false;
    }
    let values = captures.keep(rw, inst, &users);
    let callee = rw.body().operand_value(inst, 0);
    for call in calls {
        let old = rw.body().operand_value(call, 0);
        let mut arguments: Vec<Value> = match rw.view().apply_site(call) {
            Some(site) => site.arguments().collect(),
            None => continue,
        };
        let consumes = consumes_callee(rw, call);
        let passed = captures.pass(rw, call, &values);
        arguments.extend(&passed.arguments);
        let Some(PartialApply { subs, ty, .. }) = rw.body().view_as(inst) else { continue };
        let substitutions: Vec<_> = subs.iter().collect();
        let new = NewCallee { callee, ty, substitutions: &substitutions, arguments: &arguments };
        let call = match has_opened_types {
            false => {
                callee::change(&mut rw.edit(), call, &new);
                call
            }
            true => callee::replace_apply(&mut rw.before(call), call, &new).unwrap_or(call),
        };
        if consumes {
            captures::destroy_after(rw, call, old);
        }
        passed.end(rw, call);
    }
    true
}

/// Returns true if the function returns a pointer into an object that the closure must keep alive.
fn returns_inner_pointer(rw: &Rewriter<'_, '_>, inst: Inst) -> bool {
    let function = rw.ty(rw.body().operand_value(inst, 0)).ty().as_function();
    let is_inner =
        |result: &silkit_types::ResultInfo| result.convention == ResultConvention::UnownedInnerPointer;
    function.is_none_or(|function| function.results.iter().any(is_inner))
}

/// Returns true if a call consumes the closure.
fn consumes_callee(rw: &Rewriter<'_, '_>, call: Inst) -> bool {
    let site: Option<ApplySite<'_>> = rw.view().apply_site(call);
    let function = site.and_then(|site| site.callee_type().ty().as_function());
    function.is_some_and(|function| function.callee == CalleeConvention::Owned)
}
