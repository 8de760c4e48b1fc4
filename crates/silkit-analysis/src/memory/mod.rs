//! Memory analyses: the storage of addresses, aliasing, and memory lifetime.

pub mod access;
pub mod alias;
mod lifetime;
mod opaque;

pub use lifetime::{
    ArgumentRoleKind, Derived, Leaf, Leaves, Location, LocationAccess, LocationRoot, Locations, MemoryPart,
    MemoryUse, Needs, RootKind, memory_use, switched_edges,
};
pub use opaque::is_opaque;
