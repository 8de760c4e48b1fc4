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

use silkit_ir::instructions::{Load, LoadQualifier};
use silkit_ir::{Body, Inst, Opcode, Operand, Point};
use silkit_pass::FunctionContext;
use silkit_transform::{delete, redundant_borrow};

/// Replaces a borrow by its operand if all its users allow that. The instruction that defined the operand is
/// removed as well if all its results are only destroyed.
pub(super) fn remove_borrow(cx: &mut FunctionContext<'_>, borrow: Inst, keeps_variables: bool) {
    let is_variable = cx.body().has_flag(borrow, "lexical") || cx.body().has_flag(borrow, "var_decl");
    let borrowed = cx.body().operand_value(borrow, 0);
    if is_variable || !redundant_borrow::remove(cx, borrow) {
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
    let is_variable = |inst: Inst| body.inst(inst).opcode == Opcode::DebugValue;
    let (variables, ends): (Vec<Inst>, Vec<Inst>) = body.users(address).partition(|&user| is_variable(user));
    let base = body.operand_value(begin, 0);
    let source = body.defining_inst(base);
    if !ends.iter().all(|&end| body.inst(end).opcode == Opcode::EndAccess) || !cx.may_change() {
        return;
    }
    let mut editor = cx.edit();
    ends.into_iter().for_each(|end| editor.remove(end));
    if variables.is_empty() {
        editor.remove(begin);
        remove_source(cx, source, keeps_variables);
    } else {
        editor.replace(begin, base);
    }
    cx.count("accesses removed", 1);
}

/// Removes an instruction whose results are no longer used, with what only it used.
fn remove_source(cx: &mut FunctionContext<'_>, source: Option<Inst>, keeps_variables: bool) {
    let mut work: Vec<Inst> = source.into_iter().collect();
    while let Some(source) = work.pop() {
        if cx.body().is_removed(source) || !cx.may_change() {
            continue;
        }
        let body = cx.body();
        if body.inst(source).opcode == Opcode::Load {
            work.extend(remove_load(cx, source, keeps_variables));
            continue;
        }
        let is_variable = |user: Inst| body.inst(user).opcode == Opcode::DebugValue;
        if keeps_variables && body.results(source).flat_map(|value| body.users(value)).any(is_variable) {
            continue;
        }
        let is_load = |body: &Body, inst: &Inst| body.inst(*inst).opcode == Opcode::Load;
        delete::dead_with(cx, [source], &mut |body, inst| {
            let operands = body.operands(inst).iter().filter_map(|operand| body.defining_inst(operand.value));
            work.extend(operands.filter(|inst| is_load(body, inst)));
        });
    }
}

/// Removes a load whose value is only destroyed, and returns the instruction that defines its address. Memory from which
/// the value was taken is destroyed instead.
fn remove_load(cx: &mut FunctionContext<'_>, inst: Inst, keeps_variables: bool) -> Option<Inst> {
    let body = cx.body();
    let Load { qualifier, address, .. } = body.view_as(inst)?;
    let users: Vec<Inst> = body.results(inst).flat_map(|value| body.users(value)).collect();
    let is_end = |&user: &Inst| match body.inst(user).opcode {
        Opcode::DestroyValue => true,
        Opcode::DebugValue => !keeps_variables,
        _ => false,
    };
    if !users.iter().all(is_end) {
        return None;
    }
    let source = body.defining_inst(address);
    let mut builder = cx.at(Point::Before(inst));
    if qualifier == Some(LoadQualifier::Take) {
        builder.destroy_addr(address);
    }
    users.into_iter().for_each(|user| builder.remove(user));
    builder.remove(inst);
    source
}
