//! Dead-end blocks: blocks from which no path exits the function.

use silkit_base::{Entity, Worklist};
use silkit_ir::{Block, Body};

/// The dead-end blocks (SIL.md, "Definition of a path"): no path from their start reaches an instruction that exits
/// the function.
#[derive(Clone, Debug, Default)]
pub struct DeadEnds {
    is_dead_end: Vec<bool>,
    any: bool,
}

impl DeadEnds {
    /// Computes the dead-end blocks of a body.
    pub fn compute(body: &Body) -> Self {
        let mut is_dead_end = vec![true; body.block_bound()];
        let mut work = Worklist::new();
        let leaves = |b: &Block| body.last_inst(*b).is_some_and(|i| body.inst(i).opcode.leaves_function());
        for block in body.blocks().filter(leaves) {
            work.push(block);
        }
        while let Some(block) = work.pop() {
            is_dead_end[block.index()] = false;
            for pred in body.predecessors(block) {
                work.push(pred);
            }
        }
        let any = body.blocks().any(|b| is_dead_end[b.index()]);
        Self { is_dead_end, any }
    }

    /// Returns true if no path from the start of a block exits the function.
    pub fn is_dead_end(&self, block: Block) -> bool {
        self.is_dead_end.get(block.index()).copied().unwrap_or(true)
    }

    /// Returns true if the body has a dead-end block.
    pub fn any(&self) -> bool {
        self.any
    }
}
