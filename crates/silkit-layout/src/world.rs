//! The modules of a program and their declarations.

use crate::conformance::Tables;
use crate::target::Target;
use crate::ty::{Nominal, Ty};
use crate::type_layout::Layout;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::Module;
use silkit_types::decl::{AliasDecl, DeclBody, DeclEntry, DeclTable, NominalDecl, NominalKind};
use silkit_types::{GenericSig, Type};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// The index of a module in a [`World`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModuleId(pub u32);

/// A module: its SIL and its Swift declarations.
#[derive(Debug)]
pub struct ModuleInfo {
    /// The name of the module.
    pub name: Symbol,
    /// The SIL of the module; functions may lack bodies.
    pub sil: Arc<Module>,
    /// The declarations of the module.
    pub decls: DeclTable,
    /// The source text of the declarations.
    pub text: String,
}

/// The reason why a type or its layout cannot be determined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeError {
    /// A name cannot be resolved.
    Unresolved(String),
    /// The type depends on an unbound generic parameter or opened type.
    Unbound(String),
    /// An unsupported kind of type, with its name.
    Unsupported(String),
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unresolved(what) => write!(f, "type `{what}` is not declared in any module"),
            Self::Unbound(what) => write!(f, "type `{what}` is not bound to a concrete type"),
            Self::Unsupported(what) => write!(f, "{what} is not supported"),
        }
    }
}

impl std::error::Error for TypeError {}

/// The modules of a program, with the concrete types, conformances and layouts derived from their declarations.
///
/// Name lookup from a module searches its own declarations first, then those of the other modules in order.
pub struct World {
    /// The target.
    pub target: Target,
    modules: Vec<Arc<ModuleInfo>>,
    pub(crate) tables: Tables,
    pub(crate) nominals: RefCell<FxHashMap<Nominal, Option<ModuleId>>>,
    pub(crate) layouts: RefCell<FxHashMap<Ty, Result<Rc<Layout>, TypeError>>>,
    pub(crate) fields: RefCell<FxHashMap<Ty, Rc<[crate::resolve::StoredField]>>>,
    pub(crate) depth: std::cell::Cell<u32>,
    pub(crate) opaque: RefCell<FxHashMap<(Symbol, u32), Option<crate::opaque::Underlying>>>,
    pub(crate) members: crate::members::Members,
    /// The cached superclasses; the value is `None` while the superclass is being computed.
    superclasses: RefCell<FxHashMap<Ty, Option<Option<Ty>>>>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.modules.iter().map(|m| m.name)).finish()
    }
}

impl World {
    /// Creates a world of these modules, starting with the main module of the program.
    pub fn new(modules: Vec<Arc<ModuleInfo>>, target: Target) -> Self {
        let mut world = Self {
            target,
            modules,
            tables: Tables::default(),
            nominals: RefCell::default(),
            layouts: RefCell::default(),
            fields: RefCell::default(),
            depth: std::cell::Cell::new(0),
            opaque: RefCell::default(),
            members: crate::members::Members::default(),
            superclasses: RefCell::default(),
        };
        world.tables = Tables::collect(&world);
        world
    }

    /// Returns the modules, starting with the main module of the program.
    pub fn modules(&self) -> impl Iterator<Item = (ModuleId, &Arc<ModuleInfo>)> {
        self.modules.iter().enumerate().map(|(i, m)| (ModuleId(i as u32), m))
    }

    /// Returns a module.
    pub fn module(&self, id: ModuleId) -> &Arc<ModuleInfo> {
        &self.modules[id.0 as usize]
    }

    /// Returns the module with a name.
    pub fn module_named(&self, name: Symbol) -> Option<ModuleId> {
        self.modules().find(|(_, m)| m.name == name).map(|(id, _)| id)
    }

    /// Returns the modules in the lookup order of the module `from`.
    fn visible(&self, from: ModuleId) -> impl Iterator<Item = ModuleId> + '_ {
        std::iter::once(from).chain(self.modules().map(|(id, _)| id).filter(move |&id| id != from))
    }

    /// Returns the declared type at a dotted path, looked up from the module `from`.
    pub fn find_nominal(&self, from: ModuleId, path: Symbol) -> Option<Nominal> {
        let has = |id: ModuleId| self.module(id).decls.get(path).is_some_and(|e| e.nominal.is_some());
        let found = self.visible(from).find(|&id| has(id))?;
        Some(Nominal::new(self.module(found).name, path))
    }

    /// Returns the top-level type alias with a name, and the module that declares it.
    pub(crate) fn find_alias(&self, from: ModuleId, name: Symbol) -> Option<(ModuleId, &AliasDecl)> {
        self.visible(from).find_map(|id| Some((id, self.module(id).decls.get(name)?.alias.as_ref()?)))
    }

    /// Returns the module that declares a type.
    pub fn module_of(&self, nominal: Nominal) -> Option<ModuleId> {
        if let Some(found) = self.nominals.borrow().get(&nominal) {
            return *found;
        }
        let name = nominal.name();
        let declares = |m: &ModuleInfo| {
            m.name == name.module && m.decls.get(name.path).is_some_and(|e| e.nominal.is_some())
        };
        let found = self.modules().find(|(_, m)| declares(m)).map(|(id, _)| id);
        self.nominals.borrow_mut().insert(nominal, found);
        found
    }

    /// Returns the declaration of a type.
    pub fn decl(&self, nominal: Nominal) -> Option<&NominalDecl> {
        let module = self.module_of(nominal)?;
        self.module(module).decls.get(nominal.name().path)?.nominal.as_ref()
    }

    /// Returns the kind of a declared type.
    pub fn kind(&self, nominal: Nominal) -> Option<NominalKind> {
        self.decl(nominal).map(|d| d.kind)
    }

    /// Returns true if a type is a class or an actor.
    pub fn is_class(&self, ty: Ty) -> bool {
        ty.as_nominal().and_then(|(n, _)| self.decl(n)).is_some_and(NominalDecl::is_class)
    }

    /// Returns true if a declared type is a protocol.
    pub fn is_protocol(&self, nominal: Nominal) -> bool {
        self.kind(nominal) == Some(NominalKind::Protocol)
    }

    /// Returns the entries for a declared type in all modules, its own module first.
    pub(crate) fn entries(&self, nominal: Nominal) -> impl Iterator<Item = (ModuleId, &DeclEntry)> {
        let own = self.module_of(nominal).unwrap_or(ModuleId(0));
        let path = nominal.name().path;
        self.visible(own).filter_map(move |id| {
            let entry = self.module(id).decls.get(path)?;
            // A declaration at the same path in another module is a different type.
            let is_same = id == own || entry.nominal.is_none();
            is_same.then_some((id, entry))
        })
    }

    /// Returns the bodies of a declared type and its extensions.
    pub(crate) fn bodies(&self, nominal: Nominal) -> impl Iterator<Item = (ModuleId, &DeclBody)> {
        self.entries(nominal).flat_map(|(id, entry)| {
            let own = entry.nominal.iter().map(|n| &n.body);
            own.chain(entry.extensions.iter().map(|e| &e.body)).map(move |body| (id, body))
        })
    }

    /// Returns the parent type of a nested type: `A` for `A.B`.
    pub(crate) fn parent(&self, nominal: Nominal) -> Option<Nominal> {
        let name = nominal.name();
        let (outer, _) = name.path.as_str().rsplit_once('.')?;
        let outer = Symbol::new(outer);
        let own = self.module_of(nominal)?;
        self.find_nominal(own, outer)
    }

    /// Returns the generic parameters of a declared type, those of its parent types first. The flag of a parameter is
    /// true if it is a parameter pack.
    pub fn params(&self, nominal: Nominal) -> Vec<(Symbol, bool)> {
        let mut params = self.parent(nominal).map_or_else(Vec::new, |outer| self.params(outer));
        if let Some(decl) = self.decl(nominal)
            && decl.kind != NominalKind::Protocol
            && let Some(sig) = decl.sig
        {
            params.extend(sig.data().params.iter().map(|p| (p.name, p.is_pack)));
        }
        params
    }

    /// Returns the index, in the generic arguments of a declared type, of the parameter with this depth and index.
    pub(crate) fn param_at(&self, nominal: Nominal, depth: u16, index: u16) -> Option<usize> {
        let mut lists = Vec::new();
        let mut at = Some(nominal);
        while let Some(nominal) = at {
            let outer = self.outer_param_count(nominal);
            let own = self.params(nominal).len() - outer;
            if own > 0 {
                lists.push((outer, own));
            }
            at = self.parent(nominal);
        }
        let (first, count) = *lists.iter().rev().nth(usize::from(depth))?;
        (usize::from(index) < count).then_some(first + usize::from(index))
    }

    /// Returns the number of generic arguments of a declared type that belong to its parent types.
    pub fn outer_param_count(&self, nominal: Nominal) -> usize {
        self.parent(nominal).map_or(0, |outer| self.params(outer).len())
    }

    /// Returns the superclass of a class, with its generic arguments.
    pub fn superclass(&self, ty: Ty) -> Option<Ty> {
        let known = self.superclasses.borrow().get(&ty).copied();
        match known {
            Some(Some(found)) => return found,
            // Report no superclass while it is being computed: the superclass name is not looked up as an inherited
            // member.
            Some(None) => {
                self.members.note_circle();
                return None;
            }
            None => {}
        }
        self.superclasses.borrow_mut().insert(ty, None);
        let found = self.find_superclass(ty);
        self.superclasses.borrow_mut().insert(ty, Some(found));
        found
    }

    fn find_superclass(&self, ty: Ty) -> Option<Ty> {
        let (nominal, args) = ty.as_nominal()?;
        let decl = self.decl(nominal)?;
        if !decl.is_class() {
            return None;
        }
        let first: Type = *decl.inherited.first()?;
        let found = self.resolve_in(first, nominal, args, false).ok()?;
        self.is_class(found).then_some(found)
    }

    /// Returns a class and its superclasses, nearest first.
    pub fn ancestry(&self, ty: Ty) -> impl Iterator<Item = Ty> + '_ {
        std::iter::successors(Some(ty), |&t| self.superclass(t))
    }

    /// Returns true if `sub` is the class `class` or inherits from it.
    pub fn inherits(&self, sub: Ty, class: Ty) -> bool {
        self.ancestry(sub).any(|t| t == class)
    }

    /// Returns true if a protocol is a marker protocol, which has no runtime requirements (`Sendable`, `Copyable`).
    pub fn is_marker(&self, nominal: Nominal) -> bool {
        use silkit_types::decl::DeclFlags;
        const MARKERS: &[&str] =
            &["Copyable", "Escapable", "Sendable", "BitwiseCopyable", "SendableMetatype", "ConcurrentValue"];
        let name = nominal.name();
        (name.module == "Swift" && MARKERS.contains(&name.path.as_str()))
            || self.decl(nominal).is_some_and(|d| d.flags.contains(DeclFlags::MARKER))
    }

    /// Returns the protocols that a protocol directly inherits from.
    pub fn inherited_protocols(&self, protocol: Nominal) -> Vec<Nominal> {
        let Some(module) = self.module_of(protocol) else { return Vec::new() };
        let Some(decl) = self.decl(protocol) else { return Vec::new() };
        let mut found = Vec::new();
        for &ty in &decl.inherited {
            self.protocols_in(module, ty, &mut found);
        }
        found
    }

    /// Returns true if `protocol` is `base` or inherits from it.
    pub fn refines(&self, protocol: Nominal, base: Nominal) -> bool {
        protocol == base || self.inherited_protocols(protocol).iter().any(|&p| self.refines(p, base))
    }

    /// Returns true if only classes can conform to a protocol.
    pub fn is_class_bound(&self, protocol: Nominal) -> bool {
        let Some(decl) = self.decl(protocol) else { return false };
        let mentions_object = |ty: &Type| mentions(*ty, "AnyObject") || mentions(*ty, "Actor");
        let by_name = decl.inherited.iter().any(mentions_object);
        let by_clause = decl.requirements.iter().any(|r| {
            mentions(r.subject, "Self")
                && (mentions_object(&r.constraint) || self.names_class(protocol, r.constraint))
        });
        let by_class = decl.inherited.iter().any(|&ty| self.names_class(protocol, ty));
        by_name
            || by_clause
            || by_class
            || self.inherited_protocols(protocol).iter().any(|&p| self.is_class_bound(p))
    }

    fn names_class(&self, protocol: Nominal, ty: Type) -> bool {
        let Some(module) = self.module_of(protocol) else { return false };
        let silkit_types::TypeKind::Named(n) = ty.kind() else { return false };
        n.parent.is_none()
            && self
                .find_nominal(module, n.name)
                .is_some_and(|n| self.decl(n).is_some_and(NominalDecl::is_class))
    }

    /// Appends the protocols that a spelled constraint names to `into`.
    pub(crate) fn protocols_in(&self, module: ModuleId, ty: Type, into: &mut Vec<Nominal>) {
        use silkit_types::TypeKind as K;
        match ty.kind() {
            K::Composition(parts) => parts.iter().for_each(|&p| self.protocols_in(module, p, into)),
            K::Attributed(_, t) | K::Paren(t) | K::Any(t) => self.protocols_in(module, *t, into),
            K::Named(named) => {
                if let Some(found) = self.named_path(module, ty).and_then(|p| self.find_nominal(module, p)) {
                    if self.is_protocol(found) && !into.contains(&found) {
                        into.push(found);
                    }
                } else if named.parent.is_none()
                    && let Some((id, alias)) = self.find_alias(module, named.name)
                    && !crate::members::repeats_its_name(alias)
                {
                    self.protocols_in(id, alias.target, into);
                }
            }
            _ => {}
        }
    }

    /// Returns the dotted path of a named type without a leading module name.
    pub(crate) fn named_path(&self, module: ModuleId, ty: Type) -> Option<Symbol> {
        let silkit_types::TypeKind::Named(n) = ty.kind() else { return None };
        let Some(parent) = n.parent else { return Some(n.name) };
        if let silkit_types::TypeKind::Named(p) = parent.kind()
            && p.parent.is_none()
            && self.is_module_name(module, p.name)
        {
            return Some(n.name);
        }
        let outer = self.named_path(module, parent)?;
        Some(Symbol::new(&format!("{outer}.{}", n.name)))
    }

    /// Returns true if a name used in the module `from` refers to a module.
    pub(crate) fn is_module_name(&self, from: ModuleId, name: Symbol) -> bool {
        self.modules.iter().any(|m| m.name == name) && self.find_nominal(from, name).is_none()
    }

    /// Returns the number of generic parameters of a signature.
    pub fn param_count(sig: Option<GenericSig>) -> usize {
        sig.map_or(0, |s| s.data().params.len())
    }
}

fn mentions(ty: Type, name: &str) -> bool {
    use silkit_types::TypeKind as K;
    match ty.kind() {
        K::Named(n) => n.parent.is_none() && n.name == name,
        K::Param { name: param, .. } => *param == name,
        K::Composition(parts) => parts.iter().any(|&p| mentions(p, name)),
        K::Builtin(builtin, _) => *builtin == name,
        _ => false,
    }
}
