//! The generic parameters that a declaration sees, and the requirements on them.
//!
//! ```swift
//! protocol P { associatedtype A }
//! func f<T : P>(_ x: T.B)                                // `T` has no member type `B`
//! func g<T : P>(_ x: T) where T.A == Int, T.A == Bool    // no type is both
//! ```

use super::associated::breaks;
use super::seen_from::{find_spelled, same};
use crate::families::types::member_types::has_type;
use silkit_base::{FxHashSet, Symbol};
use silkit_types::decl::{DeclFlags, Declarations, NominalDecl, NominalKind};
use silkit_types::{GenericSig, Requirement, RequirementKind, Type, TypeKind};

/// The maximum number of names in a dependent type, and of protocols above one.
const MOST_STEPS: usize = 32;

/// Generic parameters and their requirements.
pub(super) struct GenericScope<'a> {
    declarations: &'a Declarations,
    roots: FxHashSet<Symbol>,
    /// The protocol whose `Self` and associated types are in scope.
    protocol: Option<&'a NominalDecl>,
    /// The types that conform, by their spelling, and what they conform to.
    conforms: Vec<(String, Type)>,
    equal: Vec<(Type, Type)>,
    /// True if a requirement has a form that is not understood.
    is_unclear: bool,
}

/// The sources of the requirements on a dependent type.
#[derive(Default)]
struct Facts<'a> {
    constraints: Vec<Type>,
    protocols: Vec<&'a NominalDecl>,
    concrete: Vec<Type>,
    /// True if there may be other requirements.
    is_open: bool,
}

impl<'a> GenericScope<'a> {
    pub(super) fn new(declarations: &'a Declarations) -> Self {
        Self {
            declarations,
            roots: FxHashSet::default(),
            protocol: None,
            conforms: Vec::new(),
            equal: Vec::new(),
            is_unclear: false,
        }
    }

    /// Returns the scope inside of the braces of the type at a path.
    pub(super) fn of_type(declarations: &'a Declarations, path: &str) -> Self {
        let mut scope = Self::new(declarations);
        let ends = path.match_indices('.').map(|(dot, _)| dot).chain([path.len()]);
        for end in ends.filter(|&end| end > 0) {
            let Some(decl) = declarations.nominal_of(Type::nominal(&path[..end])) else {
                scope.is_unclear = true;
                continue;
            };
            if decl.kind == NominalKind::Protocol {
                scope.protocol = Some(decl);
                scope.roots.insert(Symbol::new("Self"));
            } else {
                decl.sig.into_iter().for_each(|sig| scope.add_sig(sig));
                scope.add(&decl.requirements);
            }
        }
        scope
    }

    /// Drops what the types around suppress: an extension, and a requirement of a member, assumes copyable arguments again.
    pub(super) fn without_suppressed(mut self) -> Self {
        let all = std::mem::take(&mut self.conforms);
        for (key, constraint) in all {
            let parts =
                parts(constraint).into_iter().filter(|part| !matches!(part.kind(), TypeKind::Inverse(_)));
            self.conforms.extend(parts.map(|part| (key.clone(), part)));
        }
        self
    }

    /// Adds a list of generic parameters.
    pub(super) fn add_sig(&mut self, sig: GenericSig) {
        let data = sig.data();
        for param in &data.params {
            self.roots.insert(param.name);
            let name = param.name.as_str().to_owned();
            self.conforms.extend(param.bound.map(|bound| (name, bound)));
        }
        self.add(&data.requirements);
    }

    /// Adds requirements.
    pub(super) fn add(&mut self, requirements: &[Requirement]) {
        for requirement in requirements {
            match requirement.kind {
                RequirementKind::Conforms => match self.key(requirement.subject) {
                    Some(key) => self.conforms.push((key, requirement.constraint)),
                    None => self.is_unclear = true,
                },
                RequirementKind::SameType => self.equal.push((requirement.subject, requirement.constraint)),
                RequirementKind::Layout => {}
            }
        }
    }

    /// Returns the spelling of a dependent type, from a generic parameter or `Self` on.
    fn key(&self, ty: Type) -> Option<String> {
        match ty.kind() {
            TypeKind::Param { name, .. } => Some(name.as_str().to_owned()),
            TypeKind::Member(base, name) => Some(format!("{}.{name}", self.key(*base)?)),
            TypeKind::Named(named) if named.args.is_empty() => match named.parent {
                Some(parent) => Some(format!("{}.{}", self.key(parent)?, named.name)),
                None if self.roots.contains(&named.name) => Some(named.name.as_str().to_owned()),
                None => {
                    let associated = &self.protocol?.body.associated;
                    let is_own = associated.iter().any(|associated| associated.name == named.name);
                    is_own.then(|| format!("Self.{}", named.name))
                }
            },
            _ => None,
        }
    }

    /// Returns the facts about a dependent type.
    fn facts(&self, key: &str, depth: usize) -> Facts<'a> {
        let mut facts = Facts { is_open: self.is_unclear, ..Facts::default() };
        if depth > MOST_STEPS {
            return Facts { is_open: true, ..facts };
        }
        let direct = self.conforms.iter().filter(|(subject, _)| subject == key).map(|(_, ty)| *ty);
        facts.constraints.extend(direct);
        if key == "Self" {
            facts.protocols.extend(self.protocol);
        }
        for &(a, b) in &self.equal {
            for (subject, other) in [(a, b), (b, a)] {
                if self.key(subject).as_deref() == Some(key) {
                    facts.is_open = true;
                    facts.concrete.extend(Some(other).filter(|&other| !self.is_dependent(other)));
                }
            }
        }
        if let Some((parent, name)) = key.rsplit_once('.') {
            let outer = self.facts(parent, depth + 1);
            facts.is_open |= outer.is_open;
            for protocol in outer.protocols {
                facts.is_open |= self.of_associated(protocol, Symbol::new(name), &mut facts);
            }
        }
        self.close(&mut facts);
        facts
    }

    /// Adds what a protocol requires of its associated type. Returns true if that is not all known.
    fn of_associated(&self, protocol: &'a NominalDecl, name: Symbol, facts: &mut Facts<'a>) -> bool {
        let mut is_open = false;
        let associated = &protocol.body.associated;
        let own = associated.iter().filter(|associated| associated.name == name);
        facts.constraints.extend(own.flat_map(|associated| associated.inherited.iter().copied()));
        let is_it = |ty: Type| match ty.kind() {
            TypeKind::Named(named) if named.name == name && named.args.is_empty() => named.parent.is_none_or(
                |p| matches!(p.kind(), TypeKind::Named(n) if n.name == "Self" && n.parent.is_none()),
            ),
            _ => false,
        };
        let of_types = associated.iter().flat_map(|associated| &*associated.requirements);
        for requirement in of_types.chain(&*protocol.requirements) {
            let (subject, other) = (requirement.subject, requirement.constraint);
            match requirement.kind {
                RequirementKind::Conforms if is_it(subject) => facts.constraints.push(other),
                RequirementKind::SameType if is_it(subject) || is_it(other) => {
                    is_open = true;
                    let other = if is_it(subject) { other } else { subject };
                    let is_named = self.declarations.nominal_of(other).is_some()
                        && matches!(other.kind(), TypeKind::Named(n) if n.args.is_empty() && n.parent.is_none())
                        && !associated.iter().any(|a| is_named(other, a.name));
                    facts.concrete.extend(is_named.then_some(other));
                }
                _ => {}
            }
        }
        is_open
    }

    /// Adds the protocols of the constraints, and those that they inherit from.
    fn close(&self, facts: &mut Facts<'a>) {
        let mut work: Vec<Type> = facts.constraints.clone();
        work.extend(facts.protocols.iter().flat_map(|decl| decl.inherited.iter().copied()));
        while let Some(ty) = work.pop() {
            match ty.kind() {
                TypeKind::Inverse(_) => {}
                TypeKind::Composition(parts) => work.extend(parts),
                TypeKind::Any(inner) | TypeKind::Paren(inner) => work.push(*inner),
                TypeKind::Named(named) if named.parent.is_none() && named.name == "AnyObject" => {}
                TypeKind::Named(_) => {
                    let found =
                        self.declarations.nominal_of(ty).filter(|d| !self.declarations.may_be_another(d));
                    let Some(decl) = found.filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS)) else {
                        let target = self.declarations.resolve(ty);
                        match target.kind() {
                            TypeKind::Composition(parts) => work.extend(parts),
                            _ => facts.is_open = true,
                        }
                        continue;
                    };
                    if facts.protocols.len() > MOST_STEPS {
                        facts.is_open = true;
                        return;
                    }
                    if !facts.protocols.iter().any(|known| known.path == decl.path) {
                        facts.protocols.push(decl);
                        work.extend(&decl.inherited);
                    }
                }
                _ => facts.is_open = true,
            }
        }
    }

    /// Returns true if a type mentions a generic parameter, `Self` or an associated type.
    fn is_dependent(&self, ty: Type) -> bool {
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if self.key(ty).is_some() {
                return true;
            }
            match ty.kind() {
                TypeKind::Unknown | TypeKind::PackElement(_) => return true,
                TypeKind::Function(f) => work.extend(f.component_types()),
                kind => kind.for_each_part(&mut |part| work.push(part)),
            }
        }
        false
    }

    /// Returns an error about a dependent type in a type that names no member type: `T.B`.
    pub(super) fn missing_member(&self, ty: Type) -> Option<String> {
        find_spelled(ty, &|part| self.missing_in(part))
    }

    fn missing_in(&self, ty: Type) -> Option<String> {
        let key = self.key(ty)?;
        let (base, name) = key.rsplit_once('.')?;
        let facts = self.facts(base, 0);
        if facts.is_open || name.starts_with('_') {
            return None;
        }
        let may_have =
            |decl: &NominalDecl| has_type(self.declarations, decl.path, Symbol::new(name)) != Some(false);
        (!facts.protocols.iter().any(|decl| may_have(decl)))
            .then(|| format!("`{name}` is not a member type of `{base}`"))
    }

    /// Returns an error about requirements that no type satisfies.
    pub(super) fn contradiction(&self) -> Option<String> {
        let mut keys: Vec<String> = self.conforms.iter().map(|(key, _)| key.clone()).collect();
        for &(a, b) in &self.equal {
            let (of_a, of_b) = (self.key(a), self.key(b));
            if of_a.is_none() && of_b.is_none() && !self.is_dependent(a) && !self.is_dependent(b) {
                let (a, b) = (self.declarations.resolve(a), self.declarations.resolve(b));
                if same(self.declarations, a, b) == Some(false) {
                    return Some(format!("requires `{a}` and `{b}` to be the same type"));
                }
            }
            for (subject, other) in [(&of_a, b), (&of_b, a)] {
                if subject.is_some() && self.key(other).is_none() && self.contains(other, subject.as_deref())
                {
                    return Some(format!("requires a type to be part of itself: `{a}` and `{b}`"));
                }
            }
            keys.extend(of_a);
            keys.extend(of_b);
        }
        keys.sort();
        keys.dedup();
        keys.iter().find_map(|key| self.contradiction_of(key))
    }

    /// Returns true if a type contains the dependent type with a spelling.
    fn contains(&self, ty: Type, key: Option<&str>) -> bool {
        key.is_some() && ty.any_part(&|part| self.key(part).as_deref() == key)
    }

    /// Returns the spellings of the types that are equal to the one with a spelling, itself first.
    fn equals(&self, key: &str) -> Vec<String> {
        let mut found = vec![key.to_owned()];
        let mut at = 0;
        while let Some(key) = found.get(at).cloned() {
            at += 1;
            for &(a, b) in &self.equal {
                let (Some(a), Some(b)) = (self.key(a), self.key(b)) else { continue };
                let other = if a == key {
                    b
                } else if b == key {
                    a
                } else {
                    continue;
                };
                if !found.contains(&other) && found.len() < MOST_STEPS {
                    found.push(other);
                }
            }
        }
        found
    }

    fn contradiction_of(&self, key: &str) -> Option<String> {
        let (mut constraints, mut concrete, mut classes) = (Vec::new(), Vec::new(), Vec::new());
        for key in self.equals(key) {
            let facts = self.facts(&key, 0);
            constraints.extend(facts.constraints);
            concrete.extend(facts.concrete.into_iter().map(|ty| self.declarations.resolve(ty)));
            classes.extend(facts.protocols.into_iter().filter(|decl| decl.is_class()));
        }
        for (at, &one) in concrete.iter().enumerate() {
            if let Some(other) =
                concrete[..at].iter().find(|&&other| same(self.declarations, one, other) == Some(false))
            {
                return Some(format!("requires `{key}` to be both `{other}` and `{one}`"));
            }
            let parts = constraints.iter().flat_map(|&constraint| parts(constraint));
            let broken = parts.into_iter().find(|&part| breaks(self.declarations, one, part) == Some(true));
            if let Some(broken) = broken {
                return Some(format!("requires `{key}` to be `{one}`, which does not conform to `{broken}`"));
            }
        }
        let ty = |decl: &NominalDecl| Type::nominal(decl.path.as_str());
        for (at, one) in classes.iter().enumerate() {
            let is_related = |other: &NominalDecl| {
                one.path == other.path
                    || one.sig.is_some()
                    || other.sig.is_some()
                    || self.declarations.is_subclass(ty(one), ty(other))
                    || self.declarations.is_subclass(ty(other), ty(one))
            };
            if let Some(other) = classes[..at].iter().find(|other| !is_related(other)) {
                return Some(format!("requires `{key}` to be both `{}` and `{}`", other.path, one.path));
            }
        }
        let all: Vec<Type> = constraints.iter().flat_map(|&constraint| parts(constraint)).collect();
        let is_suppressed = all.iter().any(|ty| ty.suppresses_copying());
        let copies =
            all.iter().find(|&&ty| requires_copyable(self.declarations, ty)).filter(|_| is_suppressed)?;
        Some(format!("requires `{key}` to be copyable by `{copies}`, but suppresses `Copyable`"))
    }
}

fn is_named(ty: Type, name: Symbol) -> bool {
    matches!(ty.kind(), TypeKind::Named(named) if named.name == name)
}

/// Returns the parts of a composition, or the constraint itself.
fn parts(constraint: Type) -> Vec<Type> {
    match constraint.kind() {
        TypeKind::Composition(parts) => parts.to_vec(),
        _ => vec![constraint],
    }
}

/// Returns true if all types that conform to a protocol are copyable.
pub(super) fn requires_copyable(declarations: &Declarations, protocol: Type) -> bool {
    let TypeKind::Named(named) = protocol.kind() else { return false };
    let own = declarations.own_nominal_of(protocol);
    let Some(decl) = own else {
        const OF_LIBRARY: &[&str] = &[
            "Collection",
            "Comparable",
            "CustomStringConvertible",
            "Equatable",
            "Error",
            "Hashable",
            "Sequence",
        ];
        return named.parent.is_none()
            && OF_LIBRARY.contains(&named.name.as_str())
            && declarations.nominal_of(protocol).is_some();
    };
    decl.kind == NominalKind::Protocol
        && !decl.flags.intersects(DeclFlags::MARKER | DeclFlags::AMBIGUOUS)
        && !decl.inherited.iter().any(|ty| ty.suppresses_copying())
}
