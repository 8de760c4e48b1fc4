//! Uniquely identified memory and the effects of instructions on it (SIL.md, "Memory Lifetime").
//!
//! [`memory_use`] says of one use of an address what it needs to find there and what it leaves behind.
//! [`Locations`] are the trees of parts of all memory of a body that nothing else can name: stack allocations,
//! indirect arguments, addresses that coroutines yield.

mod locations;
mod types;
mod uses;

pub use locations::{Access, ArgumentRoleKind, Leaf, Location, Locations, Root, RootKind, switched_edges};
pub use uses::{Derived, Leaves, MemoryUse, Needs, Part, memory_use};
