//! Dead-end blocks: blocks from which no path exits the function.

use silkit_base::BitSet;
use silkit_ir::{Block, Body};

/// The dead-end blocks (SIL.md, "Definition of a path"): no path from their start reaches an instruction that exits
/// the function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeadEnds {
    /// The blocks that are not dead ends.
    live: BitSet<Block>,
    any: bool,
}

impl DeadEnds {
    /// Computes the dead-end blocks of a body.
    pub fn compute(body: &Body) -> Self {
        let mut live = BitSet::with_bound(body.block_bound());
        let mut work = Vec::with_capacity(body.block_count().saturating_sub(1));
        let leaves = |b: &Block| body.last_inst(*b).is_some_and(|i| body.inst(i).opcode.leaves_function());
        for exit in body.blocks().filter(leaves) {
            let mut next = Some(exit);
            while let Some(block) = next {
                if live.insert(block) {
                    work.extend(body.predecessors(block).filter(|&pred| !live.contains(pred)));
                }
                next = work.pop();
            }
        }
        let any = body.blocks().any(|block| !live.contains(block));
        Self { live, any }
    }

    /// Returns true if no path from the start of a block exits the function.
    pub fn is_dead_end(&self, block: Block) -> bool {
        !self.live.contains(block)
    }

    /// Returns true if the body has a dead-end block.
    pub fn any(&self) -> bool {
        self.any
    }
}
