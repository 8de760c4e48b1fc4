//! Removes unused key paths.
//!
//! ```text
//! %1 = keypath $KeyPath<S, Int>, (root $S; stored_property #S.x : $Int)
//! %2 = upcast %1 to $PartialKeyPath<S>
//! destroy_value %2
//! ---
//! ```
//!
//! Its captures are destroyed instead.

use super::always;
use silkit_ir::{Body, Inst, Opcode, Point, Value};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[always(Opcode::KeyPath, "keypath that is only kept", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if !is_only_kept(rw.body(), inst) || !rw.may_change() {
        return;
    }
    if rw.function().has_ossa() {
        let captured: Vec<Value> = rw.body().operands(inst).iter().map(|operand| operand.value).collect();
        for value in captured.into_iter().filter(|&value| !rw.is_trivial(rw.ty(value))).collect::<Vec<_>>() {
            rw.at(Point::After(inst)).destroy_value(value);
        }
    }
    rw.remove_with_users(inst);
}

/// Returns true if all direct and indirect uses of the results of an instruction only extend or end lifetimes.
fn is_only_kept(body: &Body, inst: Inst) -> bool {
    let mut work = vec![inst];
    while let Some(inst) = work.pop() {
        for user in body.results(inst).flat_map(|result| body.users(result)) {
            match body.inst(user).opcode {
                Opcode::Upcast
                | Opcode::DestroyValue
                | Opcode::StrongRelease
                | Opcode::BeginBorrow
                | Opcode::EndBorrow
                | Opcode::MoveValue
                | Opcode::CopyValue => work.push(user),
                _ => return false,
            }
        }
    }
    true
}
