//! Objects, boxes, globals, and weak and unowned references.

use crate::buffer::Buffer;
use crate::frame::StackOrder;
use crate::interp::Interp;
use crate::memory::Kind;
use crate::op::Slot;
use crate::types::TypeId;
use crate::violation::{Run, ViolationKind};
use silkit_layout::{Ty, TyKind};

impl Interp<'_> {
    pub(super) fn alloc_ref(&mut self, site: u32) -> Run<()> {
        let site = self.sites.allocs[site as usize].clone();
        let (class, mut size, mut align) = match site.metatype {
            None => (site.class, u64::from(site.size), u64::from(site.align)),
            Some(slot) => {
                let class = self.type_at(self.get(slot))?;
                let (size, align) = self.class_size(class)?;
                (class, u64::from(size), u64::from(align))
            }
        };
        for &(stride, tail_align, count) in &site.tails {
            let count = self.get(count);
            size = size.next_multiple_of(u64::from(tail_align));
            let bytes = count.checked_mul(u64::from(stride)).and_then(|n| size.checked_add(n));
            let Some(bytes) = bytes.filter(|&n| n < 1 << 40) else {
                return Err(crate::violation::Stop::OutOfMemory);
            };
            size = bytes;
            align = align.max(u64::from(tail_align));
        }
        let object = self.new_object(class, size, align)?;
        if site.on_stack {
            self.on_stack(object, StackOrder::Nested);
        }
        self.set(site.to, object);
        Ok(())
    }

    /// Allocates an object with its header.
    pub(crate) fn new_object(&mut self, class: Ty, size: u64, align: u64) -> Run<u64> {
        let metadata = self.metadata(class)?;
        let object = self.allocate(Kind::Object, size.max(16), align.max(16), class.as_u32())?;
        self.write_header(object, metadata)?;
        Ok(object)
    }

    /// Writes the header of an object: its metadata, and a placeholder for its reference counts.
    pub(crate) fn write_header(&mut self, object: u64, metadata: u64) -> Run<()> {
        let written =
            self.memory.store_u64(object, metadata).and_then(|()| self.memory.store_u64(object + 8, 3));
        written.map_err(|fault| self.fault(fault, object, "writing the header of"))
    }

    pub(super) fn alloc_box(&mut self, to: Slot, site: u32) -> Run<()> {
        let (ty, size, align) = self.sites.boxes[site as usize];
        let address = self.allocate(Kind::Box, u64::from(size), u64::from(align).max(16), ty.as_u32())?;
        self.write_header(address, 0)?;
        if size <= 16 {
            self.note_empties_in_box(address, ty)?;
        }
        self.set(to, address);
        Ok(())
    }

    pub(super) fn alloc_error_box(&mut self, to: Slot, ty: TypeId) -> Run<()> {
        let address = self.new_value_box(Kind::ErrorBox, ty)?;
        self.set(to, address);
        Ok(())
    }

    /// Allocates a box for a value of a type.
    pub(crate) fn new_value_box(&mut self, kind: Kind, ty: TypeId) -> Run<u64> {
        let info = self.known(ty);
        let align = u64::from(info.align).max(16);
        let size = 16u64.next_multiple_of(u64::from(info.align)) + u64::from(info.size);
        let address = self.allocate(kind, size, align, info.ty.as_u32())?;
        self.write_header(address, 0)?;
        Ok(address)
    }

    pub(super) fn project_error_box(&mut self, to: Slot, from: Slot) -> Run<()> {
        let reference = self.get(from);
        let id = self.type_id(self.boxed_type(reference)?)?;
        let at = self.boxed_value(reference, id);
        self.set(to, at);
        Ok(())
    }

    /// Returns the type of the value in an error box.
    pub(crate) fn boxed_type(&self, reference: u64) -> Run<Ty> {
        match self.memory.allocation(reference) {
            Some((entry, base)) if entry.alive && base == reference && entry.kind == Kind::ErrorBox => {
                Ok(Ty::from_u32(entry.ty))
            }
            Some((entry, _)) if !entry.alive => {
                Err(self.fault(crate::memory::Fault::Dead, reference, "opening an error in"))
            }
            _ => Err(self.confusion(format!("{reference:#x} is used as an error box"), reference)),
        }
    }

    /// Returns the class of an object.
    pub(crate) fn class_of(&self, reference: u64) -> Run<Ty> {
        match self.memory.allocation(reference) {
            Some((entry, base)) if entry.alive && base == reference && entry.kind == Kind::Object => {
                Ok(Ty::from_u32(entry.ty))
            }
            Some((entry, _)) if !entry.alive && entry.kind != Kind::None => {
                Err(self.fault(crate::memory::Fault::Dead, reference, "asking for the class of"))
            }
            _ => Err(self.confusion(format!("{reference:#x} is used as an object"), reference)),
        }
    }

    pub(super) fn dealloc_ref(&mut self, object: Slot, stack: bool) -> Run<()> {
        let reference = self.get(object);
        if stack {
            self.leave_stack(reference)?;
            // The deinit of the object may have deallocated it already.
            return if self.memory.size_of(reference).is_some() {
                self.free_object(reference)
            } else {
                Ok(())
            };
        }
        if self.memory.allocation(reference).is_some_and(|(entry, base)| entry.on_stack && base == reference)
        {
            return Ok(());
        }
        self.free_object(reference)
    }

    pub(super) fn dealloc_partial(&mut self, object: Slot, metatype: Slot) -> Run<()> {
        let reference = self.get(object);
        let to = self.type_at(self.get(metatype))?;
        let class = self.class_of(reference)?;
        // The stored properties of `to` and its superclasses are already destroyed; destroy those that subclasses of
        // `to` initialized.
        if class != to {
            let parts: Vec<_> = self.fields_below(class, to)?;
            for (offset, ty) in parts {
                let id = self.type_id(ty)?;
                self.destroy_addr(reference + offset, id)?;
            }
        }
        self.free_object(reference)
    }

    /// Returns the offsets and types of the fields that are declared by a class and its superclasses below `end`.
    fn fields_below(&mut self, class: Ty, end: Ty) -> Run<Vec<(u64, Ty)>> {
        let layout = self.world().class_layout(class).map_err(crate::types::type_error)?;
        let below: Vec<Ty> = self.world().ancestry(class).take_while(|&c| c != end).collect();
        let fields = layout.fields.iter().filter(|f| below.contains(&f.class));
        Ok(fields.map(|f| (f.offset, f.ty)).collect())
    }

    pub(super) fn dealloc_box(&mut self, object: Slot) -> Run<()> {
        let reference = self.get(object);
        self.free_object(reference)
    }

    /// Creates a strong reference from an unowned one; the program stops if the object was destroyed.
    pub(super) fn strong_from_unowned(&mut self, to: Slot, from: Slot, ty: TypeId) -> Run<()> {
        let size = self.types.get(ty).size;
        let reference = self.get(from);
        self.retain_unowned(reference)?;
        let bytes = Buffer::from(self.bytes(from, size));
        self.bytes_mut(to, size).copy_from_slice(&bytes);
        Ok(())
    }

    pub(crate) fn retain_unowned(&mut self, reference: u64) -> Run<()> {
        if reference == 0 {
            return Ok(());
        }
        if !self.memory.can_be_retained(reference) {
            let message =
                "Fatal error: Attempted to read an unowned reference but the object was already deallocated";
            return Err(self.failure(134, message.to_owned()));
        }
        self.retain_reference(reference)
    }

    pub(super) fn is_unique(&mut self, to: Slot, address: Slot) -> Run<()> {
        let address = self.get(address);
        let loaded = self.memory.load_u64(address);
        let reference = loaded.map_err(|fault| self.fault(fault, address, "reading"))?;
        self.set_unique(to, reference)
    }

    pub(super) fn is_unique_value(&mut self, to: Slot, value: Slot) -> Run<()> {
        let reference = self.get(value);
        self.set_unique(to, reference)
    }

    fn set_unique(&mut self, to: Slot, reference: u64) -> Run<()> {
        let is_unique = self.is_unique_reference(reference)?;
        self.set_byte(to, u8::from(is_unique));
        Ok(())
    }

    /// Returns true if an object has exactly one strong reference; for a null reference, returns false.
    pub(crate) fn is_unique_reference(&mut self, bits: u64) -> Run<bool> {
        let Some(reference) = super::counts::bridged(bits) else { return Ok(false) };
        let answer = self.memory.is_unique(reference);
        answer.map_err(|fault| self.count_fault(fault, reference, false))
    }

    pub(super) fn load_weak(&mut self, take: bool, to: Slot, address: Slot, ty: TypeId) -> Run<()> {
        let size = self.types.get(ty).size;
        let address = self.get(address);
        let mut bytes = Buffer::zeroed(size as usize);
        let loaded = self.memory.load(address, &mut bytes);
        loaded.map_err(|fault| self.fault(fault, address, "reading"))?;
        let reference = super::counts::word(&bytes, 0);
        if reference == 0 || !self.memory.can_be_retained(reference) {
            bytes.fill(0);
        } else {
            self.retain_reference(reference)?;
        }
        self.bytes_mut(to, size).copy_from_slice(&bytes);
        if take {
            let undone = self.memory.deinitialize(address, u64::from(size));
            undone.map_err(|fault| self.fault(fault, address, "taking"))?;
        }
        Ok(())
    }

    pub(super) fn store_weak(&mut self, _init: bool, from: Slot, address: Slot, ty: TypeId) -> Run<()> {
        let size = self.types.get(ty).size;
        let address = self.get(address);
        let mut bytes = Buffer::from(self.bytes(from, size));
        // An object whose deinit is running cannot get new weak references.
        let reference = super::counts::word(&bytes, 0);
        if reference != 0 && !self.memory.can_be_retained(reference) {
            bytes.fill(0);
        }
        let stored = self.memory.store(address, &bytes);
        stored.map_err(|fault| self.fault(fault, address, "writing"))
    }

    pub(super) fn load_unowned(&mut self, take: bool, to: Slot, address: Slot, ty: TypeId) -> Run<()> {
        let size = self.types.get(ty).size;
        let at = self.get(address);
        let mut bytes = Buffer::zeroed(size as usize);
        let loaded = self.memory.load(at, &mut bytes);
        loaded.map_err(|fault| self.fault(fault, at, "reading"))?;
        let reference = super::counts::word(&bytes, 0);
        self.retain_unowned(reference)?;
        self.bytes_mut(to, size).copy_from_slice(&bytes);
        if take {
            self.count_unowned(reference, -1)?;
            let undone = self.memory.deinitialize(at, u64::from(size));
            undone.map_err(|fault| self.fault(fault, at, "taking"))?;
        }
        Ok(())
    }

    pub(super) fn store_unowned(&mut self, init: bool, from: Slot, address: Slot, ty: TypeId) -> Run<()> {
        let size = self.types.get(ty).size;
        let at = self.get(address);
        let bytes = Buffer::from(self.bytes(from, size));
        if !init {
            let old = self.memory.load_u64(at).map_err(|fault| self.fault(fault, at, "assigning to"))?;
            self.count_unowned(old, -1)?;
        }
        self.count_unowned(super::counts::word(&bytes, 0), 1)?;
        let stored = self.memory.store(at, &bytes);
        stored.map_err(|fault| self.fault(fault, at, "writing"))
    }

    pub(super) fn tail_address(&mut self, site: u32) {
        let site = self.sites.tails[site as usize];
        let end = self.get(site.base).wrapping_add(self.get(site.count).wrapping_mul(u64::from(site.stride)));
        self.set(site.to, end.next_multiple_of(u64::from(site.align.max(1))));
    }

    /// Returns the address of a global variable.
    pub(crate) fn global_address(&mut self, global: u32) -> Run<u64> {
        let found = self.sites.globals[global as usize].address;
        if found != 0 {
            return Ok(found);
        }
        self.make_global(global)
    }

    pub(super) fn pack_element(&mut self, to: Slot, pack: Slot, index: Slot, set: bool) -> Run<()> {
        let at = self.get(pack).wrapping_add(self.get(index).wrapping_mul(8));
        if set {
            let value = self.get(to);
            return self.memory.store_u64(at, value).map_err(|fault| self.fault(fault, at, "writing"));
        }
        let value = self.memory.load_u64(at).map_err(|fault| self.fault(fault, at, "reading"))?;
        self.set(to, value);
        Ok(())
    }

    /// Returns the violation for stack memory that is not deallocated when a function returns.
    pub(crate) fn stack_left(&self, address: u64) -> crate::violation::Stop {
        let message = format!("a function returns without deallocating its stack memory at {address:#x}");
        self.violation(ViolationKind::StackDiscipline, message, Some(address))
    }

    /// Returns true if the values of a type are references to objects.
    pub(crate) fn is_reference(&self, ty: Ty) -> bool {
        match ty.kind() {
            TyKind::Existential(e) => e.is_class,
            TyKind::Box(_) => true,
            _ => self.is_class(ty),
        }
    }
}
