//! Closures with a known function: the callee of a call through a closure, lifetimes of captured values for the call,
//! and deletion of dead closures.

mod captures;
mod dead;
mod known;

pub use captures::{after_call, copied_to_stack, keep_alive};
pub use dead::{DeadCaptures, delete_dead, delete_dead_box};
pub use known::KnownCallee;
