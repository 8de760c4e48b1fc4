//! Uniquely identified memory and the effects of instructions on it (SIL.md, "Memory Lifetime").
//!
//! [`memory_use`] returns the state of memory that one use of an address requires and the state that it leaves.
//! [`Locations`] are the uniquely identified memory locations of a body: stack allocations, indirect arguments, and
//! addresses that coroutines yield.

mod address_effects;
mod locations;
mod types;

pub use address_effects::{
    AddressRelation, MemoryPart, MemoryUse, RequiredState, ResultingState, memory_use,
};
pub use locations::{
    ArgumentRoleKind, Leaf, Location, LocationAccess, LocationRoot, Locations, RootKind, switched_edges,
};
