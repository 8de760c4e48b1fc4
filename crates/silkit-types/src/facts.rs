//! The interface through which the IR queries declared types by name.

use crate::decl::TypeProperties;
use crate::generics::GenericSig;
use crate::kind::Type;
use silkit_base::Symbol;

/// Queries about declarations. `None` means "not known".
pub trait TypeFacts: Sync {
    /// Returns the lowered type of a stored property of a struct or class type.
    fn stored_field(&self, base: Type, name: Symbol) -> Option<Type>;
    /// Returns the lowered types of all stored properties of a struct type, in order.
    fn stored_fields(&self, base: Type) -> Option<Vec<Type>>;
    /// Returns the lowered type of the payload of an enum case.
    fn enum_payload(&self, base: Type, case: Symbol) -> Option<Type>;
    /// Returns the type that an associated type or alias of a concrete type denotes.
    fn member_type(&self, base: Type, name: Symbol) -> Option<Type>;
    /// Returns the nominal type at a dotted path if neither the type nor an enclosing type is generic.
    fn plain_nominal(&self, _path: Symbol) -> Option<Type> {
        None
    }
    /// Returns a type with its dependent members reduced under a signature.
    fn reduced(&self, ty: Type, _sig: GenericSig) -> Type {
        ty
    }
    /// Returns true if values of every type are objects (SIL with `-enable-sil-opaque-values`).
    fn has_opaque_values(&self) -> bool {
        false
    }
    /// Returns the properties of a type; the signature gives the constraints on its generic parameters.
    fn type_properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties;
}

/// Type facts for a module with opaque values.
pub struct WithOpaqueValues<'a>(
    /// The underlying facts.
    pub &'a dyn TypeFacts,
);

impl TypeFacts for WithOpaqueValues<'_> {
    fn stored_field(&self, base: Type, name: Symbol) -> Option<Type> {
        self.0.stored_field(base, name)
    }
    fn stored_fields(&self, base: Type) -> Option<Vec<Type>> {
        self.0.stored_fields(base)
    }
    fn enum_payload(&self, base: Type, case: Symbol) -> Option<Type> {
        self.0.enum_payload(base, case)
    }
    fn member_type(&self, base: Type, name: Symbol) -> Option<Type> {
        self.0.member_type(base, name)
    }
    fn plain_nominal(&self, path: Symbol) -> Option<Type> {
        self.0.plain_nominal(path)
    }
    fn reduced(&self, ty: Type, sig: GenericSig) -> Type {
        self.0.reduced(ty, sig)
    }
    fn has_opaque_values(&self) -> bool {
        true
    }
    fn type_properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        self.0.type_properties(ty, sig)
    }
}

/// Type facts that answer every query with "not known".
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
    fn type_properties(&self, _: Type, _: Option<GenericSig>) -> TypeProperties {
        TypeProperties::UNKNOWN
    }
}
