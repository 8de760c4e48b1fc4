//! The call graph: possible callees of calls, callers of functions, and bottom-up order.

mod access;
mod callees;
mod callers;
mod function_uses;
mod hierarchy;
mod no_return;
mod order;

pub use access::Visibility;
pub use callees::{CalleeAnalysis, CalleeTables, Callees};
pub use callers::{Callers, CallersOf, LocalUses};
pub use function_uses::{FunctionUses, Use};
pub use hierarchy::ClassHierarchy;
pub use no_return::{is_uninhabited, never_returns};
pub use order::{BottomUp, CallEdges, CallGraph};

#[cfg(test)]
mod tests;
