//! Queries about packs in types.

use super::query::Declarations;
use crate::facts::TypeFacts;
use crate::kind::{Type, TypeKind};
use silkit_base::FxHashSet;

/// A limit above the number of types in any hand-written type.
const MOST_TYPES: usize = 10_000;

impl Declarations {
    /// Returns whether a type is a pack or stores a value whose type contains a parameter pack; `None` if a part of
    /// the type is not known.
    pub fn holds_pack(&self, ty: Type) -> Option<bool> {
        let mut seen = FxHashSet::default();
        let mut work = vec![ty];
        let mut is_known = true;
        while let Some(ty) = work.pop() {
            if !seen.insert(ty) {
                continue;
            }
            if seen.len() > MOST_TYPES {
                return None;
            }
            match ty.kind() {
                TypeKind::Pack { .. } | TypeKind::PackExpansion(_) => return Some(true),
                TypeKind::Tuple(elements) => work.extend(elements.iter().map(|e| e.ty)),
                TypeKind::Paren(inner) | TypeKind::Optional(inner) => work.push(*inner),
                TypeKind::Unknown => is_known = false,
                TypeKind::Named(_) => {
                    let Some(decl) = self.nominal_of(ty) else {
                        is_known = false;
                        continue;
                    };
                    if decl.sig.is_some_and(|sig| sig.data().params.iter().any(|p| p.is_pack)) {
                        return Some(true);
                    }
                    if decl.is_class() {
                        continue;
                    }
                    let fields = TypeFacts::stored_fields(self, ty);
                    let cases = self.enum_cases(ty).unwrap_or_default();
                    is_known &= fields.is_some() || !cases.is_empty();
                    work.extend(fields.into_iter().flatten());
                    work.extend(cases.iter().filter_map(|case| TypeFacts::enum_payload(self, ty, case.name)));
                }
                _ => {}
            }
        }
        is_known.then_some(false)
    }
}
