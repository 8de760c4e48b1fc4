//! Block merging: merges a block into its only predecessor if it is that block's only successor.
//!
//! ```text
//! bb0(%0 : @owned $Node, %1 : $Builtin.Int1):
//!   br bb1(%0)
//! bb1(%3 : @owned $Node):
//!   br bb2
//! bb2:
//!   cond_br %1, bb3, bb4
//! ---
//! bb0(%0 : @owned $Node, %1 : $Builtin.Int1):
//!   cond_br %1, bb1, bb2
//! ```

use crate::lifetime::forwarded_ownership::ForwardedOwnership;
use silkit_ir::ownership::OwnershipContext;
use silkit_ir::{Block, Body, Inst, Opcode, Value};

/// Merges all possible blocks and returns their number. Arguments are replaced by the passed values; their `borrowed
/// … from` instructions are removed, since they are no longer phis.
pub fn merge_all(body: &mut Body, context: OwnershipContext<'_>) -> usize {
    let blocks: Vec<Block> = body.blocks().skip(1).filter(|&block| can_be_merged(body, block)).collect();
    merge(body, context, blocks)
}

/// Merges a block into its predecessor if the edge between them is the only edge of both.
pub fn merge_into_predecessor(body: &mut Body, context: OwnershipContext<'_>, block: Block) -> bool {
    can_be_merged(body, block) && merge(body, context, vec![block]) > 0
}

/// Merges a block into its predecessor as [`merge_into_predecessor`] does. The result stands where the block with more
/// instructions stood, unless that would move the entry block.
pub fn merge_into_larger(body: &mut Body, context: OwnershipContext<'_>, block: Block) -> bool {
    let pred = body.single_predecessor(block).filter(|&pred| !body.is_entry_block(pred));
    // The branch between the two blocks does not count.
    let has_fewer = |pred| {
        let others = body.block_insts(pred).skip(1).map(Some).chain(std::iter::repeat(None));
        body.block_insts(block).zip(others).any(|(_, other)| other.is_none())
    };
    let moved = pred.filter(|&pred| pred != block && has_fewer(pred));
    let place = moved.and(body.prev_block(block)).filter(|&place| Some(place) != moved);
    let is_merged = merge_into_predecessor(body, context, block);
    if let (true, Some(pred), Some(place)) = (is_merged, moved, place) {
        body.edit().move_block_after(pred, place);
    }
    is_merged
}

fn can_be_merged(body: &Body, block: Block) -> bool {
    let is_branch = |from| body.terminator(from).is_some_and(|t| body.inst(t).opcode == Opcode::Branch);
    !body.is_entry_block(block)
        && body.single_predecessor(block).is_some_and(|from| from != block && is_branch(from))
}

fn merge(body: &mut Body, context: OwnershipContext<'_>, mut blocks: Vec<Block>) -> usize {
    for &block in &blocks {
        forget_borrows(body, block);
    }
    // In an unreachable cycle of blocks, the last block remains.
    let mut editor = body.edit();
    blocks.retain(|&block| {
        editor.single_predecessor(block) != Some(block) && {
            let forwarded = forwarded(editor.body(), context, block);
            editor.merge_into_predecessor(block);
            forwarded.keep(&mut editor, context);
            true
        }
    });
    blocks.len()
}

/// Returns the instructions that forward the arguments of a block.
fn forwarded(body: &Body, context: OwnershipContext<'_>, block: Block) -> ForwardedOwnership {
    let mut forwarded = ForwardedOwnership::default();
    if let Some(branch) = body.single_predecessor(block).and_then(|from| body.terminator(from)) {
        for (&argument, passed) in body.arguments(block).iter().zip(body.edge_args(branch, 0)) {
            forwarded.add(body, context, argument, passed);
        }
    }
    forwarded
}

/// Removes the `borrowed … from` of a block's arguments.
fn forget_borrows(edited: &mut Body, block: Block) {
    let body = &*edited;
    let of = |arg: Value| {
        let is_of = move |inst: &Inst| {
            body.inst(*inst).opcode == Opcode::BorrowedFrom && body.operand_value(*inst, 0) == arg
        };
        body.users(arg).filter(is_of)
    };
    let found: Vec<Inst> = body.arguments(block).iter().flat_map(|&arg| of(arg)).collect();
    for inst in found {
        let phi = edited.operand_value(inst, 0);
        edited.edit().replace(inst, phi);
    }
}
