//! Memory analyses: the storage of addresses, aliasing, and memory lifetime.

pub mod access;
pub mod alias;
mod lifetime;
mod opaque;

pub use lifetime::{
    AddressRelation, ArgumentRoleKind, Leaf, Location, LocationAccess, LocationRoot, Locations, MemoryPart,
    MemoryUse, RequiredState, ResultingState, RootKind, memory_use, switched_edges,
};
pub use opaque::is_opaque;
