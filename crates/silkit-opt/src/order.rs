//! The order in which functions are worked on.

use silkit_base::{Entity, FxHashMap, Symbol};
use silkit_ir::{FunctionId, Module, Opcode};

/// The functions with bodies, callees before their callers where calls do not go around in circles.
pub fn bottom_up(module: &Module, functions: &FxHashMap<Symbol, FunctionId>) -> Vec<FunctionId> {
    let mut order = Vec::new();
    let mut is_seen = vec![false; module.functions.len()];
    // Functions that are on the way, each with what it refers to and is still to be visited.
    let mut stack: Vec<(FunctionId, std::vec::IntoIter<FunctionId>)> = Vec::new();
    for root in module.functions.keys() {
        if std::mem::replace(&mut is_seen[root.index()], true) {
            continue;
        }
        stack.push((root, referenced(module, functions, root)));
        while let Some((function, rest)) = stack.last_mut() {
            match rest.next() {
                Some(next) if !std::mem::replace(&mut is_seen[next.index()], true) => {
                    stack.push((next, referenced(module, functions, next)));
                }
                Some(_) => {}
                None => {
                    let function = *function;
                    stack.pop();
                    if module.functions[function].body.is_some() {
                        order.push(function);
                    }
                }
            }
        }
    }
    order
}

/// The functions that a function names as callees, in order.
fn referenced(
    module: &Module,
    functions: &FxHashMap<Symbol, FunctionId>,
    function: FunctionId,
) -> std::vec::IntoIter<FunctionId> {
    let Some(body) = &module.functions[function].body else { return Vec::new().into_iter() };
    let mut found = Vec::new();
    for inst in body.insts().filter(|&i| body.info(i).apply.is_some()) {
        let callee = body.defining_inst(body.operand_value(inst, 0));
        if let Some(callee) = callee.filter(|&c| body.inst(c).opcode == Opcode::FunctionRef) {
            found.extend(functions.get(&Symbol::from_u32(body.words(callee)[0])));
        }
    }
    found.into_iter()
}
