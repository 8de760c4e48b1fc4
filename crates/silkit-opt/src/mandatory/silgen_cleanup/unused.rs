//! Removal of instructions whose results are not used.
//!
//! In canonical SIL:
//!
//! ```text
//! %1 = struct_element_addr %0, #S.x
//! %2 = load [copy] %1
//! destroy_value %2                 →
//! ```
//!
//! ```text
//! %1 = upcast %0
//! debug_value %1, let, name "x"
//! destroy_value %1                 →  destroy_value %0
//! ```

use silkit_ir::instructions::{Load, LoadQualifier};
use silkit_ir::{Body, Inst, Opcode, Point};
use silkit_pass::FunctionContext;
use silkit_transform::delete;

/// Removes an instruction in OSSA that only forwards one value, if only debug variables and destroys use the result. Raw
/// SIL keeps it, for diagnostic passes.
pub(super) fn remove_forwarding(cx: &mut FunctionContext<'_>, inst: Inst) {
    if !cx.function().has_ossa() || cx.view().program.module.is_raw() || !forwards_one_value(cx.body(), inst)
    {
        return;
    }
    let body = cx.body();
    let users = body.results(inst).flat_map(|value| body.users(value));
    let opcode = |user: Inst| body.inst(user).opcode;
    let (variables, ends): (Vec<Inst>, Vec<Inst>) =
        users.partition(|&user| opcode(user) == Opcode::DebugValue);
    let is_unused = ends.iter().all(|&end| opcode(end) == Opcode::DestroyValue);
    let operand = body.operand_value(inst, 0);
    let source = body.defining_inst(operand);
    if !is_unused || !cx.may_change() {
        return;
    }
    // Unlike the reference, leaves no destroy of a trivial payload, which is invalid.
    let has_no_lifetime = cx.view().is_trivial(cx.view().ty(operand)) == Some(true);
    let dead = if has_no_lifetime { ends } else { Vec::new() };
    let mut editor = cx.edit();
    variables.into_iter().chain(dead).for_each(|user| editor.remove(user));
    editor.replace(inst, operand);
    remove_source(cx, source, false);
    cx.count("forwarding instructions removed", 1);
}

/// Returns true if an instruction only forwards its operand to its result.
fn forwards_one_value(body: &Body, inst: Inst) -> bool {
    let is_unary = body.operands(inst).len() == 1 && body.results(inst).len() == 1;
    match body.inst(inst).opcode {
        Opcode::MoveValue | Opcode::EndInitLetRef => false,
        Opcode::DestructureStruct | Opcode::DestructureTuple => false,
        Opcode::ThinToThickFunction => true,
        _ => is_unary && body.is_forwarding(inst) && !body.is_terminator(inst),
    }
}

/// Removes an instruction whose results are no longer used, with what only it used.
pub(super) fn remove_source(cx: &mut FunctionContext<'_>, source: Option<Inst>, keeps_variables: bool) {
    let mut work: Vec<Inst> = source.into_iter().collect();
    while let Some(source) = work.pop() {
        if cx.body().is_removed(source) || !cx.may_change() {
            continue;
        }
        let body = cx.body();
        if body.inst(source).opcode == Opcode::Load {
            work.extend(end_load(cx, source, keeps_variables));
            continue;
        }
        let is_variable = |user: Inst| body.inst(user).opcode == Opcode::DebugValue;
        if keeps_variables && body.results(source).flat_map(|value| body.users(value)).any(is_variable) {
            continue;
        }
        let is_load = |body: &Body, inst: &Inst| body.inst(*inst).opcode == Opcode::Load;
        // The reference keeps such an access without ownership, after it was visited.
        let has_ossa = cx.function().has_ossa();
        let keeps = |body: &Body, inst: Inst| !has_ossa && body.inst(inst).opcode == Opcode::BeginAccess;
        delete::dead_but(cx, [source], &keeps, &mut |body, inst| {
            let operands = body.operands(inst).iter().filter_map(|operand| body.defining_inst(operand.value));
            work.extend(operands.filter(|inst| is_load(body, inst)));
        });
    }
}

/// Removes a load whose value is only destroyed, and returns the instruction that defines its address. Memory from which
/// the value was taken is destroyed instead.
fn end_load(cx: &mut FunctionContext<'_>, inst: Inst, keeps_variables: bool) -> Option<Inst> {
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
