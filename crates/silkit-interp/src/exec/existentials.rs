//! Existential containers: initialization, opening, copying and destruction.

use crate::instance::{Binding, Bound};
use crate::interp::Interp;
use crate::memory::Kind;
use crate::op::{Pc, Slot};
use crate::sites::{DynamicKind, OpenKind};
use crate::types::TypeId;
use crate::violation::Run;
use silkit_layout::{LayoutKind, Ty};

use super::counts::word;

/// The size in bytes of the inline buffer of an opaque existential container.
const BUFFER: u32 = 24;

impl Interp<'_> {
    /// Returns true if a value of a type is stored inline in the buffer of its container.
    pub(crate) fn is_inline(&self, ty: TypeId) -> bool {
        let info = self.types.get(ty);
        info.size <= BUFFER && info.align <= 8 && info.layout.takable
    }

    /// Sets the type of an existential container, and returns the address of its value.
    pub(crate) fn fill_container(&mut self, container: u64, ty: TypeId, tables: u64) -> Run<u64> {
        let of = self.types.get(ty).ty;
        let metadata = self.metadata(of)?;
        let mut place = container;
        if !self.is_inline(ty) {
            let reference = self.new_value_box(Kind::ValueBox, ty)?;
            self.write(container, reference)?;
            place = self.boxed_value(reference, ty);
        }
        for i in 0..=tables {
            self.write(container + u64::from(BUFFER) + 8 * i, metadata)?;
        }
        Ok(place)
    }

    /// Writes a word to memory.
    pub(crate) fn write(&mut self, address: u64, value: u64) -> Run<()> {
        self.memory.store_u64(address, value).map_err(|fault| self.fault(fault, address, "writing"))
    }

    /// Reads a word from memory.
    pub(crate) fn read(&mut self, address: u64) -> Run<u64> {
        self.memory.load_u64(address).map_err(|fault| self.fault(fault, address, "reading"))
    }

    pub(super) fn init_existential(&mut self, tables: u8, to: Slot, container: Slot, ty: TypeId) -> Run<()> {
        let container = self.get(container);
        let place = self.fill_container(container, ty, u64::from(tables))?;
        self.set(to, place);
        Ok(())
    }

    /// Returns the type of the value in an opaque container.
    pub(crate) fn container_type(&mut self, container: u64) -> Run<Ty> {
        let metadata = self.read(container + u64::from(BUFFER))?;
        self.type_at(metadata)
    }

    /// Returns the address of the value in an opaque container; for mutation, the address of a uniquely referenced
    /// value.
    pub(crate) fn container_value(&mut self, container: u64, ty: TypeId, mutable: bool) -> Run<u64> {
        if self.is_inline(ty) {
            return Ok(container);
        }
        let mut reference = self.read(container)?;
        if mutable && !self.is_unique_reference(reference)? {
            let copy = self.new_value_box(Kind::ValueBox, ty)?;
            let (from, to) = (self.boxed_value(reference, ty), self.boxed_value(copy, ty));
            self.copy_value(false, crate::op::Write::Init, from, to, ty)?;
            self.release_reference(reference)?;
            self.write(container, copy)?;
            reference = copy;
        }
        Ok(self.boxed_value(reference, ty))
    }

    pub(super) fn retain_existential(&mut self, bytes: &[u8]) -> Run<()> {
        let ty = self.type_at(word(bytes, BUFFER as usize))?;
        let id = self.type_id(ty)?;
        if self.is_inline(id) {
            let size = self.types.get(id).size as usize;
            return self.retain_bytes(&bytes[..size], id);
        }
        self.retain_reference(word(bytes, 0))
    }

    pub(super) fn destroy_existential(&mut self, bytes: &[u8], address: Option<u64>) -> Run<()> {
        let ty = self.type_at(word(bytes, BUFFER as usize))?;
        let id = self.type_id(ty)?;
        if self.is_inline(id) {
            let size = self.types.get(id).size as usize;
            return self.destroy_bytes(&bytes[..size], id, address);
        }
        self.release_reference(word(bytes, 0))
    }

    /// Frees the memory of a container whose value was taken or never initialized.
    pub(super) fn deinit_existential(&mut self, container: Slot) -> Run<()> {
        let container = self.get(container);
        let ty = self.container_type(container)?;
        let id = self.type_id(ty)?;
        if !self.is_inline(id) {
            let reference = self.read(container)?;
            self.free_object(reference)?;
        }
        Ok(())
    }

    /// Opens an existential, and continues with the code for its dynamic type.
    pub(super) fn open(&mut self, site: u32) -> Run<Pc> {
        let (kind, from, to, mutable) = {
            let site = &self.sites.opens[site as usize];
            (site.kind, site.from, site.to, site.mutable)
        };
        let ty = match kind {
            OpenKind::Opaque => {
                let container = self.get(from);
                let ty = self.container_type(container)?;
                let id = self.type_id(ty)?;
                let place = self.container_value(container, id, mutable)?;
                self.set(to, place);
                ty
            }
            OpenKind::Class => {
                let reference = self.get(from);
                self.set(to, reference);
                self.class_of(reference)?
            }
            OpenKind::Metatype => {
                let metadata = self.get(from);
                self.set(to, metadata);
                self.type_at(metadata)?
            }
            OpenKind::Error => {
                let reference = self.get(from);
                let ty = self.boxed_type(reference)?;
                let id = self.type_id(ty)?;
                let place = self.boxed_value(reference, id);
                self.set(to, place);
                ty
            }
        };
        let known = self.sites.opens[site as usize].cache.iter().find(|(t, _)| *t == ty);
        if let Some((_, pc)) = known {
            return Ok(*pc);
        }
        let (instance, inst, bind, id) = {
            let site = &self.sites.opens[site as usize];
            (site.instance, site.inst, site.bind, site.id)
        };
        let pc = self.translate_tail(instance, inst, bind, Binding { id, bound: Bound::Type(ty) })?;
        self.sites.opens[site as usize].cache.push((ty, pc));
        Ok(pc)
    }

    /// Opens the elements of packs at an index, and continues with the code for their types.
    pub(super) fn open_pack(&mut self, site: u32) -> Run<Pc> {
        let index = self.get(self.sites.packs[site as usize].index) as usize;
        let known = self.sites.packs[site as usize].cache.iter().find(|(i, _)| *i == index);
        if let Some((_, pc)) = known {
            return Ok(*pc);
        }
        let of = self.sites.packs[site as usize].clone();
        let bound = Bound::Element { index, sig: of.sig, args: of.args };
        let pc = self.translate_tail(of.instance, of.inst, of.bind, Binding { id: of.id, bound })?;
        self.sites.packs[site as usize].cache.push((index, pc));
        Ok(pc)
    }

    pub(super) fn dynamic_type(&mut self, site: u32) -> Run<()> {
        let site = self.sites.dynamic[site as usize].clone();
        let metadata = match site.kind {
            DynamicKind::Object => {
                let reference = self.get(site.from);
                let class = self.class_of(reference)?;
                self.metadata(class)?
            }
            DynamicKind::Container => {
                let container = self.get(site.from);
                let ty = self.dynamic_type_in(container)?;
                self.metadata(ty)?
            }
            DynamicKind::Error => {
                let ty = self.boxed_type(self.get(site.from))?;
                let id = self.type_id(ty)?;
                let at = self.boxed_value(self.get(site.from), id);
                let ty = self.dynamic_type_at(at, ty)?;
                self.metadata(ty)?
            }
            DynamicKind::MetatypeContainer => self.get(site.from),
        };
        let mut at = site.to;
        while at < site.to + site.len {
            self.set(at, metadata);
            at += 8;
        }
        Ok(())
    }

    /// Returns the dynamic type of the value in an opaque container; for an object, its class.
    pub(crate) fn dynamic_type_in(&mut self, container: u64) -> Run<Ty> {
        let ty = self.container_type(container)?;
        let id = self.type_id(ty)?;
        let at = self.container_value(container, id, false)?;
        self.dynamic_type_at(at, ty)
    }

    /// Returns the dynamic type of the value at an address, whose static type is `ty`.
    pub(crate) fn dynamic_type_at(&mut self, address: u64, ty: Ty) -> Run<Ty> {
        if self.is_class(ty) {
            let reference = self.read(address)?;
            return self.class_of(reference);
        }
        match &self.info(ty)?.layout.kind {
            // The value is itself a container: return the dynamic type of its value.
            LayoutKind::Existential(_) => self.dynamic_type_in(address),
            LayoutKind::ClassExistential(_) => {
                let reference = self.read(address)?;
                self.class_of(reference)
            }
            LayoutKind::ErrorExistential => {
                let reference = self.read(address)?;
                let inner = self.boxed_type(reference)?;
                let id = self.type_id(inner)?;
                self.dynamic_type_at(self.boxed_value(reference, id), inner)
            }
            _ => Ok(ty),
        }
    }
}
