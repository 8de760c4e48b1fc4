//! Blocks in reverse postorder.

use silkit_base::Entity;
use silkit_ir::{Block, Body};

/// The reachable blocks in reverse postorder: a block comes before the blocks that it dominates, and before its
/// successors except along back edges.
#[derive(Clone, Debug, Default)]
pub struct BlockOrder {
    order: Vec<Block>,
    /// The position of each block; `u32::MAX` if it is unreachable. Empty if only the entry is reachable.
    number: Vec<u32>,
}

impl BlockOrder {
    /// Computes the order of the blocks of a body.
    pub fn compute(body: &Body) -> Self {
        let order = body.reverse_postorder();
        let mut number = Vec::new();
        if order.len() < 2 {
            return Self { order, number };
        }
        number.resize(body.block_bound(), u32::MAX);
        for (i, block) in order.iter().enumerate() {
            number[block.index()] = i as u32;
        }
        Self { order, number }
    }

    /// Returns the reachable blocks in reverse postorder; the entry is first.
    pub fn blocks(&self) -> &[Block] {
        &self.order
    }

    /// Returns the position of a block, or `None` if it is unreachable.
    pub fn position(&self, block: Block) -> Option<usize> {
        match self.number.get(block.index()) {
            Some(&number) => (number != u32::MAX).then_some(number as usize),
            None => (self.order.first() == Some(&block)).then_some(0),
        }
    }

    /// Returns true if a block is reachable from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position(block).is_some()
    }
}
