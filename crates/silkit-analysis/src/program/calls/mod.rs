//! Which functions call which: what a call may reach, who calls a function, and callees before their callers.

mod access;
mod callees;
mod callers;
mod hierarchy;
mod order;
mod uses;

pub use access::Visibility;
pub(crate) use callees::optional_payload;
pub use callees::{CalleeAnalysis, CalleeTables, Callees, callee_origin};
pub use callers::{Callers, CallersOf, LocalUses};
pub use hierarchy::ClassHierarchy;
pub use order::{BottomUp, CallEdges, CallGraph};
pub use uses::{FunctionUses, Use};

use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{FunctionId, Module};

/// The functions of a module by name; of several with one name, the first.
pub fn functions_by_name(module: &Module) -> FxHashMap<Symbol, FunctionId> {
    let mut functions = FxHashMap::default();
    module.functions.iter().for_each(|(id, function)| _ = functions.entry(function.name).or_insert(id));
    functions
}

#[cfg(test)]
mod tests;
