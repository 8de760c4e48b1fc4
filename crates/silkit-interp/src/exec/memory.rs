//! Loads, stores, copies and stack memory.

use crate::buffer::Buffer;
use crate::frame::{StackMemory, StackOrder};
use crate::interp::Interp;
use crate::memory::{Fault, Kind};
use crate::op::{Slot, Write};
use crate::types::{Plan, TypeId, TypeInfo};
use crate::violation::{Run, Stop, ViolationKind};
use std::rc::Rc;

impl Interp<'_> {
    /// Returns the violation for a failed load, or `Ok` if the check for such reads is disabled.
    #[cold]
    fn load_failed(&mut self, fault: Fault, address: u64) -> Run<()> {
        let kind = match fault {
            Fault::Uninitialized => ViolationKind::UninitializedRead,
            Fault::Misaligned => ViolationKind::Misaligned,
            _ => return Err(self.fault(fault, address, "reading")),
        };
        if self.options.checks(kind) { Err(self.fault(fault, address, "reading")) } else { Ok(()) }
    }

    #[inline]
    pub(super) fn load8(&mut self, to: Slot, address: Slot) -> Run<()> {
        let address = self.get(address);
        match self.memory.load_u64(address) {
            Ok(value) if address & 7 == 0 => {
                self.set(to, value);
                Ok(())
            }
            Ok(_) => {
                self.load_failed(Fault::Misaligned, address)?;
                self.load_unchecked(to, address, 8)
            }
            Err(fault) => {
                self.load_failed(fault, address)?;
                self.load_unchecked(to, address, 8)
            }
        }
    }

    #[inline]
    pub(super) fn load1(&mut self, to: Slot, address: Slot) -> Run<()> {
        let address = self.get(address);
        let mut byte = [0];
        match self.memory.load(address, &mut byte) {
            Ok(()) => {
                self.set_byte(to, byte[0]);
                Ok(())
            }
            Err(fault) => {
                self.load_failed(fault, address)?;
                self.load_unchecked(to, address, 1)
            }
        }
    }

    fn load_unchecked(&mut self, to: Slot, address: u64, len: u32) -> Run<()> {
        let at = self.base + to as usize;
        let into = &mut self.stack.bytes[at..at + len as usize];
        let loaded = self.memory.load_any(address, into);
        loaded.map_err(|fault| self.fault(fault, address, "reading"))
    }

    #[inline]
    pub(super) fn store8(&mut self, from: Slot, address: Slot) -> Run<()> {
        let address = self.get(address);
        let value = self.get(from);
        match self.memory.store_u64(address, value) {
            Ok(()) if address & 7 == 0 => Ok(()),
            Ok(()) => self.misaligned_write(address),
            Err(fault) => Err(self.fault(fault, address, "writing")),
        }
    }

    #[inline]
    pub(super) fn store1(&mut self, from: Slot, address: Slot) -> Run<()> {
        let address = self.get(address);
        let value = self.get_byte(from);
        self.memory.store(address, &[value]).map_err(|fault| self.fault(fault, address, "writing"))
    }

    #[cold]
    fn misaligned_write(&self, address: u64) -> Run<()> {
        if self.options.checks(ViolationKind::Misaligned) {
            return Err(self.fault(Fault::Misaligned, address, "writing"));
        }
        Ok(())
    }

    /// Returns the runtime information of a type by its number.
    #[inline]
    pub(crate) fn known(&self, ty: TypeId) -> Rc<TypeInfo> {
        self.types.get(ty).clone()
    }

    pub(super) fn load(&mut self, to: Slot, address: Slot, ty: TypeId) -> Run<()> {
        let info = self.types.get(ty);
        let (size, align, is_dense) = (info.size, info.align, info.is_dense);
        let address = self.get(address);
        if size == 0 {
            return Ok(());
        }
        if address & u64::from(align - 1) != 0 {
            self.load_failed(Fault::Misaligned, address)?;
        }
        if !is_dense {
            self.check_touched(ty, address)?;
            return self.load_unchecked(to, address, size);
        }
        let at = self.base + to as usize;
        let into = &mut self.stack.bytes[at..at + size as usize];
        match self.memory.load(address, into) {
            Ok(()) => Ok(()),
            // In raw SIL, a part of the value may have been moved out, so that its memory is uninitialized.
            Err(Fault::Uninitialized) if self.current_is_raw() && self.types.has_deinit(ty) => {
                self.check_touched(ty, address)?;
                self.load_unchecked(to, address, size)
            }
            Err(fault) => {
                self.load_failed(fault, address)?;
                self.load_unchecked(to, address, size)
            }
        }
    }

    /// Checks that at least one byte of a value is initialized. This check is for values with padding, and for values
    /// whose case is stored in only a part of their bytes.
    fn check_touched(&mut self, ty: TypeId, address: u64) -> Run<()> {
        let size = u64::from(self.types.get(ty).size);
        match self.memory.is_touched(address, size) {
            Ok(true) => Ok(()),
            Ok(false) if self.has_raw_part(ty) => Ok(()),
            Ok(false) => self.load_failed(Fault::Uninitialized, address),
            Err(fault) => Err(self.fault(fault, address, "reading")),
        }
    }

    /// Returns true if a part of a type is raw storage: memory that the type does not describe and that may be
    /// uninitialized.
    fn has_raw_part(&self, ty: TypeId) -> bool {
        self.types.get(ty).has_raw_part
    }

    pub(super) fn load_copy(&mut self, to: Slot, address: Slot, ty: TypeId) -> Run<()> {
        self.load(to, address, ty)?;
        self.retain_value_op(to, ty)
    }

    pub(super) fn load_take(&mut self, to: Slot, address: Slot, ty: TypeId) -> Run<()> {
        self.load(to, address, ty)?;
        let address = self.get(address);
        self.forget(address, ty)
    }

    /// Marks the memory of a taken value as uninitialized.
    pub(crate) fn forget(&mut self, address: u64, ty: TypeId) -> Run<()> {
        let size = u64::from(self.types.get(ty).size);
        if size == 0 {
            self.note_empty_gone(address, ty);
        }
        self.memory.deinitialize(address, size).map_err(|fault| self.fault(fault, address, "taking"))
    }

    pub(super) fn store(&mut self, from: Slot, address: Slot, ty: TypeId) -> Run<()> {
        let info = self.types.get(ty);
        let (size, align) = (info.size, info.align);
        let address = self.get(address);
        if size == 0 {
            self.note_empty_there(address, ty);
            return Ok(());
        }
        if address & u64::from(align - 1) != 0 {
            self.misaligned_write(address)?;
        }
        let at = self.base + from as usize;
        let bytes = &self.stack.bytes[at..at + size as usize];
        self.memory.store(address, bytes).map_err(|fault| self.fault(fault, address, "writing"))
    }

    /// Returns true if the initialized bytes at an address can hold a value of a type.
    pub(crate) fn holds_value(&mut self, address: u64, ty: TypeId) -> Run<bool> {
        let info = self.types.get(ty);
        let size = u64::from(info.size);
        if size == 0 && self.is_empty_gone(address, ty) {
            return Ok(false);
        }
        let answer = if info.is_dense {
            self.memory.is_initialized(address, size)
        } else {
            self.memory.is_touched(address, size)
        };
        answer.map_err(|fault| self.fault(fault, address, "assigning to"))
    }

    pub(super) fn store_assign(&mut self, write: Write, from: Slot, address: Slot, ty: TypeId) -> Run<()> {
        let target = self.get(address);
        let replaces = match write {
            Write::Init => false,
            Write::Assign => true,
            Write::Either => self.holds_value(target, ty)?,
        };
        if !replaces || self.types.get(ty).plan.is_trivial() {
            return self.store(from, address, ty);
        }
        let old = self.read_value(target, ty)?;
        self.store(from, address, ty)?;
        self.destroy_bytes(&old, ty, None)
    }

    /// Reads the bytes of a value.
    pub(crate) fn read_value(&mut self, address: u64, ty: TypeId) -> Run<Buffer> {
        let (size, is_dense) = (self.types.get(ty).size, self.types.get(ty).is_dense);
        let mut bytes = Buffer::zeroed(size as usize);
        let read = if is_dense { self.memory.load(address, &mut bytes) } else { Err(Fault::Uninitialized) };
        match read {
            Ok(()) => {}
            Err(Fault::Uninitialized) => {
                if is_dense {
                    self.load_failed(Fault::Uninitialized, address)?;
                } else if size > 0 {
                    self.check_touched(ty, address)?;
                }
                self.memory.load_any(address, &mut bytes).map_err(|f| self.fault(f, address, "reading"))?;
            }
            Err(fault) => return Err(self.fault(fault, address, "reading")),
        }
        Ok(bytes)
    }

    pub(super) fn copy_addr(
        &mut self,
        take: bool,
        write: Write,
        from: Slot,
        to: Slot,
        ty: TypeId,
    ) -> Run<()> {
        let (from, to) = (self.get(from), self.get(to));
        self.copy_value(take, write, from, to, ty)
    }

    /// Copies or moves a value from one place in memory to another.
    pub(crate) fn copy_value(&mut self, take: bool, write: Write, from: u64, to: u64, ty: TypeId) -> Run<()> {
        let info = self.known(ty);
        if info.size == 0 {
            return self.copy_empty(take, write, from, to, ty);
        }
        let replaces = match write {
            Write::Init => false,
            Write::Assign => true,
            Write::Either => self.holds_value(to, ty)?,
        };
        let is_trivial = info.plan.is_trivial();
        let old = if replaces && !is_trivial { Some(self.read_value(to, ty)?) } else { None };
        if !take && !is_trivial {
            self.retain_at(from, ty)?;
        } else if !info.is_dense || self.memory.is_initialized(from, u64::from(info.size)) != Ok(true) {
            self.check_touched(ty, from)?;
        }
        self.require_disjoint(to, from, u64::from(info.size))?;
        let copied = self.memory.copy(from, to, u64::from(info.size));
        copied.map_err(|fault| self.copy_fault(fault, from, to))?;
        if take && from != to {
            self.forget(from, ty)?;
        }
        match old {
            Some(old) => self.destroy_bytes(&old, ty, None),
            None => Ok(()),
        }
    }

    fn copy_fault(&self, fault: Fault, from: u64, to: u64) -> Stop {
        let source_is_bad = self.memory.bytes(from, 1).is_err();
        if source_is_bad {
            self.fault(fault, from, "copying from")
        } else {
            self.fault(fault, to, "copying to")
        }
    }

    pub(super) fn destroy_addr_op(&mut self, address: Slot, ty: TypeId) -> Run<()> {
        let address = self.get(address);
        self.destroy_addr(address, ty)
    }

    /// Destroys the value at an address.
    pub(crate) fn destroy_addr(&mut self, address: u64, ty: TypeId) -> Run<()> {
        if self.types.get(ty).size == 0 && self.types.get(ty).plan.is_trivial() {
            return Ok(());
        }
        if self.types.get(ty).plan.is_trivial() {
            return self.forget(address, ty);
        }
        self.destroy_at(address, ty)?;
        self.forget(address, ty)
    }

    /// Destroys the value at an address, whose memory stays initialized. If the value has bytes that may be
    /// uninitialized, only the parts that are destroyed are read.
    fn destroy_at(&mut self, address: u64, ty: TypeId) -> Run<()> {
        let info = self.known(ty);
        if let Plan::Parts(parts) = &info.plan
            && !info.is_dense
        {
            return parts.iter().try_for_each(|&(at, part)| self.destroy_at(address + u64::from(at), part));
        }
        let bytes = self.read_value(address, ty)?;
        self.destroy_bytes(&bytes, ty, Some(address))
    }

    pub(super) fn destroy_if_any(&mut self, address: Slot, ty: TypeId) -> Run<()> {
        let address = self.get(address);
        let size = u64::from(self.types.get(ty).size);
        if size == 0 && self.is_empty_gone(address, ty) {
            return Ok(());
        }
        if size == 0 {
            return self.destroy_addr(address, ty);
        }
        let is_touched = self.memory.is_touched(address, size);
        if is_touched.map_err(|fault| self.fault(fault, address, "destroying"))? {
            return self.destroy_parts_if_any(address, ty);
        }
        Ok(())
    }

    /// Destroys the initialized parts of a value; other parts may be uninitialized.
    pub(super) fn destroy_parts_if_any(&mut self, address: u64, ty: TypeId) -> Run<()> {
        let info = self.known(ty);
        if let Plan::Parts(parts) = &info.plan {
            for &(offset, part) in parts.iter() {
                let at = address + u64::from(offset);
                let size = u64::from(self.types.get(part).size);
                let is_touched = self.memory.is_touched(at, size);
                if is_touched.map_err(|fault| self.fault(fault, at, "destroying"))? {
                    self.destroy_parts_if_any(at, part)?;
                }
            }
            return self.forget(address, ty);
        }
        self.destroy_addr(address, ty)
    }

    pub(super) fn alloc_stack(&mut self, to: Slot, ty: TypeId, order: StackOrder) -> Run<()> {
        let info = self.types.get(ty);
        let (size, align, number) = (u64::from(info.size), u64::from(info.align), info.ty.as_u32());
        let address = self.stack_memory(size, align, number, order)?;
        if size == 0 {
            self.note_empty_gone(address, ty);
        }
        self.set(to, address);
        Ok(())
    }

    pub(super) fn alloc_bytes(&mut self, to: Slot, size: u32, align: u32) -> Run<()> {
        let address = self.stack_memory(u64::from(size), u64::from(align), 0, StackOrder::Nested)?;
        self.set(to, address);
        Ok(())
    }

    /// Allocates memory on the stack.
    pub(crate) fn stack_memory(&mut self, size: u64, align: u64, ty: u32, order: StackOrder) -> Run<u64> {
        let address = self.allocate(Kind::Stack, size, align, ty)?;
        self.on_stack(address, order);
        Ok(address)
    }

    /// Records memory on the stack.
    pub(crate) fn on_stack(&mut self, address: u64, order: StackOrder) {
        self.memory.put_on_stack(address);
        let frame = match self.stack.frames.last_mut() {
            Some(frame) => {
                frame.has_temporaries |= order == StackOrder::Temporary;
                frame.serial
            }
            None => 0,
        };
        self.stack.memory.push(StackMemory { address, frame, order });
    }

    pub(super) fn dealloc_stack(&mut self, address: Slot) -> Run<()> {
        let address = self.get(address);
        self.leave_stack(address)?;
        let freed = self.memory.free(address, self.pc);
        freed.map_err(|fault| self.free_fault(fault, address))?;
        Ok(())
    }

    /// Removes memory from the record of stack memory.
    pub(crate) fn leave_stack(&mut self, address: u64) -> Run<()> {
        if self.stack.memory.last().is_some_and(|m| m.address == address) {
            self.stack.memory.pop();
            return Ok(());
        }
        let Some(at) = self.stack.memory.iter().rposition(|m| m.address == address) else {
            let message = format!("deallocating {address:#x}, which is not a live stack allocation");
            return Err(self.violation(ViolationKind::StackDiscipline, message, Some(address)));
        };
        let StackMemory { frame, order, .. } = self.stack.memory[at];
        let is_later = |m: &&StackMemory| m.frame == frame && m.order == StackOrder::Nested;
        let later =
            self.stack.memory[at + 1..].iter().find(is_later).filter(|_| order != StackOrder::Any).copied();
        if let Some(later) = later
            && self.options.checks(ViolationKind::StackDiscipline)
            && !self.current_is_raw()
        {
            let message = format!(
                "deallocating {address:#x} before {:#x}, which was allocated after it",
                later.address
            );
            return Err(self.violation(ViolationKind::StackDiscipline, message, Some(later.address)));
        }
        self.stack.memory.remove(at);
        Ok(())
    }

    /// Returns true if the current function is raw SIL, in which stack discipline is not established yet.
    pub(crate) fn current_is_raw(&self) -> bool {
        let frame = self.stack.frames.last();
        let instance = frame.and_then(|f| self.instances.get(f.instance.0 as usize));
        instance.is_some_and(|i| i.function.is_raw)
    }

    /// Returns the violation for an invalid deallocation.
    #[cold]
    pub(crate) fn free_fault(&self, fault: Fault, address: u64) -> Stop {
        match fault {
            Fault::Dead => {
                let message = format!("deallocating {address:#x} a second time");
                self.violation(ViolationKind::DoubleFree, message, Some(address))
            }
            other => self.fault(other, address, "deallocating"),
        }
    }
}
