//! Types that suppress `Copyable` or `Escapable`, and their conformances under conditions.
//!
//! ```swift
//! struct Box<T : ~Copyable> : ~Copyable {}
//! extension Box : Copyable where T : Copyable {}
//! ```

use super::declarations::report;
use super::generic_scope::requires_copyable;
use crate::context::ModuleVerifier;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_types::decl::{DeclEntry, DeclFlags, ExtensionDecl, NominalDecl, NominalKind};
use silkit_types::{Requirement, RequirementKind, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&SUPPRESSED_CONFORMANCE];

static SUPPRESSED_CONFORMANCE: Rule = Rule {
    id: RuleId::new("SIL0652"),
    name: "SuppressedConformance",
    severity: Severity::Warning,
    summary: "A type that suppresses `Copyable` or `Escapable` conforms only if its generic arguments do",
    details: "\
An extension makes a type that suppresses a protocol conform under conditions: it says for each parameter that suppresses the protocol whether
the argument conforms, requires nothing else, and the type has neither a `deinit` nor parts that never conform. A type that is not copyable does not conform to a
protocol that requires `Copyable`, and one that is copyable does not hold a value of a parameter that suppresses it.",
    failing: "\
struct Box<T : ~Copyable> : ~Copyable {}
extension Box : Copyable {}
",
    corrected: "\
struct Box<T : ~Copyable> : ~Copyable {}
extension Box : Copyable where T : Copyable {}
",
    check: Check::Module(suppressed_conformance),
};

fn suppressed_conformance(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler {
        return;
    }
    for (path, entry) in own.entries() {
        let Some(decl) = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS)) else {
            continue;
        };
        let wrong =
            ["Copyable", "Escapable"].into_iter().find_map(|protocol| of_protocol(cx, entry, decl, protocol));
        if let Some(message) = wrong {
            report(cx, &SUPPRESSED_CONFORMANCE, decl.name, format!("`{path}` {message}"));
        }
    }
}

fn of_protocol(
    cx: &ModuleVerifier<'_>,
    entry: &DeclEntry,
    decl: &NominalDecl,
    protocol: &str,
) -> Option<String> {
    let is_suppressed = decl.inherited.iter().any(|&ty| suppresses(ty, protocol));
    let conditional: Vec<&ExtensionDecl> =
        entry.extensions.iter().filter(|e| e.inherited.iter().any(|&ty| is_named(ty, protocol))).collect();
    match decl.kind {
        NominalKind::Protocol => {
            let copies = decl.inherited.iter().find(|&&ty| requires_copyable(cx.declarations, ty));
            let copies = copies.filter(|_| is_suppressed && protocol == "Copyable")?;
            return Some(format!("suppresses `Copyable`, which `{copies}` requires"));
        }
        NominalKind::Class | NominalKind::Actor => {
            let is_wrong = is_suppressed && protocol == "Escapable";
            return is_wrong.then(|| "is a class, which cannot suppress `Escapable`".to_owned());
        }
        NominalKind::Struct | NominalKind::Enum => {}
    }
    let params = suppressed_parameters(decl, protocol);
    if !is_suppressed {
        let held = held_parameter(decl, &params)?;
        return Some(format!("holds a value of type `{held}`, which suppresses `{protocol}`"));
    }
    if let Some(message) = conditional.iter().find_map(|extension| condition(extension, &params, protocol)) {
        return Some(message);
    }
    if protocol != "Copyable" {
        return None;
    }
    if !conditional.is_empty() {
        if decl.flags.contains(DeclFlags::HAS_DEINIT) {
            return Some("is copyable under conditions, but has a `deinit`".to_owned());
        }
        let part = part_not_copyable(cx, decl)?;
        return Some(format!("is copyable under conditions, but `{part}` never is"));
    }
    let of_extensions = entry.extensions.iter().flat_map(|e| &*e.inherited);
    let mut all = decl.inherited.iter().chain(of_extensions);
    // `SIL0645` reports protocols of the file that inherit from nothing.
    let is_plain =
        |ty: Type| cx.declarations.own_nominal_of(ty).is_some_and(|decl| decl.inherited.is_empty());
    let copies = all.find(|&&ty| requires_copyable(cx.declarations, ty) && !is_plain(ty))?;
    Some(format!("is not copyable, which `{copies}` requires"))
}

fn is_named(ty: Type, name: &str) -> bool {
    matches!(ty.kind(), TypeKind::Named(named) if named.parent.is_none() && named.name == *name)
}

fn suppresses(ty: Type, protocol: &str) -> bool {
    match ty.kind() {
        TypeKind::Inverse(inner) => is_named(*inner, protocol),
        TypeKind::Composition(parts) => parts.iter().any(|&part| suppresses(part, protocol)),
        _ => false,
    }
}

/// Returns the parameter that a requirement is about.
fn parameter(requirement: &Requirement) -> Option<Symbol> {
    match requirement.subject.kind() {
        TypeKind::Param { name, .. } => Some(*name),
        TypeKind::Named(named) if named.parent.is_none() => Some(named.name),
        _ => None,
    }
}

/// Returns the generic parameters that suppress a protocol.
fn suppressed_parameters(decl: &NominalDecl, protocol: &str) -> Vec<Symbol> {
    let Some(sig) = decl.sig else { return Vec::new() };
    let data = sig.data();
    let bound =
        data.params.iter().filter(|p| p.bound.is_some_and(|ty| suppresses(ty, protocol))).map(|p| p.name);
    let required = data.requirements.iter().chain(&*decl.requirements);
    let required = required.filter(|r| suppresses(r.constraint, protocol)).filter_map(parameter);
    bound.chain(required).collect()
}

/// Returns an error about the conditions of an extension that makes a type conform to a protocol that it suppresses.
fn condition(extension: &ExtensionDecl, params: &[Symbol], protocol: &str) -> Option<String> {
    let is_about = |r: &&Requirement| {
        r.kind == RequirementKind::Conforms
            && (is_named(r.constraint, protocol) || suppresses(r.constraint, protocol))
    };
    if let Some(other) = extension.requirements.iter().find(|r| !is_about(r)) {
        return Some(format!(
            "conforms to `{protocol}` on the condition `{} : {}`",
            other.subject, other.constraint
        ));
    }
    let is_stated = |param: &Symbol| extension.requirements.iter().any(|r| parameter(r) == Some(*param));
    if let Some(param) = params.iter().find(|param| !is_stated(param)) {
        return Some(format!(
            "conforms to `{protocol}`, but the extension does not say whether `{param}` does"
        ));
    }
    let conforms = extension.requirements.iter().any(|r| is_named(r.constraint, protocol));
    (!conforms).then(|| format!("suppresses `{protocol}` and conforms to it without a condition"))
}

/// Returns the type of a part that is one of some parameters.
fn held_parameter(decl: &NominalDecl, params: &[Symbol]) -> Option<Type> {
    let fields = decl.body.fields.iter().map(|field| field.ty);
    let payloads = decl.body.cases.iter().filter_map(|case| case.payload);
    fields.chain(payloads).find(|ty| match ty.kind() {
        TypeKind::Named(named) => {
            named.parent.is_none() && named.args.is_empty() && params.contains(&named.name)
        }
        TypeKind::Param { name, .. } => params.contains(name),
        _ => false,
    })
}

/// Returns the type of a part that is not copyable whatever the generic arguments are.
fn part_not_copyable(cx: &ModuleVerifier<'_>, decl: &NominalDecl) -> Option<Type> {
    let fields = decl.body.fields.iter().map(|field| field.ty);
    let payloads = decl.body.cases.iter().filter_map(|case| case.payload);
    fields.chain(payloads).find(|&ty| {
        let of_file = cx.declarations.own_nominal_of(ty);
        of_file.is_some_and(|d| d.sig.is_none()) && cx.declarations.is_move_only(ty, None) == Some(true)
    })
}
