//! The types of functions and global variables are declared.

use super::declarations::report;
use super::tables::nested_protocols;
use super::{declared_names, place};
use crate::context::{ModuleVerifier, Owner};
use crate::families::types::casts::{
    HOW_TO_LOWER, LOWERED_METATYPE, formal_metatype, formal_metatype_message,
};
use crate::families::types::well_formed::{TYPE_IS_WELL_FORMED, TypeChecker};
use crate::families::types::written::problems;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{ClassRef, Conformance, WitnessTableOf};
use silkit_text::SourceEntity;
use silkit_types::Type;
use silkit_types::decl::Lookup;

pub(super) const RULES: &[&Rule] = &[&SIGNATURE_IS_DECLARED];

static SIGNATURE_IS_DECLARED: Rule = Rule {
    id: RuleId::new("SIL0627"),
    name: "SignatureIsDeclared",
    severity: Severity::Warning,
    summary: "The types of functions, global variables, tables and Swift declarations are declared in the file or in a module that it imports",
    details: "\
The same holds for types in bodies, with the right number of generic arguments. Nothing is reported if
the file imports a module that Silkit does not know, nor for the compiler's own output. Declare the
type, import its module, or correct its name.",
    failing: "\
sil_stage canonical

import Builtin
import Swift

sil @f : $@convention(thin) (Strng) -> ()
",
    corrected: "\
sil_stage canonical

import Builtin
import Swift

sil @f : $@convention(thin) (String) -> ()
",
    check: Check::Module(signature_is_declared),
};

fn signature_is_declared(cx: &ModuleVerifier<'_>) {
    let is_printed = cx.declarations.own().is_printed_by_compiler;
    signatures_are_well_formed(cx, is_printed);
    let mut seen = FxHashSet::default();
    let mut check = |ty: Type, owner: Owner, place: Place| {
        for (_, message) in problems(cx.declarations, is_printed, ty, &mut seen) {
            cx.report(cx.finding(&SIGNATURE_IS_DECLARED, owner, place, message));
        }
    };
    for (id, function) in cx.module.functions.iter() {
        check(function.ty.ty(), Owner::Module, Place::Function(id));
    }
    for (id, global) in cx.module.globals.iter() {
        check(global.ty.ty(), Owner::Module, place::entity(cx, SourceEntity::Global(id)));
    }
    for (id, table) in cx.module.witness_tables.iter() {
        let WitnessTableOf::Conformance(Conformance::Normal { ty, protocol, .. }) = &table.of else {
            continue;
        };
        let place = place::entity(cx, SourceEntity::WitnessTable(id));
        check(*ty, Owner::Module, place);
        let is_nested = cx.declarations.path_of(*protocol).is_some_and(|name| {
            matches!(cx.declarations.lookup_nominal(name), Lookup::Absent)
                && nested_protocols(cx, name).next().is_some()
        });
        if !is_nested {
            check(*protocol, Owner::Module, place);
        }
    }
    for (id, table) in cx.module.default_witness_tables.iter() {
        let WitnessTableOf::Protocol(protocol) = &table.of else { continue };
        check(*protocol, Owner::Module, place::entity(cx, SourceEntity::DefaultWitnessTable(id)));
    }
    for (name, message) in declared_names::violations(cx) {
        report(cx, &SIGNATURE_IS_DECLARED, name, message);
    }
    let declared: FxHashSet<Symbol> = cx.declarations.own().nominals().map(|decl| decl.name).collect();
    for (id, table) in cx.module.vtables.iter() {
        let name = match table.class {
            ClassRef::Name(name) => name,
            ClassRef::Type(ty) => {
                check(ty.ty(), Owner::Module, place::entity(cx, SourceEntity::VTable(id)));
                continue;
            }
        };
        // A nested class is named without the types around it.
        if !declared.contains(&name) {
            check(Type::nominal(name.as_str()), Owner::Module, place::entity(cx, SourceEntity::VTable(id)));
        }
    }
}

/// Reports function types and types of global variables that are not well-formed.
fn signatures_are_well_formed(cx: &ModuleVerifier<'_>, is_printed: bool) {
    let mut checker = TypeChecker::new(cx.declarations, is_printed);
    let mut sound = FxHashSet::default();
    for (id, function) in cx.module.functions.iter() {
        // The rule for bodies covers the types of their functions.
        if function.body.is_none() {
            metatypes_are_lowered(cx, function.ty.ty(), Place::Function(id));
        }
        // Many functions have the same type.
        if sound.contains(&function.ty) {
            continue;
        }
        if let Some(found) = checker.function_violation(function.ty.ty()) {
            let place = Place::Function(id);
            cx.report(found.graded(cx.finding(&TYPE_IS_WELL_FORMED, Owner::Module, place, &*found.message)));
        } else {
            sound.insert(function.ty);
        }
    }
    for (id, global) in cx.module.globals.iter() {
        let place = place::entity(cx, SourceEntity::Global(id));
        metatypes_are_lowered(cx, global.ty.ty(), place);
        if let Some(found) = checker.violation(global.ty.ty(), None) {
            cx.report(found.graded(cx.finding(&TYPE_IS_WELL_FORMED, Owner::Module, place, &*found.message)));
        }
    }
}

fn metatypes_are_lowered(cx: &ModuleVerifier<'_>, ty: Type, place: Place) {
    if ty.holds_formal_metatype()
        && let Some(formal) = formal_metatype(ty)
    {
        let finding = cx.finding(&LOWERED_METATYPE, Owner::Module, place, formal_metatype_message(formal));
        cx.report(finding.note(HOW_TO_LOWER));
    }
}
