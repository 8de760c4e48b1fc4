//! Questions about declared types.

use super::model::{
    AliasDecl, DeclBody, DeclFlags, EnumCase, ExtensionDecl, NominalDecl, NominalKind, StoredProperty,
};
use super::properties::TypeProperties;
use super::table::{DeclSource, DeclTable, Entry, FxMap};
use crate::kind::{Named, Type, TypeKind};
use crate::{GenericSig, Requirement, RequirementKind};
use silkit_base::Symbol;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// How far superclasses, protocols and conditional conformances are followed.
pub(super) const MAX_STEPS: u32 = 32;

/// What a path leads to.
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'a> {
    /// This declaration.
    Known(&'a NominalDecl),
    /// It may be declared where nothing is known, or several declarations share the path.
    Unknown,
    /// It is declared nowhere.
    Absent,
}

/// The payload of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Payload {
    /// The formal type.
    pub ty: Type,
    /// Whether it is in a box.
    pub indirect: bool,
}

/// The declarations that a module sees: its own first, then those of its imports.
#[derive(Default)]
pub struct Declarations {
    own: DeclTable,
    sources: Vec<Arc<dyn DeclSource>>,
    sees_unknown_modules: bool,
    own_is_resilient: bool,
    paths: RwLock<FxMap<Type, Option<Symbol>>>,
    pub(super) resolved: RwLock<FxMap<Type, Type>>,
    fields: RwLock<FxMap<(Type, Symbol), Option<Type>>>,
    pub(super) same: RwLock<FxMap<super::same::Question, Option<bool>>>,
    pub(super) properties: RwLock<FxMap<(Type, Option<GenericSig>), TypeProperties>>,
}

impl fmt::Debug for Declarations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declarations").field("own", &self.own).field("sources", &self.sources.len()).finish()
    }
}

impl Declarations {
    /// The chain of a module's own declarations and what it imports, the nearest first.
    pub fn new(mut own: DeclTable, sources: Vec<Arc<dyn DeclSource>>) -> Self {
        own.follow_aliases();
        let known = |m: &Symbol| *m == "Builtin" || sources.iter().any(|s| s.has_module(*m));
        let own_is_resilient = own.nominals().any(|n| n.flags.contains(DeclFlags::FROZEN));
        let sees_unknown_modules = !own.imports.iter().all(known);
        Self {
            own,
            sources,
            sees_unknown_modules,
            own_is_resilient,
            paths: RwLock::default(),
            resolved: RwLock::default(),
            fields: RwLock::default(),
            same: RwLock::default(),
            properties: RwLock::default(),
        }
    }

    /// Whether the module is compiled with library evolution, as far as its declarations tell.
    pub(crate) fn own_is_resilient(&self) -> bool {
        self.own_is_resilient
    }

    /// The module's own declarations.
    pub fn own(&self) -> &DeclTable {
        &self.own
    }

    /// All that is said about a path, the nearest first.
    pub(super) fn entries(&self, path: Symbol) -> impl Iterator<Item = &Entry> {
        self.own.get(path).into_iter().chain(self.sources.iter().filter_map(move |s| s.entry(path)))
    }

    /// Whether this is the name of a module, which may stand before a path.
    pub(super) fn is_module(&self, name: Symbol) -> bool {
        name == "Builtin"
            || self.own.module == Some(name)
            || self.own.imports.contains(&name)
            || self.sources.iter().any(|s| s.has_module(name))
    }

    /// The nominal type declared at a dotted path.
    pub fn lookup_nominal(&self, path: Symbol) -> Lookup<'_> {
        match self.entries(path).find_map(|e| e.nominal.as_ref()) {
            Some(decl) if decl.flags.contains(DeclFlags::AMBIGUOUS) => Lookup::Unknown,
            Some(decl) => Lookup::Known(decl),
            None => match path.as_str().split_once('.') {
                Some((first, rest)) if self.is_module(Symbol::new(first)) => {
                    self.lookup_nominal(Symbol::new(rest))
                }
                _ if self.sees_unknown_modules => Lookup::Unknown,
                _ => Lookup::Absent,
            },
        }
    }

    pub(super) fn nominal_at(&self, path: Symbol) -> Option<&NominalDecl> {
        match self.lookup_nominal(path) {
            Lookup::Known(decl) => Some(decl),
            _ => None,
        }
    }

    pub(super) fn top_alias(&self, name: Symbol) -> Option<&AliasDecl> {
        self.entries(name).find_map(|e| e.alias.as_ref())
    }

    pub(super) fn extensions(&self, path: Symbol) -> impl Iterator<Item = &ExtensionDecl> {
        self.entries(path).flat_map(|e| e.extensions.iter())
    }

    /// The bodies of a type and of its extensions.
    pub(super) fn bodies(&self, path: Symbol) -> impl Iterator<Item = &DeclBody> {
        let own = self.entries(path).filter_map(|e| e.nominal.as_ref()).map(|n| &n.body);
        own.chain(self.extensions(path).map(|e| &e.body))
    }

    /// The declaration of a nominal type, whatever its spelling; an alias is followed.
    pub fn nominal_of(&self, ty: Type) -> Option<&NominalDecl> {
        self.nominal_at(self.path_of(ty)?)
    }

    /// The dotted path of a named type.
    pub fn path_of(&self, ty: Type) -> Option<Symbol> {
        match ty.kind() {
            TypeKind::Named(Named { parent: None, name, .. }) => Some(*name),
            TypeKind::Named(_) => {
                if let Some(found) = self.paths.read().unwrap_or_else(PoisonError::into_inner).get(&ty) {
                    return *found;
                }
                let found = self.find_path(ty);
                self.paths.write().unwrap_or_else(PoisonError::into_inner).insert(ty, found);
                found
            }
            _ => self.find_path(ty),
        }
    }

    fn find_path(&self, ty: Type) -> Option<Symbol> {
        match ty.kind() {
            TypeKind::Named(Named { parent: None, name, .. }) => Some(*name),
            TypeKind::Named(Named { parent: Some(parent), name, .. }) => match parent.kind() {
                TypeKind::Named(p) if p.parent.is_none() && p.args.is_empty() && self.is_module(p.name) => {
                    Some(*name)
                }
                _ => Some(join(self.path_of(*parent)?, *name)),
            },
            TypeKind::Optional(_) | TypeKind::ImplicitlyUnwrapped(_) => Some(Symbol::new("Optional")),
            TypeKind::Array(_) => Some(Symbol::new("Array")),
            TypeKind::Dictionary(..) => Some(Symbol::new("Dictionary")),
            TypeKind::InlineArray(..) => Some(Symbol::new("InlineArray")),
            TypeKind::Paren(t)
            | TypeKind::MoveOnly(t)
            | TypeKind::DynamicSelf(t)
            | TypeKind::Attributed(_, t) => self.path_of(*t),
            _ => None,
        }
    }

    /// The type with aliases and sugar resolved at its top, so that it names a declaration.
    pub(super) fn desugared(&self, ty: Type) -> Type {
        match ty.kind() {
            TypeKind::Paren(t)
            | TypeKind::MoveOnly(t)
            | TypeKind::DynamicSelf(t)
            | TypeKind::Attributed(_, t) => self.desugared(*t),
            TypeKind::Named(_) if self.nominal_of(ty).is_none() => self.resolve(ty),
            TypeKind::Optional(_)
            | TypeKind::ImplicitlyUnwrapped(_)
            | TypeKind::Array(_)
            | TypeKind::Dictionary(..)
            | TypeKind::InlineArray(..) => self.resolve(ty),
            _ => ty,
        }
    }

    /// The formal type of a stored property of `ty` or, where that is a class, of its superclasses.
    pub fn stored_field(&self, ty: Type, name: Symbol) -> Option<Type> {
        if let Some(found) = self.fields.read().unwrap_or_else(PoisonError::into_inner).get(&(ty, name)) {
            return *found;
        }
        let found = self.find_field(ty, name);
        self.fields.write().unwrap_or_else(PoisonError::into_inner).insert((ty, name), found);
        found
    }

    fn find_field(&self, ty: Type, name: Symbol) -> Option<Type> {
        let mut base = self.desugared(ty);
        for _ in 0..MAX_STEPS {
            let decl = self.nominal_of(base)?;
            if let Some(field) = decl.body.fields.iter().find(|f| f.name == name) {
                return Some(self.resolve_in(field.ty, base)).filter(|t| !t.is_unknown());
            }
            base = self.superclass(base)?;
        }
        None
    }

    /// The stored properties of a type with their formal types, where all of them are known.
    pub fn stored_fields(&self, ty: Type) -> Option<Vec<(&StoredProperty, Type)>> {
        let base = self.desugared(ty);
        let decl = self.nominal_of(base)?;
        let known = decl.has_known_layout() && decl.kind != NominalKind::Protocol;
        known.then(|| decl.body.fields.iter().map(|f| (f, self.resolve_in(f.ty, base))).collect())
    }

    /// The case of an enum with this name.
    pub fn enum_case(&self, ty: Type, case: Symbol) -> Option<&EnumCase> {
        self.nominal_of(self.desugared(ty))?.body.cases.iter().find(|c| c.name == case)
    }

    /// The payload of a case of `ty`; `None` where it has none or is not known.
    pub fn enum_payload(&self, ty: Type, case: Symbol) -> Option<Payload> {
        let base = self.desugared(ty);
        let found = self.enum_case(base, case)?;
        let ty = self.resolve_in(found.payload?, base);
        (!ty.is_unknown()).then_some(Payload { ty, indirect: found.indirect })
    }

    /// The superclass of a class, with its arguments.
    pub fn superclass(&self, ty: Type) -> Option<Type> {
        let base = self.desugared(ty);
        let decl = self.nominal_of(base)?;
        if !decl.is_class() {
            return None;
        }
        let first = self.resolve_in(*decl.inherited.first()?, base);
        self.is_class(first).filter(|c| *c).map(|_| first)
    }

    /// Whether a type is a class (or an actor).
    pub fn is_class(&self, ty: Type) -> Option<bool> {
        match self.desugared(ty).kind() {
            TypeKind::Named(n) if n.name == "AnyObject" && n.parent.is_none() => Some(false),
            TypeKind::Named(_) => self.nominal_of(self.desugared(ty)).map(NominalDecl::is_class),
            TypeKind::Unknown | TypeKind::Param { .. } | TypeKind::Member(..) | TypeKind::Opened { .. } => {
                None
            }
            _ => Some(false),
        }
    }

    /// Whether a nominal type conforms to a protocol, by its own word, its superclasses' or a
    /// protocol's that it conforms to.
    pub fn conforms(&self, ty: Type, protocol: Symbol) -> Option<bool> {
        let mut seen = Vec::new();
        self.conforms_step(self.desugared(ty), protocol, &mut seen, 0)
    }

    fn conforms_step(
        &self,
        base: Type,
        protocol: Symbol,
        seen: &mut Vec<Symbol>,
        steps: u32,
    ) -> Option<bool> {
        if steps > MAX_STEPS {
            return None;
        }
        let path = self.path_of(base)?;
        if path == protocol {
            return Some(true);
        }
        if seen.contains(&path) {
            return Some(false);
        }
        seen.push(path);
        let decl = self.nominal_at(path)?;
        let mut answer = Some(false);
        let mut weigh = |found: Option<bool>| {
            answer = match (answer, found) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (None, _) | (_, None) => None,
                _ => Some(false),
            };
        };
        for &inherited in &decl.inherited {
            weigh(self.inherits(inherited, base, protocol, seen, steps));
        }
        for extension in self.extensions(path) {
            if extension.inherited.is_empty() || extension.flags.contains(DeclFlags::UNAVAILABLE) {
                continue;
            }
            for &inherited in &extension.inherited {
                match self.inherits(inherited, base, protocol, seen, steps) {
                    Some(true) => weigh(self.requirements_hold(&extension.requirements, base, steps + 1)),
                    other => weigh(other),
                }
            }
        }
        if self.is_implied(protocol) && answer == Some(false) {
            return self.implied(decl, protocol);
        }
        answer
    }

    /// Whether what is inherited is the protocol or conforms to it.
    fn inherits(
        &self,
        ty: Type,
        base: Type,
        protocol: Symbol,
        seen: &mut Vec<Symbol>,
        steps: u32,
    ) -> Option<bool> {
        match ty.kind() {
            TypeKind::Inverse(_) => Some(false),
            TypeKind::Composition(parts) => {
                let found: Vec<_> =
                    parts.iter().map(|&p| self.inherits(p, base, protocol, seen, steps)).collect();
                let unknown = found.contains(&None).then_some(()).map_or(Some(false), |()| None);
                if found.contains(&Some(true)) { Some(true) } else { unknown }
            }
            _ => {
                let resolved = self.resolve_in(ty, base);
                match self.path_of(resolved) {
                    // Of a protocol that is declared nowhere nothing more can follow.
                    Some(path) if path != protocol && self.nominal_at(path).is_none() => {
                        matches!(self.lookup_nominal(path), Lookup::Absent).then_some(false)
                    }
                    _ => self.conforms_step(resolved, protocol, seen, steps + 1),
                }
            }
        }
    }

    /// Protocols that a type may conform to without a word about it.
    fn is_implied(&self, protocol: Symbol) -> bool {
        matches!(protocol.as_str(), "Copyable" | "Escapable" | "Sendable" | "BitwiseCopyable")
    }

    fn implied(&self, decl: &NominalDecl, protocol: Symbol) -> Option<bool> {
        match protocol.as_str() {
            "Copyable" | "Escapable" => Some(!is_suppressed(&decl.inherited, protocol)),
            _ => None,
        }
    }

    /// Whether all requirements hold for the arguments of `base`.
    pub fn requirements_hold(&self, requirements: &[Requirement], base: Type, steps: u32) -> Option<bool> {
        let mut answer = Some(true);
        for requirement in requirements {
            let subject = self.resolve_in(requirement.subject, base);
            let holds = match (requirement.kind, requirement.constraint.kind()) {
                (_, TypeKind::Inverse(_)) => Some(true),
                (RequirementKind::SameType, _) => {
                    let wanted = self.resolve_in(requirement.constraint, base);
                    if is_dependent(subject) || is_dependent(wanted) { None } else { Some(subject == wanted) }
                }
                (RequirementKind::Conforms, _) if steps < MAX_STEPS => {
                    let constraint = self.resolve_in(requirement.constraint, base);
                    let path = self.path_of(constraint);
                    path.and_then(|p| {
                        self.conforms_step(self.desugared(subject), p, &mut Vec::new(), steps + 1)
                    })
                }
                _ => None,
            };
            match holds {
                Some(false) => return Some(false),
                None => answer = None,
                Some(true) => {}
            }
        }
        answer
    }
}

/// Whether `~Copyable` (or `~Escapable`) stands among the inherited types.
pub(super) fn is_suppressed(inherited: &[Type], protocol: Symbol) -> bool {
    inherited.iter().any(|t| match t.kind() {
        TypeKind::Inverse(t) => matches!(t.kind(), TypeKind::Named(n) if n.name == protocol),
        TypeKind::Composition(parts) => is_suppressed(parts, protocol),
        _ => false,
    })
}

pub(super) fn join(path: Symbol, name: Symbol) -> Symbol {
    Symbol::new(&format!("{path}.{name}"))
}

pub(super) fn is_dependent(ty: Type) -> bool {
    matches!(
        ty.kind(),
        TypeKind::Param { .. }
            | TypeKind::Member(..)
            | TypeKind::Opened { .. }
            | TypeKind::OpenedElement { .. }
            | TypeKind::Unknown
    )
}
