//! The order of instructions in their blocks.

use silkit_base::Entity;
use silkit_ir::{Body, Inst};

/// The position of each instruction in its block.
#[derive(Clone, Debug, Default)]
pub struct InstOrder {
    position: Vec<u32>,
}

impl InstOrder {
    /// The positions in all blocks of a body.
    pub fn compute(body: &Body) -> Self {
        let mut position = vec![u32::MAX; body.inst_count()];
        for &block in body.block_order() {
            for (i, inst) in body.block_insts(block).enumerate() {
                position[inst.index()] = i as u32;
            }
        }
        Self { position }
    }

    /// The position of an instruction in its block; `u32::MAX` where it is in none.
    pub fn position(&self, inst: Inst) -> u32 {
        self.position.get(inst.index()).copied().unwrap_or(u32::MAX)
    }

    /// Whether an instruction comes before another one of the same block.
    pub fn comes_before(&self, first: Inst, second: Inst) -> bool {
        self.position(first) < self.position(second)
    }
}
