//! Protocol conformance and generic requirements, as three-valued answers.

use super::budget::Query;
use super::model::{DeclFlags, NominalDecl};
use super::query::{Declarations, Lookup, is_dependent};
use super::table::DeclEntry;
use crate::kind::{Type, TypeKind};
use crate::{Requirement, RequirementKind};
use silkit_base::Symbol;

impl Declarations {
    /// Returns whether a nominal type conforms to a protocol: itself, through a superclass, or through an inherited
    /// protocol.
    pub fn conforms(&self, ty: Type, protocol: Symbol) -> Option<bool> {
        self.conformances.get_or_compute((ty, protocol), || self.ask(None, |q| q.conforms(ty, protocol)))
    }

    /// Returns true if the module declares that a type or its superclass conforms to a protocol only in the isolation
    /// domain of a global actor: `@MainActor P`.
    pub fn is_isolated_conformance(&self, ty: Type, protocol: Symbol) -> bool {
        let states = |ty: Type| {
            let entry = self.path_of(ty).and_then(|path| self.own().get(path));
            entry.into_iter().flat_map(DeclEntry::isolated_conformances).any(|&(_, isolated)| {
                self.path_of(isolated) == Some(protocol) || self.conforms(isolated, protocol) == Some(true)
            })
        };
        states(ty) || self.superclasses(ty).any(states)
    }

    /// Returns whether all requirements hold for the generic arguments of `base`.
    pub fn requirements_hold(&self, requirements: &[Requirement], base: Type) -> Option<bool> {
        self.ask(None, |q| q.requirements_hold(requirements, base))
    }
}

impl Query<'_> {
    pub(super) fn conforms(&self, ty: Type, protocol: Symbol) -> Option<bool> {
        let key = (self.desugared(ty), protocol);
        if let Some(found) = self.conformances.borrow().get(&key) {
            return *found;
        }
        // A conformance that depends on itself stays unknown.
        self.conformances.borrow_mut().insert(key, None);
        let found = self.conforms_step(key.0, protocol, &mut Vec::new());
        self.conformances.borrow_mut().insert(key, found);
        found
    }

    fn conforms_step(&self, base: Type, protocol: Symbol, seen: &mut Vec<Symbol>) -> Option<bool> {
        let _level = self.step()?;
        self.spend(seen.len() / 16)?;
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
        for &inherited in &decl.inherited {
            match self.inherits(inherited, base, protocol, seen) {
                Some(true) => return Some(true),
                None => answer = None,
                Some(false) => {}
            }
        }
        for extension in self.extensions(path) {
            self.spend(1)?;
            if extension.inherited.is_empty() {
                continue;
            }
            for &inherited in &extension.inherited {
                let found = match self.inherits(inherited, base, protocol, seen) {
                    // What is not available conforms where it is not available either.
                    Some(true) if extension.flags.contains(DeclFlags::UNAVAILABLE) => None,
                    Some(true) => self.requirements_hold(&extension.requirements, base),
                    other => other,
                };
                match found {
                    Some(true) => return Some(true),
                    None => answer = None,
                    Some(false) => {}
                }
            }
        }
        if self.is_implied(protocol) && answer == Some(false) {
            return self.implied(decl, protocol);
        }
        answer
    }

    /// Returns whether the inherited type is the protocol or conforms to it.
    fn inherits(&self, ty: Type, base: Type, protocol: Symbol, seen: &mut Vec<Symbol>) -> Option<bool> {
        let _level = self.step()?;
        match ty.kind() {
            TypeKind::Inverse(_) => Some(false),
            TypeKind::Composition(parts) => {
                let found: Vec<_> = parts.iter().map(|&p| self.inherits(p, base, protocol, seen)).collect();
                let unknown = found.contains(&None).then_some(()).map_or(Some(false), |()| None);
                if found.contains(&Some(true)) { Some(true) } else { unknown }
            }
            _ => {
                let resolved = self.resolve_in_clause(ty, base);
                // An alias may denote several protocols: `Codable`.
                if matches!(resolved.kind(), TypeKind::Composition(_)) {
                    return self.inherits(resolved, base, protocol, seen);
                }
                match self.path_of(resolved) {
                    // Nothing follows from a protocol without a declaration.
                    Some(path) if path != protocol && self.nominal_at(path).is_none() => {
                        matches!(self.lookup_nominal(path), Lookup::Absent).then_some(false)
                    }
                    _ => self.conforms_step(resolved, protocol, seen),
                }
            }
        }
    }

    /// Returns true if types may conform to the protocol without stating it.
    fn is_implied(&self, protocol: Symbol) -> bool {
        matches!(protocol.as_str(), "Copyable" | "Escapable" | "Sendable" | "BitwiseCopyable")
    }

    fn implied(&self, decl: &NominalDecl, protocol: Symbol) -> Option<bool> {
        match protocol.as_str() {
            "Copyable" | "Escapable" => Some(!is_suppressed(&decl.inherited, protocol)),
            _ => None,
        }
    }

    pub(super) fn requirements_hold(&self, requirements: &[Requirement], base: Type) -> Option<bool> {
        let mut answer = Some(true);
        for requirement in requirements {
            let subject = self.resolve_in(requirement.subject, base);
            let holds = match (requirement.kind, requirement.constraint.kind()) {
                (_, TypeKind::Inverse(_)) => Some(true),
                (RequirementKind::SameType, _) => {
                    let wanted = self.resolve_in(requirement.constraint, base);
                    if is_dependent(subject) || is_dependent(wanted) { None } else { Some(subject == wanted) }
                }
                (RequirementKind::Conforms, _) => {
                    let constraint = self.resolve_in(requirement.constraint, base);
                    self.path_of(constraint).and_then(|p| self.conforms(subject, p))
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

/// Returns true if `~Copyable` (or `~Escapable`) is one of the inherited types.
pub(super) fn is_suppressed(inherited: &[Type], protocol: Symbol) -> bool {
    inherited.iter().any(|t| match t.kind() {
        TypeKind::Inverse(t) => matches!(t.kind(), TypeKind::Named(n) if n.name == protocol),
        TypeKind::Composition(parts) => is_suppressed(parts, protocol),
        _ => false,
    })
}
