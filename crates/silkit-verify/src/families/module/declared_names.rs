//! The types that Swift declarations name: they are declared, and generic ones have arguments.
//!
//! ```swift
//! func f(x: Strng)                     // no module declares `Strng`
//! struct S<T> where U : P {}           // `U` is no parameter
//! ```

use super::callables;
use super::generic_scope::GenericScope;
use super::seen_from::{find_spelled, mentions};
use crate::context::ModuleVerifier;
use crate::families::types::member_types::{has_type, lacks_type};
use crate::families::types::well_formed::TypeChecker;
use crate::families::types::written::{Problem, alias_parameters, problems};
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
        if let Some(message) = names.member(member, "", &[]) {
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
    /// The associated types, and the types that are nested in others.
    associated: FxHashSet<Symbol>,
    checker: TypeChecker<'a>,
}

impl<'a> Names<'a> {
    fn new(cx: &'a ModuleVerifier<'a>, text: &'a str) -> Self {
        let (mut types, mut params) = (FxHashSet::default(), FxHashSet::default());
        let mut nested = FxHashSet::default();
        for (path, entry) in cx.declarations.own().entries() {
            types.extend(path.as_str().rsplit('.').next().map(Symbol::new));
            nested.extend(path.as_str().rsplit_once('.').map(|(_, name)| Symbol::new(name)));
            let bodies = entry.nominal.iter().map(|decl| &decl.body);
            for body in bodies.chain(entry.extensions.iter().map(|e| &e.body)) {
                types.extend(body.aliases.iter().map(|alias| alias.name));
                nested.extend(body.aliases.iter().map(|alias| alias.name));
                nested.extend(body.associated.iter().map(|associated| associated.name));
                types.extend(body.associated.iter().map(|associated| associated.name));
            }
            let sigs = entry.nominal.iter().filter_map(|decl| decl.sig);
            let aliases = entry.alias.iter().filter_map(|alias| alias.sig);
            params.extend(sigs.chain(aliases).flat_map(|sig| sig.data().params.iter().map(|p| p.name)));
        }
        Self {
            cx,
            text,
            types,
            params,
            associated: nested,
            checker: TypeChecker::new(cx.declarations, false),
        }
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
            let Some(decl) = &entry.nominal else {
                return entry.alias.is_some() || self.library(path).is_some();
            };
            !decl.flags.contains(DeclFlags::AMBIGUOUS)
                && decl
                    .inherited
                    .iter()
                    .chain(entry.extensions.iter().flat_map(|e| &*e.inherited))
                    .all(is_known)
        })
    }

    /// Returns the type of the library that the file extends at a path.
    fn library(&self, path: Symbol) -> Option<&'a NominalDecl> {
        let declarations = self.cx.declarations;
        let is_own = declarations.own().get(path).is_some_and(|e| e.nominal.is_some() || e.alias.is_some());
        let Lookup::Known(decl) = declarations.lookup_nominal(path) else { return None };
        (!is_own && !path.as_str().contains(['.', '_']) && !declarations.may_be_another(decl)).then_some(decl)
    }

    /// Returns true if the library's type that is extended at a path declares or inherits a type with a name.
    fn is_of_library(&self, path: &str, name: Symbol) -> bool {
        self.library(Symbol::new(path)).is_some_and(|decl| {
            decl.param_index(name).is_some() || has_type(self.cx.declarations, decl.path, name) != Some(false)
        })
    }

    fn entry(&mut self, path: Symbol, entry: &DeclEntry) -> Option<String> {
        let path = path.as_str();
        let alias = entry.alias.as_ref().filter(|_| entry.nominal.is_none());
        if let Some(alias) = alias {
            let params = alias.sig.map(|sig| &*sig.data().params).unwrap_or_default();
            let is_repeated = |at: &usize| params[..*at].iter().any(|p| p.name == params[*at].name);
            if let Some(at) = (1..params.len()).find(is_repeated) {
                return Some(format!("the alias `{path}` has two generic parameters `{}`", params[at].name));
            }
            if matches!(alias.target.kind(), TypeKind::Some(_)) {
                return Some(format!("the alias `{path}` stands for the opaque type `{}`", alias.target));
            }
        }
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
            let library = self.library(Symbol::new(path));
            let decl = entry.nominal.as_ref().or(library)?;
            let unknown = extension.inherited.iter().find_map(|&ty| self.unknown(ty, path));
            if unknown.is_some() {
                return unknown;
            }
            let mut scope = GenericScope::of_type(self.cx.declarations, path).without_suppressed();
            scope.add(&extension.requirements);
            if let Some(message) =
                scope.contradiction().or_else(|| self.missing(&scope, &extension.requirements))
            {
                return Some(format!("an extension of `{path}` {message}"));
            }
            let is_plain = decl.sig.is_none() && decl.kind != NominalKind::Protocol && !path.contains('.');
            if is_plain && !extension.requirements.is_empty() {
                return Some(format!("an extension has a `where` clause, but `{path}` is not generic"));
            }
            self.requirements(&extension.requirements, path)
                .or_else(|| self.body(&extension.body, path, false, &extension.requirements))
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
                self.body(&decl.body, path, is_simple, &[])
            })
            .or_else(|| {
                let scope = GenericScope::of_type(self.cx.declarations, path);
                let is_generic = decl.sig.is_some() || !decl.requirements.is_empty();
                let found = if is_generic { scope.contradiction() } else { None };
                let found = found.or_else(|| self.missing(&scope, &decl.requirements));
                found.map(|message| format!("`{path}` {message}"))
            })
    }

    /// Checks the contents of braces. `SIL0629` reports undeclared types of stored properties and cases where their type
    /// inherits no names (`is_simple`).
    fn body(
        &mut self,
        body: &DeclBody,
        path: &str,
        is_simple: bool,
        requirements: &[Requirement],
    ) -> Option<String> {
        let mut scope = GenericScope::of_type(self.cx.declarations, path);
        scope.add(requirements);
        let fields = body.fields.iter().map(|field| field.ty);
        let payloads = body.cases.iter().filter_map(|case| case.payload);
        let types: Vec<Type> = fields.chain(payloads).collect();
        let of_types = types.into_iter().find_map(|ty| match self.unknown(ty, path) {
            Some(message) => (!is_simple || self.lacking_in(ty).is_some()).then_some(message),
            None => self.arguments(ty, path).or_else(|| scope.missing_member(ty)),
        });
        of_types
            .or_else(|| {
                body.aliases.iter().find_map(|alias| {
                    let is_plain = alias.sig.is_none() && alias.implements.is_none();
                    let unknown = if is_plain { self.unknown(alias.target, path) } else { None };
                    unknown.or_else(|| scope.missing_member(alias.target))
                })
            })
            .or_else(|| body.members.iter().find_map(|member| self.member(member, path, requirements)))
    }

    /// Returns an error about a dependent type in requirements that names no member type.
    fn missing(&self, scope: &GenericScope<'_>, requirements: &[Requirement]) -> Option<String> {
        let found =
            requirements.iter().filter(|r| r.kind != RequirementKind::Layout).find_map(|requirement| {
                scope
                    .missing_member(requirement.subject)
                    .or_else(|| scope.missing_member(requirement.constraint))
            });
        found.map(|message| format!("has a requirement in which {message}"))
    }

    fn member(&mut self, member: &Member, path: &str, conditions: &[Requirement]) -> Option<String> {
        let is_callable =
            matches!(member.kind, MemberKind::Function | MemberKind::Initializer | MemberKind::Subscript);
        if !is_callable {
            let ty = member.ty.filter(|_| member.kind == MemberKind::Property)?;
            let mut scope = GenericScope::of_type(self.cx.declarations, path);
            scope.add(conditions);
            return self
                .unknown(ty, path)
                .or_else(|| self.all_arguments(ty, path))
                .or_else(|| scope.missing_member(ty));
        }
        let signature = member_signature(self.text, member.signature)?;
        if let Some(message) = signature.sig.and_then(|sig| self.signature(sig, path)) {
            return Some(message);
        }
        if let Some(message) = self.requirements(&signature.requirements, path) {
            return Some(message);
        }
        let mut scope = GenericScope::of_type(self.cx.declarations, path).without_suppressed();
        scope.add(conditions);
        signature.sig.into_iter().for_each(|sig| scope.add_sig(sig));
        scope.add(&signature.requirements);
        let adds = signature.sig.is_some() || !signature.requirements.is_empty();
        let wrong = if adds { scope.contradiction() } else { None };
        let of_sig = signature.sig.map(|sig| &*sig.data().requirements).unwrap_or_default();
        let wrong = wrong
            .or_else(|| self.missing(&scope, of_sig))
            .or_else(|| self.missing(&scope, &signature.requirements));
        if let Some(message) = wrong {
            return Some(format!("`{}` {message}", member.name));
        }
        let params = signature.params.iter().map(|(_, ty)| *ty);
        let types: Vec<Type> = params.chain(signature.result).chain(signature.thrown).collect();
        types
            .into_iter()
            .find_map(|ty| {
                let of_type = self.unknown(ty, path).or_else(|| self.all_arguments(ty, path));
                of_type.or_else(|| scope.missing_member(ty))
            })
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
        const IMPLICIT: &[&str] = &["Copyable", "Escapable", "BitwiseCopyable", "Sendable"];
        if let TypeKind::Inverse(inner) = constraint.kind() {
            let is_other = matches!(inner.kind(), TypeKind::Named(n) if !IMPLICIT.contains(&n.name.as_str()));
            let is_wrong = is_other && self.cx.declarations.nominal_of(*inner).is_some();
            return is_wrong.then(|| format!("`{inner}` cannot be suppressed"));
        }
        if !matches!(constraint.kind(), TypeKind::Named(n) if !self.params.contains(&n.name)) {
            return None;
        }
        let is_alias =
            matches!(constraint.kind(), TypeKind::Named(n) if n.args.is_empty() && n.parent.is_none());
        let resolved = if is_alias { self.cx.declarations.resolve(constraint) } else { constraint };
        let decl = self.cx.declarations.nominal_of(resolved)?;
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
                if let Some(message) = self.lacking(parent, named.name) {
                    return Some(message);
                }
                continue;
            }
            if self.types.contains(&named.name) || self.params.contains(&named.name) {
                continue;
            }
            let is_module = self.cx.declarations.own().imports.contains(&named.name);
            let mut seen = FxHashSet::default();
            let mut wrong =
                problems(self.cx.declarations, false, Type::nominal(named.name.as_str()), &mut seen);
            if let Some((_, message)) =
                wrong.pop().filter(|_| !is_module && !self.is_of_library(path, named.name))
            {
                let of =
                    if path.is_empty() { String::new() } else { format!("`{path}` names an unknown type: ") };
                return Some(format!("{of}{message}"));
            }
        }
        None
    }

    /// Returns an error about a name that is no member type of the type before it, which is at file scope.
    fn lacking(&self, parent: Type, name: Symbol) -> Option<String> {
        let TypeKind::Named(outer) = parent.kind() else { return None };
        let is_certain = !self.params.contains(&outer.name)
            && (outer.parent.is_some() || !self.associated.contains(&outer.name))
            && outer.name != "Self";
        let path = parent.path()?;
        let decl = match outer.parent {
            Some(_) => self.cx.declarations.own().get(path)?.nominal.as_ref()?,
            None => match self.cx.declarations.lookup_nominal(path) {
                Lookup::Known(decl) => decl,
                _ => return None,
            },
        };
        (is_certain && lacks_type(self.cx.declarations, decl, name))
            .then(|| format!("`{name}` is not a member type of `{parent}`"))
    }

    /// Returns an error about a member type in a type, which the type before it does not have.
    fn lacking_in(&self, ty: Type) -> Option<String> {
        find_spelled(ty, &|part| match part.kind() {
            TypeKind::Named(named) => self.lacking(named.parent?, named.name),
            _ => None,
        })
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
        // In a function type too, a name may be one of a parameter around it.
        let is_dependent = mentions(ty, &|name| self.params.contains(&name) || name == "Self");
        if path.contains('.') || is_dependent {
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
        let own = self.cx.declarations.own().get(named.name).filter(|entry| entry.nominal.is_none());
        if let Some(alias) = own.and_then(|entry| entry.alias.as_ref())
            && is_plain
            && alias_parameters(self.cx.declarations, alias).is_some_and(|count| count > 0)
        {
            return Some(format!("the generic alias `{}` has no arguments", named.name));
        }
        let Lookup::Known(decl) = self.cx.declarations.lookup_nominal(named.name) else { return None };
        let is_inside = path.split('.').any(|part| part == decl.name.as_str());
        let takes_packs = decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.is_pack));
        let is_certain = decl.kind != NominalKind::Protocol && !self.cx.declarations.may_be_another(decl);
        (is_plain && !is_inside && is_certain && decl.param_count() > 0 && !takes_packs)
            .then(|| format!("the generic type `{}` has no arguments", named.name))
    }
}
