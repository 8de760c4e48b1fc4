//! The reference graph of functions.

use super::{Edge, Graph, GraphKind, Node, readable};
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::info::AttrKind;
use silkit_ir::{Body, DeclRef, Inst, Module, Opcode, references};
use silkit_text::Demangle;

/// Returns the call graph: an edge from each function to its direct callees, and a weak edge to functions that it
/// references otherwise and to methods that it looks up dynamically.
///
/// With `roots`, the graph is restricted to functions reachable from them.
pub fn calls(module: &Module, roots: &[&str], demangle: &Demangle) -> Graph {
    let mut graph = Graph { title: "calls".to_owned(), kind: GraphKind::Calls, ..Graph::default() };
    let mut nodes: FxHashMap<String, usize> = FxHashMap::default();
    let mut node = |graph: &mut Graph, id: &str, text: String, is_external: bool| {
        *nodes.entry(id.to_owned()).or_insert_with(|| {
            graph.nodes.push(Node { id: id.to_owned(), lines: vec![text.into()], is_external });
            graph.nodes.len() - 1
        })
    };
    let function = |name: Symbol| module.functions.by_key(&name).and_then(|f| f.body.as_ref());
    let mut waiting: Vec<Symbol> = match roots {
        [] => module.functions.values().filter(|f| f.body.is_some()).map(|f| f.name).collect(),
        roots => roots.iter().map(|&r| Symbol::new(r)).collect(),
    };
    waiting.reverse();
    let mut done = vec![];
    while let Some(name) = waiting.pop() {
        let body = function(name);
        let from = node(&mut graph, name.as_str(), readable(name.as_str(), demangle), body.is_none());
        if done.len() <= from {
            done.resize(from + 1, false);
        }
        let Some(body) = body.filter(|_| !std::mem::replace(&mut done[from], true)) else { continue };
        for (target, is_weak) in targets(body) {
            let to = match target {
                Target::Function(callee) => {
                    let is_external = function(callee).is_none();
                    if !is_external {
                        waiting.push(callee);
                    }
                    let text = readable(callee.as_str(), demangle);
                    node(&mut graph, callee.as_str(), text, is_external)
                }
                Target::Method(method) => node(&mut graph, &method, method.clone(), true),
            };
            graph.edges.push(Edge { from, to, label: String::new(), is_weak });
        }
    }
    count_repeated(&mut graph.edges);
    graph
}

enum Target {
    Function(Symbol),
    Method(String),
}

/// Returns the references of a body, with a flag that is true if it is not a direct call.
fn targets(body: &Body) -> Vec<(Target, bool)> {
    let mut found = Vec::new();
    for inst in body.insts() {
        match body.inst(inst).opcode {
            Opcode::GlobalAddr | Opcode::GlobalValue | Opcode::AllocGlobal => {}
            Opcode::ClassMethod
            | Opcode::SuperMethod
            | Opcode::ObjCMethod
            | Opcode::ObjCSuperMethod
            | Opcode::WitnessMethod => found.extend(method(body, inst).map(|m| (Target::Method(m), true))),
            _ => {
                let is_called = body.results(inst).any(|v| {
                    body.users(v).any(|user| {
                        body.inst(user).opcode.info().name.ends_with("apply")
                            && body.inst(user).opcode != Opcode::PartialApply
                            && body.operand_value(user, 0) == v
                    })
                });
                references::of_inst(body, inst, &mut |name| found.push((Target::Function(name), !is_called)));
            }
        }
    }
    found
}

/// Returns the method that an instruction looks up.
fn method(body: &Body, inst: Inst) -> Option<String> {
    let mut attrs = body.info(inst).attrs.iter().zip(body.words(inst));
    let (_, &word) = attrs.find(|(attr, _)| attr.kind == AttrKind::Decl)?;
    Some(DeclRef::from_u32(word).to_string())
}

/// Merges parallel edges into one, with their number as label.
fn count_repeated(edges: &mut Vec<Edge>) {
    let mut counts: FxHashMap<(usize, usize, bool), usize> = FxHashMap::default();
    edges.iter().for_each(|e| *counts.entry((e.from, e.to, e.is_weak)).or_default() += 1);
    edges.retain_mut(|e| match counts.remove(&(e.from, e.to, e.is_weak)) {
        Some(count) => {
            e.label = if count > 1 { format!("{count}×") } else { String::new() };
            true
        }
        None => false,
    });
}
