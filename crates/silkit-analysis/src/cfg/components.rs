//! Strongly connected components of the control-flow graph.

use silkit_base::{BitSet, Entity, strong_components};
use silkit_ir::{Block, Body};

/// The strongly connected components of the reachable blocks. A component is a loop nest or a single block. A
/// dead-end region (SIL.md) is a component of dead-end blocks.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// The component of each block, or `u32::MAX`.
    component: Vec<u32>,
    count: usize,
    /// The blocks that are reachable from themselves.
    cyclic: BitSet<Block>,
}

impl Components {
    /// Computes the components of a body.
    pub fn compute(body: &Body) -> Self {
        let bound = body.block_bound();
        let mut this = Self { component: vec![u32::MAX; bound], count: 0, cyclic: BitSet::with_bound(bound) };
        let successors = |block| body.block_successors(block);
        strong_components(bound, body.entry_block(), successors, |component| {
            let is_cyclic = component.len() > 1 || successors(component[0]).any(|next| next == component[0]);
            for &member in component {
                this.component[member.index()] = this.count as u32;
                if is_cyclic {
                    this.cyclic.insert(member);
                }
            }
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

    /// Returns true if a block is reachable from itself.
    pub fn is_in_cycle(&self, block: Block) -> bool {
        self.cyclic.contains(block)
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.count
    }
}
