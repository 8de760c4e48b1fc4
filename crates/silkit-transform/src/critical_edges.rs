//! Critical edges: those from a block with several successors to one with several predecessors. What is to happen on the
//! way has no place until the edge is split.

use silkit_ir::{Block, Body, Edge, Value};

/// Whether an edge is critical, and all values that are passed along it can be passed from a block in its middle.
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
    let blocks: Vec<Block> = body.block_order().to_vec();
    let (mut order, mut count) = (Vec::with_capacity(blocks.len()), 0);
    let mut is_open = true;
    for block in blocks {
        order.push(block);
        let at = order.len();
        for edge in body.outgoing(block) {
            if is_open && is_critical(body, edge) {
                is_open = may_split();
                if is_open {
                    // Each new block comes right behind the one that it is split from, so before those that were made
                    // earlier.
                    order.insert(at, split(body, edge));
                    count += 1;
                }
            }
        }
    }
    // Blocks are put into their places at once: each insertion into the order would cost its length.
    if count > 0 {
        body.edit().reorder_blocks(order);
    }
    count
}

/// Puts a block, the last of all, in the middle of an edge.
fn split(body: &mut Body, edge: Edge) -> Block {
    let (from, to, index) = (body.edge(edge).from, body.edge(edge).to, body.edge_index(edge));
    let terminator = body.terminator(from).expect("invariant: an edge starts at a terminator");
    let loc = body.inst(terminator).loc;
    let args: Vec<Value> = body.edge_args(terminator, index).collect();
    let mut editor = body.edit();
    let middle = editor.append_block();
    editor.set_edge_args(terminator, index, &[]);
    editor.set_successor(terminator, index, middle);
    editor.insert_branch(middle, to, &args, loc);
    middle
}
