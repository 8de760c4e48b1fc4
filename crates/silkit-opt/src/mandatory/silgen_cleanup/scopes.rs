//! Borrows and copies that nothing needs.
//!
//! ```text
//! %1 = begin_borrow %0             // of a guaranteed value, or used by calls alone
//! apply %f(%1)                     →  apply %f(%0)
//! end_borrow %1
//! ```

use silkit_ir::info::OperandOwnership;
use silkit_ir::{Inst, Opcode, Operand, Ownership};
use silkit_pass::FunctionContext;

/// Lets the users of a borrow use what it borrows, where they all may.
pub(super) fn remove_borrow(cx: &mut FunctionContext<'_>, borrow: Inst) {
    let body = cx.body();
    let Some(borrowed) = body.first_result(borrow) else { return };
    let base = body.operand_value(borrow, 0);
    if body.has_flag(borrow, "lexical") || body.has_flag(borrow, "var_decl") {
        return;
    }
    let ownership = cx.ownership();
    let Some(of_base) = ownership.value(base) else { return };
    let mut ends = Vec::new();
    for operand in body.uses(borrowed) {
        let user = body.operand(operand).user;
        match body.inst(user).opcode {
            Opcode::DebugValue => {}
            Opcode::EndBorrow => ends.push(user),
            _ if accepts(ownership.operand(operand), of_base) => {}
            _ => return,
        }
    }
    if !cx.may_change() {
        return;
    }
    let mut editor = cx.edit();
    ends.into_iter().for_each(|end| editor.remove(end));
    editor.replace(borrow, base);
    cx.count("borrows removed", 1);
}

/// Returns true if a use that does not end a lifetime takes values with an ownership.
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

/// Removes a copy that is only destroyed.
pub(super) fn remove_copy(cx: &mut FunctionContext<'_>, copy: Inst, keeps_variables: bool) {
    let body = cx.body();
    let Some(copied) = body.first_result(copy) else { return };
    let uses: Vec<Operand> = body.uses(copied).collect();
    let is_end = |&operand: &Operand| match body.inst(body.operand(operand).user).opcode {
        Opcode::DestroyValue => true,
        Opcode::DebugValue => !keeps_variables,
        _ => false,
    };
    if !uses.iter().all(is_end) || uses.is_empty() || !cx.may_change() {
        return;
    }
    let users: Vec<Inst> = uses.iter().map(|&operand| cx.body().operand(operand).user).collect();
    let mut editor = cx.edit();
    users.into_iter().for_each(|user| editor.remove(user));
    editor.remove(copy);
    cx.count("copies removed", 1);
}
