//! What is known about declared types, asked for by name.

use crate::kind::Type;
use silkit_base::Symbol;

/// Answers about declarations; `None` where nothing is known.
pub trait TypeFacts: Sync {
    /// The lowered type of a stored property of a struct or class type.
    fn stored_field(&self, base: Type, name: Symbol) -> Option<Type>;
    /// The lowered types of all stored properties of a struct type, in order.
    fn stored_fields(&self, base: Type) -> Option<Vec<Type>>;
    /// The lowered type of the payload of an enum's case.
    fn enum_payload(&self, base: Type, case: Symbol) -> Option<Type>;
    /// The type that an associated type or alias of a concrete type stands for.
    fn member_type(&self, base: Type, name: Symbol) -> Option<Type>;
}

/// Nothing is known.
pub struct NoFacts;

impl TypeFacts for NoFacts {
    fn stored_field(&self, _: Type, _: Symbol) -> Option<Type> {
        None
    }
    fn stored_fields(&self, _: Type) -> Option<Vec<Type>> {
        None
    }
    fn enum_payload(&self, _: Type, _: Symbol) -> Option<Type> {
        None
    }
    fn member_type(&self, _: Type, _: Symbol) -> Option<Type> {
        None
    }
}
