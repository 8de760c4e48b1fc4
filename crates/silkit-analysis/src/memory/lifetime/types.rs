//! Queries about the types of memory locations.

use crate::BodyView;
use silkit_base::Symbol;
use silkit_types::SilType;

impl BodyView<'_> {
    /// Returns whether a type is trivial: its values own nothing.
    pub fn is_trivial(&self, ty: SilType) -> Option<bool> {
        if ty.is_unknown() { None } else { self.declarations().is_trivial(ty.ty(), self.signature()) }
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
