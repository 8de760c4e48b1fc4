//! Queries about declared types.

use super::ambiguous::{ambiguous_paths, inherits_from_unknown_module};
use super::budget::Query;
use super::dependent::Stated;
use super::implied::Meaning;
use super::model::{AliasDecl, DeclBody, DeclFlags, EnumCase, ExtensionDecl, NominalDecl, StoredProperty};
use super::properties::TypeProperties;
use super::query_cache::QueryCache;
use super::table::{DeclEntry, DeclSource, DeclTable};
use super::type_cache::TypeCache;
use crate::GenericSig;
use crate::kind::{NamedType, Type, TypeKind};
use silkit_base::{FxHashSet, Symbol};
use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, LazyLock};

/// The maximum number of superclasses to follow: a bound above the depth of any class, since invalid declarations may
/// be circular.
pub const MAX_SUPERCLASSES: u32 = 64;

/// The result of looking up a path.
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'a> {
    /// The declaration.
    Known(&'a NominalDecl),
    /// The path may be declared in a module that is not known, or several declarations share it.
    Unknown,
    /// No module declares the path.
    Absent,
}

impl<'a> Lookup<'a> {
    fn known(self) -> Option<&'a NominalDecl> {
        match self {
            Self::Known(decl) => Some(decl),
            _ => None,
        }
    }
}

/// The payload of an enum case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Payload {
    /// The formal type.
    pub ty: Type,
    /// True if it is in a box.
    pub indirect: bool,
}

/// The names of the types with the most frequent sugar.
static OPTIONAL: LazyLock<Symbol> = LazyLock::new(|| Symbol::new("Optional"));
static ARRAY: LazyLock<Symbol> = LazyLock::new(|| Symbol::new("Array"));

/// The declarations visible to a module: its own first, then those of its imports.
#[derive(Default)]
pub struct Declarations {
    own: DeclTable,
    sources: Vec<Arc<dyn DeclSource>>,
    sees_unknown_modules: bool,
    own_is_resilient: bool,
    ambiguous: FxHashSet<Symbol>,
    paths: TypeCache<Option<Symbol>>,
    /// Whether declarations declare types with certain names.
    pub(super) declared_names: QueryCache<(Symbol, Symbol), bool>,
    /// Whether declarations may inherit types with certain names.
    pub(super) inherited_names: QueryCache<(Symbol, Symbol), bool>,
    /// Cached conformances.
    pub(super) conformances: QueryCache<(Type, Symbol), Option<bool>>,
    pub(super) resolved: TypeCache<Type>,
    pub(super) reduced: QueryCache<(Type, GenericSig), Type>,
    pub(super) most_steps: AtomicU32,
    pub(super) members: QueryCache<(Type, Symbol), Option<Type>>,
    lowered: QueryCache<(Type, Symbol), Option<Type>>,
    /// Cached answers of [`Declarations::is_empty`].
    pub(super) empty: TypeCache<Option<bool>>,
    /// Cached formal types of stored properties.
    fields: QueryCache<Type, Option<Arc<[Type]>>>,
    pub(super) same: QueryCache<super::same::Question, Option<bool>>,
    /// Cached properties of types without a signature.
    pub(super) general: TypeCache<TypeProperties>,
    /// Cached properties of types under a signature.
    pub(super) properties: QueryCache<(Type, GenericSig), TypeProperties>,
    /// Cached properties of generic parameters and dependent members.
    pub(super) bounded: QueryCache<Stated, TypeProperties>,
    /// Cached meanings of constraints.
    pub(super) meanings: QueryCache<Type, Arc<Meaning>>,
}

impl fmt::Debug for Declarations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Declarations").field("own", &self.own).field("sources", &self.sources.len()).finish()
    }
}

impl Declarations {
    /// Creates the lookup chain of a module's own declarations and its imports, the nearest first.
    pub fn new(mut own: DeclTable, sources: Vec<Arc<dyn DeclSource>>) -> Self {
        own.follow_aliases();
        own.infer_types(|path| {
            sources.iter().any(|s| s.entry(path).is_some_and(|entry| entry.nominal.is_some()))
        });
        let known = |m: &Symbol| *m == "Builtin" || sources.iter().any(|s| s.has_module(*m));
        let own_is_resilient = own.nominals().any(|n| n.flags.contains(DeclFlags::FROZEN));
        let sees_unknown_modules =
            !own.imports.iter().all(known) || inherits_from_unknown_module(&own, &sources);
        let ambiguous = ambiguous_paths(&own, &sources);
        Self {
            ambiguous,
            own,
            sources,
            sees_unknown_modules,
            own_is_resilient,
            paths: TypeCache::default(),
            declared_names: QueryCache::default(),
            inherited_names: QueryCache::default(),
            conformances: QueryCache::default(),
            resolved: TypeCache::default(),
            reduced: QueryCache::default(),
            most_steps: AtomicU32::new(0),
            members: QueryCache::default(),
            lowered: QueryCache::default(),
            empty: TypeCache::default(),
            fields: QueryCache::default(),
            same: QueryCache::default(),
            general: TypeCache::default(),
            properties: QueryCache::default(),
            bounded: QueryCache::default(),
            meanings: QueryCache::default(),
        }
    }

    /// Returns true if the module is known to be compiled with library evolution.
    pub(crate) fn own_is_resilient(&self) -> bool {
        self.own_is_resilient
    }

    /// Returns the module's own declarations.
    pub fn own(&self) -> &DeclTable {
        &self.own
    }

    /// Returns the module's own declarations without what was asked about them.
    pub fn into_own(self) -> DeclTable {
        self.own
    }

    /// Returns true if several declarations share a path.
    pub(super) fn is_ambiguous(&self, path: Symbol) -> bool {
        self.ambiguous.contains(&path) || self.own.declared_elsewhere.contains(&path)
    }

    /// Returns all entries for a path, the nearest first.
    pub(super) fn entries(&self, path: Symbol) -> impl Iterator<Item = &DeclEntry> {
        self.own.get(path).into_iter().chain(self.sources.iter().filter_map(move |s| s.entry(path)))
    }

    /// Returns true if this is the name of a module, which may qualify a path.
    pub(super) fn is_module(&self, name: Symbol) -> bool {
        name == "Builtin"
            || self.own.module == Some(name)
            || self.own.imports.contains(&name)
            || self.sources.iter().any(|s| s.has_module(name))
    }

    /// Returns true if the declaration at a path or an extension of it declares an associated type or an alias with this
    /// name.
    pub fn names_type_in(&self, path: Symbol, name: Symbol) -> bool {
        self.bodies(path).any(|body| {
            body.associated.iter().any(|t| t.name == name) || body.aliases.iter().any(|a| a.name == name)
        })
    }

    /// Returns the types that the declaration at a path and its extensions inherit from, as spelled.
    pub fn inherited_types(&self, path: Symbol) -> impl Iterator<Item = Type> + '_ {
        let own = self.entries(path).filter_map(|e| e.nominal.as_ref()).flat_map(|n| n.inherited.iter());
        own.chain(self.extensions(path).flat_map(|e| e.inherited.iter())).copied()
    }

    /// Returns the nominal type declared at a dotted path.
    pub fn lookup_nominal(&self, path: Symbol) -> Lookup<'_> {
        if self.is_ambiguous(path) { Lookup::Unknown } else { self.lookup_unambiguous(path) }
    }

    /// Returns the nominal type declared at a path that several declarations do not share.
    fn lookup_unambiguous(&self, path: Symbol) -> Lookup<'_> {
        // An alias of the module shadows a type of another module.
        let is_type = |entry: &&DeclEntry| entry.nominal.is_some() || entry.alias.is_some();
        let imported = || self.sources.iter().find_map(|source| source.entry(path).filter(is_type));
        let nearest = self.own.get(path).filter(is_type).or_else(imported);
        if nearest.is_some_and(|e| e.nominal.is_none()) {
            return Lookup::Unknown;
        }
        match nearest.and_then(|e| e.nominal.as_ref()) {
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

    pub(crate) fn nominal_at(&self, path: Symbol) -> Option<&NominalDecl> {
        self.lookup_nominal(path).known()
    }

    /// Returns the top-level alias with this name.
    pub fn alias(&self, name: Symbol) -> Option<&AliasDecl> {
        self.top_alias(name)
    }

    pub(super) fn top_alias(&self, name: Symbol) -> Option<&AliasDecl> {
        self.entries(name).find_map(|e| e.alias.as_ref())
    }

    pub(super) fn extensions(&self, path: Symbol) -> impl Iterator<Item = &ExtensionDecl> {
        self.entries(path).flat_map(|e| e.extensions.iter())
    }

    /// Returns the bodies of a type and of its extensions.
    pub(super) fn bodies(&self, path: Symbol) -> impl Iterator<Item = &DeclBody> {
        let own = self.entries(path).filter_map(|e| e.nominal.as_ref()).map(|n| &n.body);
        own.chain(self.extensions(path).map(|e| &e.body))
    }

    /// Returns the declaration of a nominal type, however it is spelled. Aliases are followed.
    pub fn nominal_of(&self, ty: Type) -> Option<&NominalDecl> {
        let path = self.path_of(ty)?;
        if self.is_ambiguous(path) {
            return self.one_by_arity(path, ty);
        }
        self.lookup_unambiguous(path).known()
    }

    /// Returns the module's own declaration of a nominal type, also if an import declares the same path. Code that
    /// only the module's own functions can contain means this one.
    pub fn own_nominal_of(&self, ty: Type) -> Option<&NominalDecl> {
        self.own.get(self.path_of(ty)?)?.nominal.as_ref()
    }

    /// Returns the declaration with this number of generic arguments among several with one path.
    fn one_by_arity(&self, path: Symbol, ty: Type) -> Option<&NominalDecl> {
        let TypeKind::Named(named) = ty.kind() else { return None };
        self.only_one(path, |decl| decl.param_count() == named.args.len())
    }

    /// Returns the only declaration at a path for which `holds` returns true; `None` if there are several.
    fn only_one(&self, path: Symbol, holds: impl Fn(&NominalDecl) -> bool) -> Option<&NominalDecl> {
        if self.own.declared_elsewhere.contains(&path) {
            return None;
        }
        let mut found = self.entries(path).filter_map(|e| e.nominal.as_ref()).filter(|decl| holds(decl));
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the declaration of a type that has a certain member. Among several declarations with one path, it is
    /// the one that has the member.
    fn nominal_with(&self, ty: Type, has: impl Fn(&NominalDecl) -> bool) -> Option<&NominalDecl> {
        self.nominal_of(ty).or_else(|| {
            let path = self.path_of(ty).filter(|&path| self.is_ambiguous(path))?;
            self.only_one(path, has)
        })
    }

    /// Returns true if the name of a standard-library declaration may also be declared by an unknown module, since
    /// the declaration is not public, or by the library of Embedded Swift.
    pub fn may_be_another(&self, decl: &NominalDecl) -> bool {
        let may_be_declared = self.sees_unknown_modules && decl.path.as_str().starts_with('_');
        (may_be_declared || decl.path == "HeapObject") && self.own.get(decl.path).is_none()
    }

    /// Returns true if all imported modules are known, so that no other module can declare anything.
    pub fn sees_known_modules_only(&self) -> bool {
        !self.sees_unknown_modules
    }

    /// Returns the dotted path of a named type.
    pub fn path_of(&self, ty: Type) -> Option<Symbol> {
        match ty.kind() {
            TypeKind::Named(NamedType { parent: None, name, .. }) => Some(*name),
            TypeKind::Named(_) => self.paths.get_or_compute(ty, || self.find_path(ty)),
            _ => self.find_path(ty),
        }
    }

    fn find_path(&self, ty: Type) -> Option<Symbol> {
        match ty.kind() {
            TypeKind::Named(NamedType { parent: None, name, .. }) => Some(*name),
            TypeKind::Named(NamedType { parent: Some(parent), name, .. }) => match parent.kind() {
                TypeKind::Named(p) if p.parent.is_none() && p.args.is_empty() && self.is_module(p.name) => {
                    Some(*name)
                }
                _ => Some(join(self.path_of(*parent)?, *name)),
            },
            TypeKind::Optional(_) | TypeKind::ImplicitlyUnwrapped(_) => Some(*OPTIONAL),
            TypeKind::Array(_) => Some(*ARRAY),
            TypeKind::Dictionary(..) => Some(Symbol::new("Dictionary")),
            TypeKind::InlineArray(..) => Some(Symbol::new("InlineArray")),
            TypeKind::Paren(t)
            | TypeKind::MoveOnly(t)
            | TypeKind::DynamicSelf(t)
            | TypeKind::Attributed(_, t) => self.path_of(*t),
            _ => None,
        }
    }

    /// Returns the formal type of a stored property of `ty` or, if `ty` is a class, of its superclasses.
    pub fn stored_field(&self, ty: Type, name: Symbol) -> Option<Type> {
        self.ask(None, |q| q.stored_field(ty, name).map(|(_, ty)| ty))
    }

    /// Returns the lowered type of a property or payload, cached by type and name.
    pub(crate) fn lowered_field(
        &self,
        ty: Type,
        name: Symbol,
        question: impl FnOnce(&Query<'_>) -> Option<Type>,
    ) -> Option<Type> {
        self.lowered.get_or_compute((ty, name), || self.ask(None, question))
    }

    /// Returns the stored properties of a type with their formal types, or `None` if one of them is not known.
    pub fn stored_fields(&self, ty: Type) -> Option<Vec<(&StoredProperty, Type)>> {
        let base = self.ask(ty, |q| q.desugared(ty));
        let fields = self.nominal_of(base).filter(|d| d.lists_fields())?.body.fields.iter();
        let types = self.field_types(base, |q| fields.clone().map(|f| q.resolve_in(f.ty, base)).collect());
        Some(fields.zip(types?.iter().copied()).collect())
    }

    /// Returns the types of the stored properties of a type, cached by the type.
    fn field_types(
        &self,
        base: Type,
        question: impl FnOnce(&Query<'_>) -> Arc<[Type]>,
    ) -> Option<Arc<[Type]>> {
        self.fields.get_or_compute(base, || self.ask(None, |q| Some(question(q))))
    }

    /// Returns the case of an enum with this name.
    pub fn enum_case(&self, ty: Type, case: Symbol) -> Option<&EnumCase> {
        let base = self.ask(ty, |q| q.desugared(ty));
        self.nominal_of(base)?.body.cases.named(case)
    }

    /// Returns the cases of an enum; `None` if they are not known or later versions may add cases.
    pub fn enum_cases(&self, ty: Type) -> Option<&[EnumCase]> {
        let base = self.ask(ty, |q| q.desugared(ty));
        let decl = self
            .nominal_of(base)
            .filter(|d| d.kind == crate::decl::NominalKind::Enum && d.has_known_layout())?;
        Some(&decl.body.cases)
    }

    /// Returns the only case of an enum that is not listed; `None` if there are none or several, or if they are not known.
    pub fn only_other_case(&self, ty: Type, listed: &[Symbol]) -> Option<Symbol> {
        let mut others =
            self.enum_cases(ty)?.iter().map(|case| case.name).filter(|name| !listed.contains(name));
        others.next().filter(|_| others.next().is_none())
    }

    /// Returns the payload of a case of `ty`; `None` if the case has no payload or is not known.
    pub fn enum_payload(&self, ty: Type, case: Symbol) -> Option<Payload> {
        self.ask(None, |q| q.enum_payload(ty, case))
    }

    /// Returns the index of a stored property of a struct or class. The properties of superclasses come first.
    pub fn field_index(&self, ty: Type, name: Symbol) -> Option<u32> {
        let mut base = self.ask(ty, |q| q.desugared(ty));
        let mut index = None;
        for _ in 0..MAX_SUPERCLASSES {
            let decl = self.nominal_of(base)?;
            let fields = decl.lists_fields().then_some(&decl.body.fields)?;
            index = match index {
                Some(index) => Some(index + fields.len() as u32),
                None => fields.position(name).map(|i| i as u32),
            };
            match self.superclass(base) {
                Some(superclass) => base = superclass,
                None => break,
            }
        }
        index
    }

    /// Returns the index of an enum case.
    pub fn case_index(&self, ty: Type, case: Symbol) -> Option<u32> {
        let base = self.ask(ty, |q| q.desugared(ty));
        self.nominal_of(base)?.body.cases.position(case).map(|i| i as u32)
    }

    /// Returns the superclass of a class, with its generic arguments.
    pub fn superclass(&self, ty: Type) -> Option<Type> {
        self.ask(None, |q| q.superclass(ty))
    }

    /// Returns the superclass of a class, or `Some(None)` if the class has none. Returns `None` if the first inherited type
    /// may be a class that is not known.
    pub fn known_superclass(&self, class: Type) -> Option<Option<Type>> {
        let decl = self.nominal_of(class)?;
        let Some(&first) = decl.inherited.first() else { return Some(None) };
        match self.superclass(class) {
            None => {
                self.is_class(self.resolve_in_clause(first, class)).filter(|is_class| !is_class).map(|_| None)
            }
            superclass => Some(superclass),
        }
    }

    /// Returns the superclasses of a class, the direct one first. The number is bounded, since invalid declarations may be
    /// cyclic.
    pub fn superclasses(&self, ty: Type) -> impl Iterator<Item = Type> + '_ {
        std::iter::successors(self.superclass(ty), |&class| self.superclass(class))
            .take(MAX_SUPERCLASSES as usize)
    }

    /// Returns true if a class is known to inherit, directly or indirectly, from another class.
    pub fn is_subclass(&self, class: Type, superclass: Type) -> bool {
        self.superclasses(class).any(|class| class.desugared() == superclass.desugared())
    }

    /// Returns the payload type of an optional type.
    pub fn optional_payload(&self, ty: Type) -> Option<Type> {
        match ty.kind() {
            TypeKind::Optional(payload) | TypeKind::ImplicitlyUnwrapped(payload) => Some(*payload),
            TypeKind::Named(named) if self.path_of(ty).is_some_and(|path| path == "Optional") => {
                named.args.first().copied()
            }
            _ => None,
        }
    }

    /// Returns whether a type is a class (or an actor).
    pub fn is_class(&self, ty: Type) -> Option<bool> {
        self.ask(None, |q| q.is_class(ty))
    }
}

impl Query<'_> {
    /// Returns the type with the aliases and sugar at its top resolved, so that it names a declaration.
    pub(crate) fn desugared(&self, ty: Type) -> Type {
        let Some(_level) = self.step() else { return Type::unknown() };
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

    /// Returns a stored property of `ty` or of its superclasses, with its formal type.
    pub(crate) fn stored_field(&self, ty: Type, name: Symbol) -> Option<(&StoredProperty, Type)> {
        let (field, ty, _) = self.declared_field(ty, name)?;
        Some((field, ty))
    }

    /// Returns a stored property of `ty` or of its superclasses, with its formal type and the type that declares it.
    pub(crate) fn declared_field(&self, ty: Type, name: Symbol) -> Option<(&StoredProperty, Type, Type)> {
        let mut base = self.desugared(ty);
        for _ in 0..MAX_SUPERCLASSES {
            let decl = self.nominal_with(base, |d| d.body.fields.position(name).is_some())?;
            if let Some(field) = decl.body.fields.named(name) {
                let ty = self.resolve_in(field.ty, base);
                return (!ty.is_unknown()).then_some((field, ty, base));
            }
            base = self.superclass(base)?;
        }
        None
    }

    pub(crate) fn enum_payload(&self, ty: Type, case: Symbol) -> Option<Payload> {
        let base = self.desugared(ty);
        let decl = self.nominal_with(base, |d| d.body.cases.position(case).is_some())?;
        let found = decl.body.cases.named(case)?;
        let ty = self.resolve_in(found.payload?, base);
        (!ty.is_unknown()).then_some(Payload { ty, indirect: found.indirect })
    }

    pub(super) fn superclass(&self, ty: Type) -> Option<Type> {
        let base = self.desugared(ty);
        let decl = self.nominal_of(base)?;
        if !decl.is_class() {
            return None;
        }
        let first = self.resolve_in_clause(*decl.inherited.first()?, base);
        self.is_class(first).filter(|c| *c).map(|_| first)
    }

    pub(super) fn is_class(&self, ty: Type) -> Option<bool> {
        match self.desugared(ty).kind() {
            TypeKind::Named(n) if n.name == "AnyObject" && n.parent.is_none() => Some(false),
            TypeKind::Named(_) => self.nominal_of(self.desugared(ty)).map(NominalDecl::is_class),
            TypeKind::Unknown | TypeKind::Param { .. } | TypeKind::Member(..) | TypeKind::Opened { .. } => {
                None
            }
            _ => Some(false),
        }
    }
}

/// Returns the path of a declaration inside of the type with a path.
pub fn join(path: Symbol, name: Symbol) -> Symbol {
    thread_local! {
        static JOINED: RefCell<String> = const { RefCell::new(String::new()) };
    }
    JOINED.with_borrow_mut(|joined| {
        joined.clear();
        joined.push_str(path.as_str());
        joined.push('.');
        joined.push_str(name.as_str());
        Symbol::new(joined)
    })
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
