//! Promotion of allocations used in one block: their content is known at every point.

use super::rewrite::{self, Content, Slot};
use super::{AllocationFacts, uses};
use silkit_ir::instructions::{EndBorrow, Store, StoreBorrow, StoreQualifier};
use silkit_ir::{Block, Inst, Opcode, Ownership, Point, Value};
use silkit_pass::FunctionContext;
use silkit_transform::destroy;
use silkit_transform::variables::{self, StoredVariables};

/// Promotes an allocation and returns the values that replace it. The remaining uses do not read the memory.
pub(super) fn promote(cx: &mut FunctionContext<'_>, facts: &mut AllocationFacts, slot: &Slot) -> Vec<Value> {
    let stored = StoredVariables::of(cx.body(), slot.allocation);
    let mut values = Vec::new();
    let mut content = None;
    let mut end = None;
    for inst in uses::all(cx.body(), slot.address) {
        if cx.body().inst_block(inst) == Block::NONE {
            continue;
        }
        if cx.body().inst(inst).opcode == Opcode::DeallocStack {
            end = Some(inst);
            break;
        }
        step(cx, slot, inst, &mut content, &stored);
        values.extend(content.and_then(Content::value).filter(|value| values.last() != Some(value)));
    }
    remove_dead_projections(cx, facts, slot, end);
    values
}

fn step(
    cx: &mut FunctionContext<'_>,
    slot: &Slot,
    inst: Inst,
    content: &mut Option<Content>,
    stored: &StoredVariables,
) {
    let body = cx.body();
    match body.inst(inst).opcode {
        Opcode::Load | Opcode::LoadBorrow => {
            let value = match content.and_then(Content::value) {
                Some(value) => value,
                None => nothing(cx, slot, inst, content),
            };
            rewrite::replace_load(cx, slot, inst, value);
        }
        Opcode::Store => {
            let Some(store) = body.view_as::<Store>(inst) else { return };
            let (source, qualifier) = (store.source, store.qualifier);
            if qualifier == Some(StoreQualifier::Assign)
                && let Some(old) = content.and_then(Content::value)
                && rewrite::ownership(cx, old) != Some(Ownership::None)
            {
                let mut builder = cx.at(Point::Before(inst));
                builder.destroy_value(old);
            }
            *content = Some(rewrite::after_store(cx, slot, inst, source));
            let (body, declarations) = cx.body_mut_with_declarations();
            variables::keep_stored(body, declarations, inst, source, stored);
            body.edit().remove(inst);
        }
        Opcode::StoreBorrow => {
            let Some(store) = body.view_as::<StoreBorrow>(inst) else { return };
            let source = store.source;
            *content = Some(rewrite::after_store_borrow(cx, slot, inst, source));
        }
        Opcode::EndBorrow => {
            let Some(end) = body.view_as::<EndBorrow>(inst) else { return };
            let stored = body.def_as::<StoreBorrow>(end.operand).map(|store| store.source);
            if let Some(content) =
                content.filter(|content| content.stored.is_some() && content.stored == stored)
            {
                rewrite::end_borrow(cx, content, inst);
            }
        }
        Opcode::DestroyAddr => {
            let value = match content.and_then(Content::value) {
                Some(value) => value,
                None => nothing(cx, slot, inst, content),
            };
            rewrite::replace_destroy(cx, slot, inst, value);
        }
        _ => {}
    }
}

/// Returns the content of uninitialized memory, from which only values of empty types may be read.
fn nothing(cx: &mut FunctionContext<'_>, slot: &Slot, inst: Inst, content: &mut Option<Content>) -> Value {
    let declarations = cx.declarations();
    let mut builder = cx.at(Point::Before(inst));
    let value = destroy::empty_value(&mut builder, slot.ty, declarations);
    *content = Some(Content::as_is(value));
    value
}

/// Removes all unused projections up to the end of the allocation.
fn remove_dead_projections(
    cx: &mut FunctionContext<'_>,
    facts: &mut AllocationFacts,
    slot: &Slot,
    end: Option<Inst>,
) {
    let block = cx.body().inst_block(slot.allocation);
    let Some(dead) = facts.dead_projections.get_mut(&block) else { return };
    let body = cx.body();
    let is_before = |inst| body.is_removed(inst) || end.is_none_or(|end| body.inst_precedes(inst, end));
    let count = dead.iter().take_while(|&&inst| is_before(inst)).count();
    let to_remove: Vec<Inst> = dead.drain(..count).collect();
    for inst in to_remove {
        let results: Vec<Value> = cx.body().results(inst).collect();
        if cx.body().inst_block(inst) == block {
            rewrite::remove_dead(cx, slot, results.first().copied());
        }
    }
}
