//! The fit of generic arguments to the parameters and requirements of a signature.

use super::casts::inherits;
use super::conformance::{conforms, protocols};
use super::facts::declared;
use crate::context::FunctionVerifier;
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{GenericParamDecl, GenericSig, Requirement, RequirementKind, Type, TypeKind};

/// Returns the message about the first argument that is a pack and its parameter is not, or the other way around. There is
/// one argument for each parameter.
pub(super) fn misfit(sig: GenericSig, arguments: &[Type]) -> Option<String> {
    sig.data().params.iter().zip(arguments).find_map(|(param, argument)| {
        let is_pack = match argument.kind() {
            TypeKind::Pack { .. } => true,
            TypeKind::Unknown | TypeKind::Attributed(..) | TypeKind::PackExpansion(_) => return None,
            _ => false,
        };
        let name = param.name;
        match (param.is_pack, is_pack) {
            (true, false) => {
                Some(format!("expected a pack for the parameter `each {name}`, found `{argument}`"))
            }
            (false, true) => {
                Some(format!("expected a type for the parameter `{name}`, found the pack `{argument}`"))
            }
            _ => None,
        }
    })
}

/// A requirement of a signature that an argument does not meet.
pub(super) struct UnmetRequirement {
    /// The message, without the entity that has the requirement.
    pub(super) message: String,
    /// True if the reference does not check it.
    pub(super) is_unchecked: bool,
}

/// Returns the first requirement of a signature that an argument does not meet.
pub(super) fn unmet_requirement(
    cx: &FunctionVerifier<'_>,
    sig: GenericSig,
    arguments: &[Type],
) -> Option<UnmetRequirement> {
    let data = sig.data();
    if arguments.len() != data.params.len() {
        return None;
    }
    data.params.iter().zip(arguments).find_map(|(param, &argument)| {
        let required =
            data.requirements.iter().filter(|r| r.kind == RequirementKind::Conforms && is_about(r, param));
        let constraints = param.bound.into_iter().chain(required.map(|r| r.constraint));
        let unmet = |element| {
            let mut each = constraints.clone();
            each.find_map(|constraint| unmet_constraint(cx, element, constraint))
                .or_else(|| not_copyable(cx, param, element, constraints.clone()))
        };
        let TypeKind::Pack { elements, .. } = argument.kind() else { return unmet(argument) };
        let mut elements: Vec<Type> = elements.iter().map(|&element| pattern(element)).collect();
        elements.dedup();
        elements.into_iter().find_map(unmet)
    })
}

/// Returns the pattern of a pack expansion.
pub(super) fn pattern(element: Type) -> Type {
    match element.kind() {
        TypeKind::PackExpansion(pattern) => *pattern,
        _ => element,
    }
}

/// Returns true if a requirement constrains a parameter itself: `T : P`, `repeat each T : P`.
fn is_about(requirement: &Requirement, param: &GenericParamDecl) -> bool {
    let subject = match requirement.subject.kind() {
        TypeKind::PackElement(inner) => *inner,
        _ => requirement.subject,
    };
    matches!(subject.kind(), TypeKind::Param { depth, index, .. } if *depth == param.depth && *index == param.index)
}

fn unmet_constraint(cx: &FunctionVerifier<'_>, argument: Type, constraint: Type) -> Option<UnmetRequirement> {
    let broken = protocols(cx.declarations(), constraint)
        .into_iter()
        .find(|&protocol| conforms(cx.declarations(), argument, protocol, cx.signature()) == Some(false));
    if let Some(protocol) = broken {
        let message = format!("`{argument}` does not conform to `{protocol}`");
        return Some(UnmetRequirement { message, is_unchecked: false });
    }
    if is_value_for_class(cx.declarations(), argument, constraint) {
        let message = format!("`{argument}` is not a class");
        return Some(UnmetRequirement { message, is_unchecked: true });
    }
    lacks_superclass(cx, argument, constraint).then(|| UnmetRequirement {
        message: format!("`{argument}` is not a subclass of `{constraint}`"),
        is_unchecked: true,
    })
}

/// Returns the violation of the implicit requirement `Copyable`, unless a constraint is `~Copyable`.
fn not_copyable(
    cx: &FunctionVerifier<'_>,
    param: &GenericParamDecl,
    argument: Type,
    mut constraints: impl Iterator<Item = Type>,
) -> Option<UnmetRequirement> {
    let is_copyable = param.value_type.is_none() && !constraints.any(admits_noncopyable);
    (is_copyable && is_noncopyable(cx, argument)).then(|| UnmetRequirement {
        message: format!("`{argument}` does not conform to `Copyable`"),
        is_unchecked: false,
    })
}

/// Returns true if a constraint, which may be a composition, contains `~Copyable`.
pub(super) fn admits_noncopyable(constraint: Type) -> bool {
    match constraint.kind() {
        TypeKind::Any(inner) | TypeKind::Metatype(_, inner) | TypeKind::Paren(inner) => {
            admits_noncopyable(*inner)
        }
        TypeKind::Composition(parts) => parts.iter().any(|part| part.suppresses_copying()),
        _ => constraint.suppresses_copying(),
    }
}

/// Returns true if a type surely does not conform to `Copyable`. The reference does not check generic types, whose arguments
/// may decide it.
pub(super) fn is_noncopyable(cx: &FunctionVerifier<'_>, ty: Type) -> bool {
    let is_checked = match ty.kind() {
        TypeKind::Named(named) => {
            named.args.is_empty() && declared(cx, ty).is_some_and(|decl| decl.sig.is_none())
        }
        TypeKind::Param { .. } => true,
        _ => false,
    };
    is_checked && cx.declarations().is_move_only(ty, cx.signature()) == Some(true)
}

/// Returns true if a constraint is a class, and the argument a class that does not inherit from it.
fn lacks_superclass(cx: &FunctionVerifier<'_>, argument: Type, constraint: Type) -> bool {
    let is_class = |ty: Type| {
        matches!(ty.kind(), TypeKind::Named(_)) && declared(cx, ty).is_some_and(|decl| decl.is_class())
    };
    !constraint.holds_parameter()
        && is_class(constraint)
        && is_class(argument)
        && inherits(cx, argument, constraint) == Some(false)
}

/// Returns true if a constraint requires a class, and the argument is a struct, an enum or a tuple of this module.
fn is_value_for_class(declarations: &Declarations, argument: Type, constraint: Type) -> bool {
    let needs_class = match constraint.kind() {
        TypeKind::Named(n) if n.name == "AnyObject" => true,
        TypeKind::Named(_) => declarations.nominal_of(constraint).is_some_and(|decl| decl.is_class()),
        _ => false,
    };
    needs_class
        && match argument.kind() {
            TypeKind::Tuple(_) | TypeKind::Function(_) => true,
            TypeKind::Named(_) => declarations.nominal_of(argument).is_some_and(|decl| {
                matches!(decl.kind, NominalKind::Struct | NominalKind::Enum)
                    && !declarations.may_be_another(decl)
            }),
            _ => false,
        }
}
