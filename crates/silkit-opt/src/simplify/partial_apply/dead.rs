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
use crate::simplify::rewriter::Rewriter;
use silkit_ir::instructions::{MarkDependence, PartialApply};
use silkit_ir::{Body, Inst, Opcode, Point, Value};

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
    let owned: Vec<Value> = captures.owned(rw);
    // Memory that the closure consumed would have to be moved to the end of the closure.
    let takes_memory = owned.iter().any(|&value| rw.ty(value).is_address());
    if takes_memory && !are_captures_kept || !rw.may_change() {
        return false;
    }
    let ends = match are_captures_kept {
        true => vec![Point::Before(inst)],
        false => last_points(rw, inst, &users),
    };
    for &end in &ends {
        for &value in &owned {
            destroy(rw, end, value);
        }
    }
    rw.remove_with_users(inst);
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
                | Opcode::ConvertFunction
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
