//! What the associated types of protocols are in a conforming type: stated by it, or inferred from its members.
//!
//! ```swift
//! protocol P { associatedtype A; func m(_ a: A) }
//! struct S : P { func m(_ a: Int) }                // `A` is `Int`
//! ```

use super::seen_from::{mentions, same};
use crate::families::types::conformance::conforms;
use silkit_base::{FxHashMap, Symbol};
use silkit_types::decl::{DeclFlags, Declarations, NominalDecl, NominalKind};
use silkit_types::{Requirement, RequirementKind, Type, TypeKind};

/// The knowledge about an associated type.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    /// The type declares it, or a requirement fixes it.
    Stated(Type),
    /// A member of the type tells it.
    Inferred(Type),
    /// It is to be inferred.
    Free,
    /// It is not known.
    Opaque,
}

/// The associated types of the protocols that a type conforms to.
pub(super) struct Bindings<'a> {
    declarations: &'a Declarations,
    self_type: Type,
    known: FxHashMap<Symbol, Binding>,
    /// The generic parameters of the type without requirements.
    pub(super) unconstrained: Vec<Symbol>,
    /// An associated type that members tell to be two different types.
    pub(super) conflict: Option<(Symbol, Type, Type)>,
}

impl<'a> Bindings<'a> {
    pub(super) fn new(declarations: &'a Declarations, self_type: Type) -> Self {
        Self {
            declarations,
            self_type,
            known: FxHashMap::default(),
            unconstrained: Vec::new(),
            conflict: None,
        }
    }

    /// Returns true if this is an associated type.
    pub(super) fn contains(&self, name: Symbol) -> bool {
        self.known.contains_key(&name)
    }

    pub(super) fn bind(&mut self, name: Symbol, binding: Binding) {
        self.known.insert(name, binding);
    }

    pub(super) fn is_free(&self, name: Symbol) -> bool {
        matches!(self.known.get(&name), Some(Binding::Free))
    }

    /// Returns what an associated type is, if it is known.
    pub(super) fn bound(&self, name: Symbol) -> Option<Type> {
        match self.known.get(&name)? {
            Binding::Stated(ty) | Binding::Inferred(ty) => Some(*ty),
            Binding::Free | Binding::Opaque => None,
        }
    }

    /// Returns the associated type that a type in the protocol is: `A` or `Self.A`.
    pub(super) fn name_of(&self, ty: Type) -> Option<Symbol> {
        let TypeKind::Named(named) = ty.kind() else { return None };
        let is_of_self = named
            .parent
            .is_none_or(|p| matches!(p.kind(), TypeKind::Named(n) if n.name == "Self" && n.parent.is_none()));
        (is_of_self && named.args.is_empty() && self.contains(named.name)).then_some(named.name)
    }

    /// Returns a type of the protocol as the conforming type sees it; its unknown parts are unknown types.
    pub(super) fn seen(&self, ty: Type) -> Type {
        self.declarations.resolve(self.replaced(ty))
    }

    fn replaced(&self, ty: Type) -> Type {
        if let Some(name) = self.name_of(ty) {
            return self.bound(name).unwrap_or_else(Type::unknown);
        }
        let TypeKind::Named(named) = ty.kind() else { return ty.map(&mut |part| self.replaced(part)) };
        match named.parent {
            None if named.name == "Self" => self.self_type,
            None => ty.map(&mut |part| self.replaced(part)),
            Some(parent) => {
                let is_dependent = mentions(parent, &|name| name == "Self" || self.contains(name));
                if !is_dependent {
                    return ty.map(&mut |part| self.replaced(part));
                }
                let outer = self.declarations.resolve(self.replaced(parent));
                let is_plain = named.args.is_empty() && !outer.is_unknown();
                let member = if is_plain { self.declarations.member_type(outer, named.name) } else { None };
                member.unwrap_or_else(Type::unknown)
            }
        }
    }

    /// Learns associated types from a type in a requirement and the one in the member that meets it.
    pub(super) fn learn(&mut self, required: Type, found: Type) {
        if let Some(name) = self.name_of(required) {
            let is_clear = !found.is_unknown()
                && !mentions(found, &|name| name == "Self")
                && !matches!(
                    found.kind(),
                    TypeKind::Some(_) | TypeKind::OpaqueResult { .. } | TypeKind::Attributed(..)
                );
            match self.known.get(&name) {
                Some(Binding::Free) if is_clear => self.bind(name, Binding::Inferred(found)),
                Some(Binding::Free) => self.bind(name, Binding::Opaque),
                Some(Binding::Inferred(first)) if same(self.declarations, *first, found) == Some(false) => {
                    self.conflict.get_or_insert((name, *first, found));
                }
                _ => {}
            }
            return;
        }
        let (required, found) = (required.desugared(), found.desugared());
        match (required.kind(), found.kind()) {
            (TypeKind::Named(r), TypeKind::Named(f))
                if r.name == f.name && r.parent.is_none() && f.parent.is_none() =>
            {
                r.args.iter().zip(&f.args).for_each(|(&r, &f)| self.learn(r, f));
            }
            (TypeKind::Tuple(r), TypeKind::Tuple(f)) if r.len() == f.len() => {
                r.iter().zip(f).for_each(|(r, f)| self.learn(r.ty, f.ty));
            }
            _ => {}
        }
    }

    /// Returns an error about an associated type that does not satisfy the constraints that a protocol states.
    pub(super) fn violation(&self, protocol: &NominalDecl) -> Option<String> {
        let of_types = protocol.body.associated.iter().find_map(|associated| {
            let ty = self.bound(associated.name)?;
            let name = associated.name;
            let is_suppressed = associated.inherited.iter().any(|ty| ty.suppresses_copying());
            if !is_suppressed && self.declarations.is_move_only(ty, None) == Some(true) {
                return Some(format!("its `{name}` is `{ty}`, which is not copyable"));
            }
            associated.inherited.iter().find_map(|&constraint| self.broken(name, ty, constraint))
        });
        let requirements = protocol.body.associated.iter().flat_map(|a| &*a.requirements);
        of_types.or_else(|| requirements.chain(&*protocol.requirements).find_map(|r| self.requirement(r)))
    }

    fn requirement(&self, requirement: &Requirement) -> Option<String> {
        match requirement.kind {
            RequirementKind::Conforms => {
                let name = self.name_of(requirement.subject)?;
                self.broken(name, self.bound(name)?, requirement.constraint)
            }
            RequirementKind::SameType => {
                let (a, b) = (self.seen(requirement.subject), self.seen(requirement.constraint));
                (same(self.declarations, a, b) == Some(false)).then(|| {
                    format!("`{}` is `{a}`, but `{}` is `{b}`", requirement.subject, requirement.constraint)
                })
            }
            RequirementKind::Layout => None,
        }
    }

    /// Returns an error about a type that does not satisfy a constraint of an associated type.
    fn broken(&self, name: Symbol, ty: Type, constraint: Type) -> Option<String> {
        let is_unconstrained =
            matches!(ty.kind(), TypeKind::Param { name, .. } if self.unconstrained.contains(name));
        let is_broken = match is_unconstrained {
            true => self.is_demanding(constraint),
            false => breaks(self.declarations, ty, constraint)?,
        };
        is_broken.then(|| format!("its `{name}` is `{ty}`, which does not conform to `{constraint}`"))
    }
}

impl Bindings<'_> {
    /// Returns true if a generic parameter without requirements does not satisfy a constraint.
    fn is_demanding(&self, constraint: Type) -> bool {
        let is_class =
            matches!(constraint.kind(), TypeKind::Named(n) if n.parent.is_none() && n.name == "AnyObject");
        let own = self.declarations.own_nominal_of(constraint);
        is_class || own.is_some_and(|decl| !decl.flags.intersects(DeclFlags::MARKER | DeclFlags::AMBIGUOUS))
    }
}

/// Returns whether a type without generic parameters surely does not satisfy a constraint.
pub(super) fn breaks(declarations: &Declarations, ty: Type, constraint: Type) -> Option<bool> {
    if holds_parameter(ty) {
        return None;
    }
    let TypeKind::Named(named) = constraint.kind() else { return None };
    if named.parent.is_none() && named.name == "AnyObject" {
        return is_reference(declarations, ty).map(|is| !is);
    }
    let decl = declarations.nominal_of(constraint).filter(|decl| !declarations.may_be_another(decl))?;
    if decl.is_class() {
        let of_type = declarations.nominal_of(ty)?;
        let is_closed = declarations.own().get(of_type.path).is_some_and(|entry| entry.nominal.is_some());
        let inherits = declarations.path_of(ty) == Some(decl.path)
            || declarations.superclasses(ty).any(|above| declarations.path_of(above) == Some(decl.path));
        let is_value = matches!(of_type.kind, NominalKind::Struct | NominalKind::Enum);
        return (is_value || is_closed).then_some(!inherits);
    }
    let is_marker = decl.flags.intersects(DeclFlags::MARKER | DeclFlags::OBJC);
    if decl.kind != NominalKind::Protocol || is_marker {
        return None;
    }
    match conforms(declarations, ty, decl.path, None)? {
        true => Some(false),
        false => Some(true),
    }
}

fn holds_parameter(ty: Type) -> bool {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match ty.kind() {
            TypeKind::Param { .. } | TypeKind::Unknown | TypeKind::Member(..) | TypeKind::Some(_) => {
                return true;
            }
            TypeKind::Function(f) => work.extend(f.component_types()),
            kind => kind.for_each_part(&mut |part| work.push(part)),
        }
    }
    false
}

/// Returns whether values of a type are references to objects.
fn is_reference(declarations: &Declarations, ty: Type) -> Option<bool> {
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Function(_) => Some(false),
        TypeKind::Named(_) => {
            let decl = declarations.nominal_of(ty).filter(|decl| !declarations.may_be_another(decl))?;
            (decl.kind != NominalKind::Protocol).then_some(decl.is_class())
        }
        _ => None,
    }
}
