//! `simplify-unreachable-containing-blocks`: removes all instructions before `unreachable` in its block, except for
//! `borrowed … from`, which the phis of the block need.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   cond_fail %0, "before the end"
//!   unreachable
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1):
//!   unreachable
//! }
//! ```

use silkit_ir::{Block, Inst, Opcode};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::unreachable;

pub(super) const PASS: Pass<'static> = Pass::function(
    "simplify-unreachable-containing-blocks",
    "Removes all instructions before `unreachable` in its block",
    &run,
);

fn run(cx: &mut FunctionContext<'_>) {
    let body = cx.body();
    let is_unreachable = |&block: &Block| {
        body.terminator(block).is_some_and(|inst| body.inst(inst).opcode == Opcode::Unreachable)
    };
    let blocks: Vec<Block> = body.blocks().filter(is_unreachable).collect();
    for block in blocks {
        let to_remove: Vec<Inst> = cx.body().block_insts(block).collect();
        // The last instruction of the block is its terminator.
        for &inst in to_remove.iter().rev().skip(1) {
            // The phis of the block stay.
            if cx.body().inst(inst).opcode == Opcode::BorrowedFrom {
                continue;
            }
            unreachable::remove_used(cx.body_mut(), inst);
            cx.count("instructions removed", 1);
        }
    }
}
