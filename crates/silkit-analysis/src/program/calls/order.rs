//! Bottom-up order: callees before their callers.

use super::callees::CalleeAnalysis;
use silkit_base::{Entity, EntitySet, IdVec, strong_components};
use silkit_ir::info::ApplyKind;
use silkit_ir::ownership::builtin;
use silkit_ir::{Body, FunctionId, Inst, Opcode};

/// The functions of a module grouped into strongly connected components of the call graph, callees before callers.
#[derive(Clone, Debug, Default)]
pub struct BottomUp {
    groups: Vec<Vec<FunctionId>>,
}

impl BottomUp {
    /// Computes the order of all functions of a module.
    pub fn new(graph: &CallGraph) -> Self {
        Self::from_roots(graph, graph.edges.keys(), |_| true)
    }

    /// Computes the order of some functions of a module.
    pub fn of(graph: &CallGraph, functions: &[FunctionId]) -> Self {
        let mut wanted = EntitySet::default();
        functions.iter().for_each(|&function| _ = wanted.insert(function));
        Self::from_roots(graph, functions.iter().copied(), |function| wanted.contains(function))
    }

    fn from_roots(
        graph: &CallGraph,
        roots: impl Iterator<Item = FunctionId>,
        is_wanted: impl Fn(FunctionId) -> bool,
    ) -> Self {
        let mut groups = Vec::new();
        let called = |function| graph.edges[function].called.iter().copied().filter(|&f| is_wanted(f));
        strong_components(graph.edges.len(), roots, called, |group: &[FunctionId]| {
            groups.push(group.iter().rev().copied().collect());
        });
        Self { groups }
    }

    /// Returns the groups: mutually recursive functions, or single functions.
    pub fn groups(&self) -> &[Vec<FunctionId>] {
        &self.groups
    }

    /// Returns the functions in steps. If the steps are processed in order, the functions of one step may be
    /// processed in parallel: each sees the same state of the functions that it references as in sequential bottom-up
    /// processing.
    pub fn steps(&self, graph: &CallGraph) -> Vec<Vec<FunctionId>> {
        let mut step_of = vec![u32::MAX; graph.edges.len()];
        // The step after those of all earlier functions that reference a function.
        let mut after = vec![0; step_of.len()];
        let mut steps: Vec<Vec<FunctionId>> = Vec::new();
        for function in self.functions() {
            let edges = &graph.edges[function];
            let named = || edges.called.iter().chain(&edges.named);
            let mut step: u32 = after[function.index()];
            for at in named().map(|f| step_of[f.index()]).filter(|&at| at != u32::MAX) {
                step = step.max(at + 1);
            }
            step_of[function.index()] = step;
            for other in named() {
                let after = &mut after[other.index()];
                *after = (*after).max(step + 1);
            }
            if steps.len() <= step as usize {
                steps.resize(step as usize + 1, Vec::new());
            }
            steps[step as usize].push(function);
        }
        steps
    }

    /// Returns the functions.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.groups.iter().flatten().copied()
    }
}

/// The functions that one function may call or otherwise references.
#[derive(Clone, Debug, Default)]
pub struct CallEdges {
    /// The possible callees, in the order of the calls.
    called: Vec<FunctionId>,
    /// Other functions whose effects are relevant: those called by its closures, and deinitializers.
    named: Vec<FunctionId>,
}

impl CallEdges {
    /// Collects the functions that a function may call. There are none if its body is not available.
    pub fn new(callees: CalleeAnalysis<'_>, function: FunctionId) -> Self {
        let mut this = Self::default();
        let Some(body) = callees.definition(function).body() else { return this };
        let destroyed =
            |inst, index| callees.destructors(body.value(body.operand_value(inst, index)).ty, false);
        for inst in body.insts() {
            let opcode = body.inst(inst).opcode;
            let (found, into) = match opcode {
                Opcode::StrongRelease | Opcode::ReleaseValue | Opcode::DestroyValue => {
                    (destroyed(inst, 0), &mut this.called)
                }
                Opcode::Builtin if calls_once(body, inst) => {
                    (callees.of_value(body, body.operand_value(inst, 1)), &mut this.called)
                }
                Opcode::DestroyAddr | Opcode::DestroyNotEscapedClosure => {
                    (destroyed(inst, 0), &mut this.named)
                }
                Opcode::CopyAddr | Opcode::Store => (destroyed(inst, 1), &mut this.named),
                _ => match body.info(inst).apply {
                    Some(ApplyKind::Full) => (callees.of_site(body, inst), &mut this.called),
                    Some(ApplyKind::Partial) => (callees.of_site(body, inst), &mut this.named),
                    None => continue,
                },
            };
            into.extend(found.known.iter());
        }
        this
    }
}

/// The edges between callers and callees.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    edges: IdVec<FunctionId, CallEdges>,
}

impl CallGraph {
    /// Creates the call graph from the edges of all functions of a module, in order. The edges of different functions
    /// may be computed in parallel.
    pub fn from_edges(edges: Vec<CallEdges>) -> Self {
        Self { edges: edges.into_iter().collect() }
    }
}

fn calls_once(body: &Body, inst: Inst) -> bool {
    let is_once = builtin(body, inst).is_some_and(|b| matches!(b.id, "Once" | "OnceWithContext"));
    is_once && body.operands(inst).len() > 1
}
