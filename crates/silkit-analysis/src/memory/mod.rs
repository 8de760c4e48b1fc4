//! Memory: which of it an address names, what may overlap, what instructions find in it and leave behind.

pub mod access;
pub mod alias;
mod lifetime;

pub use lifetime::{
    Access, AddressUse, ArgumentRoleKind, Derived, Leaf, Leaves, Location, Locations, Needs, Part, Root,
    RootKind, address_use, switched_edges,
};
