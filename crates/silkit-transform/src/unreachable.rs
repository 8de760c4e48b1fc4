//! Blocks that no path leads to.

use silkit_analysis::BlockOrder;
use silkit_ir::{Block, Body};

/// Removes the blocks that cannot be reached from the entry and says how many there were.
pub fn remove_unreachable_blocks(body: &mut Body) -> usize {
    let order = BlockOrder::compute(body);
    let unreachable: Vec<Block> = body.blocks().filter(|&block| !order.is_reachable(block)).collect();
    if !unreachable.is_empty() {
        body.edit().remove_blocks(&unreachable);
    }
    unreachable.len()
}
