//! Conformances of concrete types, found in the witness tables of all modules.

use crate::resolve::Env;
use crate::ty::{ExistentialTy, Nominal, Ty, TyKind};
use crate::world::{ModuleId, World};
use silkit_base::{FxHashMap, Symbol};
use silkit_ir as ir;
use silkit_ir::{DeclRef, WitnessEntry, WitnessTable, WitnessTableId, WitnessTableOf};
use silkit_types::{GenericSig, Type, TypeKind};
use std::cell::RefCell;
use std::rc::Rc;

/// A reference to a witness table: its module and its id in that module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TableRef {
    /// The module that holds it.
    pub module: ModuleId,
    /// Its id in the module.
    pub index: WitnessTableId,
}

/// The conformance of a concrete type to a protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolvedConformance {
    /// The witness table.
    pub table: TableRef,
    /// The conforming type; for an inherited conformance, the superclass that declares it.
    pub ty: Ty,
    /// The generic arguments for the signature of the table.
    pub args: Rc<[Ty]>,
}

/// The witness for a requirement in a witness table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The function, or `None` if the table deliberately omits the entry.
    pub function: Option<Symbol>,
    /// The module of the table.
    pub module: ModuleId,
}

type ConformanceCache = FxHashMap<(Ty, Nominal), Option<Rc<ResolvedConformance>>>;

/// The witness tables, indexed by conforming type and protocol.
#[derive(Default, Debug)]
pub(crate) struct Tables {
    tables: FxHashMap<(Nominal, Nominal), Vec<TableRef>>,
    protocols: FxHashMap<Nominal, Vec<Nominal>>,
    existentials: FxHashMap<Nominal, TableRef>,
    found: RefCell<ConformanceCache>,
    /// The global actors of isolated conformances, by type and protocol.
    actors: RefCell<FxHashMap<(Nominal, Nominal), Option<Nominal>>>,
}

impl Tables {
    pub(crate) fn collect(world: &World) -> Self {
        let mut tables = Self::default();
        for (module, info) in world.modules() {
            for (index, table) in info.sil.witness_tables.iter() {
                let Some((_, ty, protocol)) = header(table).filter(|_| table.entries.is_some()) else {
                    continue;
                };
                let at = TableRef { module, index };
                let Some(protocol) =
                    world.named_path(module, protocol).and_then(|p| world.find_nominal(module, p))
                else {
                    continue;
                };
                if let TypeKind::Any(inner) = ty.kind() {
                    let path = world.named_path(module, *inner);
                    if let Some(own) = path.and_then(|p| world.find_nominal(module, p)) {
                        tables.existentials.entry(own).or_insert(at);
                    }
                    continue;
                }
                let ty = ty.desugared();
                let Some(nominal) = world.named_path(module, ty).and_then(|p| world.find_nominal(module, p))
                else {
                    continue;
                };
                tables.tables.entry((nominal, protocol)).or_default().push(at);
                let protocols = tables.protocols.entry(nominal).or_default();
                if !protocols.contains(&protocol) {
                    protocols.push(protocol);
                }
            }
        }
        tables
    }
}

/// Returns the signature, type and protocol of a witness table.
fn header(table: &WitnessTable) -> Option<(Option<GenericSig>, Type, Type)> {
    match &table.of {
        WitnessTableOf::Conformance(ir::Conformance::Normal { sig, ty, protocol, .. }) => {
            Some((*sig, *ty, *protocol))
        }
        _ => None,
    }
}

impl World {
    fn table(&self, at: TableRef) -> Option<&WitnessTable> {
        self.module(at.module).sil.witness_tables.get(at.index)
    }

    /// Returns the entries of a witness table.
    pub fn witness_entries(&self, at: TableRef) -> &[WitnessEntry] {
        self.table(at).and_then(|t| t.entries.as_deref()).unwrap_or_default()
    }

    /// Returns the signature of a witness table.
    pub fn table_sig(&self, at: TableRef) -> Option<GenericSig> {
        self.table(at).and_then(header).and_then(|(sig, ..)| sig)
    }

    /// Returns the conformance of a type to a protocol, including conformances inherited from superclasses.
    pub fn conformance(&self, ty: Ty, protocol: Nominal) -> Option<Rc<ResolvedConformance>> {
        if let Some(found) = self.tables.found.borrow().get(&(ty, protocol)) {
            return found.clone();
        }
        // Assume that the conformance holds while its own conditions are checked, since they may depend on it.
        let assumed = self.find_conformance(ty, protocol, false);
        self.tables.found.borrow_mut().insert((ty, protocol), assumed);
        let found = self.find_conformance(ty, protocol, true);
        self.tables.found.borrow_mut().insert((ty, protocol), found.clone());
        found
    }

    /// Returns the global actor that the conformance of a type to a protocol is isolated to, or `None` if it can be used
    /// everywhere.
    pub fn isolation(&self, ty: Ty, protocol: Nominal) -> Option<Nominal> {
        let conformance = self.conformance(ty, protocol)?;
        let (nominal, _) = conformance.ty.as_nominal()?;
        let key = (nominal, protocol);
        if let Some(found) = self.tables.actors.borrow().get(&key) {
            return *found;
        }
        let found = self.modules().find_map(|(id, _)| self.isolation_in(id, nominal, protocol));
        self.tables.actors.borrow_mut().insert(key, found);
        found
    }

    /// Returns the global actor of a conformance that a module declares.
    fn isolation_in(&self, id: ModuleId, nominal: Nominal, protocol: Nominal) -> Option<Nominal> {
        let path = nominal.name().path;
        let decls = &self.module(id).decls;
        if self.find_nominal(id, path) != Some(nominal) {
            return None;
        }
        let entry = decls.get(path)?;
        let is_it =
            |ty: Type| self.named_path(id, ty).and_then(|p| self.find_nominal(id, p)) == Some(protocol);
        let (actor, _) = entry.isolated_conformances().find(|(_, ty)| is_it(*ty))?;
        self.find_nominal(id, *actor)
    }

    fn find_conformance(&self, ty: Ty, protocol: Nominal, check: bool) -> Option<Rc<ResolvedConformance>> {
        if let TyKind::Existential(e) = ty.kind() {
            return self.self_conformance(ty, e, protocol);
        }
        let (nominal, _) = ty.as_nominal()?;
        for &table in self.tables.tables.get(&(nominal, protocol)).into_iter().flatten() {
            let (sig, pattern, _) = header(self.table(table)?)?;
            let Some(args) = self.match_type(pattern, sig, table.module, ty) else { continue };
            if check && !self.arguments_are_copyable(sig, &args) {
                continue;
            }
            let env = Env { sig, args: &args, ..Env::top(table.module) };
            let requirements = sig.map_or(&[][..], |s| &s.data().requirements);
            let bounds = sig.map_or(Vec::new(), |s| s.without_bounds().data().requirements.to_vec());
            let all = if bounds.len() > requirements.len() { &bounds[..] } else { requirements };
            if !check || all.iter().all(|r| self.requirement_holds(r, &env) != Some(false)) {
                return Some(Rc::new(ResolvedConformance { table, ty, args: args.into() }));
            }
        }
        let superclass = self.superclass(ty)?;
        self.conformance(superclass, protocol)
    }

    /// Returns the self-conformance of an existential type: `any Error` conforms to `Error`, but a composition of
    /// `Error` with other protocols does not.
    fn self_conformance(
        &self,
        ty: Ty,
        e: &ExistentialTy,
        protocol: Nominal,
    ) -> Option<Rc<ResolvedConformance>> {
        let [own] = e.protocols[..] else { return None };
        if e.superclass.is_some() || !self.refines(own, protocol) {
            return None;
        }
        let table = *self.tables.existentials.get(&own)?;
        Some(Rc::new(ResolvedConformance { table, ty, args: Rc::from([]) }))
    }

    /// Returns true if a type conforms to a protocol, marker protocols included.
    pub fn conforms(&self, ty: Ty, protocol: Nominal) -> bool {
        self.is_marker(protocol) || self.conformance(ty, protocol).is_some()
    }

    /// Returns the witness of a conformance for a requirement. The formal type distinguishes overloads.
    pub fn witness(
        &self,
        conformance: &ResolvedConformance,
        member: DeclRef,
        formal: Option<Type>,
    ) -> Option<Witness> {
        let entries = self.witness_entries(conformance.table).iter();
        let all: Vec<(Option<Type>, Witness)> = entries
            .filter_map(|entry| match entry {
                WitnessEntry::Method(decl, ty, function) if *decl == member => {
                    Some((*ty, Witness { function: *function, module: conformance.table.module }))
                }
                _ => None,
            })
            .collect();
        let canonical = formal.map(Type::canonical);
        let is_exact = |ty: Option<Type>| formal.is_none() || ty.map(Type::canonical) == canonical;
        let exact: Vec<&Witness> = all.iter().filter(|(ty, _)| is_exact(*ty)).map(|(_, w)| w).collect();
        if let Some(witness) = WitnessTable::overload(&exact, |witness| witness.function) {
            return Some(*witness);
        }
        all.iter().find(|(ty, _)| same_shape(*ty, formal)).or(all.first()).map(|(_, w)| *w)
    }

    /// Returns the type witness of an associated type.
    pub fn associated_type(&self, conformance: &ResolvedConformance, name: Symbol) -> Option<Ty> {
        let target = self.witness_entries(conformance.table).iter().find_map(|e| match e {
            WitnessEntry::AssociatedType(n, ty) if *n == name => Some(*ty),
            _ => None,
        })?;
        let sig = self.table_sig(conformance.table);
        let nominal = conformance.ty.as_nominal();
        let env = Env { sig, args: &conformance.args, nominal, ..Env::top(conformance.table.module) };
        self.resolve(target, &env, false).ok()
    }

    /// Returns the type witness for the associated type with this name in any protocol that a type conforms to.
    pub(crate) fn associated_type_named(&self, base: Ty, name: Symbol) -> Option<Ty> {
        let (nominal, _) = base.as_nominal()?;
        let protocols = self.tables.protocols.get(&nominal)?;
        protocols.iter().find_map(|&protocol| {
            let tables = self.tables.tables.get(&(nominal, protocol))?;
            let has = |t: &TableRef| {
                self.witness_entries(*t)
                    .iter()
                    .any(|e| matches!(e, WitnessEntry::AssociatedType(n, _) if *n == name))
            };
            tables.iter().any(has).then_some(())?;
            let conformance = self.conformance(base, protocol)?;
            self.associated_type(&conformance, name)
        })
    }

    /// Returns the protocols that a type conforms to through its own witness tables and those of its superclasses.
    pub fn all_protocols(&self, ty: Ty) -> Vec<Nominal> {
        let mut all: Vec<Nominal> = Vec::new();
        match ty.kind() {
            TyKind::Existential(e) => all.extend(e.protocols.iter().copied()),
            _ => {
                for class in self.ancestry(ty) {
                    let Some((nominal, _)) = class.as_nominal() else { continue };
                    all.extend(self.tables.protocols.get(&nominal).into_iter().flatten().copied());
                }
            }
        }
        let mut next = 0;
        while let Some(&protocol) = all.get(next) {
            next += 1;
            for inherited in self.inherited_protocols(protocol) {
                if !all.contains(&inherited) {
                    all.push(inherited);
                }
            }
        }
        all
    }

    /// Matches a spelled type against a concrete type and returns the generic arguments of its signature; a parameter
    /// that the pattern does not bind is `None`.
    pub fn match_partly(
        &self,
        pattern: Type,
        sig: Option<GenericSig>,
        module: ModuleId,
        ty: Ty,
    ) -> Option<Vec<Option<Ty>>> {
        let params = sig.map_or(&[][..], |s| &s.data().params);
        let mut args = vec![None; params.len()];
        let matcher = Matcher { world: self, params, module };
        matcher.bind(pattern, ty, &mut args).then_some(args)
    }

    /// Matches a spelled type against a concrete type and returns the generic arguments of its signature.
    pub fn match_type(
        &self,
        pattern: Type,
        sig: Option<GenericSig>,
        module: ModuleId,
        ty: Ty,
    ) -> Option<Vec<Ty>> {
        let params = sig.map_or(&[][..], |s| &s.data().params);
        let mut args = vec![None; params.len()];
        let matcher = Matcher { world: self, params, module };
        matcher.bind(pattern, ty, &mut args).then_some(())?;
        // A parameter that the pattern does not bind can be bound by a same-type requirement, such as `Element` in
        // `extension S where Element == Int`.
        for requirement in sig.iter().flat_map(|s| s.data().requirements.iter()) {
            if requirement.kind == silkit_types::RequirementKind::SameType
                && let Some(at) = matcher.position(requirement.subject)
                && args[at].is_none()
            {
                args[at] = self.resolve(requirement.constraint, &Env::top(module), false).ok();
            }
        }
        args.into_iter().collect()
    }
}

struct Matcher<'a> {
    world: &'a World,
    params: &'a [silkit_types::GenericParamDecl],
    module: ModuleId,
}

impl Matcher<'_> {
    fn position(&self, ty: Type) -> Option<usize> {
        match ty.kind() {
            TypeKind::Param { depth, index, .. } => {
                self.params.iter().position(|p| p.depth == *depth && p.index == *index)
            }
            TypeKind::Named(n) if n.parent.is_none() && n.args.is_empty() => {
                self.params.iter().position(|p| p.name == n.name)
            }
            TypeKind::PackElement(t) => self.position(*t),
            _ => None,
        }
    }

    fn bind(&self, pattern: Type, ty: Ty, args: &mut [Option<Ty>]) -> bool {
        if let Some(at) = self.position(pattern) {
            return match args[at] {
                Some(bound) => bound == ty,
                None => {
                    args[at] = Some(ty);
                    true
                }
            };
        }
        let pattern = pattern.desugared();
        match (pattern.kind(), ty.kind()) {
            (TypeKind::Named(_), TyKind::Nominal(nominal, actual)) => {
                let path = self.world.named_path(self.module, pattern);
                let found = path.and_then(|p| self.world.find_nominal(self.module, p));
                if found != Some(*nominal) {
                    let env = Env::top(self.module);
                    return self.world.resolve(pattern, &env, false).is_ok_and(|t| t == ty);
                }
                let mut spelled = Vec::new();
                spelled_args(pattern, &mut spelled);
                self.bind_all(&spelled, actual, args)
            }
            (TypeKind::PackExpansion(each), TyKind::Pack(_)) => self.bind(*each, ty, args),
            (TypeKind::Pack { elements, .. }, TyKind::Pack(actual)) => match elements[..] {
                [one] if matches!(one.kind(), TypeKind::PackExpansion(_)) => self.bind(one, ty, args),
                _ => self.bind_all(elements, actual, args),
            },
            (TypeKind::Tuple(elements), TyKind::Tuple(fields)) => {
                let types: Vec<Type> = elements.iter().map(|e| e.ty).collect();
                let actual: Vec<Ty> = fields.iter().map(|f| f.ty).collect();
                self.bind_all(&types, &actual, args)
            }
            (TypeKind::Metatype(_, p), TyKind::Metatype(t) | TyKind::ThinMetatype(t)) => {
                self.bind(*p, *t, args)
            }
            (TypeKind::DynamicSelf(p) | TypeKind::Paren(p) | TypeKind::MoveOnly(p), _) => {
                self.bind(*p, ty, args)
            }
            _ => {
                let found: Option<Vec<Ty>> = args.iter().copied().collect();
                let found = found.unwrap_or_default();
                let env = Env { args: &found, ..Env::top(self.module) };
                self.world.resolve(pattern, &env, false).map_or(true, |t| t == ty)
            }
        }
    }

    fn bind_all(&self, patterns: &[Type], actual: &[Ty], args: &mut [Option<Ty>]) -> bool {
        if patterns.is_empty() {
            // A generic type can be named without arguments; the arguments are then its parameters in order.
            for (arg, ty) in args.iter_mut().zip(actual) {
                arg.get_or_insert(*ty);
            }
            return true;
        }
        if patterns.len() != actual.len() {
            return false;
        }
        patterns.iter().zip(actual).all(|(&p, &t)| self.bind(p, t, args))
    }
}

/// Appends the generic arguments of a named type, those of its parent types first.
fn spelled_args(ty: Type, into: &mut Vec<Type>) {
    if let TypeKind::Named(n) = ty.kind() {
        if let Some(parent) = n.parent {
            spelled_args(parent, into);
        }
        into.extend(n.args.iter().copied());
    }
}

/// Returns true if two formal types are equal, ignoring differences in spelling, generic signature and whitespace.
fn same_shape(a: Option<Type>, b: Option<Type>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            a.canonical() == b.canonical() || strip(&a.to_string()) == strip(&b.to_string())
        }
        _ => false,
    }
}

/// Returns the text of a formal type without its generic signature and whitespace.
fn strip(text: &str) -> String {
    let mut rest = text;
    while let Some(inner) = rest.strip_prefix('<') {
        let mut depth = 1;
        let end = inner.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '<') - i32::from(*c == '>');
            depth == 0
        });
        let Some((end, _)) = end else { break };
        rest = inner[end + 1..].trim_start();
    }
    rest.chars().filter(|c| !c.is_whitespace()).collect()
}
