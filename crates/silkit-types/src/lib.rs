//! Swift types and declarations. The crate prints types; `silkit-text` reads them.
//!
//! A [`Type`] is a hash-consed handle; [`TypeKind`] is its structure *as spelled*: sugar, names of generic parameters
//! and parentheses are kept, because SIL must print as it was read. [`Type::canonical`] removes differences in
//! spelling.
//!
//! A [`SilType`] is a lowered type with its category, object or address (`$T`, `$*T`).
//!
//! ```
//! use silkit_types::{SilType, Type};
//! let int64 = Type::builtin("Int64");
//! let int = Type::nominal("Int");
//! assert_eq!(int64.to_string(), "Builtin.Int64");
//! assert_eq!(SilType::address(int).to_string(), "$*Int");
//! ```

mod abstraction;
mod canonical;
pub mod decl;
mod display;
mod expand;
mod facts;
mod function;
mod generics;
mod kind;
mod lower;
mod parts;
mod sil_type;
pub mod stdlib;
mod substitute;

pub use abstraction::lowered_as_parameter;
pub use display::{OneList, PrintType};
pub use facts::{NoFacts, TypeFacts, WithOpaqueValues};
pub use function::{
    CalleeConvention, Convention, FnFlags, FunctionType, Param, ParamConvention, ParamFlags,
    ResultConvention, ResultFlags, ResultInfo, Yield,
};
pub use generics::{GenericParamDecl, GenericSig, Requirement, RequirementKind, SigData};
pub use kind::{
    BoxField, BoxType, MAX_TYPE_DEPTH, MAX_TYPE_SIZE, MetatypeRepr, NamedType, RefStorage, TupleElement,
    Type, TypeKind,
};
pub use sil_type::SilType;
pub use substitute::Substitution;
