//! The sparse graph of the blocks at which states change.

use crate::context::FunctionVerifier;
use silkit_analysis::{ChosenDominators, Frontiers};

/// A set of blocks of a body, numbered in reverse postorder. The state at the end of a block is the state at the end
/// of its nearest dominator in the set; without such a dominator, the state is empty.
///
/// If the dominance frontiers would be too large, each block is its own source and its frontier is its successors.
/// Then the set consists of all blocks with a non-empty state.
pub(super) struct Sparse<'c, 'a> {
    cx: &'c FunctionVerifier<'a>,
    frontiers: Option<Frontiers>,
    chosen: ChosenDominators,
}

/// The maximum average number of frontier members per block.
const MOST_MEMBERS: usize = 8;

impl<'c, 'a> Sparse<'c, 'a> {
    pub(super) fn new(cx: &'c FunctionVerifier<'a>) -> Self {
        let most = MOST_MEMBERS * cx.block_order().blocks().len();
        let frontiers = Frontiers::compute(cx.body, cx.dominators(), most);
        Self { cx, frontiers, chosen: ChosenDominators::new(cx.dominators()) }
    }

    pub(super) fn clear(&mut self) {
        self.chosen.clear();
    }

    pub(super) fn choose(&mut self, block: u32) {
        self.chosen.insert(self.cx.dominators(), self.cx.block_order().blocks()[block as usize]);
    }

    /// Returns the block of the set whose end has the same state as the end of a block.
    pub(super) fn source(&self, block: u32) -> Option<u32> {
        let order = self.cx.block_order();
        let at = order.blocks()[block as usize];
        let nearest = self.chosen.nearest(self.cx.dominators(), at)?;
        if self.frontiers.is_none() && nearest != at {
            return None;
        }
        order.position(nearest).map(|at| at as u32)
    }

    /// Returns the block of the set whose end has the same state as the start of a block, unless different states
    /// meet there.
    pub(super) fn above(&self, block: u32) -> Option<u32> {
        self.frontiers.as_ref()?;
        let order = self.cx.block_order();
        let above = self.cx.dominators().immediate(order.blocks()[block as usize])?;
        self.source(order.position(above)? as u32)
    }

    /// Returns the blocks of the set whose ends have the same states as the incoming edges of a block.
    pub(super) fn sources(&self, block: u32) -> impl Iterator<Item = Option<u32>> + '_ {
        let order = self.cx.block_order();
        let preds = self.cx.body.predecessors(order.blocks()[block as usize]);
        preds.filter_map(|pred| order.position(pred)).map(|pred| self.source(pred as u32))
    }

    /// Adds the dominance frontier of a block, without the entry.
    pub(super) fn frontier(&self, block: u32, into: &mut Vec<u32>) {
        let order = self.cx.block_order();
        let block = order.blocks()[block as usize];
        let position = |block| order.position(block).map(|at| at as u32).filter(|&at| at != 0);
        match &self.frontiers {
            Some(frontiers) => into.extend(frontiers.of(block).iter().filter_map(|&b| position(b))),
            None => into.extend(self.cx.body.block_successors(block).filter_map(position)),
        }
    }
}
