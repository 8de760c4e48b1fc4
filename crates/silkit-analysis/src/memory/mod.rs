//! Memory analyses: the storage of addresses, aliasing, and memory lifetime.

pub mod access;
pub mod alias;
mod lifetime;
mod opaque;

pub use lifetime::{
    Access, ArgumentRoleKind, Derived, Leaf, Leaves, Location, Locations, MemoryUse, Needs, Part, Root,
    RootKind, memory_use, switched_edges,
};
pub use opaque::is_opaque;
