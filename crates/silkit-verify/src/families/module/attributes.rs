//! The attributes of functions, global variables and tables: SIL defines them.
//!
//! ```text
//! sil [ossa] [frozen] @f : $@convention(thin) () -> ()    // a function has no attribute `[frozen]`
//! ```

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::families::types::written::lacks_import;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::FunctionFlags;
use silkit_ir::attributes::{OtherAttribute, ThunkKind};
use silkit_text::SourceEntity;
use silkit_types::decl::{Lookup, MemberKind};

pub(super) const RULES: &[&Rule] = &[&ATTRIBUTE_IS_DEFINED];

static ATTRIBUTE_IS_DEFINED: Rule = Rule {
    id: RuleId::new("SIL0644"),
    name: "AttributeIsDefined",
    severity: Severity::Error,
    summary: "The attributes of functions, global variables, tables and Swift declarations are those that SIL and Swift define",
    details: "\
Silkit keeps an attribute that it does not know, as a newer release of Swift may define it. No release that
Silkit knows reads it. FunctionAttributes.md lists the attributes of functions. Remove the attribute or
correct its name; `-sil-verify-none` keeps it. An unknown attribute of a Swift declaration is a warning.",
    failing: "\
sil [frozen] @f : $@convention(thin) () -> ()
",
    corrected: "\
sil [noinline] @f : $@convention(thin) () -> ()
",
    check: Check::Module(attribute_is_defined),
};

/// The values of `[isolation "…"]`, which the compiler prints as a comment.
const ISOLATIONS: &[&str] = &[
    "unspecified",
    "nonisolated",
    "nonisolated_unsafe",
    "actor_instance",
    "global_actor",
    "global_actor_unsafe",
    "caller_isolation_inheriting",
];

/// Returns true for an `[isolation "…"]` with a value that exists.
fn is_isolation(attribute: &str) -> bool {
    let value = attribute.strip_prefix("isolation").map(|value| value.trim().trim_matches('"'));
    attribute.ends_with('"') && value.is_some_and(|value| ISOLATIONS.contains(&value))
}

fn attribute_is_defined(cx: &ModuleVerifier<'_>) {
    let check = |others: &[OtherAttribute], of: &str, place: &dyn Fn() -> Place| {
        for other in others.iter().filter(|other| of != "a function" || !is_isolation(other.text.as_str())) {
            let message = format!("{of} has no attribute `[{}]`", other.text);
            cx.report(cx.finding(&ATTRIBUTE_IS_DEFINED, Owner::Module, place(), message));
        }
    };
    custom_attributes(cx);
    let module = cx.module;
    for (id, function) in module.functions.iter() {
        check(&function.attributes.others, "a function", &|| Place::Function(id));
        let is_reabstracting = function.attributes.thunk == Some(ThunkKind::Reabstraction);
        if function.has(FunctionFlags::WITHOUT_ACTUALLY_ESCAPING) && !is_reabstracting {
            let message = "`[without_actually_escaping]` is for functions that are `[reabstraction_thunk]`";
            let finding = cx.finding(&ATTRIBUTE_IS_DEFINED, Owner::Module, Place::Function(id), message);
            cx.report(finding.warning());
        }
    }
    for (id, global) in module.globals.iter() {
        let place = || place::entity(cx, SourceEntity::Global(id));
        check(&global.attributes.others, "a global variable", &place);
    }
    for (id, table) in module.vtables.iter() {
        check(&table.attributes.others, "a vtable", &|| place::entity(cx, SourceEntity::VTable(id)));
        for entry in &table.entries {
            let place = || place::entry(cx, SourceEntity::VTable(id), entry.function.as_str());
            check(&entry.attributes.others, "an entry of a vtable", &place);
        }
    }
    for (id, table) in module.witness_tables.iter() {
        let place = || place::entity(cx, SourceEntity::WitnessTable(id));
        check(&table.attributes.others, "a witness table", &place);
    }
    for (id, table) in module.default_witness_tables.iter() {
        let place = || place::entity(cx, SourceEntity::DefaultWitnessTable(id));
        check(&table.attributes.others, "a default witness table", &place);
    }
    for (at, witness) in module.differentiability_witnesses.iter().enumerate() {
        let place = || place::entity(cx, SourceEntity::DifferentiabilityWitness(at));
        check(&witness.attributes.others, "a differentiability witness", &place);
    }
    for (at, property) in module.properties.iter().enumerate() {
        let place = || place::entity(cx, SourceEntity::Property(at));
        check(&property.attributes.others, "a property descriptor", &place);
    }
    for (at, deinit) in module.deinits.iter().enumerate() {
        let place = || place::entity(cx, SourceEntity::Deinit(at));
        check(&deinit.attributes.others, "a deinit table", &place);
    }
}

/// Reports attributes of Swift declarations that neither the language nor a type or macro of a visible module defines.
fn custom_attributes(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler || !cx.declarations.sees_known_modules_only() {
        return;
    }
    let is_macro = |name| own.top_level.iter().any(|m| m.kind == MemberKind::Macro && m.name == name);
    let is_nested = |name: Symbol| own.nominals().any(|decl| decl.name == name);
    let parts = place::SwiftParts::new(cx);
    for (range, name) in &own.custom_attributes {
        let is_absent = matches!(cx.declarations.lookup_nominal(*name), Lookup::Absent)
            && cx.declarations.alias(*name).is_none();
        let is_own = own.get(*name).is_some();
        let is_unseen = *name == "MainActor" && !is_own && lacks_import(cx.declarations, "_Concurrency");
        if (is_absent || is_unseen) && !is_macro(*name) && !is_nested(*name) {
            let place = parts.place(cx, range.start as usize);
            let message = format!("`@{name}` is not an attribute, property wrapper, global actor or macro");
            cx.report(cx.finding(&ATTRIBUTE_IS_DEFINED, Owner::Module, place, message).warning());
        }
    }
}
