//! `split-critical-edges`: puts a block on each edge from a block with several successors to one with several
//! predecessors.

use crate::context::FunctionContext;
use crate::pass::Pass;
use silkit_ir::{Block, Body, Edge, Inst, Value};

pub(super) const PASS: Pass<'static> =
    Pass::function("split-critical-edges", "Puts a block on each critical edge", &run);

fn run(cx: &mut FunctionContext<'_>) {
    let blocks: Vec<Block> = cx.body().block_order().to_vec();
    let mut order = Vec::with_capacity(blocks.len());
    for block in blocks {
        order.push(block);
        let at = order.len();
        let critical: Vec<Edge> = cx.body().outgoing(block).filter(|&e| is_critical(cx.body(), e)).collect();
        for edge in critical {
            let Some(terminator) = cx.body().terminator(block) else { continue };
            if !cx.may_change() {
                break;
            }
            // Each new block comes right behind the one that it is split from, so before those that were made earlier.
            order.insert(at, split(cx, terminator, edge));
            cx.count("edges split", 1);
        }
    }
    // Blocks are put into their places at once: each insertion into the order would cost its length.
    if order != cx.body().block_order() {
        cx.edit().reorder_blocks(order);
    }
}

/// Whether an edge is critical, and all values that are passed along it can be passed from a block in its middle.
fn is_critical(body: &Body, edge: Edge) -> bool {
    let data = body.edge(edge);
    let passes_all = |terminator: Inst| {
        body.edge_args(terminator, body.edge_index(edge)).len() == body.arguments(data.to).len()
    };
    body.block_successors(data.from).len() > 1
        && body.predecessors(data.to).nth(1).is_some()
        && body.terminator(data.from).is_some_and(passes_all)
}

/// Puts a block, the last of all, in the middle of an edge.
fn split(cx: &mut FunctionContext<'_>, terminator: Inst, edge: Edge) -> Block {
    let body = cx.body();
    let (index, to, loc) = (body.edge_index(edge), body.edge(edge).to, body.inst(terminator).loc);
    let args: Vec<Value> = body.edge_args(terminator, index).collect();
    let mut editor = cx.edit();
    let middle = editor.append_block();
    editor.set_edge_args(terminator, index, &[]);
    editor.set_successor(terminator, index, middle);
    editor.insert_branch(middle, to, &args, loc);
    middle
}
