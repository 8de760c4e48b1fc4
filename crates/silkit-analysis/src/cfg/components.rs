//! Strongly connected components of the control flow.

use silkit_base::Entity;
use silkit_ir::{Block, Body};

/// The strongly connected components of the blocks that can be reached. A component is a loop nest, or
/// one block alone. A dead-end region (SIL.md) is a component of dead-end blocks.
#[derive(Clone, Debug, Default)]
pub struct Components {
    /// The component of each block, or `u32::MAX`.
    component: Vec<u32>,
    count: u32,
}

/// The data of a block in Tarjan's algorithm.
#[derive(Clone, Copy)]
struct Node {
    index: u32,
    low: u32,
}

impl Components {
    /// Creates the components of a body, by Tarjan's algorithm.
    pub fn compute(body: &Body) -> Self {
        let mut this = Self { component: vec![u32::MAX; body.block_bound()], count: 0 };
        let Some(entry) = body.entry_block() else { return this };
        let unseen = Node { index: u32::MAX, low: u32::MAX };
        let mut nodes = vec![unseen; body.block_bound()];
        let mut next = 0;
        let mut open = Vec::new();
        let mut enter = |block: Block, nodes: &mut [Node], open: &mut Vec<Block>| {
            nodes[block.index()] = Node { index: next, low: next };
            next += 1;
            open.push(block);
            (block, body.block_successors(block))
        };
        let mut stack = vec![enter(entry, &mut nodes, &mut open)];
        while let Some((block, successors)) = stack.last_mut() {
            let block = *block;
            if let Some(to) = successors.next() {
                if nodes[to.index()].index == u32::MAX {
                    stack.push(enter(to, &mut nodes, &mut open));
                } else if this.component[to.index()] == u32::MAX {
                    nodes[block.index()].low = nodes[block.index()].low.min(nodes[to.index()].index);
                }
                continue;
            }
            stack.pop();
            let node = nodes[block.index()];
            if let Some((parent, _)) = stack.last() {
                let low = &mut nodes[parent.index()].low;
                *low = (*low).min(node.low);
            }
            if node.low == node.index {
                while let Some(member) = open.pop() {
                    this.component[member.index()] = this.count;
                    if member == block {
                        break;
                    }
                }
                this.count += 1;
            }
        }
        this
    }

    /// Returns the component of a block, where it can be reached. A component has a smaller number than those
    /// from which it is reached.
    pub fn component(&self, block: Block) -> Option<u32> {
        self.component.get(block.index()).copied().filter(|&c| c != u32::MAX)
    }

    /// Returns true if two blocks are in the same component: each can be reached from the other.
    pub fn are_together(&self, a: Block, b: Block) -> bool {
        self.component(a).is_some_and(|c| self.component(b) == Some(c))
    }

    /// Returns the number of components.
    pub fn count(&self) -> usize {
        self.count as usize
    }
}
