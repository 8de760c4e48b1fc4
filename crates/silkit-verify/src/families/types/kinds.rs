//! Kinds of types: whether a type is a struct, a class, a metatype, …, as a three-valued answer.

use super::facts::{is_definite, is_settled, params_may_meet, resolved};
use crate::context::FunctionVerifier;
use silkit_ir::info::TypePredicate;
use silkit_types::decl::NominalKind;
use silkit_types::{MetatypeRepr, RefStorage, Type, TypeKind};

/// Returns whether a type satisfies a predicate.
pub(super) fn holds(cx: &FunctionVerifier<'_>, ty: Type, kind: TypePredicate) -> Option<bool> {
    use TypeKind as K;
    use TypePredicate as P;
    let ty = resolved(cx, ty);
    if matches!(ty.kind(), K::Unknown | K::OpaqueResult { .. } | K::Some(_) | K::Attributed(..)) {
        return None;
    }
    let is = |yes: bool| if yes { Some(true) } else { is_definite(cx, ty).then_some(false) };
    // The value in an existential has a type of its own.
    let is_opened =
        matches!(ty.kind(), K::Opened { interface, .. } if !matches!(interface.kind(), K::Member(..)));
    let builtin = |wanted: fn(&str) -> bool| match ty.kind() {
        K::Builtin(name, _) => Some(wanted(name.as_str())),
        _ if is_opened => Some(false),
        _ => is(false),
    };
    let (facts, sig) = (cx.declarations(), cx.signature());
    match kind {
        P::Loadable => facts.is_loadable(ty, sig).filter(|yes| *yes || is_settled(cx, ty)),
        P::Trivial => facts.is_trivial(ty, sig).filter(|yes| *yes || is_settled(cx, ty)),
        P::Builtin(wanted) => match ty.kind() {
            K::Builtin(name, _) => Some(*name == wanted),
            _ if is_opened => Some(false),
            _ => is(false),
        },
        P::Integer => builtin(is_integer),
        P::Float => builtin(|name| name.starts_with("FP")),
        P::Struct => nominal(cx, ty, NominalKind::Struct),
        P::Enum => nominal(cx, ty, NominalKind::Enum),
        P::Class => class(cx, ty),
        P::Reference => reference(cx, ty),
        P::Tuple => is(matches!(ty.kind(), K::Tuple(_))),
        P::Function => is(matches!(ty.kind(), K::Function(_))),
        P::Box => is(matches!(ty.kind(), K::Box(_))),
        P::Pack => is(matches!(ty.kind(), K::Pack { .. })),
        P::MoveOnly => is(matches!(ty.kind(), K::MoveOnly(_))),
        P::BlockStorage => is(matches!(ty.kind(), K::BlockStorage(_))),
        P::WeakStorage => is(matches!(ty.kind(), K::Storage(RefStorage::Weak, _))),
        P::UnownedStorage => is(matches!(ty.kind(), K::Storage(RefStorage::Unowned, _))),
        P::UnmanagedStorage => is(matches!(ty.kind(), K::Storage(RefStorage::Unmanaged, _))),
        P::Existential => existential(cx, ty),
        P::Opened => is(matches!(ty.kind(), K::Opened { .. })),
        P::Metatype => metatype(cx, ty).map(|repr| repr.is_some()),
        P::ThickMetatype => represented(cx, ty, MetatypeRepr::Thick),
        P::ObjcMetatype => represented(cx, ty, MetatypeRepr::ObjC),
        P::Address | P::Object | P::Same(_) | P::SameObject(_) | P::Referring(_) => None,
    }
}

/// Returns true if values of a type are known to stay in memory.
pub(crate) fn is_surely_address_only(cx: &FunctionVerifier<'_>, ty: Type) -> bool {
    !matches!(ty.kind(), TypeKind::Builtin(..)) && holds(cx, ty, TypePredicate::Loadable) == Some(false)
}

fn is_integer(name: &str) -> bool {
    name == "Word"
        || name == "IntLiteral"
        || name.strip_prefix("Int").is_some_and(|bits| bits.parse::<u32>().is_ok())
}

fn nominal(cx: &FunctionVerifier<'_>, ty: Type, kind: NominalKind) -> Option<bool> {
    let ty = match ty.kind() {
        TypeKind::MoveOnly(inner) => *inner,
        _ => ty,
    };
    match ty.kind() {
        TypeKind::Named(_) => Some(cx.declarations().nominal_of(ty)?.kind == kind),
        _ => is_definite(cx, ty).then_some(false),
    }
}

/// Returns whether a type is a class type or a class-bound archetype.
fn class(cx: &FunctionVerifier<'_>, ty: Type) -> Option<bool> {
    use TypeKind as K;
    match ty.kind() {
        K::Named(_) => match cx.declarations().nominal_of(ty)? {
            decl if decl.kind == NominalKind::Protocol => None,
            decl => Some(decl.is_class()),
        },
        K::DynamicSelf(_) | K::MoveOnly(_) | K::Any(_) | K::Composition(_) => None,
        K::Param { .. } | K::Member(..) | K::Opened { .. } => bound_to_class(cx, ty),
        _ => is_definite(cx, ty).then_some(false),
    }
}

fn bound_to_class(cx: &FunctionVerifier<'_>, ty: Type) -> Option<bool> {
    let found = cx.declarations().properties(ty, cx.signature());
    match (found.address_only, ty.kind()) {
        // Same-type requirements on a member are not followed.
        (Some(true), TypeKind::Param { .. }) if !params_may_meet(cx) => Some(false),
        (Some(false), _) if found.trivial == Some(false) => Some(true),
        _ => None,
    }
}

fn reference(cx: &FunctionVerifier<'_>, ty: Type) -> Option<bool> {
    use TypeKind as K;
    match ty.kind() {
        K::Builtin(name, _) => {
            Some(matches!(name.as_str(), "NativeObject" | "UnknownObject" | "BridgeObject" | "AnyObject"))
        }
        K::Box(_) => Some(true),
        K::Function(_) => (!cx.declarations().is_trivial(ty, cx.signature())?).then_some(true),
        K::Storage(..) => Some(false),
        K::Any(_) | K::Composition(_) => None,
        _ => class(cx, ty),
    }
}

fn existential(cx: &FunctionVerifier<'_>, ty: Type) -> Option<bool> {
    match ty.kind() {
        TypeKind::Any(_) | TypeKind::Composition(_) => Some(true),
        TypeKind::Named(n) if matches!(n.name.as_str(), "Any" | "AnyObject") => Some(true),
        // A module may declare an `Error` of its own.
        TypeKind::Named(n) if n.name == "Error" && cx.declarations().own_nominal_of(ty).is_none() => {
            Some(true)
        }
        TypeKind::Named(_) => Some(cx.declarations().nominal_of(ty)?.kind == NominalKind::Protocol),
        TypeKind::Metatype(..) | TypeKind::ProtocolMetatype(..) => None,
        _ => is_definite(cx, ty).then_some(false),
    }
}

fn represented(cx: &FunctionVerifier<'_>, ty: Type, wanted: MetatypeRepr) -> Option<bool> {
    metatype(cx, ty).map(|found| found.is_some_and(|repr| repr == wanted || repr == MetatypeRepr::Formal))
}

/// Returns the representation of a metatype; `Some(None)` for other types.
pub(super) fn metatype(cx: &FunctionVerifier<'_>, ty: Type) -> Option<Option<MetatypeRepr>> {
    let mut ty = ty;
    // Looks through `any P.Type` and parentheses.
    for _ in 0..4 {
        match ty.kind() {
            TypeKind::Metatype(repr, _) | TypeKind::ProtocolMetatype(repr, _) => return Some(Some(*repr)),
            TypeKind::Named(named)
                if named.parent.is_none() && matches!(named.name.as_str(), "Any" | "AnyObject") =>
            {
                return Some(None);
            }
            TypeKind::Any(t) | TypeKind::Paren(t) => match t.kind() {
                TypeKind::Named(_) | TypeKind::Composition(_) => return Some(None),
                _ => ty = *t,
            },
            _ => return is_definite(cx, ty).then_some(None),
        }
    }
    None
}

/// Returns the description of a predicate of the table.
pub(super) fn describe(kind: TypePredicate) -> String {
    use TypePredicate as P;
    let words = match kind {
        P::Address => "an address",
        P::Object => "an object",
        P::Loadable => "the address of a loadable type",
        P::Trivial => "a trivial type",
        P::Reference => "a reference",
        P::Class => "an instance of a class",
        P::Struct => "a struct",
        P::Enum => "an enum",
        P::Tuple => "a tuple",
        P::Function => "a function",
        P::Box => "a box",
        P::Pack => "a pack",
        P::Existential => "an existential",
        P::Opened => "an opened archetype",
        P::Metatype => "a metatype",
        P::ThickMetatype => "a thick metatype",
        P::ObjcMetatype => "an Objective-C metatype",
        P::WeakStorage => "`@sil_weak` storage",
        P::UnownedStorage => "`@sil_unowned` storage",
        P::UnmanagedStorage => "`@sil_unmanaged` storage",
        P::BlockStorage => "block storage",
        P::MoveOnly => "a `@moveOnly` type",
        P::Integer => "a builtin integer",
        P::Float => "a builtin floating-point number",
        P::Builtin(name) => return format!("`Builtin.{name}`"),
        P::Same(_) | P::SameObject(_) => "its other operand",
        P::Referring(_) => "storage for its reference",
    };
    words.to_owned()
}
