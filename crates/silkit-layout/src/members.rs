//! Member types: nested types, type aliases and associated types.

use crate::resolve::Env;
use crate::ty::{Nominal, Ty, TyKind};
use crate::world::{ModuleId, World};
use silkit_base::{FxHashMap, Symbol};
use silkit_types::decl::AliasDecl;
use silkit_types::{GenericSig, Requirement, RequirementKind, Type, TypeKind};
use std::cell::{Cell, RefCell};

/// The cache of member type lookups.
#[derive(Default, Debug)]
pub(crate) struct Members {
    found: RefCell<FxHashMap<(Ty, Symbol), Member>>,
    /// The number of circular queries.
    circles: Cell<u64>,
}

impl Members {
    /// Records a circular query.
    pub(crate) fn note_circle(&self) {
        self.circles.set(self.circles.get() + 1);
    }
}

#[derive(Clone, Copy, Debug)]
enum Member {
    /// The lookup is in progress.
    Asked,
    Known(Option<Ty>),
}

impl World {
    /// Returns the member type `name` of `base`: `Array<Int>.Element` is `Int`.
    pub fn member_type(&self, base: Ty, name: Symbol, args: &[Ty]) -> Option<Ty> {
        if !args.is_empty() {
            return self.find_member(base, name, args);
        }
        let known = self.members.found.borrow().get(&(base, name)).copied();
        match known {
            Some(Member::Known(found)) => return found,
            Some(Member::Asked) => {
                self.members.note_circle();
                return None;
            }
            None => {}
        }
        let circles = self.members.circles.get();
        self.members.found.borrow_mut().insert((base, name), Member::Asked);
        let found = self.find_member(base, name, args);
        let mut all = self.members.found.borrow_mut();
        if found.is_some() || self.members.circles.get() == circles {
            all.insert((base, name), Member::Known(found));
        } else {
            // A circular query failed during this lookup. Do not cache the failure: a later query may succeed.
            all.remove(&(base, name));
        }
        found
    }

    fn find_member(&self, base: Ty, name: Symbol, args: &[Ty]) -> Option<Ty> {
        match base.kind() {
            TyKind::Nominal(nominal, own) => {
                if let Some(found) = self.own_member(base, name, args) {
                    return Some(found);
                }
                let params = self.params(*nominal);
                if let Some(at) = params.iter().rposition(|(p, _)| *p == name)
                    && args.is_empty()
                    && let Some(arg) = own.get(at)
                {
                    return Some(*arg);
                }
                self.inherited_member(base, name)
            }
            TyKind::Existential(e) => {
                let same = e.same.iter().find(|(_, n, _)| *n == name).map(|(_, _, t)| *t);
                same.or_else(|| self.inherited_member(base, name))
            }
            TyKind::Pack(elements) => {
                let members: Option<Vec<Ty>> =
                    elements.iter().map(|&t| self.member_type(t, name, args)).collect();
                Some(Ty::new(TyKind::Pack(members?.into())))
            }
            _ => self.inherited_member(base, name),
        }
    }

    /// Returns a member type that the declaration of `base` or one of its extensions declares.
    pub(crate) fn own_member(&self, base: Ty, name: Symbol, args: &[Ty]) -> Option<Ty> {
        let (nominal, own) = base.as_nominal()?;
        let path = Symbol::new(&format!("{}.{name}", nominal.name().path));
        let module = self.module_of(nominal)?;
        let declares = |id: ModuleId| self.module(id).decls.get(path).is_some_and(|e| e.nominal.is_some());
        let candidates = std::iter::once(module).chain(self.modules().map(|(id, _)| id));
        if let Some(found) = { candidates }.find(|&id| declares(id)) {
            let nested = Nominal::new(self.module(found).name, path);
            if self.is_protocol(nested) {
                return self.resolve_in(named(name), nested, &[], false).ok();
            }
            let mut all = own.to_vec();
            all.extend_from_slice(args);
            return Some(Ty::nominal(nested, self.packed(nested, &all)));
        }
        let (module, alias) = self.alias_of(base, nominal, own, name)?;
        self.expand_alias(module, alias, args, nominal, own)
    }

    fn expand_alias(
        &self,
        module: ModuleId,
        alias: &AliasDecl,
        args: &[Ty],
        nominal: Nominal,
        own: &[Ty],
    ) -> Option<Ty> {
        let names = alias.sig.iter().flat_map(|s| s.data().params.iter().map(|p| p.name));
        let locals: Vec<_> = names.zip(args.iter().copied()).collect();
        let env = Env { nominal: Some((nominal, own)), locals: &locals, ..Env::top(module) };
        self.resolve(alias.target, &env, false).ok()
    }

    /// Returns the first alias with a name in a type or in those of its extensions whose requirements hold.
    fn alias_of(
        &self,
        base: Ty,
        nominal: Nominal,
        own: &[Ty],
        name: Symbol,
    ) -> Option<(ModuleId, &AliasDecl)> {
        for (module, entry) in self.entries(nominal) {
            let declared = entry.nominal.as_ref().and_then(|n| n.body.alias(name));
            if let Some(alias) = declared.filter(|a| !repeats_its_name(a)) {
                return Some((module, alias));
            }
            for extension in &entry.extensions {
                let Some(alias) = extension.body.alias(name).filter(|a| !repeats_its_name(a)) else {
                    continue;
                };
                let env = Env { nominal: Some((nominal, own)), ..Env::top(module) };
                if extension.requirements.iter().all(|r| self.requirement_holds(r, &env) != Some(false)) {
                    return Some((module, alias));
                }
            }
        }
        let _ = base;
        None
    }

    /// Returns true if a requirement holds for concrete types, or `None` if this is not known. A requirement of a
    /// pack holds if it holds for every element.
    pub fn requirement_holds(&self, requirement: &Requirement, env: &Env<'_>) -> Option<bool> {
        let subjects = self.elements(requirement.subject, env)?;
        match requirement.kind {
            RequirementKind::SameType => Some(match self.elements(requirement.constraint, env)?[..] {
                [other] => subjects.iter().all(|&subject| subject == other),
                ref others => subjects == others,
            }),
            RequirementKind::Layout => None,
            RequirementKind::Conforms => {
                if let TypeKind::Inverse(_) = requirement.constraint.kind() {
                    return Some(true);
                }
                let mut protocols = Vec::new();
                self.protocols_in(env.module, requirement.constraint, &mut protocols);
                if protocols.is_empty() {
                    let class = self.resolve(requirement.constraint, env, false).ok()?;
                    return Some(subjects.iter().all(|&subject| match class.kind() {
                        TyKind::Existential(e) if e.is_class => self.is_class(subject),
                        TyKind::Existential(_) => true,
                        _ => self.inherits(subject, class),
                    }));
                }
                Some(subjects.iter().all(|&subject| protocols.iter().all(|&p| self.conforms(subject, p))))
            }
        }
    }

    /// Returns the type that a requirement names, or the elements of the pack that it names.
    fn elements(&self, ty: Type, env: &Env<'_>) -> Option<Vec<Ty>> {
        let all = self.resolve_all(&[ty], env).ok()?;
        match all[..] {
            [one] => Some(one.as_pack().map_or(vec![one], <[Ty]>::to_vec)),
            _ => Some(all),
        }
    }

    /// Returns true if a type is copyable: it does not suppress `Copyable`, or an extension adds a conditional
    /// conformance that holds for its generic arguments.
    pub fn is_copyable(&self, ty: Ty) -> bool {
        if let TyKind::Tuple(fields) = ty.kind() {
            return fields.iter().all(|f| self.is_copyable(f.ty));
        }
        let Some((nominal, args)) = ty.as_nominal() else { return true };
        if !self.decl(nominal).is_some_and(|d| d.inherited.iter().any(is_not_copyable)) {
            return true;
        }
        let own = self.module_of(nominal).unwrap_or(ModuleId(0));
        let extensions = self.entries(nominal).flat_map(|(_, entry)| entry.extensions.iter());
        let mut conditional = extensions.filter(|e| e.inherited.iter().any(is_copyable_name));
        conditional.any(|e| {
            e.requirements.iter().filter(|r| is_copyable_name(&r.constraint)).all(|r| {
                let subject = self.resolve_from(own, r.subject, nominal, args, false);
                subject.is_ok_and(|ty| self.is_copyable(ty))
            })
        })
    }

    /// Returns true if every generic argument of a signature is copyable or its parameter has a `~Copyable`
    /// requirement.
    pub(crate) fn arguments_are_copyable(&self, sig: Option<GenericSig>, args: &[Ty]) -> bool {
        let Some(sig) = sig.map(GenericSig::without_bounds) else { return true };
        let data = sig.data();
        data.params.iter().zip(args).all(|(param, &arg)| {
            let is_free = |r: &Requirement| {
                is_not_copyable(&r.constraint)
                    && matches!(r.subject.kind(), TypeKind::Param { name, .. } if *name == param.name)
            };
            self.is_copyable(arg) || data.requirements.iter().any(is_free)
        })
    }

    /// Returns a member type that `base` gets from a conformance or a superclass.
    pub(crate) fn inherited_member(&self, base: Ty, name: Symbol) -> Option<Ty> {
        if let Some(found) = self.associated_type_named(base, name) {
            return Some(found);
        }
        if let Some(superclass) = self.superclass(base) {
            return self.member_type(superclass, name, &[]);
        }
        self.alias_in_protocols(base, name)
    }

    /// Returns the type of an alias in a protocol or protocol extension, for a conforming type.
    fn alias_in_protocols(&self, base: Ty, name: Symbol) -> Option<Ty> {
        for protocol in self.all_protocols(base) {
            for (module, body) in self.bodies(protocol) {
                let Some(alias) = body.alias(name) else { continue };
                let locals = [(Symbol::new("Self"), base)];
                let env = Env { locals: &locals, ..Env::top(module) };
                if let Ok(found) = self.resolve(alias.target, &env, false) {
                    return Some(found);
                }
                // Names of associated types in the target refer to members of the conforming type.
                if let TypeKind::Named(n) = alias.target.kind()
                    && n.parent.is_none()
                    && n.name != name
                    && let Some(found) = self.member_type(base, n.name, &[])
                {
                    return Some(found);
                }
            }
        }
        None
    }
}

fn named(name: Symbol) -> silkit_types::Type {
    silkit_types::Type::named(None, name, Box::default())
}

/// Returns true if the target of an alias has the same name as the alias (`typealias T = T`) and so refers to an
/// outer declaration.
pub(crate) fn repeats_its_name(alias: &AliasDecl) -> bool {
    match alias.target.kind() {
        TypeKind::Named(n) => n.parent.is_none() && n.name == alias.name,
        TypeKind::Param { name, .. } => *name == alias.name,
        _ => false,
    }
}

/// Returns true if a type is spelled `Copyable`.
fn is_copyable_name(ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::Named(n) if n.name == "Copyable")
}

/// Returns true if a constraint is or contains `~Copyable`.
fn is_not_copyable(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Inverse(t) => is_copyable_name(t),
        TypeKind::Composition(parts) => parts.iter().any(is_not_copyable),
        _ => false,
    }
}
