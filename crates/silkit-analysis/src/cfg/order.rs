//! Blocks in reverse postorder.

use silkit_base::Entity;
use silkit_ir::{Block, Body};

/// The blocks that can be reached from the entry, in reverse postorder: a block comes before those
/// that it dominates, and before its successors unless the edge closes a loop.
#[derive(Clone, Debug, Default)]
pub struct BlockOrder {
    order: Vec<Block>,
    /// The position of each block, or `u32::MAX`.
    number: Vec<u32>,
}

impl BlockOrder {
    /// Creates the order of the blocks of a body.
    pub fn compute(body: &Body) -> Self {
        let mut number = vec![u32::MAX; body.block_bound()];
        let order = body.reverse_postorder();
        for (i, block) in order.iter().enumerate() {
            number[block.index()] = i as u32;
        }
        Self { order, number }
    }

    /// Returns the blocks that can be reached, in reverse postorder; the entry is first.
    pub fn blocks(&self) -> &[Block] {
        &self.order
    }

    /// Returns the position of a block, where it can be reached.
    pub fn position(&self, block: Block) -> Option<usize> {
        self.number.get(block.index()).filter(|&&n| n != u32::MAX).map(|&n| n as usize)
    }

    /// Returns true if a path leads from the entry to a block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position(block).is_some()
    }
}
