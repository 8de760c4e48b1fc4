//! Imports of parts of modules: `import struct Swift.Int`.

use super::place;
use crate::context::{ModuleVerifier, Owner};
use crate::families::types::written::MODULES;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_types::decl::{DeclTable, Lookup, NominalKind, PartialImport};

pub(super) const RULES: &[&Rule] = &[&IMPORT_IS_FOUND];

static IMPORT_IS_FOUND: Rule = Rule {
    id: RuleId::new("SIL0654"),
    name: "ImportIsFound",
    severity: Severity::Warning,
    summary: "What is imported from a module of the toolchain is declared there, with the kind that is stated",
    details: "\
`import struct Swift.Int` names a struct of the module. The modules of the toolchain have no submodules, and they were not compiled for
`@testable` imports. Nothing is reported of other modules.",
    failing: "\
import class Swift.Int
",
    corrected: "\
import struct Swift.Int
",
    check: Check::Module(import_is_found),
};

fn import_is_found(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler || own.partial_imports.is_empty() {
        return;
    }
    let parts = place::SwiftParts::new(cx);
    for import in &own.partial_imports {
        if let Some(message) = violation(import) {
            let place = parts.place(cx, import.at.start as usize);
            cx.report(cx.finding(&IMPORT_IS_FOUND, Owner::Module, place, message));
        }
    }
}

fn violation(import: &PartialImport) -> Option<String> {
    let module = *import.path.first()?;
    if module != "Swift" && !MODULES.contains(&module.as_str()) {
        return None;
    }
    if import.is_testable {
        return Some(format!("`{module}` was not compiled for `@testable` imports"));
    }
    let name = *import.path.get(1)?;
    let Some(kind) = import.kind else { return Some(format!("`{module}` has no submodule `{name}`")) };
    let mut alone = DeclTable::new();
    alone.imports.push(module);
    let library = silkit_text::decl::with_stdlib(alone);
    let is_type = matches!(kind.as_str(), "struct" | "class" | "enum" | "protocol");
    if !is_type || name.as_str().starts_with('_') || import.path.len() > 2 {
        return None;
    }
    match library.lookup_nominal(name) {
        Lookup::Known(decl) => {
            let found = keyword(decl.kind);
            let may_be = found == kind.as_str() || decl.kind == NominalKind::Actor && kind == "class";
            (!may_be).then(|| format!("`{name}` is imported as a {kind}, but is a {found}"))
        }
        Lookup::Absent if library.alias(name).is_none() && module == "Swift" => {
            Some(format!("`{module}` does not declare `{name}`"))
        }
        _ => {
            let is_builtin = name == "AnyObject" && kind != *"class";
            is_builtin.then(|| format!("`{name}` is an alias, not a {kind}"))
        }
    }
}

fn keyword(kind: NominalKind) -> &'static str {
    match kind {
        NominalKind::Struct => "struct",
        NominalKind::Class => "class",
        NominalKind::Actor => "actor",
        NominalKind::Enum => "enum",
        NominalKind::Protocol => "protocol",
    }
}
