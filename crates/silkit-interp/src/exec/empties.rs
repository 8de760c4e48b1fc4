//! Memory of types without bytes that have a deinit. In raw SIL, the initialization bits of memory tell what is left to
//! destroy. Such values have no bits, so that the addresses without a value are recorded.

use crate::interp::Interp;
use crate::op::Write;
use crate::types::TypeId;
use crate::violation::Run;
use silkit_layout::{Ty, TyKind};

impl Interp<'_> {
    /// Records that the memory at an address holds no value, if the type has no bytes.
    pub(crate) fn note_empty_gone(&mut self, address: u64, ty: TypeId) {
        if self.types.get(ty).size == 0 && self.types.has_deinit(ty) && self.current_is_raw() {
            self.empties_gone.insert((address, ty));
        }
    }

    /// Records that the memory at an address holds a value, if the type has no bytes.
    pub(crate) fn note_empty_there(&mut self, address: u64, ty: TypeId) {
        if !self.empties_gone.is_empty() {
            self.empties_gone.remove(&(address, ty));
        }
    }

    /// Returns true if the memory at an address holds no value of a type without bytes.
    pub(crate) fn is_empty_gone(&self, address: u64, ty: TypeId) -> bool {
        self.empties_gone.contains(&(address, ty))
    }

    /// Copies or moves a value of a type without bytes.
    pub(super) fn copy_empty(&mut self, take: bool, write: Write, from: u64, to: u64, ty: TypeId) -> Run<()> {
        let replaces = match write {
            Write::Init => false,
            Write::Assign => self.types.has_deinit(ty),
            Write::Either => self.types.has_deinit(ty) && self.holds_value(to, ty)?,
        };
        if replaces {
            self.destroy_addr(to, ty)?;
        }
        self.note_empty_there(to, ty);
        if take && from != to {
            self.note_empty_gone(from, ty);
        }
        Ok(())
    }

    /// Records that a new box holds no values of types without bytes.
    pub(super) fn note_empties_in_box(&mut self, reference: u64, ty: Ty) -> Run<()> {
        let TyKind::Box(fields) = ty.kind() else { return Ok(()) };
        let (offsets, _) = self.world().box_layout(ty).map_err(crate::types::type_error)?;
        for (field, offset) in fields.iter().zip(offsets) {
            let id = self.type_id(field.ty)?;
            self.note_empty_gone(reference + offset, id);
        }
        Ok(())
    }
}
