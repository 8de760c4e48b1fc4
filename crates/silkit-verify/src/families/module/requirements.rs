//! Witness table entries for requirements: associated types, and the tables of inherited protocols.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Conformance, WitnessEntry, WitnessTableOf};
use silkit_text::SourceEntity;
use silkit_types::decl::{Lookup, NominalKind};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&ENTRY_OF_PROTOCOL];

static ENTRY_OF_PROTOCOL: Rule = Rule {
    id: RuleId::new("SIL0624"),
    name: "EntryOfProtocol",
    severity: Severity::Error,
    summary: "A witness table names requirements of its protocol, and a protocol has one default witness table",
    details: "\
The entries of a witness table follow the requirements of the protocol and of those that it inherits
from. The entry for an associated type has the type that a `typealias` of the conforming type gives it. A default witness table has entries for requirements that were added to a resilient protocol;
there is at most one for each protocol.",
    failing: "\
protocol P {
  associatedtype A
}
struct S : P {
  typealias A = Builtin.Int8
}
sil_witness_table S: P module main {
  associated_type B: Builtin.Int8
}
",
    corrected: "\
protocol P {
  associatedtype A
}
struct S : P {
  typealias A = Builtin.Int8
}
sil_witness_table S: P module main {
  associated_type A: Builtin.Int8
}
",
    check: Check::Module(entry_of_protocol),
};

fn entry_of_protocol(cx: &ModuleVerifier<'_>) {
    for (index, table) in cx.module.witness_tables.iter() {
        let WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. }) = &table.of else {
            continue;
        };
        for entry in table.entries.iter().flatten() {
            if let Some(message) = of_another(cx, entry, *protocol) {
                let place = place::entity(cx, SourceEntity::WitnessTable(index));
                cx.report(cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place, message));
            }
            let is_default = || {
                let is_default = matches!(entry, WitnessEntry::NoDefault);
                is_default.then(|| "`no_default` is an entry of default witness tables".to_owned())
            };
            let unchecked = conformance_of_another(cx, entry, *protocol)
                .or_else(|| of_another_protocol(cx, entry))
                .or_else(is_default);
            if let Some(message) = unchecked {
                let place = place::entity(cx, SourceEntity::WitnessTable(index));
                // The reference does not check it.
                cx.report(cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place, message).warning());
            }
            if let WitnessEntry::AssociatedConformance { ty, .. } = entry
                && let TypeKind::Named(named) = ty.kind()
                && named.parent.is_none()
                && has_associated_type(cx, *protocol, named.name, 0) == Some(false)
            {
                let message = format!("`{protocol}` has no associated type `{}`", named.name);
                let place = place::entity(cx, SourceEntity::WitnessTable(index));
                cx.report(cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place, message));
            }
            let WitnessEntry::AssociatedType(name, witness) = entry else { continue };
            if let Some(alias) = alias_of(cx, *ty, *name)
                && cx.declarations.same_type(alias, *witness, None) == Some(false)
            {
                let message = format!(
                    "the associated type `{name}` is `{witness}`, but `{ty}` declares it as `{alias}`"
                );
                let place = place::entity(cx, SourceEntity::WitnessTable(index));
                // The reference does not check it.
                cx.report(cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place, message).warning());
            }
            if has_associated_type(cx, *protocol, *name, 0) == Some(false) {
                let message = format!("`{protocol}` has no associated type `{name}`");
                let place = place::entity(cx, SourceEntity::WitnessTable(index));
                cx.report(cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place, message));
            }
        }
    }
    let mut seen = FxHashMap::default();
    for (index, table) in cx.module.default_witness_tables.iter() {
        let WitnessTableOf::Protocol(protocol) = &table.of else { continue };
        let entity = SourceEntity::DefaultWitnessTable(index);
        let absent = |entry: &WitnessEntry| match entry {
            WitnessEntry::AssociatedType(name, _)
                if has_associated_type(cx, *protocol, *name, 0) == Some(false) =>
            {
                Some(format!("`{protocol}` has no associated type `{name}`"))
            }
            _ => None,
        };
        let entries = table.entries.iter().flatten();
        for message in entries.filter_map(|entry| of_another(cx, entry, *protocol).or_else(|| absent(entry)))
        {
            cx.report(cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place::entity(cx, entity), message));
        }
        let is_other = cx.declarations.nominal_of(*protocol).is_some_and(|d| d.kind != NominalKind::Protocol);
        if is_other {
            let message = format!("`{protocol}` has a default witness table, but is not a protocol");
            cx.report(cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place::entity(cx, entity), message));
        } else if let Some(first) = seen.insert(*protocol, entity) {
            let message = format!("`{protocol}` has two default witness tables");
            let finding = cx.finding(&ENTRY_OF_PROTOCOL, Owner::Module, place::entity(cx, entity), message);
            cx.report(finding.also(place::entity(cx, first), "the first is here"));
        }
    }
}

/// Returns the type of an alias that a type without generic parameters declares in this file.
fn alias_of(cx: &ModuleVerifier<'_>, ty: Type, name: Symbol) -> Option<Type> {
    let decl = cx.declarations.own_nominal_of(ty).filter(|d| !cx.declarations.may_be_another(d))?;
    let is_plain = matches!(ty.kind(), TypeKind::Named(n) if n.args.is_empty() && n.parent.is_none());
    let mut aliases = decl.body.aliases.iter().filter(|alias| alias.name == name);
    let alias = aliases.next().filter(|alias| alias.sig.is_none() && aliases.next().is_none())?;
    (is_plain && decl.sig.is_none()).then(|| cx.declarations.resolve_in(alias.target, ty))
}

/// Returns an error about an entry for a method of another protocol: that protocol has a witness table of its own.
fn of_another(cx: &ModuleVerifier<'_>, entry: &WitnessEntry, protocol: Type) -> Option<String> {
    let WitnessEntry::Method(method, ..) = entry else { return None };
    let nominal = |path| match cx.declarations.lookup_nominal(path) {
        Lookup::Known(decl) if !cx.declarations.may_be_another(decl) => Some(decl),
        _ => None,
    };
    let owner = nominal(method.owner_path()?)?;
    let own = nominal(cx.declarations.path_of(protocol)?)?;
    (owner.path != own.path).then(|| format!("`{method}` is not a requirement of `{protocol}`"))
}

/// Returns an error about an entry for a conformance that the protocol does not require, of its conforming types or of an
/// associated type.
fn conformance_of_another(cx: &ModuleVerifier<'_>, entry: &WitnessEntry, protocol: Type) -> Option<String> {
    let own = |ty: Type| {
        let decl = cx.declarations.own_nominal_of(ty).filter(|d| d.kind == NominalKind::Protocol)?;
        (!cx.declarations.may_be_another(decl) && decl.requirements.is_empty()).then_some(decl)
    };
    let decl = own(protocol)?;
    match entry {
        WitnessEntry::Base(base, _) => {
            let is_missing = inherits(cx, &decl.inherited, *base, 0) == Some(false);
            is_missing.then(|| format!("`{protocol}` does not inherit from `{base}`"))
        }
        WitnessEntry::AssociatedConformance { ty, protocol: required, .. } => {
            let name = match ty.kind() {
                TypeKind::Named(named) if named.parent.is_none() => named.name,
                TypeKind::Member(base, name) if matches!(base.kind(), TypeKind::Param { .. }) => *name,
                _ => return None,
            };
            let mut found = decl.body.associated.iter().filter(|associated| associated.name == name);
            let associated = found.next().filter(|associated| associated.requirements.is_empty())?;
            let is_missing = inherits(cx, &associated.inherited, *required, 0) == Some(false);
            is_missing.then(|| format!("`{name}` of `{protocol}` is not required to conform to `{required}`"))
        }
        _ => None,
    }
}

/// Returns an error about an entry with a conformance to another protocol than the one that it is for.
fn of_another_protocol(cx: &ModuleVerifier<'_>, entry: &WitnessEntry) -> Option<String> {
    let (wanted, mut found) = match entry {
        WitnessEntry::Base(protocol, conformance)
        | WitnessEntry::AssociatedConformance { protocol, conformance, .. }
        | WitnessEntry::Conditional(_, protocol, conformance) => (*protocol, conformance),
        _ => return None,
    };
    let protocol = loop {
        match found {
            Conformance::Normal { protocol, .. } | Conformance::Abstract { protocol, .. } => break *protocol,
            Conformance::Specialized { inner, .. } | Conformance::Inherited { inner, .. } => found = inner,
            Conformance::Dependent(_) => return None,
        }
    };
    are_different(cx, wanted, protocol)?
        .then(|| format!("the entry is for `{wanted}`, found a conformance to `{protocol}`"))
}

/// Returns whether two types name different declarations.
pub(super) fn are_different(cx: &ModuleVerifier<'_>, a: Type, b: Type) -> Option<bool> {
    let nominal = |ty| cx.declarations.nominal_of(ty).filter(|decl| !cx.declarations.may_be_another(decl));
    Some(nominal(a)?.path != nominal(b)?.path)
}

/// Returns whether a list of protocols, or one that they inherit from, contains a protocol.
fn inherits(cx: &ModuleVerifier<'_>, list: &[Type], wanted: Type, depth: u32) -> Option<bool> {
    if depth > MAX_DEPTH {
        return None;
    }
    let wanted_path = cx.declarations.path_of(wanted)?;
    cx.declarations.own_nominal_of(wanted)?;
    let mut answer = Some(false);
    for &ty in list {
        let found = match ty.kind() {
            TypeKind::Named(named) if named.name == "AnyObject" => Some(false),
            TypeKind::Inverse(_) => Some(false),
            TypeKind::Named(_) if cx.declarations.path_of(ty) == Some(wanted_path) => Some(true),
            TypeKind::Named(_) => match cx.declarations.own_nominal_of(ty) {
                Some(decl) if decl.requirements.is_empty() => {
                    inherits(cx, &decl.inherited, wanted, depth + 1)
                }
                _ => None,
            },
            _ => None,
        };
        match found {
            Some(true) => return Some(true),
            None => answer = None,
            Some(false) => {}
        }
    }
    answer
}

/// The maximum depth of protocol inheritance.
const MAX_DEPTH: u32 = 16;

/// Returns whether a protocol of the module, or a protocol that it inherits from, has an associated type.
fn has_associated_type(cx: &ModuleVerifier<'_>, protocol: Type, name: Symbol, depth: u32) -> Option<bool> {
    if depth > MAX_DEPTH {
        return None;
    }
    let path = cx.declarations.path_of(protocol)?;
    cx.declarations.own().get(path)?;
    let decl = cx.declarations.nominal_of(protocol).filter(|d| d.kind == NominalKind::Protocol)?;
    if decl.body.associated.iter().any(|associated| associated.name == name) {
        return Some(true);
    }
    let mut answer = Some(false);
    for &inherited in &decl.inherited {
        let is_class = matches!(inherited.kind(), TypeKind::Named(n) if n.name == "AnyObject");
        let is_inverse = matches!(inherited.kind(), TypeKind::Inverse(_));
        if is_class || is_inverse {
            continue;
        }
        match has_associated_type(cx, inherited, name, depth + 1) {
            Some(true) => return Some(true),
            None => answer = None,
            Some(false) => {}
        }
    }
    answer
}
