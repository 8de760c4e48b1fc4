//! The types that Swift declarations name: they are declared, and generic ones have arguments.
//!
//! ```swift
//! func f(x: Strng)                     // no module declares `Strng`
//! struct S<T> where U : P {}           // `U` is no parameter
//! ```

use super::callables;
use crate::context::ModuleVerifier;
use crate::families::types::well_formed::TypeChecker;
use crate::families::types::written::{Problem, problems};
use silkit_base::{FxHashSet, Symbol};
use silkit_text::decl::member_signature;
use silkit_types::decl::{
    DeclBody, DeclEntry, DeclFlags, Lookup, Member, MemberKind, NominalDecl, NominalKind,
};
use silkit_types::{GenericSig, Requirement, RequirementKind, Type, TypeKind};

/// Protocols of the standard library without associated types, whose conforming types inherit no names of types.
const WITHOUT_TYPES: &[&str] = &[
    "AnyObject",
    "BitwiseCopyable",
    "Comparable",
    "Copyable",
    "CustomStringConvertible",
    "Equatable",
    "Error",
    "Escapable",
    "Hashable",
    "Sendable",
    "SendableMetatype",
];

/// Returns the first error about a type that each declaration of the file names, with the name of the declaration.
pub(super) fn violations(cx: &ModuleVerifier<'_>) -> Vec<(Symbol, String)> {
    let own = cx.declarations.own();
    let mut found = Vec::new();
    if own.is_printed_by_compiler || !cx.declarations.sees_known_modules_only() {
        return found;
    }
    let mut names = Names::new(cx, cx.swift_text());
    for (path, entry) in own.entries() {
        if !names.is_closed(path) {
            continue;
        }
        if let Some(message) = names.entry(path, entry) {
            found.push((entry.nominal.as_ref().map_or(path, |decl| decl.name), message));
        }
    }
    for member in &own.top_level {
        if let Some(message) = names.member(member, "") {
            found.push((member.name, message));
        }
    }
    found
}

/// The names of types that the declarations of the file introduce anywhere.
struct Names<'a> {
    cx: &'a ModuleVerifier<'a>,
    text: &'a str,
    types: FxHashSet<Symbol>,
    params: FxHashSet<Symbol>,
    checker: TypeChecker<'a>,
}

impl<'a> Names<'a> {
    fn new(cx: &'a ModuleVerifier<'a>, text: &'a str) -> Self {
        let (mut types, mut params) = (FxHashSet::default(), FxHashSet::default());
        for (path, entry) in cx.declarations.own().entries() {
            types.extend(path.as_str().rsplit('.').next().map(Symbol::new));
            let bodies = entry.nominal.iter().map(|decl| &decl.body);
            for body in bodies.chain(entry.extensions.iter().map(|e| &e.body)) {
                types.extend(body.aliases.iter().map(|alias| alias.name));
                types.extend(body.associated.iter().map(|associated| associated.name));
            }
            let sigs = entry.nominal.iter().filter_map(|decl| decl.sig);
            let aliases = entry.alias.iter().filter_map(|alias| alias.sig);
            params.extend(sigs.chain(aliases).flat_map(|sig| sig.data().params.iter().map(|p| p.name)));
        }
        Self { cx, text, types, params, checker: TypeChecker::new(cx.declarations, false) }
    }

    /// Returns true if the file declares all types that a declaration, and those around it, inherit names from.
    fn is_closed(&self, path: Symbol) -> bool {
        let own = self.cx.declarations.own();
        let is_known = |ty: &Type| match ty.kind() {
            TypeKind::Inverse(_) => true,
            TypeKind::Named(n) if n.parent.is_none() => {
                WITHOUT_TYPES.contains(&n.name.as_str())
                    || own.get(n.name).is_some_and(|entry| entry.nominal.is_some())
            }
            _ => false,
        };
        let prefixes = path.as_str().match_indices('.').map(|(dot, _)| Symbol::new(&path.as_str()[..dot]));
        prefixes.chain([path]).all(|path| {
            let Some(entry) = own.get(path) else { return false };
            let Some(decl) = &entry.nominal else { return entry.alias.is_some() };
            !decl.flags.contains(DeclFlags::AMBIGUOUS)
                && decl
                    .inherited
                    .iter()
                    .chain(entry.extensions.iter().flat_map(|e| &*e.inherited))
                    .all(is_known)
        })
    }

    fn entry(&mut self, path: Symbol, entry: &DeclEntry) -> Option<String> {
        let path = path.as_str();
        let alias = entry.alias.as_ref().filter(|_| entry.nominal.is_none());
        let of_alias = |names: &mut Self, target: Type| {
            // An alias may stand for a generic type: `typealias List = Array`.
            let is_bare = matches!(target.kind(), TypeKind::Named(named) if named.args.is_empty());
            names
                .unknown(target, path)
                .or_else(|| if is_bare { None } else { names.all_arguments(target, path) })
        };
        if let Some(message) = alias.and_then(|alias| of_alias(self, alias.target)) {
            return Some(message);
        }
        if let Some(decl) = &entry.nominal
            && let Some(message) = self.nominal(path, decl)
        {
            return Some(message);
        }
        entry.extensions.iter().find_map(|extension| {
            let decl = entry.nominal.as_ref()?;
            let is_plain = decl.sig.is_none() && decl.kind != NominalKind::Protocol && !path.contains('.');
            if is_plain && !extension.requirements.is_empty() {
                return Some(format!("an extension has a `where` clause, but `{path}` is not generic"));
            }
            self.requirements(&extension.requirements, path)
                .or_else(|| self.body(&extension.body, path, false))
        })
    }

    fn nominal(&mut self, path: &str, decl: &NominalDecl) -> Option<String> {
        let sig = decl.sig.filter(|_| decl.kind != NominalKind::Protocol);
        let associated = decl.body.associated.iter();
        sig.and_then(|sig| self.signature(sig, path))
            .or_else(|| self.requirements(&decl.requirements, path))
            .or_else(|| decl.inherited.iter().find_map(|&ty| self.bare(ty, path)))
            .or_else(|| {
                associated.into_iter().find_map(|associated| {
                    let bounds = associated.inherited.iter();
                    bounds
                        .into_iter()
                        .find_map(|&bound| self.unknown(bound, path).or_else(|| self.constraint(bound)))
                        .or_else(|| self.unknown(associated.default?, path))
                        .or_else(|| self.requirements(&associated.requirements, path))
                })
            })
            .or_else(|| {
                let is_simple = decl.sig.is_none()
                    && decl.inherited.is_empty()
                    && decl.kind != NominalKind::Protocol
                    && decl.body.aliases.is_empty()
                    && !path.contains('.');
                self.body(&decl.body, path, is_simple)
            })
    }

    /// Checks the contents of braces. `SIL0629` reports undeclared types of stored properties and cases where their type
    /// inherits no names (`is_simple`).
    fn body(&mut self, body: &DeclBody, path: &str, is_simple: bool) -> Option<String> {
        let fields = body.fields.iter().map(|field| field.ty);
        let payloads = body.cases.iter().filter_map(|case| case.payload);
        let types: Vec<Type> = fields.chain(payloads).collect();
        let of_types = types.into_iter().find_map(|ty| match self.unknown(ty, path) {
            Some(message) => (!is_simple).then_some(message),
            None => self.arguments(ty, path),
        });
        of_types.or_else(|| body.members.iter().find_map(|member| self.member(member, path)))
    }

    fn member(&mut self, member: &Member, path: &str) -> Option<String> {
        let is_callable =
            matches!(member.kind, MemberKind::Function | MemberKind::Initializer | MemberKind::Subscript);
        if !is_callable {
            let ty = member.ty.filter(|_| member.kind == MemberKind::Property)?;
            return self.unknown(ty, path).or_else(|| self.all_arguments(ty, path));
        }
        let signature = member_signature(self.text, member.signature)?;
        if let Some(message) = signature.sig.and_then(|sig| self.signature(sig, path)) {
            return Some(message);
        }
        if let Some(message) = self.requirements(&signature.requirements, path) {
            return Some(message);
        }
        let params = signature.params.iter().map(|(_, ty)| *ty);
        let types: Vec<Type> = params.chain(signature.result).chain(signature.thrown).collect();
        types
            .into_iter()
            .find_map(|ty| self.unknown(ty, path).or_else(|| self.all_arguments(ty, path)))
            .or_else(|| {
                callables::violation(
                    self.cx.declarations,
                    member,
                    &signature,
                    self.is_generic(path),
                    path.is_empty(),
                )
            })
    }

    /// Returns true if the members of a type may refer to generic parameters or to `Self`.
    fn is_generic(&self, path: &str) -> bool {
        let decl = self.cx.declarations.own().get(Symbol::new(path)).and_then(|entry| entry.nominal.as_ref());
        path.contains('.') || decl.is_some_and(|d| d.sig.is_some() || d.kind == NominalKind::Protocol)
    }

    fn signature(&self, sig: GenericSig, path: &str) -> Option<String> {
        let bounds = sig.data().params.iter().filter_map(|param| param.bound);
        bounds
            .into_iter()
            .find_map(|bound| self.unknown(bound, path).or_else(|| self.constraint(bound)))
            .or_else(|| self.requirements(&sig.data().requirements, path))
    }

    fn requirements(&self, requirements: &[Requirement], path: &str) -> Option<String> {
        requirements.iter().filter(|r| r.kind != RequirementKind::Layout).find_map(|requirement| {
            let is_conformance = requirement.kind == RequirementKind::Conforms;
            self.unknown(requirement.subject, path)
                .or_else(|| self.unknown(requirement.constraint, path))
                .or_else(|| if is_conformance { self.constraint(requirement.constraint) } else { None })
        })
    }

    /// Returns an error about a constraint that is neither a protocol nor a class.
    fn constraint(&self, constraint: Type) -> Option<String> {
        if !matches!(constraint.kind(), TypeKind::Named(n) if !self.params.contains(&n.name)) {
            return None;
        }
        let decl = self.cx.declarations.nominal_of(constraint)?;
        let is_value = matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
        (is_value && !self.cx.declarations.may_be_another(decl))
            .then(|| format!("the constraint `{constraint}` is neither a protocol nor a class"))
    }

    /// Returns an error about a name that no visible module declares, or about a generic type without arguments.
    fn unknown(&self, ty: Type, path: &str) -> Option<String> {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let TypeKind::Named(named) = ty.kind() else {
                match ty.kind() {
                    TypeKind::Function(f) => work.extend(f.component_types()),
                    TypeKind::Opened { .. } | TypeKind::OpaqueResult { .. } | TypeKind::Attributed(..) => {}
                    kind => kind.for_each_part(&mut |part| work.push(part)),
                }
                continue;
            };
            work.extend(&named.args);
            if let Some(parent) = named.parent {
                // A member of a parameter or type, whose name is known.
                work.extend(
                    matches!(parent.kind(), TypeKind::Named(p) if p.args.is_empty()).then_some(parent),
                );
                continue;
            }
            if self.types.contains(&named.name) || self.params.contains(&named.name) {
                continue;
            }
            let is_module = self.cx.declarations.own().imports.contains(&named.name);
            let mut seen = FxHashSet::default();
            let mut wrong =
                problems(self.cx.declarations, false, Type::nominal(named.name.as_str()), &mut seen);
            if let Some((_, message)) = wrong.pop().filter(|_| !is_module) {
                let of =
                    if path.is_empty() { String::new() } else { format!("`{path}` names an unknown type: ") };
                return Some(format!("{of}{message}"));
            }
        }
        None
    }

    /// Returns an error about the generic arguments of a type that names no parameter.
    fn arguments(&mut self, ty: Type, path: &str) -> Option<String> {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let TypeKind::Named(named) = ty.kind() else {
                if !matches!(ty.kind(), TypeKind::Function(_) | TypeKind::Any(_) | TypeKind::Some(_)) {
                    ty.kind().for_each_part(&mut |part| work.push(part));
                }
                continue;
            };
            if self.params.contains(&named.name) || named.parent.is_some() {
                return None;
            }
            work.extend(&named.args);
            if let Some(message) = self.bare(ty, path) {
                return Some(message);
            }
        }
        if path.contains('.') {
            return None;
        }
        self.checker.violation(ty, None).map(|violation| violation.message)
    }

    /// Returns an error about the number of generic arguments of a type, or about the arguments.
    fn all_arguments(&mut self, ty: Type, path: &str) -> Option<String> {
        if path.contains('.') {
            return None;
        }
        let mut seen = FxHashSet::default();
        let wrong = problems(self.cx.declarations, false, ty, &mut seen);
        let is_count = |(problem, _): &(Problem, String)| *problem == Problem::Arguments;
        let wrong = wrong.into_iter().find(is_count).map(|(_, message)| message);
        wrong.or_else(|| self.arguments(ty, path))
    }

    /// Returns an error about a generic type of the file without arguments, outside of its own braces.
    fn bare(&self, ty: Type, path: &str) -> Option<String> {
        let TypeKind::Named(named) = ty.kind() else { return None };
        let is_plain = named.args.is_empty() && named.parent.is_none() && !self.params.contains(&named.name);
        let Lookup::Known(decl) = self.cx.declarations.lookup_nominal(named.name) else { return None };
        let is_inside = path.split('.').any(|part| part == decl.name.as_str());
        let takes_packs = decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.is_pack));
        let is_certain = decl.kind != NominalKind::Protocol && !self.cx.declarations.may_be_another(decl);
        (is_plain && !is_inside && is_certain && decl.param_count() > 0 && !takes_packs)
            .then(|| format!("the generic type `{}` has no arguments", named.name))
    }
}
