//! Witness table entries for requirements: associated types, and the tables of inherited protocols.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Symbol};
use silkit_diag::RuleId;
use silkit_ir::{Conformance, WitnessEntry, WitnessTableOf};
use silkit_text::SourceEntity;
use silkit_types::decl::NominalKind;
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&ENTRY_OF_PROTOCOL];

static ENTRY_OF_PROTOCOL: Rule = Rule {
    id: RuleId::new("SIL0624"),
    name: "EntryOfProtocol",
    summary: "A witness table names associated types of its protocol, and a protocol has one default witness table",
    details: "\
The entries of a witness table follow the requirements of the protocol and of those that it inherits
from. A default witness table has entries for requirements that were added to a resilient protocol;
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
        let WitnessTableOf::Conformance(Conformance::Normal { protocol, .. }) = &table.of else { continue };
        for entry in table.entries.iter().flatten() {
            let WitnessEntry::AssociatedType(name, _) = entry else { continue };
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
