//! The definition of a variable that reaches the start or the end of a block.

use crate::{ChosenDominators, Dominators};
use silkit_base::FxHashSet;
use silkit_ir::Block;

/// The block whose definition of a variable reaches a point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReachingBlock {
    /// The variable has the value of the phi at the start of this block.
    Phi(Block),
    /// The variable has the last value that this block defines.
    Definition(Block),
}

/// The blocks that define a variable, with definitions inside and phis at the start.
#[derive(Clone, Debug)]
pub struct ReachingBlocks {
    chosen: ChosenDominators,
    definitions: FxHashSet<Block>,
    phis: FxHashSet<Block>,
}

impl ReachingBlocks {
    /// Creates an empty set.
    pub fn new(dominators: &Dominators) -> Self {
        let chosen = ChosenDominators::new(dominators);
        Self { chosen, definitions: FxHashSet::default(), phis: FxHashSet::default() }
    }

    /// Adds a block that defines the variable.
    pub fn define(&mut self, dominators: &Dominators, block: Block) {
        self.definitions.insert(block);
        self.chosen.insert(dominators, block);
    }

    /// Adds a block that begins with a phi of the variable.
    pub fn add_phi(&mut self, dominators: &Dominators, block: Block) {
        self.phis.insert(block);
        self.chosen.insert(dominators, block);
    }

    /// Returns the block whose definition reaches the end of a block, or `None` if there is none on any path.
    pub fn at_end(&self, dominators: &Dominators, block: Block) -> Option<ReachingBlock> {
        let nearest = self.chosen.nearest(dominators, block)?;
        match self.definitions.contains(&nearest) {
            true => Some(ReachingBlock::Definition(nearest)),
            false => Some(ReachingBlock::Phi(nearest)),
        }
    }

    /// Returns the block whose definition reaches the start of a block, or `None` if there is none on any path.
    pub fn at_start(&self, dominators: &Dominators, block: Block) -> Option<ReachingBlock> {
        if self.phis.contains(&block) {
            return Some(ReachingBlock::Phi(block));
        }
        self.at_end(dominators, dominators.immediate(block)?)
    }

    /// Removes all blocks, in time proportional to their number.
    pub fn clear(&mut self) {
        self.chosen.clear();
        self.definitions.clear();
        self.phis.clear();
    }
}
