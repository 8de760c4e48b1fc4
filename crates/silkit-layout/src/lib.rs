//! Concrete Swift types and their layout in memory.
//!
//! A [`Ty`] is a type without generic parameters, aliases and sugar; [`World::resolve`] creates it from a spelled type.
//! [`World::layout`] computes the size, alignment, offsets, extra inhabitants and spare bits of its values
//! (TypeLayout.rst). [`World::conformance`] finds the witness table of its conformance to a protocol.

mod bits;
mod builtin;
mod conformance;
mod enum_layout;
mod existential;
mod inhabitants;
pub mod layout;
mod members;
mod names;
mod opaque;
mod resolve;
mod target;
mod ty;
mod type_layout;
mod world;

pub use builtin::builtin;
pub use conformance::{ResolvedConformance, TableRef, Witness};
pub use resolve::{Env, OpenedTypes, StoredField};
pub use target::Target;
pub use ty::{
    BoxedField, Builtin, ExistentialTy, Field, FnRepr, FunctionParam, FunctionTy, Nominal, NominalName,
    Storage, Ty, TyKind, dynamic_self,
};
pub use type_layout::{ElementLayout, Layout, LayoutKind, RefKind};
pub use world::{ModuleId, ModuleInfo, TypeError, World};
