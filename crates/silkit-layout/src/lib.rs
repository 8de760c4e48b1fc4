//! Concrete Swift types and their layout in memory.
//!
//! A [`Ty`] is a type without generic parameters, aliases and sugar; [`World::resolve`] makes one of a type as spelled.
//! [`World::layout`] gives size, alignment, offsets, extra inhabitants and spare bits of its values
//! (TypeLayout.rst), [`World::conformance`] the witness table of a protocol for it.

mod builtin;
mod conformance;
mod existential;
pub mod layout;
mod members;
mod names;
mod opaque;
mod resolve;
mod target;
mod ty;
mod world;

pub use builtin::builtin;
pub use conformance::{Conformance, TableRef, Witness};
pub use layout::{Layout, LayoutKind};
pub use resolve::{Env, OpenedTypes, StoredField};
pub use target::Target;
pub use ty::{
    BoxedField, Builtin, ExistentialTy, Field, FnRepr, FunctionParam, FunctionTy, Nominal, NominalName,
    Storage, Ty, TyKind,
};
pub use world::{ModuleId, ModuleInfo, TypeError, World};
