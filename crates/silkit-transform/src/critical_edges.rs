//! Critical edges: those from a block with several successors to one with several predecessors. What is to happen on the
//! way has no place until the edge is split.

use silkit_ir::{Block, Body, Edge, Loc};

/// Returns true if an edge is critical, and all values that are passed along it can be passed from a block in its
/// middle.
pub fn is_critical(body: &Body, edge: Edge) -> bool {
    let data = body.edge(edge);
    body.block_successors(data.from).len() > 1
        && body.predecessors(data.to).nth(1).is_some()
        && body.terminator(data.from).is_some_and(|terminator| {
            body.edge_args(terminator, body.edge_index(edge)).len() == body.arguments(data.to).len()
        })
}

/// Puts a block on each critical edge, right behind the block that it comes from, and says how many there are.
///
/// `may_split` is asked before each; after the first `false` no more are split.
pub fn split_all(body: &mut Body, may_split: &mut dyn FnMut() -> bool) -> usize {
    let blocks: Vec<Block> = body.blocks().collect();
    let mut count = 0;
    for block in blocks {
        for edge in body.outgoing(block) {
            if is_critical(body, edge) {
                if !may_split() {
                    return count;
                }
                let loc = body.terminator(block).map_or(Loc::NONE, |terminator| body.inst(terminator).loc);
                body.edit().split_edge(edge, loc);
                count += 1;
            }
        }
    }
    count
}
