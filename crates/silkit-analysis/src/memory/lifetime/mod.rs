//! Uniquely identified memory and the effects of instructions on it (SIL.md, "Memory Lifetime").
//!
//! [`memory_use`] returns the state of memory that one use of an address requires and the state that it leaves.
//! [`Locations`] are the uniquely identified memory locations of a body: stack allocations, indirect arguments, and
//! addresses that coroutines yield.

mod locations;
mod types;
mod uses;

pub use locations::{Access, ArgumentRoleKind, Leaf, Location, Locations, Root, RootKind, switched_edges};
pub use uses::{Derived, Leaves, MemoryUse, Needs, Part, memory_use};
