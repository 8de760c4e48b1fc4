//! Removal of the code that patterns leave unused.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = struct $Int64 (%0)
//!   %2 = struct_extract %1, #Int64._value
//!   return %2
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   return %0
//! }
//! ```

use super::Rewriter;
use crate::cfg::unreachable::remove_unreachable_blocks;
use crate::values::delete;
use silkit_ir::{Body, Inst, Opcode};
use std::collections::BinaryHeap;

/// Removes the dead instructions among the candidates in one backward pass over the function. Operands that become dead
/// are removed by the same pass if they are defined earlier in the layout, which they are unless blocks are out of order.
pub(super) fn remove_instructions(rw: &mut Rewriter<'_, '_>) {
    let mut candidates = rw.take_candidates();
    candidates.retain(|&inst| !rw.body().is_removed(inst) && is_dead(rw, inst));
    let mut queue: BinaryHeap<_> =
        candidates.into_iter().map(|inst| (rw.body().layout_key(inst), inst)).collect();
    let mut later = Vec::new();
    while let Some((key, inst)) = queue.pop() {
        if rw.body().is_removed(inst) || !rw.may_apply("dead instructions removed") {
            continue;
        }
        delete::with_users(rw.body_mut(), inst);
        rw.drain();
        for operand in rw.take_candidates() {
            if rw.body().is_removed(operand) || !is_dead(rw, operand) {
                continue;
            }
            match rw.body().layout_key(operand) {
                before if before < key => queue.push((before, operand)),
                // The pass was there already.
                _ => later.push(operand),
            }
        }
    }
    later.into_iter().for_each(|inst| rw.consider(inst));
}

/// Removes unreachable blocks. The branches of the remaining blocks are visited again, since their targets may now have a
/// single predecessor.
pub(super) fn remove_blocks(rw: &mut Rewriter<'_, '_>) {
    let count = rw.unvisited(|rw| remove_unreachable_blocks(rw.body_mut()));
    if count == 0 {
        return;
    }
    rw.count("blocks removed", count as u64);
    let body = rw.body();
    let ends = body.blocks().rev().filter_map(|block| body.terminator(block));
    let branches: Vec<Inst> = ends.filter(|&inst| body.inst(inst).opcode == Opcode::Branch).collect();
    branches.into_iter().for_each(|branch| rw.push(branch));
}

/// Returns true if an instruction is unused and has no effects.
pub(super) fn is_dead(rw: &Rewriter<'_, '_>, inst: Inst) -> bool {
    let body = rw.body();
    if body.results(inst).any(|result| rw.counted_uses(result).next().is_some()) {
        return false;
    }
    match body.inst(inst).opcode {
        Opcode::MarkUninitialized | Opcode::DebugValue | Opcode::BorrowedFrom | Opcode::ExtendLifetime => {
            false
        }
        // An undecided move initializes memory. The reference removes it, and then its verifier rejects the function.
        Opcode::MarkUnresolvedMoveAddr => false,
        // It may consume the enum.
        Opcode::UncheckedEnumData => !rw.function().has_ossa(),
        Opcode::Builtin if is_on_fast_path(body, inst) => false,
        _ if body.is_terminator(inst) => false,
        _ => {
            let behavior = rw.behavior();
            !behavior.may_read_or_write(inst) && !behavior.may_have_side_effects(inst)
        }
    }
}

fn is_on_fast_path(body: &Body, inst: Inst) -> bool {
    silkit_ir::ownership::builtin(body, inst).is_some_and(|builtin| builtin.name == "onFastPath")
}
