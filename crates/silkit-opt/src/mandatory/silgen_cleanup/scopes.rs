//! Removal of redundant borrows, copies and accesses.
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

use super::unused::remove_source;
use silkit_ir::{Inst, Opcode, Operand};
use silkit_pass::FunctionContext;
use silkit_transform::{delete, redundant_borrow};

/// Replaces a borrow by its operand if all its users allow that. The instruction that defined the operand is
/// removed as well if all its results are only destroyed.
pub(super) fn remove_borrow(cx: &mut FunctionContext<'_>, borrow: Inst, keeps_variables: bool) {
    let borrowed = cx.body().operand_value(borrow, 0);
    // Diagnostic passes look at the scopes of variables.
    let kept: &[&str] =
        if cx.view().program.module.is_raw() { &["lexical", "var_decl", "fixed"] } else { &["lexical"] };
    let is_kept = kept.iter().any(|flag| cx.body().has_flag(borrow, flag));
    if is_kept || !redundant_borrow::remove(cx, borrow) {
        return;
    }
    cx.count("borrows removed", 1);
    let source = cx.body().defining_inst(borrowed);
    remove_source(cx, source, keeps_variables);
}

/// Removes a copy that is only destroyed, or not used, and the instructions that only computed what is copied.
pub(super) fn remove_copy(cx: &mut FunctionContext<'_>, copy: Inst, keeps_variables: bool) {
    let body = cx.body();
    let Some(copied) = body.first_result(copy) else { return };
    let uses: Vec<Operand> = body.uses(copied).collect();
    let is_end = |&operand: &Operand| match body.inst(body.operand(operand).user).opcode {
        Opcode::DestroyValue => true,
        Opcode::DebugValue => !keeps_variables,
        _ => false,
    };
    if !uses.iter().all(is_end) || !cx.may_change() {
        return;
    }
    let users: Vec<Inst> = uses.iter().map(|&operand| cx.body().operand(operand).user).collect();
    let source = cx.body().defining_inst(cx.body().operand_value(copy, 0));
    let mut editor = cx.edit();
    users.into_iter().for_each(|user| editor.remove(user));
    editor.remove(copy);
    cx.count("copies removed", 1);
    remove_source(cx, source, keeps_variables);
}

/// Removes an access in which nothing is accessed, and the instructions that only computed its address. Debug variables
/// refer to the address instead.
pub(super) fn remove_access(cx: &mut FunctionContext<'_>, begin: Inst, keeps_variables: bool) {
    let body = cx.body();
    let Some(address) = body.first_result(begin) else { return };
    let is_variable = |user: Inst| body.inst(user).opcode == Opcode::DebugValue;
    let is_end = |user: Inst| body.inst(user).opcode == Opcode::EndAccess;
    let has_variables = body.users(address).any(is_variable);
    let base = body.operand_value(begin, 0);
    let source = body.defining_inst(base);
    if !body.users(address).all(|user| is_variable(user) || is_end(user)) || !cx.may_change() {
        return;
    }
    delete::access(&mut cx.edit(), begin, base);
    if !has_variables {
        remove_source(cx, source, keeps_variables);
    }
    cx.count("accesses removed", 1);
}
