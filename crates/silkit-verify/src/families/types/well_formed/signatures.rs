//! Rules for generic signatures.

use silkit_base::{FxHashSet, Symbol};
use silkit_types::decl::{DeclFlags, Declarations, Lookup, NominalKind};
use silkit_types::{GenericSig, Requirement, RequirementKind, Type, TypeKind};

/// Returns the violation of a signature. `is_lowered` tells whether it belongs to a lowered function type.
pub(super) fn violation(declarations: &Declarations, sig: GenericSig, is_lowered: bool) -> Option<String> {
    let data = sig.data();
    for param in &data.params {
        if let Some(value) = param.value_type
            && matches!(value.kind(), TypeKind::Named(n) if n.parent.is_none() && n.name != "Int")
            && declarations.nominal_of(value).is_some()
        {
            return Some(format!("the value parameter `{}` is an `Int`, not `{value}`", param.name));
        }
        if let Some(message) = param.bound.and_then(|bound| constraint(declarations, bound)) {
            return Some(message);
        }
    }
    for requirement in &data.requirements {
        let found = match requirement.kind {
            RequirementKind::Conforms => subject(requirement)
                .or_else(|| constraint(declarations, requirement.constraint))
                .or_else(|| pack_reference(requirement, sig)),
            RequirementKind::SameType => recursive(requirement),
            RequirementKind::Layout => None,
        };
        if found.is_some() {
            return found;
        }
    }
    contradiction(declarations, &data.requirements).or_else(|| if is_lowered { concrete(sig) } else { None })
}

/// Returns the violation of the left side of a conformance requirement.
fn subject(requirement: &Requirement) -> Option<String> {
    matches!(requirement.subject.kind(), TypeKind::Named(_) | TypeKind::Tuple(_) | TypeKind::Builtin(..))
        .then(|| format!("a requirement constrains a generic parameter, not `{}`", requirement.subject))
}

/// Returns the violation of the right side of a conformance requirement.
fn constraint(declarations: &Declarations, constraint: Type) -> Option<String> {
    match constraint.kind() {
        // A parameter may have the name of its protocol: `<AsyncSequence where AsyncSequence : AsyncSequence>`.
        TypeKind::Param { name, .. } => {
            let is_declared = !matches!(declarations.lookup_nominal(*name), Lookup::Absent)
                || declarations.alias(*name).is_some();
            (!is_declared && declarations.sees_known_modules_only())
                .then(|| format!("expected a protocol or a class as a constraint, found `{constraint}`"))
        }
        TypeKind::Named(named) => {
            let decl = declarations.nominal_of(constraint)?;
            let primary = decl.sig.map_or(0, |sig| sig.data().params.len());
            let is_certain = decl.kind == NominalKind::Protocol && !declarations.may_be_another(decl);
            if is_certain && named.args.len() > primary {
                return Some(format!(
                    "`{}` has {primary} primary associated types, found `{constraint}`",
                    named.name
                ));
            }
            let is_value = matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
            (is_value && !declarations.may_be_another(decl))
                .then(|| format!("expected a protocol or a class as a constraint, found `{constraint}`"))
        }
        TypeKind::Inverse(inner) => match inner.kind() {
            TypeKind::Named(n)
                if !matches!(n.name.as_str(), "Copyable" | "Escapable" | "BitwiseCopyable" | "Sendable") =>
            {
                let is_known = declarations.nominal_of(*inner).is_some();
                is_known.then(|| format!("`{inner}` cannot be suppressed"))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns the violation of a requirement of a pack: it is `repeat each T : P`.
fn pack_reference(requirement: &Requirement, sig: GenericSig) -> Option<String> {
    let subject = requirement.subject;
    match subject.kind() {
        TypeKind::PackElement(_) if !requirement.is_repeat => {
            Some(format!("the requirement of the pack `{subject}` begins with `repeat`"))
        }
        TypeKind::Param { .. } => {
            let is_pack = super::parameter_in(sig, subject).is_some_and(|param| param.is_pack);
            is_pack.then(|| format!("the pack `{subject}` is referred to as `repeat each {subject}`"))
        }
        _ => None,
    }
}

/// Returns the violation of a requirement that makes a parameter equal to a type that contains it.
fn recursive(requirement: &Requirement) -> Option<String> {
    let (subject, constraint) = (requirement.subject, requirement.constraint);
    let is_param = matches!(subject.kind(), TypeKind::Param { .. });
    let is_nominal = matches!(constraint.kind(), TypeKind::Named(_) | TypeKind::Tuple(_));
    let mut work = vec![constraint];
    let mut holds = false;
    while let Some(ty) = work.pop().filter(|_| is_param && is_nominal) {
        holds |= ty == subject;
        match ty.kind() {
            TypeKind::Named(named) => work.extend(&named.args),
            TypeKind::Tuple(elements) => work.extend(elements.iter().map(|e| e.ty)),
            _ => {}
        }
    }
    holds.then(|| format!("`{subject}` is part of `{constraint}`, so they are not equal"))
}

/// Returns the contradiction of two requirements of one type.
fn contradiction(declarations: &Declarations, requirements: &[Requirement]) -> Option<String> {
    for (at, one) in requirements.iter().enumerate() {
        for other in requirements[..at].iter().filter(|other| other.subject == one.subject) {
            if other.kind == one.kind && exclude_each_other(declarations, one, other) {
                let (a, b) = (other.constraint, one.constraint);
                return Some(format!("no type for `{}` satisfies both `{a}` and `{b}`", one.subject));
            }
        }
    }
    None
}

fn exclude_each_other(declarations: &Declarations, one: &Requirement, other: &Requirement) -> bool {
    let (a, b) = (one.constraint, other.constraint);
    match one.kind {
        RequirementKind::SameType => {
            let nominal = |ty: Type| {
                let decl = declarations.nominal_of(ty)?;
                (ty.is_plain() && decl.kind != NominalKind::Protocol && !declarations.may_be_another(decl))
                    .then_some(decl.path)
            };
            matches!((nominal(a), nominal(b)), (Some(a), Some(b)) if a != b)
        }
        RequirementKind::Conforms => {
            let suppresses =
                |ty: Type, protocol: Type| matches!(ty.kind(), TypeKind::Inverse(t) if *t == protocol);
            let is_class = |ty: Type| {
                declarations.nominal_of(ty).is_some_and(|d| d.is_class() && !declarations.may_be_another(d))
            };
            let are_unrelated = || {
                a.is_plain()
                    && b.is_plain()
                    && is_class(a)
                    && is_class(b)
                    && !is_subclass(declarations, a, b)
                    && !is_subclass(declarations, b, a)
            };
            let copies =
                |ty: Type, inverse: Type| inverse.suppresses_copying() && requires_copyable(declarations, ty);
            suppresses(a, b) || suppresses(b, a) || copies(a, b) || copies(b, a) || are_unrelated()
        }
        RequirementKind::Layout => false,
    }
}

/// Returns true if a protocol of the file, which inherits from no other, does not suppress `Copyable`.
fn requires_copyable(declarations: &Declarations, ty: Type) -> bool {
    declarations.own_nominal_of(ty).is_some_and(|decl| {
        decl.kind == NominalKind::Protocol
            && decl.inherited.is_empty()
            && !decl.flags.intersects(DeclFlags::MARKER | DeclFlags::AMBIGUOUS)
    })
}

fn is_subclass(declarations: &Declarations, class: Type, superclass: Type) -> bool {
    class == superclass || declarations.is_subclass(class, superclass)
}

/// Returns the violation of a signature all of whose parameters are equal to concrete types.
fn concrete(sig: GenericSig) -> Option<String> {
    let data = sig.data();
    let is_concrete = |ty: Type| !ty.holds_parameter() && !ty.is_unknown();
    let all = data.params.iter().all(|p| {
        data.requirements.iter().any(|r| {
            let is_of_param = super::parameter_in(sig, r.subject) == Some(p);
            r.kind == RequirementKind::SameType && is_of_param && is_concrete(r.constraint)
        })
    });
    (all && !data.params.is_empty()).then(|| {
        "all generic parameters are equal to concrete types, so the function is not generic".to_owned()
    })
}

/// Returns whether a parameter of a signature has an associated type; `None` if that may follow from requirements that
/// are not known.
pub(super) fn has_member(
    declarations: &Declarations,
    sig: GenericSig,
    base: Type,
    name: Symbol,
) -> Option<bool> {
    if sig.params_hide() {
        return None;
    }
    let param = super::parameter_in(sig, base)?;
    let data = sig.data();
    let mut work: Vec<Type> = param.bound.into_iter().collect();
    for requirement in &data.requirements {
        let is_of_base = requirement.subject == base;
        match requirement.kind {
            RequirementKind::Conforms if is_of_base => work.push(requirement.constraint),
            RequirementKind::SameType if is_of_base || requirement.constraint == base => return None,
            _ => {}
        }
    }
    let mut seen = FxHashSet::default();
    while let Some(constraint) = work.pop() {
        if !seen.insert(constraint) {
            continue;
        }
        match constraint.kind() {
            TypeKind::Inverse(_) => {}
            TypeKind::Composition(parts) => work.extend(parts),
            TypeKind::Named(n) if n.name == "AnyObject" => {}
            _ => {
                let decl = declarations.nominal_of(constraint)?;
                if decl.kind != NominalKind::Protocol || declarations.may_be_another(decl) {
                    return None;
                }
                if declarations.names_type_in(decl.path, name) {
                    return Some(true);
                }
                work.extend(&decl.inherited);
            }
        }
    }
    Some(false)
}
