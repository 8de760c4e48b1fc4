//! Swift declarations as facts: structure, names and conformances of types.
//!
//! A [`DeclTable`] holds what one module says, types as they were spelled. [`Declarations`] is the
//! chain that names are looked up in: the module's own table, then its imports and the shipped facts
//! about the standard library. Every question has three answers: yes, no, and not known.

mod ambiguous;
mod budget;
mod conformance;
mod dependent;
mod fixed_size;
mod initial;
mod model;
mod packs;
mod properties;
mod query;
mod reduce;
mod remembered;
mod resolve;
mod same;
mod table;

pub use budget::MAX_STEPS;
pub(crate) use budget::Query;
pub use fixed_size::FixedSize;
pub use initial::{Arguments, InitialValue};
pub use model::{
    Access, Accessors, AliasDecl, AssociatedType, DeclBody, DeclFlags, EnumCase, ExtensionDecl, Member,
    MemberKind, NominalDecl, NominalKind, StoredProperty,
};
pub use properties::TypeProperties;
pub use query::{Declarations, Lookup, Payload};
pub use table::{DeclSource, DeclTable, Entry};
