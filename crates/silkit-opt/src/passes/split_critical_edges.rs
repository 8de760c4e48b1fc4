//! `split-critical-edges`: puts a block on each edge from a block with several successors to one with several
//! predecessors.

use crate::context::FunctionContext;
use crate::pass::Pass;
use silkit_ir::{Block, Body, Edge};

pub(super) const PASS: Pass<'static> =
    Pass::function("split-critical-edges", "Puts a block on each critical edge", &run)
        .with_options(&["split-critical-edges-only-cond-br"]);

fn run(cx: &mut FunctionContext<'_>) {
    let blocks: Vec<Block> = cx.body().block_order().to_vec();
    for block in blocks {
        let critical: Vec<Edge> = cx.body().outgoing(block).filter(|&e| is_critical(cx.body(), e)).collect();
        for edge in critical {
            let loc = cx.body().terminator(block).map_or(silkit_ir::Loc::NONE, |t| cx.body().inst(t).loc);
            cx.edit().split_edge(edge, loc);
            cx.count("edges split", 1);
        }
    }
}

fn is_critical(body: &Body, edge: Edge) -> bool {
    let data = body.edge(edge);
    body.block_successors(data.from).len() > 1 && body.predecessors(data.to).nth(1).is_some()
}
