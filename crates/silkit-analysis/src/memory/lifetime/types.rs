//! Queries about the types of memory locations.

use crate::BodyView;
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{SilType, Type, TypeKind};

/// The depth to which types are inspected to see whether they are empty.
const DEPTH: u32 = 16;

/// The number of types that are inspected to see whether one is empty. Types may expand without end.
const MAX_TYPES: usize = 1 << 10;

impl BodyView<'_> {
    /// Returns whether a type is trivial: its values own nothing.
    pub fn is_trivial(&self, ty: SilType) -> Option<bool> {
        if ty.is_unknown() { None } else { self.declarations().is_trivial(ty.ty(), self.signature()) }
    }

    /// Returns whether a type is empty: its values have no bits, so that no store is needed to initialize one. `known` has
    /// the answers for types that the body has asked about before.
    pub(super) fn is_empty(&self, ty: Type, known: &mut FxHashMap<Type, Option<bool>>) -> Option<bool> {
        if let Some(answer) = known.get(&ty) {
            return *answer;
        }
        if known.len() > MAX_TYPES / 2 {
            known.clear();
        }
        self.empty(ty, 0, known)
    }

    /// Returns whether a type is empty. The answers for its parts are kept in `known`, so that each type is inspected
    /// once; a type that contains itself, which is invalid, is unknown.
    fn empty(&self, ty: Type, depth: u32, known: &mut FxHashMap<Type, Option<bool>>) -> Option<bool> {
        if let Some(answer) = known.get(&ty) {
            return *answer;
        }
        if depth > DEPTH || known.len() > MAX_TYPES {
            return None;
        }
        known.insert(ty, None);
        let mut all = |types: &mut dyn Iterator<Item = Type>| {
            let mut answer = Some(true);
            for ty in types {
                match self.empty(ty, depth + 1, known) {
                    Some(false) => return Some(false),
                    None => answer = None,
                    Some(true) => {}
                }
            }
            answer
        };
        let answer = match ty.kind() {
            TypeKind::Tuple(elements) => all(&mut elements.iter().map(|e| e.ty)),
            TypeKind::Builtin(..) | TypeKind::Function(_) => Some(false),
            TypeKind::Named(_) => self.empty_nominal(ty, &mut all),
            _ => None,
        };
        known.insert(ty, answer);
        answer
    }

    /// Returns whether a nominal type is empty, where `all` tells whether all of some types are.
    fn empty_nominal(
        &self,
        ty: Type,
        all: &mut dyn FnMut(&mut dyn Iterator<Item = Type>) -> Option<bool>,
    ) -> Option<bool> {
        // An enum with a single case may be empty as well.
        if let Some(cases) = self.declarations().enum_cases(ty) {
            return (cases.len() > 1).then_some(false);
        }
        // A reference has bits, whatever the fields of its class.
        if self.declarations().nominal_of(ty)?.is_class() {
            return Some(false);
        }
        all(&mut self.declarations().stored_fields(ty)?.iter().map(|(_, ty)| *ty))
    }

    /// Returns whether an enum value with this case is trivial.
    pub fn is_trivial_case(&self, ty: SilType, case: Symbol) -> Option<bool> {
        let found = self.declarations().enum_case(ty.ty(), case)?;
        if found.payload.is_none() {
            return Some(true);
        }
        if found.indirect {
            return Some(false);
        }
        let payload = self.declarations().enum_payload(ty.ty(), case)?;
        if payload.indirect {
            return Some(false);
        }
        self.declarations().is_trivial(payload.ty, self.signature())
    }

    /// Returns the cases that the default target of a switch covers; `None` if they are not known.
    pub(super) fn other_cases(&self, ty: SilType, listed: &[Symbol]) -> Option<Vec<Symbol>> {
        let cases = self.declarations().enum_cases(ty.ty())?;
        Some(cases.iter().map(|c| c.name).filter(|name| !listed.contains(name)).collect())
    }
}
