//! Checked casts that return the object that they cast. RC identity and the storage accesses of functions use it.

use silkit_types::decl::Declarations;
use silkit_types::{GenericSig, Type, TypeFacts, TypeKind};

/// Returns true if a checked cast returns its operand with another type. A cast from `AnyObject`, or from or to a type
/// that may be any value, may box or unbox a value.
pub(crate) fn cast_keeps_object(
    declarations: &Declarations,
    sig: Option<GenericSig>,
    from: Type,
    to: Type,
) -> bool {
    let types = Types { declarations, sig };
    // Metatypes and other trivial values have no reference count that a cast might change.
    if types.is_trivial(from) && types.is_trivial(to) {
        return true;
    }
    match declarations.optional_payload(from) {
        Some(payload) => types.is_object(payload) && types.is_object(to),
        None => {
            let is_class = || !is_native_object(from) && types.is_named(to, "AnyObject");
            types.is_object(from) && (types.is_object(to) || is_class())
        }
    }
}

struct Types<'a> {
    declarations: &'a Declarations,
    sig: Option<GenericSig>,
}

impl Types<'_> {
    fn is_trivial(&self, ty: Type) -> bool {
        self.declarations.type_properties(ty, self.sig).trivial == Some(true)
    }

    /// Returns true if values of a type are references to objects other than boxed values.
    fn is_object(&self, ty: Type) -> bool {
        match ty.kind() {
            TypeKind::Any(_) | TypeKind::Composition(_) => {
                let found = self.declarations.type_properties(ty, self.sig);
                let is_reference = found.address_only == Some(false) && found.trivial == Some(false);
                is_reference && !self.is_named(ty, "AnyObject") && !self.is_named(ty, "Error")
            }
            // A type that only has to be a class may stand for a boxed value; a subclass may not.
            TypeKind::Param { .. } | TypeKind::Member(..) => {
                let bound = self.sig.and_then(|sig| self.declarations.superclass_bound(ty, sig));
                bound.flatten().is_some()
            }
            _ => is_native_object(ty) || self.declarations.is_class(ty) == Some(true),
        }
    }

    fn is_named(&self, ty: Type, name: &str) -> bool {
        let constraint = if let TypeKind::Any(constraint) = ty.kind() { *constraint } else { ty };
        self.declarations.path_of(constraint).is_some_and(|path| path == name)
    }
}

fn is_native_object(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Builtin(name, _) if *name == "NativeObject")
}
