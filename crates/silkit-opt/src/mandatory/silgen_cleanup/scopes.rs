//! Removal of redundant borrows and copies.
//!
//! ```text
//! %1 = begin_borrow %0             // of a guaranteed value, or used by calls alone
//! apply %f(%1)                     →  apply %f(%0)
//! end_borrow %1
//! ```
//!
//! ```text
//! (%1, %2) = destructure_tuple %0
//! %3 = begin_borrow %1
//! end_borrow %3                    →  destroy_value %0
//! destroy_value %2
//! destroy_value %1
//! ```

use silkit_ir::{Inst, Opcode, Operand};
use silkit_pass::FunctionContext;
use silkit_transform::{delete, redundant_borrow};

/// Replaces a borrow by its operand if all its users allow that. The instruction that extracted the operand from a
/// value is removed as well if all its results are only destroyed.
pub(super) fn remove_borrow(cx: &mut FunctionContext<'_>, borrow: Inst, keeps_variables: bool) {
    let is_variable = cx.body().has_flag(borrow, "lexical") || cx.body().has_flag(borrow, "var_decl");
    let borrowed = cx.body().operand_value(borrow, 0);
    if is_variable || !redundant_borrow::remove(cx, borrow) {
        return;
    }
    cx.count("borrows removed", 1);
    let body = cx.body();
    let source = body.defining_inst(borrowed);
    let is_destructure =
        |inst: &Inst| matches!(body.inst(*inst).opcode, Opcode::DestructureTuple | Opcode::DestructureStruct);
    let Some(source) = source.filter(is_destructure) else { return };
    let is_variable = |user: Inst| body.inst(user).opcode == Opcode::DebugValue;
    let has_variables = body.results(source).flat_map(|value| body.users(value)).any(is_variable);
    if !(has_variables && keeps_variables) && cx.may_change() {
        delete::dead(cx, [source]);
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
