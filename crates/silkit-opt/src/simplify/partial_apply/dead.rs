//! Removes a closure that is only copied and destroyed.
//!
//! ```text
//! %2 = partial_apply [callee_guaranteed] %1(%0)
//! %3 = copy_value %2
//! destroy_value %3
//! destroy_value %2
//! ---
//! destroy_value %0
//! ```

use super::captures::{Captures, destroy, last_points};
use silkit_ir::instructions::{MarkDependence, PartialApply};
use silkit_ir::{Body, Inst, Opcode, Point, Value};
use silkit_transform::closures::copied_to_stack;
use silkit_transform::patterns::Rewriter;

/// Removes an unneeded closure. The captures that it consumed are destroyed where it was created if
/// `are_captures_kept`, otherwise where the closure ended.
pub(super) fn remove(rw: &mut Rewriter<'_, '_>, inst: Inst, are_captures_kept: bool) -> bool {
    let on_stack = rw.body().view_as::<PartialApply>(inst).is_some_and(|closure| closure.on_stack);
    if on_stack {
        if !is_unused_on_stack(rw.body(), inst) || !rw.may_change() {
            return false;
        }
        rw.remove_with_users(inst);
        return true;
    }
    let Some(users) = only_kept(rw.body(), inst) else { return false };
    let Some(captures) = Captures::of(rw, inst) else { return false };
    if !rw.may_change() {
        return false;
    }
    let owned: Vec<Value> = captures.owned(rw);
    let has_ossa = rw.function().has_ossa();
    if are_captures_kept {
        for value in owned {
            if has_ossa || !remove_retain(rw, inst, value) {
                destroy(rw, Point::Before(inst), value);
            }
        }
    } else if has_ossa || !users.is_empty() {
        // A closure that is never released leaks its captures.
        match has_ossa {
            true => destroy_at_end(rw, inst, owned, &users),
            // As in the reference, releases of captures without context are left to the next run.
            false => rw.unvisited(|rw| destroy_at_end(rw, inst, owned, &users)),
        }
    }
    rw.remove_with_users(inst);
    true
}

/// Destroys captures after the last users of a closure on each path.
fn destroy_at_end(rw: &mut Rewriter<'_, '_>, inst: Inst, mut owned: Vec<Value>, users: &[Inst]) {
    let ends = last_points(rw, inst, users);
    if ends.is_empty() {
        return;
    }
    for value in &mut owned {
        // Nothing keeps captured memory initialized until the closure ends.
        if rw.ty(*value).is_address() {
            *value = copied_to_stack(&mut rw.before(inst), *value, true);
        }
    }
    for &end in &ends {
        for &value in &owned {
            if rw.ty(value).is_address() {
                let mut builder = rw.at(end);
                builder.destroy_addr(value);
                builder.dealloc_stack(value);
            } else {
                destroy(rw, end, value);
            }
        }
    }
}

/// Removes a retain among the retains directly before an instruction. Returns false if there is none of this value.
fn remove_retain(rw: &mut Rewriter<'_, '_>, inst: Inst, value: Value) -> bool {
    let body = rw.body();
    let previous = std::iter::successors(body.prev_inst(inst), |&inst| body.prev_inst(inst));
    let mut retains = previous
        .take_while(|&inst| matches!(body.inst(inst).opcode, Opcode::StrongRetain | Opcode::RetainValue));
    let Some(retain) = retains.find(|&retain| body.operand_value(retain, 0) == value) else { return false };
    rw.edit().remove(retain);
    true
}

/// Returns true if an on-stack closure is only deallocated or used in dependences.
fn is_unused_on_stack(body: &Body, inst: Inst) -> bool {
    let is_mark = |user: Inst, closure: Value| {
        body.view_as::<MarkDependence>(user).is_some_and(|mark| mark.value == closure)
    };
    let mut work = vec![inst];
    while let Some(of) = work.pop() {
        let Some(closure) = body.first_result(of) else { return false };
        for user in body.users(closure) {
            let ends = matches!(
                body.inst(user).opcode,
                Opcode::DeallocStack | Opcode::DebugValue | Opcode::DestroyValue
            );
            if is_mark(user, closure) {
                work.push(user);
            } else if of != inst || !ends {
                return false;
            }
        }
    }
    true
}

/// Returns the users of a closure and of its copies, if they only extend or end its lifetime.
fn only_kept(body: &Body, inst: Inst) -> Option<Vec<Inst>> {
    let mut users = Vec::new();
    let mut work = vec![inst];
    while let Some(inst) = work.pop() {
        for user in body.results(inst).flat_map(|result| body.users(result)) {
            users.push(user);
            match body.inst(user).opcode {
                Opcode::CopyValue
                | Opcode::MoveValue
                | Opcode::BeginBorrow
                | Opcode::ConvertEscapeToNoEscape => work.push(user),
                Opcode::DestroyValue
                | Opcode::EndBorrow
                | Opcode::DebugValue
                | Opcode::StrongRetain
                | Opcode::StrongRelease
                | Opcode::RetainValue
                | Opcode::ReleaseValue => {}
                _ => return None,
            }
        }
    }
    Some(users)
}
