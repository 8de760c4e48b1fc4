//! Reference counting in non-OSSA functions: the instructions that copy and destroy values, by the kind of reference.

use silkit_base::Symbol;
use silkit_ir::{Builder, Value, instructions as inst};
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{GenericSig, RefStorage, SilType, Type, TypeKind};

/// How values of a type are copied and destroyed in non-OSSA functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counting {
    /// Trivial: no operation.
    Trivial,
    /// `strong_retain`, `strong_release`: a strong reference.
    Strong,
    /// `unowned_retain`, `unowned_release`.
    Unowned,
    /// `retain_value`, `release_value`: a value that contains references.
    Value,
}

impl Counting {
    /// Returns how values of a type are copied and destroyed in a function with this generic signature.
    pub fn of(declarations: &Declarations, ty: SilType, sig: Option<GenericSig>) -> Self {
        if declarations.is_trivial(ty.ty(), sig) == Some(true) {
            return Self::Trivial;
        }
        of_managed(declarations, ty.ty())
    }

    /// Retains a value.
    pub fn retain(self, builder: &mut Builder<'_>, value: Value) {
        match self {
            Self::Trivial => {}
            Self::Strong => _ = builder.try_build(inst::StrongRetain::new(value)),
            Self::Unowned => _ = builder.try_build(inst::UnownedRetain::new(value)),
            Self::Value => _ = builder.try_build(inst::RetainValue::new(value)),
        }
    }

    /// Releases a value.
    pub fn release(self, builder: &mut Builder<'_>, value: Value) {
        match self {
            Self::Trivial => {}
            Self::Strong => _ = builder.try_build(inst::StrongRelease::new(value)),
            Self::Unowned => _ = builder.try_build(inst::UnownedRelease::new(value)),
            Self::Value => _ = builder.try_build(inst::ReleaseValue::new(value)),
        }
    }
}

fn of_managed(declarations: &Declarations, ty: Type) -> Counting {
    match ty.kind() {
        TypeKind::Paren(inner) | TypeKind::MoveOnly(inner) | TypeKind::Attributed(_, inner) => {
            of_managed(declarations, *inner)
        }
        TypeKind::Storage(RefStorage::Unowned, _) => Counting::Unowned,
        TypeKind::Storage(..) => Counting::Value,
        TypeKind::Named(named) if named.parent.is_none() && is_object(named.name) => Counting::Strong,
        TypeKind::Named(_) => match declarations.nominal_of(ty).map(|decl| decl.kind) {
            Some(NominalKind::Class | NominalKind::Actor | NominalKind::Protocol) => Counting::Strong,
            Some(NominalKind::Struct | NominalKind::Enum) => Counting::Value,
            // `retain_value` of a reference is equivalent to `strong_retain`.
            None if declarations.is_class(ty) == Some(true) => Counting::Strong,
            None => Counting::Value,
        },
        TypeKind::Tuple(_)
        | TypeKind::Optional(_)
        | TypeKind::ImplicitlyUnwrapped(_)
        | TypeKind::Array(_)
        | TypeKind::Dictionary(..)
        | TypeKind::InlineArray(..)
        | TypeKind::Unknown => Counting::Value,
        TypeKind::Builtin(name, _) if matches!(name.as_str(), "FixedArray" | "ImplicitActor") => {
            Counting::Value
        }
        _ => Counting::Strong,
    }
}

fn is_object(name: Symbol) -> bool {
    matches!(name.as_str(), "AnyObject" | "Error")
}
