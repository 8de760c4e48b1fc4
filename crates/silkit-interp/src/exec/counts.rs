//! Retains, releases, and the destruction of values.

use crate::buffer::Buffer;
use crate::instance::InstanceId;
use crate::interp::Interp;
use crate::memory::Kind;
use crate::op::{NO_PC, Pc, Slot};
use crate::types::{Plan, TypeId};
use crate::violation::{Run, Stop, ViolationKind};
use silkit_base::Symbol;
use silkit_layout::Ty;

use super::Next;

/// The bits of a bridge object that mark it as not reference-counted.
const BRIDGE_IMMEDIATE: u64 = 1 << 63;
/// The bits of a bridge object that hold an address.
const BRIDGE_ADDRESS: u64 = 0x00FF_FFFF_FFFF_FFF8;

/// Returns the object that a bridge object refers to, or `None` if there is none.
pub(crate) fn bridged(bits: u64) -> Option<u64> {
    let address = bits & BRIDGE_ADDRESS;
    (bits & BRIDGE_IMMEDIATE == 0 && address != 0).then_some(address)
}

pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

impl Interp<'_> {
    /// Returns the violation for an enum whose bits are not a valid case.
    #[cold]
    pub(crate) fn invalid_enum(&self, ty: TypeId, bytes: &[u8]) -> Stop {
        let message = format!("the bytes {bytes:02x?} are not a valid value of `{}`", self.types.get(ty).ty);
        self.violation(ViolationKind::InvalidEnum, message, None)
    }

    #[inline]
    pub(super) fn retain(&mut self, object: Slot) -> Run<()> {
        let reference = self.get(object);
        self.retain_reference(reference)
    }

    /// Adds a strong reference.
    #[inline]
    pub(crate) fn retain_reference(&mut self, reference: u64) -> Run<()> {
        let retained = self.memory.retain(reference, 1, self.pc);
        retained.map_err(|fault| self.count_fault(fault, reference, false))
    }

    pub(super) fn release_op(&mut self, object: Slot, pc: Pc) -> Run<Next> {
        let reference = self.get(object);
        self.release_and_go_on(reference, pc)
    }

    /// Removes a strong reference. If it was the last reference to an object, the object's deinit runs next.
    fn release_and_go_on(&mut self, reference: u64, pc: Pc) -> Run<Next> {
        let is_last = self.memory.release(reference, self.pc);
        if !is_last.map_err(|fault| self.count_fault(fault, reference, true))? {
            return Ok(Next::Continue);
        }
        let entry = self.memory.allocation(reference).map(|(e, _)| (e.kind, e.ty));
        if let Some((Kind::Object, ty)) = entry
            && !self.is_unfinished(reference, Ty::from_u32(ty))?
            && let Some(deinit) = self.deallocator(Ty::from_u32(ty))?
        {
            let base = self.next_base();
            self.reserve(base + 8);
            self.stack.bytes[base as usize..base as usize + 8].copy_from_slice(&reference.to_le_bytes());
            return self.enter(deinit, base, pc, 0, NO_PC, 0).map(Next::Goto);
        }
        self.destroy_object(reference)?;
        Ok(Next::Continue)
    }

    /// Removes a strong reference, and destroys the object if it was the last one.
    pub(crate) fn release_reference(&mut self, reference: u64) -> Run<()> {
        let is_last = self.memory.release(reference, self.pc);
        if is_last.map_err(|fault| self.count_fault(fault, reference, true))? {
            self.destroy_object(reference)?;
        }
        Ok(())
    }

    /// Returns true if a function of raw SIL releases an object whose initializer did not finish. Definite
    /// initialization replaces this release by the deallocation of a partially initialized object.
    fn is_unfinished(&self, reference: u64, class: Ty) -> Run<bool> {
        if !self.current_is_raw() {
            return Ok(false);
        }
        let layout = self.world().class_layout(class).map_err(crate::types::type_error)?;
        Ok(layout.fields.iter().any(|field| {
            let size = self.world().layout(field.ty).map_or(0, |l| l.size);
            size > 0 && self.memory.is_touched(reference + field.offset, size) == Ok(false)
        }))
    }

    /// Destroys an object that has no strong references.
    fn destroy_object(&mut self, reference: u64) -> Run<()> {
        let Some((entry, _)) = self.memory.allocation(reference) else { return Ok(()) };
        let (kind, ty) = (entry.kind, entry.ty);
        match kind {
            Kind::Object => {
                let class = Ty::from_u32(ty);
                match self.deallocator(class)? {
                    Some(deinit) if !self.is_unfinished(reference, class)? => {
                        self.call_instance(deinit, &[&reference.to_le_bytes()], 0)?;
                        Ok(())
                    }
                    _ => {
                        self.destroy_fields(reference, class)?;
                        self.free_object(reference)
                    }
                }
            }
            Kind::Box => {
                let ty = Ty::from_u32(ty);
                let (offsets, _) = self.world().box_layout(ty).map_err(crate::types::type_error)?;
                if let silkit_layout::TyKind::Box(fields) = ty.kind() {
                    for (field, offset) in fields.iter().zip(offsets) {
                        let id = self.type_id(field.ty)?;
                        let size = u64::from(self.types.get(id).size);
                        // In raw SIL, definite initialization determines later whether the box holds a value.
                        if size == 0 {
                            if !self.is_empty_gone(reference + offset, id) {
                                self.destroy_addr(reference + offset, id)?;
                            }
                        } else if self.memory.is_touched(reference + offset, size) == Ok(true) {
                            match self.current_is_raw() {
                                true => self.destroy_parts_if_any(reference + offset, id)?,
                                false => self.destroy_addr(reference + offset, id)?,
                            }
                        }
                    }
                }
                self.free_object(reference)
            }
            Kind::Context => {
                let shape = self.sites.shapes[ty as usize].clone();
                if shape.owns {
                    for capture in shape.captures.iter() {
                        if capture.how != crate::sites::CaptureKind::Address {
                            self.destroy_addr(reference + u64::from(capture.offset), capture.ty)?;
                        }
                    }
                }
                self.free_object(reference)
            }
            Kind::ErrorBox | Kind::ValueBox => {
                let id = self.type_id(Ty::from_u32(ty))?;
                let at = self.boxed_value(reference, id);
                self.destroy_addr(at, id)?;
                self.free_object(reference)
            }
            Kind::Task => self.destroy_task(reference),
            _ => Ok(()),
        }
    }

    /// Returns the address of the value in a box for an error or an existential.
    pub(crate) fn boxed_value(&self, reference: u64, ty: TypeId) -> u64 {
        reference + 16u64.next_multiple_of(u64::from(self.types.get(ty).align))
    }

    /// Frees the memory of an object.
    pub(crate) fn free_object(&mut self, reference: u64) -> Run<()> {
        let freed = self.memory.free(reference, self.pc);
        freed.map_err(|fault| self.free_fault(fault, reference))?;
        Ok(())
    }

    /// Destroys the stored properties of an object.
    pub(crate) fn destroy_fields(&mut self, reference: u64, class: Ty) -> Run<()> {
        let layout = self.world().class_layout(class).map_err(crate::types::type_error)?;
        for field in &layout.fields {
            let id = self.type_id(field.ty)?;
            let at = reference + field.offset;
            let size = u64::from(self.types.get(id).size);
            if !self.types.get(id).plan.is_trivial() && self.memory.is_touched(at, size) == Ok(true) {
                self.destroy_addr(at, id)?;
            }
        }
        Ok(())
    }

    /// Returns the function that destroys and deallocates the instances of a class.
    pub(crate) fn deallocator(&mut self, class: Ty) -> Run<Option<InstanceId>> {
        if let Some(found) = self.deallocators.get(&class) {
            return Ok(*found);
        }
        let found = self.find_deallocator(class)?;
        self.deallocators.insert(class, found);
        Ok(found)
    }

    fn find_deallocator(&mut self, class: Ty) -> Run<Option<InstanceId>> {
        let program = self.program.clone();
        for ancestor in program.world.ancestry(class) {
            let Some((nominal, _)) = ancestor.as_nominal() else { break };
            let Some((_, table)) = program.vtable(nominal) else { continue };
            let is_deinit = |e: &&silkit_ir::VTableEntry| {
                e.method.data().kinds.iter().any(|k| *k == "deallocator" || *k == "deallocator.isolated")
            };
            if let Some(entry) = table.entries.iter().find(is_deinit) {
                return self.method_instance(entry.function, class, &[]).map(Some);
            }
        }
        Ok(None)
    }

    pub(super) fn retain_value_op(&mut self, value: Slot, ty: TypeId) -> Run<()> {
        let info = self.types.get(ty);
        match info.plan {
            Plan::Trivial => Ok(()),
            Plan::Strong => self.retain(value),
            Plan::Bridge => match bridged(self.get(value)) {
                Some(reference) => self.retain_reference(reference),
                None => Ok(()),
            },
            _ => {
                let bytes = Buffer::from(self.bytes(value, info.size));
                self.retain_bytes(&bytes, ty)
            }
        }
    }

    /// Retains the references in the value at an address.
    pub(crate) fn retain_at(&mut self, address: u64, ty: TypeId) -> Run<()> {
        let bytes = self.read_value(address, ty)?;
        self.retain_bytes(&bytes, ty)
    }

    /// Retains the references in a value.
    pub(crate) fn retain_bytes(&mut self, bytes: &[u8], ty: TypeId) -> Run<()> {
        let info = self.known(ty);
        match &info.plan {
            Plan::Trivial | Plan::Weak | Plan::Raw => Ok(()),
            Plan::Strong => self.retain_reference(word(bytes, 0)),
            Plan::Bridge => match bridged(word(bytes, 0)) {
                Some(reference) => self.retain_reference(reference),
                None => Ok(()),
            },
            Plan::Closure => match word(bytes, 8) {
                0 => Ok(()),
                context => self.retain_reference(context),
            },
            Plan::Unowned => self.count_unowned(word(bytes, 0), 1),
            Plan::Parts(parts) => parts.iter().try_for_each(|&(offset, part)| {
                let size = self.types.get(part).size as usize;
                let at = offset as usize;
                self.retain_bytes(&bytes[at..at + size], part)
            }),
            Plan::Enum(layout, payloads) => {
                let case = layout.case_of(bytes).ok_or_else(|| self.invalid_enum(ty, bytes))?;
                let Some(payload) = payloads[case as usize] else { return Ok(()) };
                let mut projected = Buffer::from(bytes);
                layout.project(case, &mut projected);
                let size = self.types.get(payload).size as usize;
                self.retain_bytes(&projected[..size], payload)
            }
            Plan::Array(count, element) => {
                let (size, stride) = (self.types.get(*element).size, self.types.get(*element).stride);
                (0..*count).try_for_each(|i| {
                    let at = (i * stride) as usize;
                    self.retain_bytes(&bytes[at..at + size as usize], *element)
                })
            }
            Plan::Existential => self.retain_existential(bytes),
            Plan::Deinit(_) => {
                if self.current_is_raw() {
                    let what = format!(
                        "a copy of the noncopyable type `{}`, which the move checker would turn into a move,",
                        info.ty
                    );
                    return crate::violation::unsupported(what);
                }
                let message = format!("copying a value of the noncopyable type `{}`", info.ty);
                Err(self.violation(ViolationKind::Ownership, message, None))
            }
        }
    }

    pub(super) fn release_value_op(&mut self, value: Slot, ty: TypeId, pc: Pc) -> Run<Next> {
        let info = self.types.get(ty);
        match info.plan {
            Plan::Trivial => Ok(Next::Continue),
            Plan::Strong => self.release_op(value, pc),
            Plan::Bridge => match bridged(self.get(value)) {
                Some(reference) => self.release_and_go_on(reference, pc),
                None => Ok(Next::Continue),
            },
            _ => {
                let bytes = Buffer::from(self.bytes(value, info.size));
                self.destroy_bytes(&bytes, ty, None)?;
                Ok(Next::Continue)
            }
        }
    }

    /// Destroys a value. `address` is its address if it is in memory.
    pub(crate) fn destroy_bytes(&mut self, bytes: &[u8], ty: TypeId, address: Option<u64>) -> Run<()> {
        let info = self.known(ty);
        match &info.plan {
            Plan::Trivial | Plan::Weak | Plan::Raw => Ok(()),
            Plan::Strong => self.release_reference(word(bytes, 0)),
            Plan::Bridge => match bridged(word(bytes, 0)) {
                Some(reference) => self.release_reference(reference),
                None => Ok(()),
            },
            Plan::Closure => match word(bytes, 8) {
                0 => Ok(()),
                context => self.release_reference(context),
            },
            Plan::Unowned => self.count_unowned(word(bytes, 0), -1),
            Plan::Parts(parts) => parts.iter().try_for_each(|&(offset, part)| {
                let size = self.types.get(part).size as usize;
                let at = offset as usize;
                self.destroy_bytes(&bytes[at..at + size], part, address.map(|a| a + u64::from(offset)))
            }),
            Plan::Enum(layout, payloads) => {
                let case = layout.case_of(bytes).ok_or_else(|| self.invalid_enum(ty, bytes))?;
                let Some(payload) = payloads[case as usize] else { return Ok(()) };
                let mut projected = Buffer::from(bytes);
                layout.project(case, &mut projected);
                let size = self.types.get(payload).size as usize;
                // The tag may be stored in spare bits of the payload.
                let at = address.filter(|_| layout.projects_in_place());
                self.destroy_bytes(&projected[..size], payload, at)
            }
            Plan::Array(count, element) => {
                let (size, stride) = (self.types.get(*element).size, self.types.get(*element).stride);
                (0..*count).try_for_each(|i| {
                    let at = (i * stride) as usize;
                    let address = address.map(|a| a + u64::from(i * stride));
                    self.destroy_bytes(&bytes[at..at + size as usize], *element, address)
                })
            }
            Plan::Existential => self.destroy_existential(bytes, address),
            Plan::Deinit(function) => self.run_deinit(*function, info.ty, bytes, address),
        }
    }

    /// Runs the deinit of a noncopyable value.
    fn run_deinit(&mut self, function: Symbol, ty: Ty, bytes: &[u8], address: Option<u64>) -> Run<()> {
        let instance = self.deinit_instance(function, ty)?;
        let at = self.instances[instance.0 as usize].function.at;
        let program = self.program.clone();
        let signature = program.function(at).ty.ty().as_function();
        let by_address = signature.and_then(|f| f.params.last()).is_some_and(|p| p.convention.is_indirect());
        if !by_address {
            self.call_instance(instance, &[bytes], 0)?;
            return Ok(());
        }
        match address {
            Some(address) => {
                self.call_instance(instance, &[&address.to_le_bytes()], 0)?;
            }
            None => {
                let temporary = self.allocate(Kind::Stack, bytes.len() as u64, 16, ty.as_u32())?;
                let stored = self.memory.store(temporary, bytes);
                stored.map_err(|fault| self.fault(fault, temporary, "writing"))?;
                self.call_instance(instance, &[&temporary.to_le_bytes()], 0)?;
                self.free_object(temporary)?;
            }
        }
        Ok(())
    }

    pub(crate) fn count_unowned(&mut self, reference: u64, change: i32) -> Run<()> {
        // The reference is `nil` of an optional.
        if reference == 0 {
            return Ok(());
        }
        let changed = self.memory.change_unowned(reference, change);
        changed.map_err(|fault| self.count_fault(fault, reference, change < 0))
    }

    pub(super) fn change_unowned(&mut self, object: Slot, change: i32) -> Run<()> {
        let reference = self.get(object);
        self.count_unowned(reference, change)
    }
}
