//! The constraints of a generic signature on a dependent type and on all types that are equal to it, including those
//! that protocols imply.

use super::budget::Query;
use super::implied::{CONSTRAINED, Implied, Meaning, ProtocolMeaning};
use crate::kind::{NamedType, Type, TypeKind};
use crate::{GenericSig, RequirementKind};
use silkit_base::{FxBuildHasher, FxHashSet, Symbol};

/// The number of member types after the queried type up to which constraints are followed.
const MORE_MEMBERS: usize = 2;
/// A limit above the number of constraints of any hand-written signature.
const MOST_FACTS: usize = 1 << 10;
/// The capacity for facts at the start.
const FACTS: usize = 64;
/// A limit above the number of equal types of any type in a hand-written signature.
const MOST_NAMES: usize = 64;

/// The known constraints on a dependent type.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// The constraints on the type, without duplicates: protocols, classes, layouts and inverses.
    pub(super) constraints: Vec<Type>,
    /// The concrete type that it is equal to, without generic parameters.
    pub(super) concrete: Option<Type>,
    /// True if the list of constraints is complete: every protocol is known, and all equal types were followed.
    pub(super) is_complete: bool,
}

/// Collects the constraints that follow from a signature.
struct Closure<'q, 'a> {
    query: &'q Query<'a>,
    /// The maximum number of members after a root.
    depth: usize,
    work: Vec<(Type, Type)>,
    facts: Vec<(Type, Type)>,
    seen: FxHashSet<(Type, Type)>,
    equal: Vec<(Type, Type)>,
    /// Types with an unknown constraint.
    unknown: Vec<Type>,
    is_complete: bool,
}

/// A generic parameter or dependent member with what a signature states about it and the types that are related to it.
/// Many signatures state the same: `<T : P>` and `<T, U where T : P>`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Stated {
    subject: Type,
    bounds: Vec<(Type, Type)>,
    equal: Vec<(Type, Type)>,
}

impl Stated {
    /// Returns what a signature states about a generic parameter or dependent member, given as a canonical type.
    pub(super) fn new(subject: Type, sig: GenericSig) -> Self {
        let data = sig.data();
        let mut stated = Self { subject, bounds: Vec::new(), equal: Vec::new() };
        for param in &data.params {
            if let Some(bound) = param.bound.filter(|_| param.value_type.is_none()) {
                stated.bounds.push((Type::param(param.depth, param.index), bound));
            }
        }
        for requirement in &data.requirements {
            let both = (requirement.subject.canonical(), requirement.constraint.canonical());
            match requirement.kind {
                RequirementKind::SameType => stated.equal.push(both),
                RequirementKind::Conforms | RequirementKind::Layout => stated.bounds.push(both),
            }
        }
        stated.keep_related();
        stated
    }

    /// Returns the same statement about the first parameter, if it mentions no other parameter: the second one of
    /// `<T, U where U : P>` has the properties of the first one of `<T where T : P>`.
    pub(super) fn of_first_parameter(mut self) -> Self {
        let (own, first) = (root(self.subject), Type::param(0, 0));
        let is_own = |ty: Type| mentions_only(ty, own);
        let mut related = self.bounds.iter().chain(&self.equal);
        if own == first || !is_root(own) || !related.all(|&(a, b)| is_own(a) && is_own(b)) {
            return self;
        }
        self.subject = with_parameter(self.subject, own, first);
        for (a, b) in self.bounds.iter_mut().chain(&mut self.equal) {
            (*a, *b) = (with_parameter(*a, own, first), with_parameter(*b, own, first));
        }
        self
    }

    /// Drops the constraints on parameters that no same-type requirement relates to the parameter of the subject.
    fn keep_related(&mut self) {
        let mut roots = vec![root(self.subject)];
        let mut next = 0;
        while let Some(&at) = roots.get(next) {
            next += 1;
            for &(a, b) in &self.equal {
                let (a, b) = (root(a), root(b));
                for (from, to) in [(a, b), (b, a)] {
                    if from == at && is_root(to) && !roots.contains(&to) {
                        roots.push(to);
                    }
                }
            }
        }
        self.bounds.retain(|(subject, _)| roots.contains(&root(*subject)));
        self.equal.retain(|(a, b)| roots.contains(&root(*a)) || roots.contains(&root(*b)));
    }
}

impl Query<'_> {
    /// Returns the constraints that follow from what a signature states.
    pub(super) fn bounds(&self, stated: &Stated) -> Bounds {
        let mut closure = Closure::new(self, stated.subject);
        closure.work.clone_from(&stated.bounds);
        closure.equal.clone_from(&stated.equal);
        closure.run();
        closure.answer(stated.subject)
    }

    /// Returns the constraints on `Self` or a member of it for a type opened from the existential `constraint`.
    pub(super) fn opened_bounds(&self, subject: Type, constraint: Type) -> Bounds {
        let subject = subject.plain_member();
        let mut closure = Closure::new(self, subject);
        closure.work.push((root(subject), constraint));
        closure.run();
        closure.answer(subject)
    }
}

impl<'q, 'a> Closure<'q, 'a> {
    fn new(query: &'q Query<'a>, subject: Type) -> Self {
        Self {
            query,
            depth: members(subject) + MORE_MEMBERS,
            work: Vec::with_capacity(FACTS),
            facts: Vec::with_capacity(FACTS),
            seen: FxHashSet::with_capacity_and_hasher(2 * FACTS, FxBuildHasher),
            equal: Vec::new(),
            unknown: Vec::new(),
            is_complete: true,
        }
    }

    fn run(&mut self) {
        while let Some((subject, constraint)) = self.work.pop() {
            if !self.seen.insert((subject, constraint)) {
                continue;
            }
            if self.facts.len() >= MOST_FACTS || self.query.spend(1).is_none() {
                self.is_complete = false;
                return;
            }
            self.fact(subject, constraint);
        }
    }

    /// Adds a constraint and what follows from it.
    fn fact(&mut self, subject: Type, constraint: Type) {
        match &*self.query.meaning(constraint) {
            Meaning::All(parts) => self.work.extend(parts.iter().map(|&part| (subject, part))),
            Meaning::Single(plain) => self.facts.push((subject, *plain)),
            Meaning::Unnamed => self.unknown.push(subject),
            Meaning::Undeclared(plain) => match self.query.desugared(*plain) {
                resolved if resolved != *plain && !resolved.is_unknown() => {
                    self.work.push((subject, resolved))
                }
                _ => self.unknown.push(subject),
            },
            Meaning::Protocol(protocol) => {
                self.facts.push((subject, protocol.plain));
                self.work.extend(protocol.inherited.iter().map(|&t| (subject, t)));
                self.primary(subject, protocol, constraint);
                self.implied(subject, protocol);
            }
        }
    }

    /// Adds the primary associated types that `any P<Int>` states.
    fn primary(&mut self, subject: Type, protocol: &ProtocolMeaning, constraint: Type) {
        let TypeKind::Named(NamedType { args, .. }) = constraint.kind() else { return };
        let params = protocol.primary.map_or(&[][..], |sig| &sig.data().params);
        for (param, arg) in params.iter().zip(args) {
            self.equal.push((Type::new(TypeKind::Member(subject, param.name)), arg.canonical()));
        }
    }

    /// Adds the requirements of a protocol on its associated types and on `Self`.
    fn implied(&mut self, subject: Type, protocol: &ProtocolMeaning) {
        if is_root(root(subject)) {
            self.requirements(subject, *CONSTRAINED, members(subject), &protocol.implied);
        } else if let Some(decl) = self.query.nominal_at(protocol.path) {
            // The members of another type than a parameter are declarations.
            self.requirements(subject, subject, 0, &self.query.implied(decl, subject));
        }
    }

    /// Adds the requirements of a protocol with `subject` in place of `base`, which has `more` members after the root than
    /// `base`.
    fn requirements(&mut self, subject: Type, base: Type, more: usize, implied: &[Implied]) {
        // Most requirements follow another one on the same type.
        let mut last = (base, subject);
        for requirement in implied {
            let Some(relative) = requirement.subject else {
                self.is_complete = false;
                continue;
            };
            if requirement.members + if requirement.is_of_base { more } else { 0 } > self.depth {
                continue;
            }
            if relative != last.0 {
                last = (relative, with_parameter(relative, base, subject));
            }
            let constrained = last.1;
            match requirement.constraint {
                Some(equal) if requirement.is_same_type => {
                    self.equal.push((constrained, with_parameter(equal, base, subject)));
                }
                Some(constraint) => self.work.push((constrained, constraint)),
                // A same-type requirement that is not followed leaves the concrete type open.
                None => self.unknown.push(constrained),
            }
        }
    }

    fn answer(self, subject: Type) -> Bounds {
        let mut bounds = Bounds { is_complete: self.is_complete, ..Bounds::default() };
        let mut names = vec![subject];
        let mut prefixes = Vec::new();
        let mut next = 0;
        while let Some(&at) = names.get(next) {
            next += 1;
            if !is_root(root(at)) {
                bounds.concrete = bounds.concrete.or(Some(at));
                continue;
            }
            bounds.is_complete &= members(at) <= self.depth;
            prefixes.clear();
            prefixes.extend(std::iter::successors(Some(at), |&ty| base(ty)));
            for &(a, b) in &self.equal {
                for (from, to) in [(a, b), (b, a)] {
                    if !prefixes.contains(&from) {
                        continue;
                    }
                    let Some(name) = with_prefix(at, from, to).filter(|n| !names.contains(n)) else {
                        continue;
                    };
                    if names.len() >= MOST_NAMES || self.query.spend(1).is_none() {
                        bounds.is_complete = false;
                    } else if members(name) <= self.depth {
                        names.push(name);
                    }
                }
            }
        }
        for (at, constraint) in &self.facts {
            if names.contains(at) && !bounds.constraints.contains(constraint) {
                bounds.constraints.push(*constraint);
            }
        }
        // An unknown protocol may also constrain the members of the types that conform to it.
        bounds.is_complete &= !names.iter().any(|name| self.unknown.iter().any(|u| is_part(*u, *name)));
        bounds
    }
}

/// Returns true if a type contains no generic parameter but this one.
fn mentions_only(ty: Type, param: Type) -> bool {
    let mut only = ty == param || !matches!(ty.kind(), TypeKind::Param { .. });
    if ty.holds_parameter() {
        ty.kind().for_each_part(&mut |part| only &= mentions_only(part, param));
    }
    only
}

/// Returns a type with the parameter `from` replaced by `to`.
pub(super) fn with_parameter(ty: Type, from: Type, to: Type) -> Type {
    match ty {
        _ if ty == from => to,
        _ if ty.holds_parameter() => ty.map(&mut |part| with_parameter(part, from, to)),
        _ => ty,
    }
}

/// Returns `name` with its prefix `from` replaced by `to`.
fn with_prefix(name: Type, from: Type, to: Type) -> Option<Type> {
    if name == from {
        return Some(to);
    }
    match name.kind() {
        TypeKind::Member(base, member) => {
            let base = with_prefix(*base, from, to)?;
            is_root(root(base)).then(|| Type::new(TypeKind::Member(base, *member)))
        }
        _ => None,
    }
}

/// Returns true if `base` is `of` or a prefix of the dependent member type `of`.
fn is_part(base: Type, of: Type) -> bool {
    base == of || matches!(of.kind(), TypeKind::Member(outer, _) if is_part(base, *outer))
}

/// Returns the type that a dependent member type is a member of.
fn base(ty: Type) -> Option<Type> {
    match ty.kind() {
        TypeKind::Member(base, _) => Some(*base),
        _ => None,
    }
}

pub(super) fn members(ty: Type) -> usize {
    match ty.kind() {
        TypeKind::Member(base, _) => 1 + members(*base),
        _ => 0,
    }
}

pub(super) fn root(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Member(base, _) => root(*base),
        _ => ty,
    }
}

pub(super) fn is_root(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Param { .. } => true,
        TypeKind::Named(n) => n.parent.is_none() && n.name == "Self",
        _ => false,
    }
}

/// Returns true if this is the name of a layout constraint, such as `_Trivial(64)`, and not of a declaration.
pub fn is_layout(path: Symbol) -> bool {
    let path = path.as_str();
    path.starts_with('_')
        && matches!(
            path.split('(').next().unwrap_or_default(),
            "_Trivial"
                | "_TrivialAtMost"
                | "_TrivialStride"
                | "_RefCountedObject"
                | "_NativeRefCountedObject"
                | "_Class"
                | "_NativeClass"
                | "_BridgeObject"
                | "_UnknownLayout"
        )
}
