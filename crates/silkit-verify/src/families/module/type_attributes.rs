//! Attributes of types that require members: `@propertyWrapper`, `@dynamicMemberLookup`, `@dynamicCallable`, `@main`,
//! `@resultBuilder` and `@globalActor`.
//!
//! ```swift
//! @propertyWrapper struct W { var wrappedValue: Int { get } }
//! @main struct App { static func main() }
//! ```

use super::declarations::report;
use super::seen_from::{same, self_type};
use super::witness_fit::question_mark;
use crate::context::ModuleVerifier;
use crate::families::types::conformance::conforms;
use crate::families::types::written::lacks_import;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_text::decl::{MemberSignature, member_signature};
use silkit_types::decl::{
    AccessLevel, DeclBody, DeclEntry, DeclFlags, MAX_SUPERCLASSES, Member, MemberKind, NominalDecl,
    NominalKind,
};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&TYPE_ATTRIBUTE];

static TYPE_ATTRIBUTE: Rule = Rule {
    id: RuleId::new("SIL0651"),
    name: "TypeAttribute",
    severity: Severity::Warning,
    summary: "A type declares the members that its attributes require",
    details: "\
A `@propertyWrapper` declares the property `wrappedValue` in its own braces, with the type that `init(wrappedValue:)` takes. A type with
`@dynamicMemberLookup` has a `subscript(dynamicMember:)` that takes a string or a key path, one with `@dynamicCallable` a method
`dynamicallyCall`, a `@resultBuilder` a static `buildBlock`, a `@globalActor` a static property `shared` that is an actor, and the one
`@main` type of a module a static method `main` without parameters and results.",
    failing: "\
@propertyWrapper struct W {
  var value: Builtin.Int64 { get }
}
",
    corrected: "\
@propertyWrapper struct W {
  var wrappedValue: Builtin.Int64 { get }
}
",
    check: Check::Module(type_attribute),
};

/// The attributes that this rule is about.
const CHECKED: DeclFlags = DeclFlags::PROPERTY_WRAPPER
    .union(DeclFlags::DYNAMIC_MEMBER_LOOKUP)
    .union(DeclFlags::DYNAMIC_CALLABLE)
    .union(DeclFlags::MAIN)
    .union(DeclFlags::RESULT_BUILDER)
    .union(DeclFlags::GLOBAL_ACTOR);

fn type_attribute(cx: &ModuleVerifier<'_>) {
    let own = cx.declarations.own();
    if own.is_printed_by_compiler {
        return;
    }
    let mut main = None;
    for (path, entry) in own.entries() {
        let Some(decl) = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS)) else {
            continue;
        };
        let of_extensions = entry.extensions.iter().any(|e| e.flags.contains(DeclFlags::MAIN));
        let flags = if of_extensions { decl.flags | DeclFlags::MAIN } else { decl.flags };
        if !flags.intersects(CHECKED) {
            continue;
        }
        let second = flags.contains(DeclFlags::MAIN) && main.replace(path).is_some();
        let attributed = Attributed { cx, text: cx.swift_text(), entry, decl };
        let wrong = if second {
            Some("is a second type with `@main`".to_owned())
        } else {
            attributed.violation(flags)
        };
        if let Some(message) = wrong {
            report(cx, &TYPE_ATTRIBUTE, decl.name, format!("`{path}` {message}"));
        }
    }
}

/// A type with one of the attributes.
struct Attributed<'a> {
    cx: &'a ModuleVerifier<'a>,
    text: &'a str,
    entry: &'a DeclEntry,
    decl: &'a NominalDecl,
}

impl<'a> Attributed<'a> {
    fn violation(&self, flags: DeclFlags) -> Option<String> {
        let has = |flag| flags.contains(flag);
        let of_wrapper = || if has(DeclFlags::PROPERTY_WRAPPER) { self.wrapper() } else { None };
        let of_lookup = || if has(DeclFlags::DYNAMIC_MEMBER_LOOKUP) { self.lookup() } else { None };
        let of_call = || if has(DeclFlags::DYNAMIC_CALLABLE) { self.callable() } else { None };
        let of_main = || if has(DeclFlags::MAIN) { self.main() } else { None };
        let of_builder = || if has(DeclFlags::RESULT_BUILDER) { self.builder() } else { None };
        let of_actor = || if has(DeclFlags::GLOBAL_ACTOR) { self.global_actor() } else { None };
        of_wrapper()
            .or_else(of_lookup)
            .or_else(of_call)
            .or_else(of_main)
            .or_else(of_builder)
            .or_else(of_actor)
    }

    /// Returns the members of the type, of its extensions, superclasses and protocols with a name; nothing if one of these is
    /// not known.
    fn members(&self, name: &str) -> Option<Vec<&'a Member>> {
        const WITHOUT_MEMBERS: &[&str] =
            &["AnyObject", "Sendable", "Copyable", "Escapable", "Equatable", "Hashable", "Error"];
        let own = self.cx.declarations.own();
        let name = Symbol::new(name);
        let mut found = Vec::new();
        let mut work = vec![self.entry];
        let mut seen = Vec::new();
        while let Some(entry) = work.pop() {
            let decl = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS))?;
            if seen.contains(&decl.path) {
                continue;
            }
            if seen.len() > MAX_SUPERCLASSES as usize {
                return None;
            }
            seen.push(decl.path);
            let bodies = std::iter::once(&decl.body).chain(entry.extensions.iter().map(|e| &e.body));
            found.extend(bodies.flat_map(|body: &'a DeclBody| body.members.all_named(name)));
            for ty in decl.inherited.iter().chain(entry.extensions.iter().flat_map(|e| &*e.inherited)) {
                let TypeKind::Named(named) = ty.kind() else {
                    if matches!(ty.kind(), TypeKind::Inverse(_)) {
                        continue;
                    }
                    return None;
                };
                if named.parent.is_none() && WITHOUT_MEMBERS.contains(&named.name.as_str()) {
                    continue;
                }
                work.push(own.get(self.cx.declarations.path_of(*ty)?)?);
            }
        }
        Some(found)
    }

    fn signature(&self, member: &Member) -> Option<MemberSignature> {
        member_signature(self.text, member.signature)
    }

    /// Returns an error about the members of a property wrapper.
    fn wrapper(&self) -> Option<String> {
        let body = &self.decl.body;
        let name = Symbol::new("wrappedValue");
        let is_value = |m: &&Member| m.kind == MemberKind::Property && !m.flags.contains(DeclFlags::STATIC);
        let field = body.fields.named(name).map(|field| (field.ty, field.access));
        let computed = body
            .members
            .all_named(name)
            .find(is_value)
            .map(|m| (m.ty.unwrap_or_else(Type::unknown), m.access));
        let Some((ty, access)) = field.or(computed) else {
            return Some("is a property wrapper without a property `wrappedValue`".to_owned());
        };
        let wanted = self.decl.access.min(AccessLevel::Public);
        if wanted >= AccessLevel::Internal && access < wanted && !self.decl.path.as_str().contains('.') {
            return Some("is a property wrapper that is less private than its `wrappedValue`".to_owned());
        }
        let base = self_type(self.cx.declarations, self.decl.path)?;
        let inits = body.members.all_named(Symbol::new("init"));
        inits.filter(|m| m.kind == MemberKind::Initializer).find_map(|init| {
            let signature = self.signature(init).filter(|s| s.sig.is_none())?;
            let [(label, param)] = *signature.params else { return None };
            if label != "wrappedValue" && label != "initialValue" {
                return None;
            }
            if label == "wrappedValue" && question_mark(self.text, init.signature) {
                return Some("is a property wrapper with an `init(wrappedValue:)` that may fail".to_owned());
            }
            let seen = |ty| self.cx.declarations.resolve_in(ty, base);
            let is_closure =
                param.as_function().is_some() || matches!(param.kind(), TypeKind::Attributed(..));
            let is_other = !is_closure && same(self.cx.declarations, seen(param), seen(ty)) == Some(false);
            is_other
                .then(|| format!("has an `init({label}:)` of `{param}`, but its `wrappedValue` is `{ty}`"))
        })
    }

    /// Returns true if a type surely does not conform to a protocol of the standard library.
    fn lacks(&self, ty: Type, protocol: &str) -> bool {
        let is_nominal = self.cx.declarations.nominal_of(ty).is_some_and(|d| d.kind != NominalKind::Protocol);
        let is_any = matches!(ty.kind(), TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Metatype(..));
        is_any || is_nominal && conforms(self.cx.declarations, ty, Symbol::new(protocol), None) == Some(false)
    }

    fn lookup(&self) -> Option<String> {
        const KEY_PATHS: &[&str] =
            &["KeyPath", "WritableKeyPath", "ReferenceWritableKeyPath", "PartialKeyPath"];
        let found = self.members("subscript")?;
        let base = self_type(self.cx.declarations, self.decl.path)?;
        let may_be = |member: &Member| {
            let Some(signature) = self.signature(member) else { return true };
            let [(label, ty)] = *signature.params else { return false };
            if label != "dynamicMember" {
                return false;
            }
            let ty = self.cx.declarations.resolve_in(ty, base);
            let is_key_path =
                self.cx.declarations.path_of(ty).is_some_and(|path| KEY_PATHS.contains(&path.as_str()));
            is_key_path || !self.lacks(ty, "ExpressibleByStringLiteral")
        };
        (!found.into_iter().any(may_be)).then(|| {
            "has `@dynamicMemberLookup`, but no `subscript(dynamicMember:)` of a string or key path"
                .to_owned()
        })
    }

    fn callable(&self) -> Option<String> {
        let found = self.members("dynamicallyCall")?;
        let base = self_type(self.cx.declarations, self.decl.path)?;
        let may_be = |member: &Member| {
            if member.kind != MemberKind::Function {
                return false;
            }
            let Some(signature) = self.signature(member) else { return true };
            let [(label, ty)] = *signature.params else { return false };
            let ty = self.cx.declarations.resolve_in(ty, base);
            match label.as_str() {
                "withArguments" => !self.lacks(ty, "ExpressibleByArrayLiteral"),
                "withKeywordArguments" => !self.lacks(ty, "ExpressibleByDictionaryLiteral"),
                _ => false,
            }
        };
        (!found.into_iter().any(may_be))
            .then(|| "has `@dynamicCallable`, but no method `dynamicallyCall(withArguments:)`".to_owned())
    }

    fn main(&self) -> Option<String> {
        if self.decl.param_count() > 0 {
            return Some("is generic, which a type with `@main` is not".to_owned());
        }
        let found = self.members("main")?;
        let is_void = |ty: Type| self.cx.declarations.resolve(ty) == Type::void();
        let mut is_async = false;
        let may_be = |member: &Member| {
            if member.kind != MemberKind::Function || !member.flags.contains(DeclFlags::STATIC) {
                return false;
            }
            let Some(signature) = self.signature(member) else { return true };
            is_async = signature.is_async;
            signature.params.is_empty() && signature.sig.is_none() && signature.result.is_none_or(is_void)
        };
        if !found.into_iter().any(may_be) {
            return Some("has `@main`, but no static method `main` without parameters and result".to_owned());
        }
        (is_async && lacks_import(self.cx.declarations, "_Concurrency"))
            .then(|| "has an `async` method `main`, but the file does not import `_Concurrency`".to_owned())
    }

    fn builder(&self) -> Option<String> {
        let is_static = |m: &Member| m.kind == MemberKind::Function && m.flags.contains(DeclFlags::STATIC);
        let block = self.members("buildBlock")?;
        if block.into_iter().any(is_static) {
            return None;
        }
        let partial = self.members("buildPartialBlock")?;
        let has_label = |wanted: &str| {
            partial.iter().filter(|m| is_static(m)).any(|&member| {
                let signature = self.signature(member);
                signature.is_none_or(|s| s.params.first().is_some_and(|(label, _)| *label == wanted))
            })
        };
        (!has_label("first") || !has_label("accumulated"))
            .then(|| "is a result builder without a static method `buildBlock`".to_owned())
    }

    fn global_actor(&self) -> Option<String> {
        if lacks_import(self.cx.declarations, "_Concurrency") {
            return Some("is a global actor, but the file does not import `_Concurrency`".to_owned());
        }
        if self.decl.kind == NominalKind::Class && !self.decl.flags.contains(DeclFlags::FINAL) {
            return Some("is a global actor and a class that is not `final`".to_owned());
        }
        let found = self.members("shared")?;
        let base = self_type(self.cx.declarations, self.decl.path)?;
        let may_be = |member: &Member| {
            let is_value = member.kind == MemberKind::Property && member.flags.contains(DeclFlags::STATIC);
            let ty = member.ty.map(|ty| self.cx.declarations.resolve_in(ty, base));
            let decl = ty.and_then(|ty| self.cx.declarations.nominal_of(ty));
            is_value && decl.is_none_or(|decl| !matches!(decl.kind, NominalKind::Struct | NominalKind::Enum))
        };
        (!found.into_iter().any(may_be))
            .then(|| "is a global actor without a static property `shared` that is an actor".to_owned())
    }
}
