//! Reduction of dependent member types under a generic signature: if `Self : StringProtocol`, then `Self.Element` is
//! `Character`; for every sequence, `Self.Iterator.Element` is `Self.Element`.

use super::budget::Query;
use super::model::NominalDecl;
use super::query::Declarations;
use crate::abstraction::holds_parameter;
use crate::kind::{Type, TypeKind};
use crate::{GenericSig, Requirement, RequirementKind};
use silkit_base::Symbol;

/// The maximum number of replacements; a type that needs more is left as it is.
const MAX_REPLACEMENTS: usize = 16;

impl Declarations {
    /// Returns a type with its dependent members reduced by the same-type requirements of the signature and of its
    /// protocols.
    pub fn reduced(&self, ty: Type, sig: GenericSig) -> Type {
        if !holds_parameter(ty) {
            return ty;
        }
        self.reduced.get_or_compute((ty, sig), || self.ask(ty, |q| Reducer { q, sig }.reduce(ty)))
    }

    /// Returns true if a generic parameter or dependent member type conforms to a protocol by the requirements of its
    /// signature. The protocol need not be declared in a known module if a requirement names it.
    pub fn parameter_conforms(&self, ty: Type, protocol: Symbol, sig: GenericSig) -> bool {
        let data = sig.data();
        let bounds = data.params.iter().filter_map(|p| {
            let param = Type::new(TypeKind::Param { name: p.name, depth: p.depth, index: p.index });
            Some((param, p.bound?))
        });
        let requirements = data.requirements.iter().filter(|r| r.kind == RequirementKind::Conforms);
        let is_named = |constraint: Type| match constraint.kind() {
            TypeKind::Named(named) => named.name == protocol,
            _ => false,
        };
        let is_stated = |(subject, constraint): (Type, Type)| {
            subject.canonical() == ty.canonical()
                && match constraint.kind() {
                    TypeKind::Composition(parts) => parts.iter().any(|&part| is_named(part)),
                    _ => is_named(constraint),
                }
        };
        bounds.chain(requirements.map(|r| (r.subject, r.constraint))).any(is_stated)
            || self.ask(false, |q| Reducer { q, sig }.protocols(ty).iter().any(|decl| decl.path == protocol))
    }
}

struct Reducer<'q, 'a> {
    q: &'q Query<'a>,
    sig: GenericSig,
}

impl Reducer<'_, '_> {
    fn reduce(&self, ty: Type) -> Type {
        let Some(_level) = self.q.step() else { return ty };
        match ty.kind() {
            TypeKind::Param { .. } => self.replaced(ty),
            TypeKind::Member(base, name) => {
                let base = match base.kind() {
                    TypeKind::Paren(inner) => *inner,
                    _ => *base,
                };
                let base = self.reduce(base);
                if is_parameter(base) {
                    self.replaced(Type::new(TypeKind::Member(base, *name)))
                } else {
                    self.q.member_type(base, *name).unwrap_or(ty)
                }
            }
            // The function type binds its own parameters.
            TypeKind::Function(f) if f.sig.is_some() => ty,
            _ => ty.map(&mut |part| self.reduce(part)),
        }
    }

    /// Replaces a parameter or dependent member repeatedly while a requirement gives a simpler type.
    fn replaced(&self, mut ty: Type) -> Type {
        for _ in 0..MAX_REPLACEMENTS {
            let Some(simpler) = self.equal_types(ty).into_iter().find(|&other| is_simpler(other, ty)) else {
                return ty;
            };
            ty = if is_parameter(simpler) { simpler } else { return self.reduce(simpler) };
        }
        ty
    }

    /// Returns the types that requirements equate with a dependent type.
    fn equal_types(&self, ty: Type) -> Vec<Type> {
        let mut found = Vec::new();
        self.sides(&self.sig.data().requirements, ty, &|side| side, &mut found);
        // The requirements of a protocol constrain the members of `Self` and members of members.
        let mut base = ty;
        for _ in 0..2 {
            let TypeKind::Member(outer, _) = base.kind() else { break };
            base = *outer;
            for decl in self.protocols(base) {
                for requirements in lists(decl) {
                    self.sides(requirements, ty, &|side| of_self(side, base, decl), &mut found);
                }
            }
        }
        found
    }

    /// For each same-type requirement with `ty` on one side, adds the other side.
    fn sides(
        &self,
        requirements: &[Requirement],
        ty: Type,
        seen: &dyn Fn(Type) -> Type,
        found: &mut Vec<Type>,
    ) {
        for r in requirements.iter().filter(|r| r.kind == RequirementKind::SameType) {
            let (subject, constraint) = (seen(r.subject), seen(r.constraint));
            if subject.canonical() == ty.canonical() {
                found.push(constraint);
            } else if constraint.canonical() == ty.canonical() {
                found.push(subject);
            }
        }
    }

    /// Returns the protocols that a dependent type conforms to, including inherited protocols.
    fn protocols(&self, ty: Type) -> Vec<&NominalDecl> {
        let mut found = Vec::new();
        let Some(_level) = self.q.step() else { return found };
        let data = self.sig.data();
        if let TypeKind::Param { depth, index, .. } = ty.kind() {
            let param = data.params.iter().find(|p| (p.depth, p.index) == (*depth, *index));
            self.enter(param.and_then(|p| p.bound), &mut found);
        }
        for r in data.requirements.iter().filter(|r| r.kind == RequirementKind::Conforms) {
            if r.subject.canonical() == ty.canonical() {
                self.enter(Some(r.constraint), &mut found);
            }
        }
        if let TypeKind::Member(base, name) = ty.kind() {
            for decl in self.protocols(*base) {
                for associated in decl.body.associated.iter().filter(|a| a.name == *name) {
                    associated.inherited.iter().for_each(|&t| self.enter(Some(t), &mut found));
                }
                for r in lists(decl).flatten().filter(|r| r.kind == RequirementKind::Conforms) {
                    if of_self(r.subject, *base, decl).canonical() == ty.canonical() {
                        self.enter(Some(r.constraint), &mut found);
                    }
                }
            }
        }
        found
    }

    /// Adds the protocols of a constraint and the protocols that they inherit from.
    fn enter<'d>(&'d self, constraint: Option<Type>, found: &mut Vec<&'d NominalDecl>) {
        let (Some(constraint), Some(_level)) = (constraint, self.q.step()) else { return };
        if let TypeKind::Composition(parts) = constraint.kind() {
            parts.iter().for_each(|&part| self.enter(Some(part), found));
            return;
        }
        let Some(decl) = self.q.path_of(constraint).and_then(|path| self.q.nominal_at(path)) else { return };
        if found.iter().any(|known| known.path == decl.path) {
            return;
        }
        found.push(decl);
        decl.inherited.iter().for_each(|&t| self.enter(Some(t), found));
    }
}

/// Returns the requirement lists of a protocol.
fn lists(decl: &NominalDecl) -> impl Iterator<Item = &[Requirement]> {
    std::iter::once(&*decl.requirements).chain(decl.body.associated.iter().map(|a| &*a.requirements))
}

/// Returns true if a type is a generic parameter or a dependent member type.
fn is_parameter(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Param { .. } | TypeKind::Member(..))
}

/// Returns true if `a` precedes `b` in the order that selects canonical types: concrete types first, then types with
/// fewer members, then by parameter and names.
fn is_simpler(a: Type, b: Type) -> bool {
    if !is_parameter(a) || !is_parameter(b) {
        return !is_parameter(a) && !a.is_unknown();
    }
    let (a, b) = (path(a), path(b));
    (a.1.len(), a.0, names(&a.1)) < (b.1.len(), b.0, names(&b.1))
}

fn names(path: &[Symbol]) -> Vec<&'static str> {
    path.iter().map(|name| name.as_str()).collect()
}

/// Returns the root parameter of a dependent type and the member names on the path.
fn path(ty: Type) -> ((u16, u16), Vec<Symbol>) {
    match ty.kind() {
        TypeKind::Param { depth, index, .. } => ((*depth, *index), Vec::new()),
        TypeKind::Member(base, name) => {
            let (root, mut names) = path(*base);
            names.push(*name);
            (root, names)
        }
        _ => ((u16::MAX, u16::MAX), Vec::new()),
    }
}

/// Returns a type that is spelled in a protocol, with `Self` replaced by `base`.
fn of_self(ty: Type, base: Type, decl: &NominalDecl) -> Type {
    let is_own = |name: Symbol| decl.body.associated.iter().any(|a| a.name == name);
    match ty.kind() {
        TypeKind::Named(n) if n.args.is_empty() => match n.parent {
            None if n.name == "Self" => base,
            None if is_own(n.name) => Type::new(TypeKind::Member(base, n.name)),
            None => ty,
            Some(parent) => match of_self(parent, base, decl) {
                outer if is_parameter(outer) => Type::new(TypeKind::Member(outer, n.name)),
                outer => Type::named(Some(outer), n.name, Box::default()),
            },
        },
        TypeKind::Param { name, .. } if *name == "Self" => base,
        _ => ty.map(&mut |part| of_self(part, base, decl)),
    }
}
