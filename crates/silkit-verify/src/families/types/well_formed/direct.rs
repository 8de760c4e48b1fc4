//! Rules for the conventions of function types that depend on the passed types, or on the calling convention.

use super::names;
use silkit_types::decl::Declarations;
use silkit_types::{Convention, FunctionType, GenericSig, ParamConvention, ResultConvention, Type, TypeKind};

/// Returns the violation of the conventions of a lowered function type. `sig` is the signature around the type.
pub(super) fn violation(
    declarations: &Declarations,
    f: &FunctionType,
    sig: Option<GenericSig>,
) -> Option<String> {
    if !f.lowered {
        return None;
    }
    let sig = f.pattern_sig.or(f.sig).or(sig);
    let element = || {
        f.component_types()
            .find_map(bare_element)
            .map(|element| format!("expected `{element}` in an expansion, after `repeat`"))
    };
    error(f)
        .or_else(element)
        .or_else(|| direct_pack(f))
        .or_else(|| autoreleased(declarations, f, sig))
        .or_else(|| {
            // The compiler's own tests pass trivial parameters and results as `@owned` and `@guaranteed`, but no yields.
            let is_direct = |c| matches!(c, ParamConvention::Owned | ParamConvention::Guaranteed);
            let of_trivial =
                f.yields.iter().find(|y| is_direct(y.convention) && is_plain(declarations, y.ty, sig))?;
            Some(format!(
                "a yield of trivial type is unowned, but `{}` is yielded owned or guaranteed",
                of_trivial.ty
            ))
        })
}

/// Returns the violation of an error result: callers in other languages do not know the register that it is in.
fn error(f: &FunctionType) -> Option<String> {
    let convention = match f.convention {
        Convention::C => "c",
        Convention::ObjCMethod => "objc_method",
        Convention::Block => "block",
        Convention::CxxMethod => "cxx_method",
        _ => return None,
    };
    f.error.is_some().then(|| {
        format!("only a function with a native convention has an error result, but its convention is `{convention}`")
    })
}

/// Returns the violation of a pack that is passed `@pack_inout` or returned `@pack_out`: it holds addresses.
fn direct_pack(f: &FunctionType) -> Option<String> {
    let passed = f.params.iter().chain(&f.yields).filter(|p| p.convention == ParamConvention::PackInout);
    let returned = f.results.iter().filter(|r| r.convention == ResultConvention::PackOut);
    let packs = passed.map(|p| ("@pack_inout", p.ty)).chain(returned.map(|r| ("@pack_out", r.ty)));
    let (convention, direct) =
        packs.into_iter().find(|(_, ty)| matches!(ty.kind(), TypeKind::Pack { direct: true, .. }))?;
    Some(format!("the elements of an `{convention}` pack are addresses, found `{direct}`"))
}

/// Returns the violation of an autoreleased result.
fn autoreleased(declarations: &Declarations, f: &FunctionType, sig: Option<GenericSig>) -> Option<String> {
    let is_autoreleased = |c| c == ResultConvention::Autoreleased;
    let result = f.results.iter().find(|r| is_autoreleased(r.convention))?;
    if f.results.iter().filter(|r| !r.convention.is_indirect()).count() > 1 {
        return Some("an autoreleased result is the only direct result, found several".to_owned());
    }
    let is_value = matches!(result.ty.kind(), TypeKind::Tuple(_)) || is_plain(declarations, result.ty, sig);
    is_value.then(|| format!("an autoreleased result is a reference, which `{}` is not", result.ty))
}

/// Returns the violation of an autoreleased result that is a value of several words: only a pointer to an object can be
/// put into the autorelease pool.
pub(super) fn autoreleased_value(
    declarations: &Declarations,
    f: &FunctionType,
    sig: Option<GenericSig>,
) -> Option<String> {
    if !f.lowered {
        return None;
    }
    let result = f.results.iter().find(|r| r.convention == ResultConvention::Autoreleased)?;
    let ty = declarations.optional_payload(result.ty).unwrap_or(result.ty);
    let is_thick = || ty.as_function().is_some_and(|f| f.convention != Convention::Block);
    let has_fields = || declarations.stored_fields(ty).is_some_and(|fields| fields.len() > 1);
    let is_value = is_thick()
        || names::is_reference(declarations, ty, f.pattern_sig.or(f.sig).or(sig)) == Some(false)
            && has_fields();
    is_value.then(|| format!("an autoreleased result is a reference, which `{}` is not", result.ty))
}

/// Returns true if values of a type are known to be bits without a lifetime. The compiler handles values with
/// dependences on others (`~Escapable`) like values that are destroyed.
fn is_plain(declarations: &Declarations, ty: Type, sig: Option<GenericSig>) -> bool {
    let known = declarations.properties(ty, sig);
    (known.trivial, known.move_only, known.non_escapable) == (Some(true), Some(false), Some(false))
}

/// Returns an element of a pack, `each T`, that is not in an expansion.
fn bare_element(ty: Type) -> Option<Type> {
    // Most types have no generic parameter.
    if !ty.holds_parameter() {
        return None;
    }
    match ty.kind() {
        TypeKind::PackElement(_) => Some(ty),
        TypeKind::PackExpansion(_)
        | TypeKind::Opened { .. }
        | TypeKind::OpenedElement { .. }
        | TypeKind::OpaqueResult { .. }
        | TypeKind::Attributed(..)
        | TypeKind::Unknown
        // The index of a pack may name a pack of elements.
        | TypeKind::Pack { .. }
        // Nested function types are checked for themselves.
        | TypeKind::Function(_) => None,
        TypeKind::Box(layout) => layout.args.iter().find_map(|&ty| bare_element(ty)),
        kind => {
            let mut found = None;
            kind.for_each_part(&mut |part| found = found.or_else(|| bare_element(part)));
            found
        }
    }
}
