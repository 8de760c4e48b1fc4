//! Signatures of functions, initializers and subscripts: generic parameters, effects and the ownership of arguments.
//!
//! ```swift
//! func f<T>()                       // no argument tells what `T` is
//! func g(_ x: Handle)               // does not say who owns the `~Copyable` argument
//! func h() throws(Int)              // `Int` is no error
//! ```

use crate::families::types::conformance::conforms;
use silkit_base::Symbol;
use silkit_text::decl::MemberSignature;
use silkit_types::decl::{Declarations, Lookup, Member, NominalKind};
use silkit_types::{GenericSig, ParamConvention, RequirementKind, Type, TypeKind};

/// Returns an error about the signature of a member. `is_generic` tells whether types around it have generic parameters,
/// `is_top` whether it is at file scope.
pub(super) fn violation(
    declarations: &Declarations,
    member: &Member,
    signature: &MemberSignature,
    is_generic: bool,
    is_top: bool,
) -> Option<String> {
    let name = member.name;
    if let Some(effect) = signature.late_effect {
        return Some(format!("`{effect}` of `{name}` stands after the result type"));
    }
    let of_sig = signature
        .sig
        .and_then(|sig| repeated(sig).or_else(|| unused(sig, signature)).or_else(|| packs(sig, signature)));
    if let Some(message) = of_sig {
        return Some(format!("`{name}` {message}"));
    }
    if signature.sig.is_none() && !signature.requirements.is_empty() && !is_generic {
        return Some(format!("`{name}` has a `where` clause, but is not generic"));
    }
    let names_self =
        |ty: &Type| matches!(ty.kind(), TypeKind::Named(n) if n.name == "Self" && n.parent.is_none());
    if is_top && signature.params.iter().map(|(_, ty)| ty).chain(&signature.result).any(names_self) {
        return Some(format!("`{name}` is a function at file scope, where `Self` is not known"));
    }
    if let Some(thrown) = signature.thrown
        && is_no_error(declarations, thrown)
    {
        return Some(format!("`{name}` throws `{thrown}`, which is not an error"));
    }
    if let Some((attribute, ty)) = signature.attributed.iter().find(|(attribute, ty)| {
        matches!(attribute.as_str(), "escaping" | "autoclosure" | "Sendable")
            && is_no_function(declarations, *ty)
    }) {
        return Some(format!("`@{attribute}` is for function types, and `{name}` has it before `{ty}`"));
    }
    let suppressed = suppressed_parameters(signature);
    let is_move_only = |ty: &&Type| {
        let is_suppressed = matches!(ty.kind(), TypeKind::Param { name, .. } if suppressed.contains(name));
        is_suppressed || declarations.properties(**ty, signature.sig).move_only == Some(true)
    };
    let of_closures: Vec<Type> = signature.params.iter().flat_map(|(_, ty)| unspecified_in(*ty)).collect();
    let unspecified = signature.unspecified.iter().chain(&of_closures).find(is_move_only)?;
    Some(format!(
        "`{name}` does not say who owns its argument of type `{unspecified}`, which is not copyable"
    ))
}

/// Returns the generic parameters of a signature that may be instantiated with types that are not copyable.
fn suppressed_parameters(signature: &MemberSignature) -> Vec<Symbol> {
    let data = signature.sig.map(GenericSig::data);
    let of_sig = data.map(|data| &*data.requirements).unwrap_or_default();
    let required = of_sig.iter().chain(&signature.requirements).filter(|r| r.constraint.suppresses_copying());
    let required = required.filter_map(|r| match r.subject.kind() {
        TypeKind::Param { name, .. } => Some(*name),
        _ => None,
    });
    let bound = data.into_iter().flat_map(|data| &*data.params);
    let bound = bound.filter(|p| p.bound.is_some_and(Type::suppresses_copying)).map(|p| p.name);
    required.chain(bound).collect()
}

/// Returns the types of the parameters of a function type that do not say who owns the argument.
fn unspecified_in(ty: Type) -> Vec<Type> {
    let f = match ty.kind() {
        TypeKind::Function(f) => f,
        TypeKind::Paren(inner) | TypeKind::Attributed(_, inner) => return unspecified_in(*inner),
        _ => return Vec::new(),
    };
    let params = f.params.iter().filter(|param| !f.lowered && param.convention == ParamConvention::Unowned);
    params.map(|param| param.ty).collect()
}

/// Returns an error about a generic parameter that stands twice in a list.
fn repeated(sig: GenericSig) -> Option<String> {
    let params = &sig.data().params;
    let at = (1..params.len()).find(|&at| params[..at].iter().any(|p| p.name == params[at].name))?;
    Some(format!("has two generic parameters `{}`", params[at].name))
}

/// Returns an error about a generic parameter that neither a parameter nor the result mentions. It may be equal to a type
/// that they do mention.
fn unused(sig: GenericSig, signature: &MemberSignature) -> Option<String> {
    let mentions = |ty: Type, name: Symbol| {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            match ty.kind() {
                TypeKind::Param { name: found, .. } if *found == name => return true,
                TypeKind::Named(named) => {
                    if named.name == name {
                        return true;
                    }
                    work.extend(named.args.iter().copied().chain(named.parent));
                }
                TypeKind::Function(f) => work.extend(f.component_types()),
                TypeKind::Member(base, _) => work.push(*base),
                TypeKind::Attributed(..) | TypeKind::Unknown | TypeKind::OpaqueResult { .. } => return true,
                kind => kind.for_each_part(&mut |part| work.push(part)),
            }
        }
        false
    };
    let requirements = || sig.data().requirements.iter().chain(&signature.requirements);
    let same = requirements().filter(|r| r.kind == RequirementKind::SameType);
    let same: Vec<Type> = same.flat_map(|r| [r.subject, r.constraint]).collect();
    let named = signature.params.iter().map(|(_, ty)| *ty).chain(signature.result);
    let all: Vec<Type> = named.chain(same).collect();
    let mut params = sig.data().params.iter();
    let unused = params.find(|param| !all.iter().any(|&ty| mentions(ty, param.name)))?;
    Some(format!("does not mention its generic parameter `{}`", unused.name))
}

/// Returns an error about a pack that is mentioned outside of an expansion.
fn packs(sig: GenericSig, signature: &MemberSignature) -> Option<String> {
    let is_pack = |ty: Type| {
        let TypeKind::Param { name, .. } = ty.kind() else { return false };
        sig.data().params.iter().any(|p| p.is_pack && p.name == *name)
    };
    let mut work: Vec<Type> = signature.params.iter().map(|(_, ty)| *ty).chain(signature.result).collect();
    while let Some(ty) = work.pop() {
        match ty.kind() {
            TypeKind::PackElement(inner) if is_pack(*inner) => {
                return Some(format!("mentions `each {inner}` outside of `repeat`"));
            }
            TypeKind::Param { .. } if is_pack(ty) => {
                return Some(format!("mentions the pack `{ty}` without `repeat each`"));
            }
            TypeKind::Tuple(elements) => work.extend(elements.iter().map(|e| e.ty)),
            TypeKind::Named(named) => work.extend(&named.args),
            TypeKind::Optional(inner) | TypeKind::Array(inner) | TypeKind::Paren(inner) => work.push(*inner),
            _ => {}
        }
    }
    None
}

/// Returns true if a type surely does not conform to `Error`.
fn is_no_error(declarations: &Declarations, ty: Type) -> bool {
    let error = Symbol::new("Error");
    let is_nominal = matches!(ty.kind(), TypeKind::Named(_))
        && declarations.nominal_of(ty).is_some_and(|d| d.kind != NominalKind::Protocol);
    is_nominal
        && (conforms(declarations, ty, error, None) == Some(false)
            || declarations.sees_known_modules_only() && declarations.conforms(ty, error) == Some(false))
}

/// Returns true if a type is surely no function.
fn is_no_function(declarations: &Declarations, ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Named(named) if named.parent.is_none() => {
            matches!(declarations.lookup_nominal(named.name), Lookup::Known(decl) if !declarations.may_be_another(decl))
        }
        TypeKind::Tuple(_) | TypeKind::Array(_) => true,
        _ => false,
    }
}
