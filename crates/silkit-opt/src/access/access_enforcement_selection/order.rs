//! The order of functions: before the closures that they create, so that captures are known when a closure is
//! visited.

use silkit_base::{Entity, IdVec};
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{FunctionId, Module};

/// The state of a function in the depth-first walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Returns the functions with a body, each before the functions that it creates closures of or calls, with a flag
/// that is true if recursion returns to the function.
pub(super) fn parents_first(module: &Module) -> Vec<(FunctionId, bool)> {
    let called: IdVec<FunctionId, Vec<FunctionId>> =
        module.functions.keys().map(|id| called_by(module, id)).collect();
    let mut state = vec![State::New; called.len()];
    let mut is_head = vec![false; called.len()];
    let mut order = Vec::with_capacity(called.len());
    let mut stack: Vec<(FunctionId, usize)> = Vec::new();
    for root in called.keys() {
        if state[root.index()] != State::New {
            continue;
        }
        state[root.index()] = State::Open;
        stack.push((root, 0));
        while let Some((function, next)) = stack.last_mut() {
            let function = *function;
            if let Some(&callee) = called[function].get(*next) {
                *next += 1;
                match state[callee.index()] {
                    State::New => {
                        state[callee.index()] = State::Open;
                        stack.push((callee, 0));
                    }
                    State::Open => is_head[callee.index()] = true,
                    State::Done => {}
                }
            } else {
                state[function.index()] = State::Done;
                order.push(function);
                stack.pop();
            }
        }
    }
    order.reverse();
    order.into_iter().map(|id| (id, is_head[id.index()])).collect()
}

/// Returns the functions that may capture variables of a function through their arguments.
fn called_by(module: &Module, id: FunctionId) -> Vec<FunctionId> {
    let Some(body) = &module.functions[id].body else { return Vec::new() };
    let callee = |inst| {
        let name = body.view_as::<FunctionRef>(inst)?.function;
        let id = module.functions.find(&name)?;
        captures_variables(module, id).then_some(id)
    };
    body.insts().filter_map(callee).collect()
}

/// Returns true if a function has parameters for captured variables (`@inout_aliasable`).
fn captures_variables(module: &Module, id: FunctionId) -> bool {
    use silkit_types::ParamConvention;
    let function = &module.functions[id];
    let ty = function.ty.ty().as_function();
    function.body.is_some()
        && ty.is_some_and(|ty| ty.params.iter().any(|p| p.convention == ParamConvention::InoutAliasable))
}
