//! Deletion of dead closures, which are only copied and destroyed.
//!
//! ```text
//!   %1 = function_ref @closure
//!   %2 = partial_apply [callee_guaranteed] %1(%0)
//!   destroy_value %2
//! ---
//!   destroy_value %0
//! ```
//!
//! If the closure is copied, moved or borrowed, or the function is not in OSSA, its captures are destroyed after the last of
//! these uses on each path.

use silkit_analysis::ossa::{Liveness, UseKind};
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::PartialApply;
use silkit_ir::{Body, Inst, Opcode, Ownership, Point, Value};
use silkit_pass::FunctionContext;

use super::captures::copied_to_stack;
use super::known::BoxedFunction;
use crate::values::counting::Counting;

/// Where the captures of a dead closure in OSSA are destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadCaptures {
    /// At the closure, unless it is copied, moved or borrowed.
    Early,
    /// After the last use of the closure on each path.
    Late,
}

/// Deletes a `partial_apply` or `thin_to_thick_function` that is only copied, converted and destroyed, and destroys
/// its captures instead. `removing` is called with each instruction before its removal.
///
/// Returns false, without changes, if it has other uses.
pub fn delete_dead(
    cx: &mut FunctionContext<'_>,
    closure: Inst,
    captures: DeadCaptures,
    removing: &mut dyn FnMut(&Body, Inst),
) -> bool {
    let body = cx.body();
    let to_remove = match body.view_as::<PartialApply<'_>>(closure) {
        Some(partial) if partial.on_stack => stack_users(body, closure),
        _ => users(body, closure),
    };
    let Some(to_remove) = to_remove else { return false };
    if !destroy_captures(cx, closure, captures, &to_remove) {
        return false;
    }
    for inst in to_remove.into_iter().rev().chain([closure]) {
        removing(cx.body(), inst);
        cx.edit().remove(inst);
    }
    true
}

/// Returns the instructions that only destroy, copy or convert a closure, each after its operands; `None` if there
/// are other uses.
fn users(body: &Body, closure: Inst) -> Option<Vec<Inst>> {
    let mut found = vec![closure];
    let mut next = 0;
    while let Some(&inst) = found.get(next) {
        next += 1;
        for user in body.results(inst).flat_map(|value| body.users(value)) {
            match body.inst(user).opcode {
                Opcode::CopyValue
                | Opcode::BeginBorrow
                | Opcode::MoveValue
                | Opcode::ConvertEscapeToNoEscape
                | Opcode::StrongRetain
                | Opcode::StrongRelease
                | Opcode::DestroyValue
                | Opcode::RetainValue
                | Opcode::ReleaseValue
                | Opcode::DebugValue
                | Opcode::EndBorrow => found.push(user),
                _ => return None,
            }
        }
    }
    found.remove(0);
    Some(found)
}

/// Returns such instructions for an on-stack closure, which does not own its captures.
fn stack_users(body: &Body, closure: Inst) -> Option<Vec<Inst>> {
    let mut found = vec![closure];
    let mut next = 0;
    while let Some(&inst) = found.get(next) {
        next += 1;
        for operand in body.results(inst).flat_map(|value| body.uses(value)) {
            let user = body.operand(operand).user;
            match body.inst(user).opcode {
                Opcode::DeallocStack
                | Opcode::DebugValue
                | Opcode::DestroyValue
                | Opcode::BeginBorrow
                | Opcode::EndBorrow
                | Opcode::CopyValue
                | Opcode::MoveValue => found.push(user),
                // The closure depends on the other value.
                Opcode::MarkDependence if body.operand_index(operand) == 0 => found.push(user),
                _ => return None,
            }
        }
    }
    found.remove(0);
    Some(found)
}

/// Destroys the captures that a heap closure owns. Returns false if they are not known.
fn destroy_captures(
    cx: &mut FunctionContext<'_>,
    closure: Inst,
    captures: DeadCaptures,
    to_remove: &[Inst],
) -> bool {
    let body = cx.body();
    let Some(partial) = body.view_as::<PartialApply<'_>>(closure) else { return true };
    if partial.on_stack {
        return true;
    }
    let Some(taken) = cx.view().apply_site(closure).and_then(|site| captured_values(cx, site)) else {
        return false;
    };
    if taken.is_empty() {
        return true;
    }
    let is_memory = |&value: &Value| cx.body().value(value).ty.is_address();
    if cx.function().has_ossa() {
        let (memory, values): (Vec<Value>, Vec<Value>) = taken.into_iter().partition(is_memory);
        for point in destroy_points(cx.body(), closure, captures, to_remove) {
            values.iter().for_each(|&value| destroy(cx, value, point, true));
        }
        release_captures(cx, closure, memory, to_remove);
    } else if !to_remove.is_empty() {
        // A closure that is never released is leaked with its captures.
        release_captures(cx, closure, taken, to_remove);
    }
    true
}

/// Releases captures after the last uses of a closure on each path: in OSSA those in memory, otherwise all.
fn release_captures(cx: &mut FunctionContext<'_>, closure: Inst, mut taken: Vec<Value>, to_remove: &[Inst]) {
    if taken.is_empty() {
        return;
    }
    let points = ends(cx.body(), closure, to_remove);
    if points.is_empty() {
        return;
    }
    let mut copies = Vec::new();
    for value in &mut taken {
        // Nothing keeps captured memory initialized until the closure is released.
        if cx.body().value(*value).ty.is_address() {
            *value = copied_to_stack(&mut cx.at(Point::Before(closure)), *value, true);
            copies.push(*value);
        }
    }
    let has_ossa = cx.function().has_ossa();
    for point in points {
        // Each instruction is inserted directly at the point, so the last one comes first.
        copies.iter().for_each(|&copy| _ = cx.at(point).dealloc_stack(copy));
        taken.iter().rev().for_each(|&value| destroy(cx, value, point, has_ossa));
    }
}

/// Returns the points at which the captures of a dead closure in OSSA are destroyed, given the instructions that use it.
fn destroy_points(body: &Body, closure: Inst, captures: DeadCaptures, to_remove: &[Inst]) -> Vec<Point> {
    let is_direct = |user: Inst| {
        !matches!(body.inst(user).opcode, Opcode::CopyValue | Opcode::BeginBorrow | Opcode::MoveValue)
    };
    match body.first_result(closure) {
        Some(value) if captures == DeadCaptures::Early && body.users(value).all(is_direct) => {
            vec![Point::Before(closure)]
        }
        _ => ends(body, closure, to_remove),
    }
}

/// Returns the points after the last of the instructions that use a closure on each path.
fn ends(body: &Body, closure: Inst, users: &[Inst]) -> Vec<Point> {
    let Some(value) = body.first_result(closure) else { return Vec::new() };
    let mut liveness = Liveness::of_value(body, value);
    for &user in users {
        liveness.use_at(body, user, UseKind::Regular);
    }
    let boundary = liveness.boundary(body);
    let ends = boundary.last_users.into_iter().map(Point::After);
    ends.chain(boundary.edges.into_iter().map(Point::Start)).collect()
}

/// Returns the values and addresses that a closure owns.
fn captured_values(cx: &FunctionContext<'_>, site: ApplySite<'_>) -> Option<Vec<Value>> {
    let body = cx.body();
    let mut taken = Vec::new();
    for (index, value) in site.arguments().enumerate() {
        let convention = site.convention_of_applied(index)?;
        let ty = body.value(value).ty;
        let is_trivial = || match cx.function().has_ossa() && !ty.is_address() {
            true => cx.ownership().value(value) == Some(Ownership::None),
            false => cx.declarations().is_trivial(ty.ty(), cx.view().signature()) == Some(true),
        };
        let is_owned = !ty.is_address() || convention.is_consumed() || convention.is_guaranteed();
        if is_owned && !is_trivial() {
            taken.push(value);
        }
    }
    Some(taken)
}

/// Destroys a value at a point, in OSSA or by releasing it.
pub(super) fn destroy(cx: &mut FunctionContext<'_>, value: Value, point: Point, has_ossa: bool) {
    let (ty, sig) = (cx.body().value(value).ty, cx.view().signature());
    let declarations = cx.declarations();
    let mut builder = cx.at(point);
    match has_ossa {
        _ if ty.is_address() => _ = builder.destroy_addr(value),
        true => _ = builder.destroy_value(value),
        false => Counting::of(declarations, ty, sig).release(&mut builder, value),
    }
}

/// Deletes a box to which a function is stored once and which is otherwise only loaded by `load`, whose result is
/// only destroyed.
///
/// Returns the stored function if the box was deleted.
pub fn delete_dead_box(
    cx: &mut FunctionContext<'_>,
    load: Inst,
    removing: &mut dyn FnMut(&Body, Inst),
) -> Option<Value> {
    let body = cx.body();
    let boxed = BoxedFunction::of(body, load)?;
    let loaded: Vec<Inst> = body.results(load).flat_map(|value| body.users(value)).collect();
    if !loaded
        .iter()
        .all(|&user| matches!(body.inst(user).opcode, Opcode::DestroyValue | Opcode::StrongRelease))
    {
        return None;
    }
    let has_ossa = cx.function().has_ossa();
    if has_ossa && cx.ownership().value(boxed.stored) == Some(Ownership::Owned) {
        destroy(cx, boxed.stored, Point::Before(boxed.store), has_ossa);
    }
    let others = [load, boxed.store, boxed.project].into_iter().chain(boxed.end).chain([boxed.alloc]);
    for inst in loaded.into_iter().chain(others) {
        removing(cx.body(), inst);
        cx.edit().remove(inst);
    }
    Some(boxed.stored)
}
