//! Callees before their callers.

use super::callees::CalleeTables;
use silkit_base::Entity;
use silkit_ir::info::ApplyKind;
use silkit_ir::ownership::builtin;
use silkit_ir::{Body, FunctionId, Inst, Opcode};

/// The functions of a module in groups that call each other in circles, callees before their callers.
#[derive(Clone, Debug, Default)]
pub struct BottomUp {
    groups: Vec<Vec<FunctionId>>,
}

/// What Tarjan's algorithm knows of a function.
#[derive(Clone, Copy)]
struct Node {
    index: u32,
    low: u32,
    is_open: bool,
}

impl BottomUp {
    /// The order of the functions of a module with these tables.
    pub fn new(tables: &CalleeTables<'_>) -> Self {
        let module = tables.module();
        let unseen = Node { index: u32::MAX, low: 0, is_open: false };
        let mut nodes = vec![unseen; module.functions.len()];
        let (mut next, mut open, mut groups) = (0, Vec::new(), Vec::new());
        let mut stack: Vec<(FunctionId, std::vec::IntoIter<FunctionId>)> = Vec::new();
        for root in module.functions.keys() {
            if nodes[root.index()].index != u32::MAX {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(function) = enter.take() {
                    nodes[function.index()] = Node { index: next, low: next, is_open: true };
                    next += 1;
                    open.push(function);
                    stack.push((function, called(tables, function).into_iter()));
                }
                let Some((function, rest)) = stack.last_mut() else { break };
                let function = *function;
                if let Some(callee) = rest.next() {
                    let node = nodes[callee.index()];
                    if node.index == u32::MAX {
                        enter = Some(callee);
                    } else if node.is_open {
                        let low = &mut nodes[function.index()].low;
                        *low = (*low).min(node.index);
                    }
                    continue;
                }
                stack.pop();
                let node = nodes[function.index()];
                if let Some((caller, _)) = stack.last() {
                    let low = &mut nodes[caller.index()].low;
                    *low = (*low).min(node.low);
                }
                if node.low == node.index {
                    let at = open.iter().rposition(|&f| f == function).unwrap_or(0);
                    let group: Vec<FunctionId> = open.split_off(at).into_iter().rev().collect();
                    group.iter().for_each(|f| nodes[f.index()].is_open = false);
                    groups.push(group);
                }
            }
        }
        Self { groups }
    }

    /// The groups, each of functions that call each other in circles, or of one function.
    pub fn groups(&self) -> &[Vec<FunctionId>] {
        &self.groups
    }

    /// The functions in steps: whoever works on those of one step at the same time, and on the steps in order, sees of
    /// each function that one names what was there when the functions were worked on one after the other.
    pub fn steps(&self, tables: &CalleeTables<'_>) -> Vec<Vec<FunctionId>> {
        let mut step_of = vec![u32::MAX; tables.module().functions.len()];
        // The step after all those earlier functions that name a function.
        let mut after = vec![0; step_of.len()];
        let mut steps: Vec<Vec<FunctionId>> = Vec::new();
        for function in self.functions() {
            let named = named(tables, function);
            let mut step: u32 = after[function.index()];
            for at in named.iter().map(|f| step_of[f.index()]).filter(|&at| at != u32::MAX) {
                step = step.max(at + 1);
            }
            step_of[function.index()] = step;
            for other in named {
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

    /// The functions.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.groups.iter().flatten().copied()
    }
}

/// The functions that a function may call, in the order of its calls.
fn called(tables: &CalleeTables<'_>, function: FunctionId) -> Vec<FunctionId> {
    let Some(body) = &tables.module().functions[function].body else { return Vec::new() };
    let mut all = Vec::new();
    for inst in body.insts() {
        let callees = match body.inst(inst).opcode {
            Opcode::StrongRelease | Opcode::ReleaseValue | Opcode::DestroyValue => {
                tables.destructors(body.value(body.operand_value(inst, 0)).ty, false)
            }
            Opcode::Builtin if calls_once(body, inst) => tables.of_value(body, body.operand_value(inst, 1)),
            _ if body.info(inst).apply == Some(ApplyKind::Full) => tables.of_site(body, inst),
            _ => continue,
        };
        all.extend(callees.known.iter());
    }
    all
}

/// The functions of which a function may see the effects: those that it calls, and those that its closures call.
fn named(tables: &CalleeTables<'_>, function: FunctionId) -> Vec<FunctionId> {
    let mut all = called(tables, function);
    let Some(body) = &tables.module().functions[function].body else { return all };
    for inst in body.insts() {
        let named = match body.inst(inst).opcode {
            Opcode::DestroyAddr | Opcode::DestroyNotEscapedClosure => {
                tables.destructors(body.value(body.operand_value(inst, 0)).ty, false)
            }
            Opcode::CopyAddr | Opcode::Store => {
                tables.destructors(body.value(body.operand_value(inst, 1)).ty, false)
            }
            _ if body.info(inst).apply == Some(ApplyKind::Partial) => tables.of_site(body, inst),
            _ => continue,
        };
        all.extend(named.known.iter());
    }
    all
}

fn calls_once(body: &Body, inst: Inst) -> bool {
    let is_once = builtin(body, inst).is_some_and(|b| matches!(b.id, "Once" | "OnceWithContext"));
    is_once && body.operands(inst).len() > 1
}
