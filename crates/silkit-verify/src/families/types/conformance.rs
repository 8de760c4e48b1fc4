//! Conformance of types to protocols as a three-valued answer, including generic parameters, tuples and existentials.

use silkit_base::Symbol;
use silkit_types::decl::{DeclFlags, Declarations, NominalKind};
use silkit_types::{GenericSig, RequirementKind, Type, TypeKind};

/// Protocols to which types conform without a declaration: enums, actors, or all types whose parts conform.
const IMPLICIT: &[&str] = &[
    "Equatable",
    "Hashable",
    "RawRepresentable",
    "Sendable",
    "SendableMetatype",
    "BitwiseCopyable",
    "Copyable",
    "Escapable",
    "Actor",
    "AnyActor",
    "AnyObject",
    "DistributedActor",
    "GlobalActor",
];

/// Protocols of [`IMPLICIT`] to which only enums conform without a declaration.
const DERIVED: &[&str] = &["Equatable", "Hashable", "RawRepresentable"];

/// Protocols to which tuples conform if their elements do, and some of them existentials.
const STRUCTURAL: &[&str] = &["Sendable", "SendableMetatype", "BitwiseCopyable", "Copyable", "Escapable"];

/// Returns the known protocols of a constraint, which may be a composition.
pub(super) fn protocols(declarations: &Declarations, constraint: Type) -> Vec<Symbol> {
    let constraint = match constraint.kind() {
        TypeKind::Any(inner) | TypeKind::Paren(inner) => *inner,
        _ => constraint,
    };
    let parts = match constraint.kind() {
        TypeKind::Composition(parts) => parts,
        _ => std::slice::from_ref(&constraint),
    };
    let protocol = |t: &Type| declarations.nominal_of(*t).filter(|d| d.kind == NominalKind::Protocol);
    parts.iter().filter_map(|t| protocol(t).map(|d| d.path)).collect()
}

/// Returns whether a type conforms to a protocol; `None` unless all possible declarations are known: the protocol is
/// declared in the module, or all imported modules are known.
pub(crate) fn conforms(
    declarations: &Declarations,
    ty: Type,
    protocol: Symbol,
    sig: Option<GenericSig>,
) -> Option<bool> {
    let own = declarations.own();
    let is_own = |path: Symbol| own.get(path).is_some_and(|entry| entry.nominal.is_some());
    let decl = declarations.own().get(protocol).and_then(|entry| entry.nominal.as_ref());
    if decl.is_some_and(|decl| decl.flags.contains(DeclFlags::OBJC) || decl.flags.contains(DeclFlags::MARKER))
    {
        return None;
    }
    let is_closed = || is_own(protocol) || declarations.sees_known_modules_only();
    match ty.kind() {
        TypeKind::Paren(inner) => conforms(declarations, *inner, protocol, sig),
        TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Metatype(..)
            if !STRUCTURAL.contains(&protocol.as_str()) =>
        {
            is_closed().then_some(false)
        }
        // Objective-C and marker protocols are left out above.
        _ if is_any_object(ty) && !IMPLICIT.contains(&protocol.as_str()) => is_closed().then_some(false),
        // No existential conforms to a protocol, except `any Error` to `Error`.
        TypeKind::Any(inner) if is_own(protocol) && protocol != "Error" => match inner.kind() {
            TypeKind::Named(_) if !protocols(declarations, *inner).is_empty() => Some(false),
            _ => None,
        },
        TypeKind::Param { .. } => sig
            .filter(|_| is_own(protocol))
            .and_then(|sig| is_required(declarations, sig, ty, protocol).filter(|found| !found)),
        TypeKind::Named(_) => {
            let nominal = declarations.nominal_of(ty).filter(|d| d.kind != NominalKind::Protocol)?;
            let is_derived = nominal.kind == NominalKind::Enum || !DERIVED.contains(&protocol.as_str());
            if (IMPLICIT.contains(&protocol.as_str()) && is_derived) || declarations.may_be_another(nominal) {
                return None;
            }
            if is_closed() { declarations.conforms(ty, protocol) } else { None }
        }
        _ => None,
    }
}

/// Returns true if a type is the existential `AnyObject`.
fn is_any_object(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Any(inner) | TypeKind::Paren(inner) => is_any_object(*inner),
        TypeKind::Named(named) => named.name == "AnyObject" && named.parent.is_none(),
        _ => false,
    }
}

/// Returns whether a signature requires a parameter to conform to a protocol.
fn is_required(declarations: &Declarations, sig: GenericSig, param: Type, protocol: Symbol) -> Option<bool> {
    let data = sig.data();
    if sig.params_may_meet() || sig.params_hide() {
        return None;
    }
    let TypeKind::Param { depth, index, .. } = param.kind() else { return None };
    let is_param = |ty: Type| matches!(ty.kind(), TypeKind::Param { depth: d, index: i, .. } if d == depth && i == index);
    let bounds =
        data.params.iter().filter(|p| p.depth == *depth && p.index == *index).filter_map(|p| p.bound);
    let required = data.requirements.iter().filter(|r| is_param(r.subject));
    let mut answer = Some(false);
    for requirement in required.clone() {
        if requirement.kind != RequirementKind::Conforms {
            return None;
        }
    }
    for constraint in bounds.chain(required.map(|r| r.constraint)) {
        let parts = match constraint.kind() {
            TypeKind::Composition(parts) => parts,
            _ => std::slice::from_ref(&constraint),
        };
        for &part in parts {
            let found = match part.kind() {
                TypeKind::Inverse(_) => Some(false),
                TypeKind::Named(n) if n.name == "AnyObject" => Some(false),
                _ if !is_plain(declarations, part, 0) => None,
                _ => declarations.conforms(part, protocol),
            };
            answer = match (answer, found) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (None, _) | (_, None) => None,
                _ => Some(false),
            };
        }
    }
    answer
}

/// The maximum depth of protocol inheritance.
const MAX_DEPTH: u32 = 16;

/// Returns true if a protocol constrains `Self` only by the protocols that it inherits from. Otherwise an associated
/// type may be equal to `Self` and add its own requirements.
fn is_plain(declarations: &Declarations, constraint: Type, depth: u32) -> bool {
    let Some(decl) = declarations.nominal_of(constraint).filter(|_| depth < MAX_DEPTH) else { return false };
    decl.kind == NominalKind::Protocol
        && decl.body.associated.is_empty()
        && decl.requirements.is_empty()
        && decl.inherited.iter().all(|&inherited| is_plain(declarations, inherited, depth + 1))
}
