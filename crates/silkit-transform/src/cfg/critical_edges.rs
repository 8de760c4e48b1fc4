//! Splitting of critical edges: edges from a block with several successors to a block with several predecessors, on
//! which no instruction can be inserted.
//!
//! ```text
//! bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int64):
//!   cond_br %0, bb2(%1), bb1
//! bb1:
//!   %3 = integer_literal $Builtin.Int64, 3
//!   br bb2(%3)
//! bb2(%5 : $Builtin.Int64):
//!   return %5
//! ---
//! bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int64):
//!   cond_br %0, bb1, bb2
//! bb1:
//!   br bb3(%1)
//! bb2:
//!   %4 = integer_literal $Builtin.Int64, 3
//!   br bb3(%4)
//! bb3(%6 : $Builtin.Int64):
//!   return %6
//! ```

use silkit_ir::{Block, Body, Edge};

/// Returns true if an edge is critical and can be split: all values passed along it can be passed from a new block.
pub fn is_critical(body: &Body, edge: Edge) -> bool {
    let data = body.edge(edge);
    body.block_successors(data.from).len() > 1
        && body.predecessors(data.to).nth(1).is_some()
        && body.terminator(data.from).is_some_and(|terminator| {
            body.edge_args(terminator, body.edge_index(edge)).len() == body.arguments(data.to).len()
        })
}

/// Splits all critical edges with blocks placed after the source of the edge, and returns their number.
///
/// `may_split` is called before each split; after it returns false, no more edges are split.
pub fn split_all(body: &mut Body, may_split: &mut dyn FnMut() -> bool) -> usize {
    let blocks: Vec<Block> = body.blocks().collect();
    let mut count = 0;
    for block in blocks {
        let Some(terminator) = body.terminator(block) else { continue };
        // Splitting one does not make another one critical, or less so.
        let mut edges: Vec<Edge> = body.outgoing(block).filter(|&edge| is_critical(body, edge)).collect();
        let wanted = edges.iter().take_while(|_| may_split()).count();
        let is_last = wanted < edges.len();
        edges.truncate(wanted);
        count += wanted;
        let loc = body.inst(terminator).loc;
        let pass_nothing = edges.iter().all(|&edge| body.arguments(body.edge(edge).to).is_empty());
        if pass_nothing && edges.len() > 1 {
            body.edit().split_edges(terminator, &edges, loc);
        } else {
            edges.iter().for_each(|&edge| _ = body.edit().split_edge(edge, loc));
        }
        if is_last {
            break;
        }
    }
    count
}
