//! Control dependence: which branches decide whether a block is executed.

use silkit_analysis::PostDominators;
use silkit_base::Entity;
use silkit_ir::{Block, Body};

/// The blocks whose terminators decide whether other blocks are executed: the reverse dominance frontiers.
pub(super) struct Control {
    post_dominators: PostDominators,
    /// For each block, those that it depends on.
    controlling: Vec<Vec<Block>>,
}

impl Control {
    /// The control dependences of a body. Endless loops count as if they had an end.
    pub(super) fn of(body: &Body) -> Self {
        let post_dominators = PostDominators::compute_with_endless_loops(body);
        let mut controlling: Vec<Vec<Block>> = vec![Vec::new(); body.block_count()];
        for &block in body.block_order() {
            if body.block_successors(block).len() < 2 {
                continue;
            }
            let end = post_dominators.immediate(block);
            for successor in body.block_successors(block) {
                let mut at = Some(successor);
                while let Some(dependent) = at.filter(|_| at != end) {
                    let list = &mut controlling[dependent.index()];
                    // Another successor came this way; so it did from here on.
                    if list.last() == Some(&block) {
                        break;
                    }
                    list.push(block);
                    at = post_dominators.immediate(dependent);
                }
            }
        }
        Self { post_dominators, controlling }
    }

    /// The blocks on whose terminators it depends whether a block is executed.
    pub(super) fn controlling(&self, block: Block) -> &[Block] {
        &self.controlling[block.index()]
    }

    /// The block that post-dominates a block most closely.
    pub(super) fn post_dominator(&self, block: Block) -> Option<Block> {
        self.post_dominators.immediate(block)
    }
}
