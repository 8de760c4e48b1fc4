//! Strongly connected components of the control-flow graph.

use silkit_base::{Entity, strong_components};
use silkit_ir::{Block, Body};

/// The strongly connected components of the reachable blocks. A component is a loop nest or a single block. A
/// dead-end region (SIL.md) is a component of dead-end blocks.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// The component of each block, or `u32::MAX`.
    component: Vec<u32>,
    /// True for each component in which a block is reachable from itself.
    is_cyclic: Vec<bool>,
}

impl Components {
    /// Computes the components of a body.
    pub fn compute(body: &Body) -> Self {
        let mut this = Self { component: vec![u32::MAX; body.block_bound()], is_cyclic: Vec::new() };
        let successors = |block| body.block_successors(block);
        strong_components(body.block_bound(), body.entry_block(), successors, |component| {
            let number = this.is_cyclic.len() as u32;
            component.iter().for_each(|member: &Block| this.component[member.index()] = number);
            this.is_cyclic
                .push(component.len() > 1 || successors(component[0]).any(|next| next == component[0]));
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

    /// Returns true if a block is reachable from itself.
    pub fn is_in_cycle(&self, block: Block) -> bool {
        self.component(block).is_some_and(|component| self.is_cyclic[component as usize])
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.is_cyclic.len()
    }
}
