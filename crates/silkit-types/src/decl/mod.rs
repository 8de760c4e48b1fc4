//! Swift declarations as facts: structure, names and conformances of types.
//!
//! A [`DeclTable`] holds the declarations of one module, with types as spelled. [`Declarations`] is the chain in
//! which names are looked up: the module's own table, its imports, then the shipped facts about the standard library.
//! Every query has three answers: yes, no, and not known.

mod ambiguous;
mod budget;
mod cast;
mod conformance;
mod dependent;
mod empty;
mod fixed_size;
mod implied;
mod initial;
mod member_list;
mod member_names;
mod model;
mod packs;
mod properties;
mod query;
mod query_cache;
mod reduce;
mod resolve;
mod same;
mod table;
mod type_cache;

pub use budget::MAX_STEPS;
pub(crate) use budget::Query;
pub use dependent::is_layout;
pub use fixed_size::FixedSize;
pub use initial::{Arguments, InitialValue};
pub use member_list::{MemberList, NamedMember};
pub use model::{
    AccessLevel, Accessors, AliasDecl, AssociatedType, DeclBody, DeclFlags, EnumCase, ExtensionDecl,
    InitAccessor, Member, MemberKind, NominalDecl, NominalKind, StorageRestrictions, StoredProperty,
};
pub use properties::TypeProperties;
pub use query::{Declarations, Lookup, MAX_SUPERCLASSES, Payload, join};
pub use table::{DeclEntry, DeclSource, DeclTable, PartialImport};
