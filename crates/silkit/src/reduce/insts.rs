//! Reduction of instructions and operands.

use super::Shrink;
use super::control::{each_body, of_bodies};
use super::module::Item;
use silkit_ir::{Body, Inst, Module, Opcode, Value, ValueDef};
use silkit_transform::delete;

/// The reductions of instructions.
pub(super) const SHRINKS: &[Shrink] = &[
    Shrink {
        items: "values with their uses",
        list: insts,
        drop: |module, items| each_body(module, items, drop_slices),
    },
    Shrink { items: "copies", list: insts, drop: |module, items| each_body(module, items, drop_copies) },
    Shrink { items: "instructions", list: insts, drop: |module, items| each_body(module, items, drop_insts) },
    Shrink {
        items: "operands",
        list: operands,
        drop: |module, items| each_body(module, items, drop_operands),
    },
];

/// Replaces the uses of a value by `undef`. Returns false, without changes, if a type depends on it.
pub(super) fn undefine_value(body: &mut Body, value: Value) -> bool {
    if body.uses(value).any(|operand| body.operand_spec(operand).is_none()) {
        return false;
    }
    if body.is_used(value) {
        let ty = body.value(value).ty;
        let undef = body.edit().undef(ty);
        body.edit().replace_all_uses(value, undef);
    }
    true
}

/// Replaces the uses of the results of an instruction by `undef`. Returns false if a type depends on one.
pub(super) fn undefine(body: &mut Body, inst: Inst) -> bool {
    body.results(inst).all(|result| undefine_value(body, result))
}

/// Returns all instructions except for terminators, last first, so that uses are removed before definitions.
fn insts(module: &Module) -> Vec<Item> {
    of_bodies(module, |name, body, items| {
        for block in body.blocks().rev() {
            let all = body.block_insts(block).rev().filter(|&inst| !body.is_terminator(inst));
            items.extend(all.map(|inst| Item::Inst(name, inst)));
        }
    })
}

/// Returns the instruction of an item if it still exists.
fn remaining(body: &Body, item: &Item) -> Option<Inst> {
    let Item::Inst(_, inst) = *item else { return None };
    (!body.is_removed(inst)).then_some(inst)
}

fn drop_insts(body: &mut Body, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        let Some(inst) = remaining(body, item) else { continue };
        if undefine(body, inst) {
            body.edit().remove(inst);
            is_changed = true;
        }
    }
    is_changed
}

/// Removes instructions with all direct and indirect users, unless one of these is a terminator.
fn drop_slices(body: &mut Body, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        let Some(inst) = remaining(body, item) else { continue };
        if !reaches_terminator(body, inst) {
            delete::with_users(body, inst);
            is_changed = true;
        }
    }
    is_changed
}

/// Returns true if a terminator uses the results of an instruction, directly or indirectly.
fn reaches_terminator(body: &Body, inst: Inst) -> bool {
    let mut seen = silkit_base::FxHashSet::default();
    let mut work = vec![inst];
    while let Some(inst) = work.pop() {
        if body.is_terminator(inst) {
            return true;
        }
        if seen.insert(inst) {
            work.extend(body.results(inst).flat_map(|result| body.users(result)));
        }
    }
    false
}

/// Replaces values by operands of the same type and removes their lifetime ends: a copy and its destroy, a borrow and
/// its end.
fn drop_copies(body: &mut Body, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        let Some(inst) = remaining(body, item) else { continue };
        let Some(result) = body.first_result(inst).filter(|_| body.results(inst).len() == 1) else {
            continue;
        };
        let Some(source) = body.operands(inst).first().map(|operand| operand.value) else { continue };
        let is_same = body.value(source).ty == body.value(result).ty
            && body.defining_inst(source) != Some(inst)
            && !matches!(body.def(source), ValueDef::Undef);
        if !is_same || body.uses(result).any(|operand| body.operand_spec(operand).is_none()) {
            continue;
        }
        let is_end = |inst: &Inst| {
            matches!(body.inst(*inst).opcode, Opcode::DestroyValue | Opcode::EndBorrow | Opcode::EndLifetime)
        };
        let ends: Vec<Inst> = body.users(result).filter(is_end).collect();
        for end in ends {
            body.edit().remove(end);
        }
        body.edit().replace(inst, source);
        is_changed = true;
    }
    is_changed
}

fn operands(module: &Module) -> Vec<Item> {
    of_bodies(module, |name, body, items| {
        for inst in body.insts() {
            for (index, operand) in body.operands(inst).iter().enumerate() {
                if !matches!(body.def(operand.value), ValueDef::Undef) {
                    items.push(Item::Operand(name, inst, index as u32));
                }
            }
        }
    })
}

fn drop_operands(body: &mut Body, items: &[Item]) -> bool {
    let mut is_changed = false;
    for item in items {
        let Item::Operand(_, inst, index) = *item else { continue };
        if body.is_removed(inst) {
            continue;
        }
        let operand = body.operand_id(inst, index as usize);
        let ty = body.value(body.operand(operand).value).ty;
        let undef = body.edit().undef(ty);
        body.edit().set_operand(operand, undef);
        is_changed = true;
    }
    is_changed
}
