//! Memory: which of it an address names, what may overlap, what instructions find in it and leave behind.

pub mod access;
pub mod alias;
mod lifetime;
mod opaque;

pub use lifetime::{
    Access, ArgumentRoleKind, Derived, Leaf, Leaves, Location, Locations, MemoryUse, Needs, Part, Root,
    RootKind, memory_use, switched_edges,
};
pub use opaque::is_opaque;
