//! Property descriptors: the component that other modules use in key paths is that of the property.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::families::types::accessors;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{DeclRef, KeyPathComponent, KeyPathId, Property};
use silkit_text::SourceEntity;
use silkit_types::decl::{DeclFlags, Lookup, MemberKind, NominalKind};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&PROPERTY_COMPONENT];

static PROPERTY_COMPONENT: Rule = Rule {
    id: RuleId::new("SIL0690"),
    name: "PropertyComponent",
    severity: Severity::Error,
    summary: "The component of a property descriptor is that of its property, and a property has one descriptor",
    details: "\
A key path of another module takes the component of `sil_property #S.x` for its access to `S.x`. A stored
component names this property; a component has the type of the property. The generic parameters are those of the type.",
    failing: "\
public struct S {
  @_hasStorage public var x: Builtin.Int64
  @_hasStorage public var y: Builtin.Int8
}
sil_property #S.x (stored_property #S.y : $Builtin.Int8)
",
    corrected: "\
public struct S {
  @_hasStorage public var x: Builtin.Int64
  @_hasStorage public var y: Builtin.Int8
}
sil_property #S.x (stored_property #S.x : $Builtin.Int64)
",
    check: Check::Module(property_component),
};

fn property_component(cx: &ModuleVerifier<'_>) {
    let mut seen = FxHashMap::default();
    for (index, property) in cx.module.properties.iter().enumerate() {
        let entity = SourceEntity::Property(index);
        if let Some(message) = violation(cx, property) {
            cx.report(cx.finding(&PROPERTY_COMPONENT, Owner::Module, place::entity(cx, entity), message));
        }
        // A static property may have the same name.
        if let Some(first) = seen.insert((property.decl, property.sig), entity)
            && only_type(cx, property.decl).is_some()
        {
            let message = format!("`{}` has two property descriptors", property.decl);
            let finding =
                cx.finding(&PROPERTY_COMPONENT, Owner::Module, place::entity(cx, entity), message).warning();
            // The reference does not check it.
            cx.report(finding.also(place::entity(cx, first), "the first is here"));
        }
    }
}

fn violation(cx: &ModuleVerifier<'_>, property: &Property) -> Option<String> {
    if is_type(cx, property.decl) {
        return Some(format!("`{}` is a type, expected a property", property.decl));
    }
    if is_function(cx, property.decl) == Some(true) {
        return Some(format!("`{}` is not a property", property.decl));
    }
    if is_missing(cx, property.decl) == Some(true) {
        return Some(format!("`{}` is not declared", property.decl));
    }
    if has_other_signature(cx, property) == Some(true) {
        return Some(format!("the generic parameters are not those of the context of `{}`", property.decl));
    }
    let component = property.component.as_ref()?;
    if let KeyPathComponent::Computed { settable, getter, setter, .. } = component
        && (getter.is_none() || *settable && setter.is_none())
    {
        let what = if getter.is_none() { "getter" } else { "setter" };
        return Some(format!("the component of `{}` has no {what}", property.decl));
    }
    if let Some(message) = wrong_accessor(cx, property, component) {
        return Some(message);
    }
    let (named, ty) = match component {
        KeyPathComponent::Stored { property, ty } => (Some(*property), *ty),
        KeyPathComponent::Computed { ty, id: KeyPathId::Property(property), .. } => (Some(*property), *ty),
        KeyPathComponent::Computed { ty, .. } => (None, *ty),
        KeyPathComponent::Tuple { .. } | KeyPathComponent::Optional { .. } => return None,
    };
    if let Some(named) = named.filter(|named| are_different(cx, *named, property.decl)) {
        return Some(format!("the component of `{}` accesses `{named}`", property.decl));
    }
    let declared = type_of(cx, property)?;
    (cx.declarations.same_type(ty, declared, None) == Some(false))
        .then(|| format!("`{}` has type `{declared}`, but its component has `{ty}`", property.decl))
}

/// Returns an error about the types of the accessors of a component.
fn wrong_accessor(
    cx: &ModuleVerifier<'_>,
    property: &Property,
    component: &KeyPathComponent,
) -> Option<String> {
    // The indices of a subscript are parameters of its accessors.
    let is_subscript = property.decl.name().is_none_or(|name| name == "subscript");
    if cx.declarations.own().is_printed_by_compiler || is_subscript {
        return None;
    }
    let owner = property.decl.owner_path().map(|path| Type::nominal(path.as_str()));
    let is_plain = |ty: &Type| {
        property.sig.is_none() && cx.declarations.own_nominal_of(*ty).is_some_and(|decl| decl.sig.is_none())
    };
    let base = owner.filter(is_plain).unwrap_or_else(Type::unknown);
    let around = (cx.declarations, property.sig);
    let message = accessors::violation(around, component, base, property.sig.is_some());
    message.or_else(|| {
        let KeyPathComponent::Computed { getter, setter, .. } = component else { return None };
        getter.iter().chain(setter).find_map(|(name, stated)| {
            let Some(function) = cx.function(*name) else {
                return Some(format!("the accessor `@{name}` is not declared"));
            };
            let found = function.ty.ty();
            let is_plain = found.as_function().is_some_and(|f| f.sig.is_none());
            (is_plain && cx.declarations.same_type(stated.ty(), found, None) == Some(false))
                .then(|| format!("`@{name}` has type `{found}`, but the descriptor states `{stated}`"))
        })
    })
}

/// Returns true if a descriptor of a property that the file declares states other generic parameters than its types have.
fn has_other_signature(cx: &ModuleVerifier<'_>, property: &Property) -> Option<bool> {
    let own = cx.declarations.own();
    let path = property.decl.owner_path()?;
    let decl = own.get(path)?.nominal.as_ref().filter(|decl| !decl.flags.contains(DeclFlags::AMBIGUOUS))?;
    let is_top = !path.as_str().contains('.') && !own.is_printed_by_compiler;
    let is_subscript = property.decl.name()? == "subscript";
    if !is_top || is_subscript || decl.kind == NominalKind::Protocol {
        return None;
    }
    let given = property.sig.map_or(0, |sig| sig.data().params.len());
    Some(given != decl.param_count())
}

/// Returns true if a type of the file, which inherits from nothing, declares no property with a name.
fn is_missing(cx: &ModuleVerifier<'_>, property: DeclRef) -> Option<bool> {
    let (path, name) = (property.owner_path()?, property.name()?);
    let is_absent = matches!(cx.declarations.lookup_nominal(path), Lookup::Absent)
        && cx.declarations.alias(path).is_none()
        && !path.as_str().contains(['.', '<', '_']);
    if is_absent && !cx.declarations.own().is_printed_by_compiler {
        return Some(true);
    }
    let entry = cx.declarations.own().get(path)?;
    let decl = entry.nominal.as_ref().filter(|decl| !decl.flags.contains(DeclFlags::AMBIGUOUS))?;
    if cx.declarations.own().is_printed_by_compiler || !decl.inherited.is_empty() {
        return None;
    }
    let mut bodies = std::iter::once(&decl.body).chain(entry.extensions.iter().map(|e| &e.body));
    let is_there = bodies.any(|body| body.fields.named(name).is_some() || body.members.named(name).is_some());
    let is_plain = entry.extensions.iter().all(|e| e.inherited.is_empty());
    is_plain.then_some(!is_there)
}

/// Returns true if the name is that of a type of the file.
fn is_type(cx: &ModuleVerifier<'_>, named: DeclRef) -> bool {
    let path = named.data().path.iter().map(|part| part.as_str()).collect::<Vec<_>>().join(".");
    let entry = cx.declarations.own().get(Symbol::new(&path));
    named.data().kinds.is_empty() && entry.is_some_and(|entry| entry.nominal.is_some())
}

/// Returns true if the type that the file declares has members with the name, none of which is a property.
fn is_function(cx: &ModuleVerifier<'_>, named: DeclRef) -> Option<bool> {
    let (path, name) = (named.owner_path()?, named.name()?);
    let entry = cx.declarations.own().get(path)?;
    let decl = entry.nominal.as_ref().filter(|decl| !decl.flags.contains(DeclFlags::AMBIGUOUS))?;
    let bodies = || std::iter::once(&decl.body).chain(entry.extensions.iter().map(|e| &e.body));
    let has_field = bodies().any(|body| body.fields.named(name).is_some());
    let mut members = bodies().flat_map(|body| body.members.all_named(name)).peekable();
    members.peek()?;
    let is_value = |kind| matches!(kind, MemberKind::Property | MemberKind::Subscript);
    Some(!has_field && members.all(|member| !is_value(member.kind)))
}

/// Returns true if two names surely refer to different properties.
fn are_different(cx: &ModuleVerifier<'_>, a: DeclRef, b: DeclRef) -> bool {
    let owner = |decl: DeclRef| match cx.declarations.lookup_nominal(decl.owner_path()?) {
        Lookup::Known(decl) => Some(decl.path),
        _ => None,
    };
    let names = a.name().zip(b.name());
    let owners = owner(a).zip(owner(b));
    names.is_some_and(|(a, b)| a != b) || owners.is_some_and(|(a, b)| a != b)
}

/// Returns the declared type of a property of a type without generic parameters.
fn type_of(cx: &ModuleVerifier<'_>, property: &Property) -> Option<Type> {
    if property.sig.is_some() { None } else { only_type(cx, property.decl) }
}

/// Returns the declared type of a property, if its type declares no other property with the name.
fn only_type(cx: &ModuleVerifier<'_>, property: DeclRef) -> Option<Type> {
    let (path, name) = (property.owner_path()?, property.name()?);
    let entry = cx.declarations.own().get(path)?;
    let decl = entry.nominal.as_ref().filter(|decl| !decl.flags.contains(DeclFlags::AMBIGUOUS))?;
    let owner = Type::nominal(decl.path.as_str());
    if cx.declarations.own_nominal_of(owner)?.path != decl.path {
        return None;
    }
    let bodies = || std::iter::once(&decl.body).chain(entry.extensions.iter().map(|e| &e.body));
    let stored = bodies().flat_map(|body| body.fields.all_named(name)).map(|field| field.ty);
    let computed = bodies().flat_map(|body| body.members.all_named(name));
    let computed = computed.map(|member| match member.kind {
        MemberKind::Property => member.ty.unwrap_or_else(Type::unknown),
        _ => Type::unknown(),
    });
    let mut types = stored.chain(computed);
    let ty = types.next().filter(|ty| !ty.is_unknown() && types.next().is_none())?;
    // Accessors pass a strong reference.
    let ty = match ty.kind() {
        TypeKind::Storage(_, referent) => *referent,
        _ => ty,
    };
    Some(cx.declarations.resolve_in(ty, owner))
}
