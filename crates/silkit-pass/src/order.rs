//! The order in which the runner visits functions.

use rayon::prelude::*;
use silkit_analysis::ProgramView;
use silkit_analysis::calls::{BottomUp, CallEdges, CallGraph};
use silkit_ir::FunctionId;

/// The functions with bodies, callees before callers except in recursion.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The functions in sequential order.
    pub(crate) order: Vec<FunctionId>,
    /// The functions in steps. The functions of one step may be processed in parallel: each sees the same state of
    /// other functions as in sequential order.
    pub(crate) steps: Vec<Vec<FunctionId>>,
}

impl Schedule {
    /// Schedules all functions of a program, or some.
    pub(crate) fn new(program: &ProgramView<'_>, only: Option<&[FunctionId]>) -> Self {
        let graph = call_graph(program);
        let bottom_up = match only {
            Some(functions) => BottomUp::of(&graph, functions),
            None => BottomUp::new(&graph),
        };
        let has_blocks = |f: &FunctionId| has_blocks(program, *f);
        let mut steps = bottom_up.steps(&graph);
        steps.iter_mut().for_each(|step| step.retain(has_blocks));
        steps.retain(|step| !step.is_empty());
        Self { order: bottom_up.functions().filter(has_blocks).collect(), steps }
    }
}

/// Returns the functions with bodies, callees before callers except in recursion.
pub fn bottom_up(program: &ProgramView<'_>) -> Vec<FunctionId> {
    BottomUp::new(&call_graph(program)).functions().filter(|&f| has_blocks(program, f)).collect()
}

fn has_blocks(program: &ProgramView<'_>, function: FunctionId) -> bool {
    program.definition(function).body().is_some_and(|body| body.entry_block().is_some())
}

/// Computes the call graph of a program; bodies are visited in parallel.
pub fn call_graph(program: &ProgramView<'_>) -> CallGraph {
    let callees = program.callee_analysis();
    let functions: Vec<FunctionId> = program.module.functions.keys().collect();
    CallGraph::from_edges(functions.into_par_iter().map(|f| CallEdges::new(callees, f)).collect())
}
