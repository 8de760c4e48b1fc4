//! Extensions: what they extend, what they conform to, and members that the type has already.
//!
//! ```swift
//! protocol P {}
//! extension P : Sendable {}               // a protocol conforms to nothing
//! struct S { @_hasStorage var x: Int { get set } }
//! extension S { init(x: Int) }            // `S` has this initializer implicitly
//! ```

use super::declarations::report;
use super::overriding;
use super::seen_from::{same, self_type};
use crate::context::ModuleVerifier;
use crate::families::types::written::problems;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_text::decl::member_signature;
use silkit_types::decl::{
    DeclEntry, DeclFlags, ExtensionDecl, Lookup, MemberKind, NominalDecl, NominalKind, StoredProperty,
};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&EXTENSION_FITS];

static EXTENSION_FITS: Rule = Rule {
    id: RuleId::new("SIL0653"),
    name: "ExtensionFits",
    severity: Severity::Warning,
    summary: "An extension is one of a nominal type, conforms it to protocols, and declares no member that it has already",
    details: "\
An extension of a struct, class or enum lists protocols only, one of a protocol nothing. The extended type is spelled with all its generic arguments
or with none. A struct whose declaration has no initializer has the memberwise one, and a class without initializers `init()`, so an
extension does not declare it. A member of a superclass is overridden in the class itself, not in its extensions.",
    failing: "\
protocol P {}
protocol Q {}
extension P : Q {}
",
    corrected: "\
protocol Q {}
protocol P : Q {}
extension P {}
",
    check: Check::Module(extension_fits),
};

fn extension_fits(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler {
        return;
    }
    let nested: FxHashSet<&str> =
        own.nominals().filter_map(|decl| decl.path.as_str().rsplit_once('.')).map(|(_, name)| name).collect();
    for (path, entry) in own.entries().filter(|(_, entry)| !entry.extensions.is_empty()) {
        if let Some(message) = violation(cx, path, entry, &nested) {
            report(cx, &EXTENSION_FITS, path, message);
        }
    }
}

fn violation(
    cx: &ModuleVerifier<'_>,
    path: Symbol,
    entry: &DeclEntry,
    nested: &FxHashSet<&str>,
) -> Option<String> {
    if entry.nominal.is_none() && matches!(path.as_str(), "Any" | "AnyObject") {
        return Some(format!("`{path}` is not a nominal type, so it cannot be extended"));
    }
    if let Some(alias) = entry.alias.as_ref().filter(|_| entry.nominal.is_none()) {
        let target = cx.declarations.resolve(alias.target);
        let is_structural = matches!(target.kind(), TypeKind::Tuple(_) | TypeKind::Function(_));
        return is_structural.then(|| format!("`{path}` stands for `{target}`, which cannot be extended"));
    }
    let decl = match cx.declarations.lookup_nominal(path) {
        Lookup::Known(decl) if !cx.declarations.may_be_another(decl) => decl,
        _ => return None,
    };
    let is_own = entry.nominal.is_some();
    entry.extensions.iter().find_map(|extension| {
        arguments(cx, extension, decl)
            .or_else(|| clause(cx, extension, decl, nested))
            .or_else(|| if is_own { synthesized(cx, extension, decl) } else { None })
            .or_else(|| {
                let of_class = overriding::in_extension(cx, decl, &extension.body, cx.swift_text());
                of_class.filter(|_| is_own).map(|message| format!("an extension of `{path}` {message}"))
            })
    })
}

/// Returns an error about the generic arguments of the extended type.
fn arguments(cx: &ModuleVerifier<'_>, extension: &ExtensionDecl, decl: &NominalDecl) -> Option<String> {
    let TypeKind::Named(named) = extension.extended.kind() else { return None };
    let takes_packs = decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.is_pack));
    let is_spelled = named.parent.is_none() && named.name == decl.name && decl.kind != NominalKind::Protocol;
    let (given, wanted) = (named.args.len(), decl.param_count());
    (is_spelled && !takes_packs && given > 0 && given != wanted && !cx.declarations.may_be_another(decl))
        .then(|| format!("`{}` takes {wanted} generic arguments, but its extension gives {given}", decl.path))
}

/// Returns an error about the types after the `:` of an extension.
fn clause(
    cx: &ModuleVerifier<'_>,
    extension: &ExtensionDecl,
    decl: &NominalDecl,
    nested: &FxHashSet<&str>,
) -> Option<String> {
    let path = decl.path;
    if decl.kind == NominalKind::Protocol && !extension.inherited.is_empty() {
        return Some(format!("an extension of the protocol `{path}` conforms to nothing"));
    }
    extension.inherited.iter().find_map(|&ty| {
        let TypeKind::Named(named) = ty.kind() else { return None };
        let is_plain = named.parent.is_none() && !nested.contains(named.name.as_str());
        if is_plain && cx.declarations.sees_known_modules_only() && !path.as_str().contains('.') {
            let unknown = problems(cx.declarations, false, ty, &mut FxHashSet::default()).pop();
            if let Some((_, message)) = unknown {
                return Some(format!("an extension of `{path}` conforms to an unknown type: {message}"));
            }
        }
        let above =
            cx.declarations.nominal_of(ty).filter(|d| is_plain && !cx.declarations.may_be_another(d))?;
        let is_other = above.kind != NominalKind::Protocol && !above.flags.contains(DeclFlags::AMBIGUOUS);
        is_other.then(|| format!("an extension of `{path}` inherits from `{ty}`, which is not a protocol"))
    })
}

/// Returns an error about an initializer that the type has without declaring it.
fn synthesized(cx: &ModuleVerifier<'_>, extension: &ExtensionDecl, decl: &NominalDecl) -> Option<String> {
    let init = Symbol::new("init");
    let has_value = |field: &StoredProperty| {
        field.flags.contains(DeclFlags::SPELLS_VALUE) || field.spelling.as_str().contains("@_hasInitialValue")
    };
    let is_plain = extension.requirements.is_empty() && decl.body.members.named(init).is_none();
    let fields: Vec<&StoredProperty> = match decl.kind {
        NominalKind::Struct => {
            let is_constant =
                |field: &StoredProperty| field.flags.contains(DeclFlags::LET) && has_value(field);
            if decl.body.fields.iter().any(is_constant) {
                return None;
            }
            decl.body.fields.iter().collect()
        }
        NominalKind::Class if decl.inherited.is_empty() && decl.body.fields.iter().all(has_value) => {
            Vec::new()
        }
        _ => return None,
    };
    let base = self_type(cx.declarations, decl.path)?;
    let inits =
        extension.body.members.all_named(init).filter(|m| is_plain && m.kind == MemberKind::Initializer);
    inits.into_iter().find_map(|member| {
        let signature = member_signature(cx.swift_text(), member.signature).filter(|s| s.sig.is_none())?;
        let is_same = signature.params.len() == fields.len()
            && signature.params.iter().zip(&fields).all(|((label, ty), field)| {
                let seen = |ty: Type| cx.declarations.resolve_in(ty, base);
                *label == field.name && same(cx.declarations, seen(*ty), seen(field.ty)) == Some(true)
            });
        is_same.then(|| {
            format!("an extension of `{}` declares an initializer that it has implicitly", decl.path)
        })
    })
}
