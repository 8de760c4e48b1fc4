//! Folds `destructure_tuple` and `destructure_struct`, and a `tuple` of the elements of another one.
//!
//! A trivial value is destructured by one extract for each part, which other passes handle separately:
//!
//! ```text
//! (%1, %2) = destructure_tuple %0
//! ---
//! %1 = tuple_extract %0, 0
//! %2 = tuple_extract %0, 1
//! ```
//!
//! Construction and destructuring cancel out, in both orders:
//!
//! ```text
//! %2 = struct $S (%0, %1)
//! (%3, %4) = destructure_struct %2
//! (%5, %6) = destructure_tuple %7
//! %8 = tuple (%5, %6)
//! ---
//! %3 → %0, %4 → %1, %8 → %7
//! ```
//!
//! If a struct is copied before it is destructured in the same block, its parts are copied instead:
//!
//! ```text
//! %1 = struct $S (%0)
//! %2 = copy_value %1
//! %3 = destructure_struct %2
//! ---
//! %2 = copy_value %0
//! %1 = struct $S (%0)
//! %3 → %2
//! ```

use super::always;
use silkit_ir::{Body, Inst, Opcode, OperandData, Value, ValueDef};
use silkit_transform::destroy;
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::DestructureTuple, "destructure_tuple of trivial value", extract_elements),
    always(Opcode::DestructureTuple, "destructure_tuple of tuple", destructured_tuple),
    always(Opcode::DestructureStruct, "destructure_struct of trivial value", extract_fields),
    always(Opcode::DestructureStruct, "destructure_struct of struct", destructured_struct),
    always(Opcode::DestructureStruct, "destructure_struct of copied struct", copy_fields),
    always(Opcode::Tuple, "tuple of elements of another one", tuple),
];

/// Destructures a trivial tuple by extracts of its elements.
fn extract_elements(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let whole = rw.body().operand_value(inst, 0);
    if rw.is_trivial(rw.ty(whole)) && rw.may_change() {
        let count = rw.body().results(inst).len() as u32;
        let parts: Vec<Value> = (0..count).map(|index| rw.before(inst).tuple_extract(whole, index)).collect();
        replace_results(rw, inst, &parts);
    }
}

fn destructured_tuple(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    cancel(rw, Opcode::Tuple, inst);
}

fn destructured_struct(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    cancel(rw, Opcode::Struct, inst);
}

fn made_by(rw: &Rewriter<'_, '_>, value: Value, opcode: Opcode) -> Option<Inst> {
    rw.body().defining_inst(value).filter(|&inst| rw.is(inst, opcode))
}

/// Destructures a trivial struct by extracts of its fields.
fn extract_fields(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let whole = rw.body().operand_value(inst, 0);
    let (declarations, ty) = (rw.declarations(), rw.ty(whole).ty());
    if !rw.is_trivial(rw.ty(whole)) {
        return;
    }
    let Some(fields) = destroy::parts(declarations, ty) else { return };
    if fields.len() != rw.body().results(inst).len() || !rw.may_change() {
        return;
    }
    let extract = |&(name, _): &(_, _)| {
        let field = destroy::field_ref(declarations, ty, name);
        rw.before(inst).struct_extract(whole, field)
    };
    let parts: Vec<Value> = fields.iter().map(extract).collect();
    replace_results(rw, inst, &parts);
}

fn replace_results(rw: &mut Rewriter<'_, '_>, inst: Inst, parts: &[Value]) {
    let results: Vec<Value> = rw.body().results(inst).collect();
    for (result, &part) in results.into_iter().zip(parts) {
        rw.replace_all_uses(result, part);
    }
    rw.remove(inst);
}

/// Replaces the results of destructuring a new aggregate by its operands.
fn cancel(rw: &mut Rewriter<'_, '_>, construct: Opcode, destructure: Inst) {
    let whole = rw.body().operand_value(destructure, 0);
    let Some(construct) = made_by(rw, whole, construct).filter(|_| !rw.is_trivial(rw.ty(whole))) else {
        return;
    };
    let is_only_use = rw.is_only_user(whole, destructure);
    // Another use of owned parts would need copies.
    if !is_only_use && rw.is_owned(whole) || !rw.may_change() {
        return;
    }
    let parts: Vec<Value> = rw.body().operands(construct).iter().map(|operand| operand.value).collect();
    // As in the reference, the aggregate still counts as a user of its parts until dead instructions are removed.
    replace_results(rw, destructure, &parts);
}

/// Copies the fields of a struct instead of the struct.
fn copy_fields(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let whole = rw.body().operand_value(inst, 0);
    let Some(copy) = made_by(rw, whole, Opcode::CopyValue).filter(|_| rw.is_only_user(whole, inst)) else {
        return;
    };
    let copied = rw.body().operand_value(copy, 0);
    let source = rw.body().look_through(copied, |opcode| opcode == Opcode::CopyValue);
    let Some(made) = made_by(rw, source, Opcode::Struct) else { return };
    // Copies at the struct would leak on paths that do not pass the destructuring, or be consumed in each round of a loop.
    let is_local = rw.body().inst_block(made) == rw.body().inst_block(inst);
    if !is_local || rw.is_trivial(rw.ty(whole)) || !rw.may_change() {
        return;
    }
    let fields: Vec<Value> = rw.body().operands(made).iter().map(|operand| operand.value).collect();
    let parts: Vec<Value> = fields
        .into_iter()
        .map(|field| match rw.is_trivial(rw.ty(field)) {
            true => field,
            false => rw.before(made).copy_value(field),
        })
        .collect();
    replace_results(rw, inst, &parts);
    rw.remove_with_users(copy);
}

/// Replaces a tuple of all elements of another tuple, in order, by that tuple.
fn tuple(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(destructure) = taken_apart(body, inst) else { return };
    let whole = body.operand_value(destructure, 0);
    if Some(rw.ty(whole)) != body.first_result(inst).map(|result| rw.ty(result)) {
        return;
    }
    let parts: Vec<Value> = body.results(destructure).collect();
    let are_used_once = parts.iter().all(|&part| rw.counted_uses(part).count() == 1);
    if !are_used_once && parts.iter().any(|&part| rw.is_owned(part)) || !rw.may_change() {
        return;
    }
    rw.replace(inst, whole);
    if are_used_once {
        rw.remove_with_users(destructure);
    }
}

/// Returns the instruction whose results are exactly the elements of a tuple, in order.
fn taken_apart(body: &Body, tuple: Inst) -> Option<Inst> {
    let elements = body.operands(tuple);
    let destructure = body.defining_inst(elements.first()?.value)?;
    let is_part = |(index, element): (usize, &OperandData)| {
        let def = body.def(element.value);
        matches!(def, ValueDef::Result(inst, at) if inst == destructure && usize::from(at) == index)
    };
    let is_whole = body.inst(destructure).opcode == Opcode::DestructureTuple
        && elements.len() == body.results(destructure).len()
        && elements.iter().enumerate().all(is_part);
    is_whole.then_some(destructure)
}
