//! Paths through the blocks of a body.

use silkit_base::FxHashMap;
use silkit_ir::{Block, Body};
use std::collections::VecDeque;

/// Returns a shortest path from one of the start blocks to a block that is wanted, through allowed blocks.
pub fn path(
    body: &Body,
    from: &[Block],
    wanted: impl Fn(Block) -> bool,
    allowed: impl Fn(Block) -> bool,
) -> Option<Vec<Block>> {
    let mut came_from = FxHashMap::default();
    let mut queue: VecDeque<Block> = from.iter().copied().collect();
    came_from.extend(from.iter().map(|&block| (block, Block::NONE)));
    while let Some(block) = queue.pop_front() {
        if wanted(block) {
            let back = |b: &Block| came_from.get(b).and_then(|p: &Block| p.some());
            let mut path: Vec<Block> = std::iter::successors(Some(block), back).collect();
            path.reverse();
            return Some(path);
        }
        for next in body.block_successors(block) {
            if !came_from.contains_key(&next) && (allowed(next) || wanted(next)) {
                came_from.insert(next, block);
                queue.push_back(next);
            }
        }
    }
    None
}
