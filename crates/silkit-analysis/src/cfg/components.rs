//! Strongly connected components of the control-flow graph.

use silkit_base::{Entity, strong_components};
use silkit_ir::{Block, Body};

/// The strongly connected components of the reachable blocks. A component is a loop nest or a single block. A
/// dead-end region (SIL.md) is a component of dead-end blocks.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// The component of each block, or `u32::MAX`.
    component: Vec<u32>,
    count: u32,
}

impl Components {
    /// Computes the components of a body.
    pub fn compute(body: &Body) -> Self {
        let mut this = Self { component: vec![u32::MAX; body.block_bound()], count: 0 };
        let successors = |block| body.block_successors(block);
        strong_components(body.block_bound(), body.entry_block(), successors, |component| {
            component.iter().for_each(|member: &Block| this.component[member.index()] = this.count);
            this.count += 1;
        });
        this
    }

    /// Returns the component of a block, or `None` if it is unreachable. Components are numbered in postorder: a
    /// component has a smaller number than its predecessors.
    pub fn component(&self, block: Block) -> Option<u32> {
        self.component.get(block.index()).copied().filter(|&c| c != u32::MAX)
    }

    /// Returns true if two blocks are in the same component: each is reachable from the other.
    pub fn are_together(&self, a: Block, b: Block) -> bool {
        self.component(a).is_some_and(|c| self.component(b) == Some(c))
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.count as usize
    }
}
