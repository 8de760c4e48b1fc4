//! Redundant borrows, whose users can use the operand of the borrow.
//!
//! The cost is proportional to the number of uses.

use silkit_ir::info::OperandOwnership;
use silkit_ir::{Inst, Opcode, Ownership};
use silkit_pass::FunctionContext;

/// Replaces a `begin_borrow` by its operand if all users accept it. Returns true if it was replaced. The caller must
/// know that the borrow has no other meaning, such as a lexical scope.
pub fn remove(cx: &mut FunctionContext<'_>, borrow: Inst) -> bool {
    let body = cx.body();
    let Some(borrowed) = body.first_result(borrow) else { return false };
    let base = body.operand_value(borrow, 0);
    let ownership = cx.ownership();
    let Some(of_base) = ownership.value(base) else { return false };
    let mut ends = Vec::new();
    for operand in body.uses(borrowed) {
        let user = body.operand(operand).user;
        match body.inst(user).opcode {
            Opcode::EndBorrow => ends.push(user),
            _ if accepts(ownership.operand(operand), of_base) => {}
            _ => return false,
        }
    }
    if !cx.may_change() {
        return false;
    }
    let mut editor = cx.edit();
    ends.into_iter().for_each(|end| editor.remove(end));
    editor.replace(borrow, base);
    true
}

/// Returns true if a use that does not end a lifetime accepts values with this ownership.
fn accepts(how: Option<OperandOwnership>, ownership: Ownership) -> bool {
    use OperandOwnership as O;
    match how {
        Some(
            O::NonUse
            | O::InstantaneousUse
            | O::UnownedInstantaneousUse
            | O::PointerEscape
            | O::BitwiseEscape
            | O::Borrow
            | O::AnyInteriorPointer,
        ) => true,
        Some(O::InteriorPointer | O::GuaranteedForwarding) => ownership == Ownership::Guaranteed,
        _ => false,
    }
}
