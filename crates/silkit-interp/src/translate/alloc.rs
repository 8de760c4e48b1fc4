//! Allocation and deallocation.

use super::Translator;
use crate::op::{Op, Slot};
use crate::sites::{AllocSite, GlobalSite, TailSite};
use crate::types::type_error;
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::{
    AllocBox, AllocExistentialBox, AllocPack, AllocRef, AllocRefDynamic, AllocStack, IndexAddr,
    IndexRawPointer, ProjectBox, ProjectExistentialBox, TailAddr, Values,
};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_layout::{Builtin, FnRepr, Ty, TyKind};
use silkit_types::SilType;

/// A library function that copies a value as an optional, which reads bytes after the value, and then writes the tag:
/// `RawKeyPathComponent._projectReadOnly`.
const READS_BEYOND: &str = "s19RawKeyPathComponentV16_projectReadOnly";

impl Translator<'_, '_> {
    pub(super) fn alloc_stack(&mut self, body: &Body, inst: Inst, i: AllocStack) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, true)?;
        let larger = if self.function.name.as_str().contains(READS_BEYOND) {
            self.largest_cast(body, value, ty)?
        } else {
            ty
        };
        let ty = self.type_id(larger)?;
        self.emit(Op::AllocStack { to, ty });
        Ok(())
    }

    /// Returns the largest type that the stack memory is cast to.
    fn largest_cast(&mut self, body: &Body, place: Value, ty: Ty) -> Run<Ty> {
        let mut largest = ty;
        for user in body.users(place) {
            if body.inst(user).opcode == Opcode::UncheckedAddrCast
                && let Some(cast) = body.first_result(user)
            {
                let (ty, _) = self.type_of(body, cast)?;
                if self.size(ty)? > self.size(largest)? {
                    largest = ty;
                }
            }
        }
        Ok(largest)
    }

    /// Allocates a pack: an array with the addresses of its elements, or with their values if the pack is direct.
    pub(super) fn alloc_pack(&mut self, body: &Body, inst: Inst, i: AllocPack) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let Some(elements) = ty.as_pack() else { return unsupported(format!("a pack of type `{ty}`")) };
        if matches!(i.ty.ty().kind(), silkit_types::TypeKind::Pack { direct: true, .. }) {
            return unsupported("a direct pack");
        }
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, true)?;
        self.emit(Op::AllocBytes { to, size: 8 * elements.len() as u32, align: 8 });
        Ok(())
    }

    fn tails(
        &mut self,
        body: &Body,
        types: Vec<SilType>,
        counts: Values<'_>,
    ) -> Run<Box<[(u32, u32, Slot)]>> {
        let mut tails = Vec::new();
        for (ty, count) in types.into_iter().zip(counts.iter()) {
            let ty = self.resolve(ty.ty())?;
            let info = self.it.info(ty)?;
            // A 32-bit count is extended to 64 bits.
            let slot = self.word(body, count)?;
            tails.push((info.stride, info.align, slot));
        }
        Ok(tails.into())
    }

    /// Returns the slot of an integer that is extended to 64 bits.
    pub(super) fn word(&mut self, body: &Body, value: Value) -> Run<Slot> {
        let slot = self.use_value(body, value)?;
        let (ty, is_address) = self.type_of(body, value)?;
        match ty.kind() {
            TyKind::Builtin(Builtin::Int(bits)) if *bits < 64 && !is_address => {
                let to = self.allocate_slot(8);
                self.emit(Op::Resize { signed: true, from_bits: *bits as u8, to_bits: 64, to, from: slot });
                Ok(to)
            }
            _ => Ok(slot),
        }
    }

    pub(super) fn alloc_ref(&mut self, body: &Body, inst: Inst, i: AllocRef<'_>) -> Run<()> {
        if i.objc {
            return self.objective_c(body, inst);
        }
        let class = self.resolve(i.ty.ty())?;
        let (size, align) = self.it.class_size(class)?;
        let tails = self.tails(body, i.tail_types.to_vec(), i.counts)?;
        let to = self.result(body, inst)?;
        self.alloc_site(AllocSite { class, size, align, tails, metatype: None, on_stack: i.stack, to })
    }

    pub(super) fn alloc_ref_dynamic(&mut self, body: &Body, inst: Inst, i: AllocRefDynamic<'_>) -> Run<()> {
        if i.objc {
            return self.objective_c(body, inst);
        }
        let class = self.resolve(i.ty.ty())?;
        let metatype = Some(self.use_value(body, i.metatype)?);
        let tails = self.tails(body, i.tail_types.to_vec(), i.counts)?;
        let to = self.result(body, inst)?;
        self.alloc_site(AllocSite { class, size: 0, align: 0, tails, metatype, on_stack: i.stack, to })
    }

    fn alloc_site(&mut self, site: AllocSite) -> Run<()> {
        self.it.sites.allocs.push(site);
        let site = self.it.sites.allocs.len() as u32 - 1;
        self.emit(Op::AllocRef { site });
        Ok(())
    }

    pub(super) fn alloc_box(&mut self, body: &Body, inst: Inst, i: AllocBox) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let (_, size) = self.program.world.box_layout(ty).map_err(type_error)?;
        if size > u64::from(u32::MAX / 2) {
            return unsupported(format!("a box of {size} bytes"));
        }
        let mut align = 16;
        if let TyKind::Box(fields) = ty.kind() {
            for field in fields {
                align = align.max(self.it.info(field.ty)?.align);
            }
        }
        let to = self.result(body, inst)?;
        self.it.sites.boxes.push((ty, size as u32, align));
        let site = self.it.sites.boxes.len() as u32 - 1;
        self.emit(Op::AllocBox { to, site });
        Ok(())
    }

    pub(super) fn alloc_error_box(&mut self, body: &Body, inst: Inst, i: AllocExistentialBox) -> Run<()> {
        let concrete = self.formal(i.concrete.ty())?;
        let ty = self.type_id(concrete)?;
        let to = self.result(body, inst)?;
        self.emit(Op::AllocErrorBox { to, ty });
        Ok(())
    }

    pub(super) fn dealloc_stack(&mut self, body: &Body, operand: Value) -> Run<()> {
        let address = self.use_value(body, operand)?;
        let (ty, is_address) = self.type_of(body, operand)?;
        // The context of a closure on the stack is deallocated with the closure.
        if !is_address && matches!(ty.kind(), TyKind::Lowered(FnRepr::NoEscape | FnRepr::Thick)) {
            self.emit(Op::DeallocStack { address: address + 8 });
            return Ok(());
        }
        self.emit(Op::DeallocStack { address });
        Ok(())
    }

    pub(super) fn dealloc_ref(&mut self, body: &Body, operand: Value, stack: bool) -> Run<()> {
        let object = self.use_value(body, operand)?;
        self.emit(Op::DeallocRef { object, stack });
        Ok(())
    }

    pub(super) fn dealloc_partial(&mut self, body: &Body, operand: Value, metatype: Value) -> Run<()> {
        let object = self.use_value(body, operand)?;
        let metatype = self.use_value(body, metatype)?;
        self.emit(Op::DeallocPartial { object, metatype });
        Ok(())
    }

    pub(super) fn dealloc_box(&mut self, body: &Body, operand: Value) -> Run<()> {
        let object = self.use_value(body, operand)?;
        self.emit(Op::DeallocBox { object });
        Ok(())
    }

    pub(super) fn project_box(&mut self, body: &Body, inst: Inst, i: ProjectBox) -> Run<()> {
        let from = self.use_value(body, i.box_value)?;
        let (ty, _) = self.type_of(body, i.box_value)?;
        let (offsets, _) = self.program.world.box_layout(ty).map_err(type_error)?;
        let (Some(&offset), TyKind::Box(fields)) = (offsets.get(i.field as usize), ty.kind()) else {
            return unsupported(format!("a projection of `{ty}`"));
        };
        let field = fields[i.field as usize].ty;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, field, true)?;
        self.emit(Op::AddAddress { to, from, offset: offset as u32 });
        Ok(())
    }

    pub(super) fn project_error_box(&mut self, body: &Body, inst: Inst, i: ProjectExistentialBox) -> Run<()> {
        let from = self.use_value(body, i.box_value)?;
        let concrete = self.formal(i.ty.ty())?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, concrete, true)?;
        self.emit(Op::ProjectErrorBox { to, from });
        Ok(())
    }

    pub(super) fn index_addr(&mut self, body: &Body, inst: Inst, i: IndexAddr) -> Run<()> {
        let base = self.use_value(body, i.base)?;
        let index = self.word(body, i.index)?;
        let (ty, _) = self.type_of(body, i.base)?;
        let stride = self.it.info(ty)?.stride;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, true)?;
        match u16::try_from(stride) {
            Ok(stride) => self.emit(Op::IndexAddress { to, base, index, stride }),
            Err(_) => self.tail_site(TailSite { to, base, count: index, stride, align: 1 }),
        };
        Ok(())
    }

    fn tail_site(&mut self, site: TailSite) -> u32 {
        self.it.sites.tails.push(site);
        let site = self.it.sites.tails.len() as u32 - 1;
        self.emit(Op::TailAddress { site })
    }

    pub(super) fn tail_addr(&mut self, body: &Body, inst: Inst, i: TailAddr) -> Run<()> {
        let base = self.use_value(body, i.base)?;
        let count = self.word(body, i.count)?;
        let (from, _) = self.type_of(body, i.base)?;
        let ty = self.resolve(i.ty.ty())?;
        let stride = self.it.info(from)?.stride;
        let align = self.it.info(ty)?.align;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, true)?;
        self.tail_site(TailSite { to, base, count, stride, align });
        Ok(())
    }

    pub(super) fn index_raw_pointer(&mut self, body: &Body, inst: Inst, i: IndexRawPointer) -> Run<()> {
        let base = self.use_value(body, i.base)?;
        let index = self.word(body, i.index)?;
        let to = self.result(body, inst)?;
        self.emit(Op::IndexAddress { to, base, index, stride: 1 });
        Ok(())
    }

    pub(super) fn base_addr_for_offset(&mut self, body: &Body, inst: Inst) -> Run<()> {
        let to = self.result(body, inst)?;
        self.constant(to, 0);
        Ok(())
    }

    pub(super) fn bind_memory(&mut self, body: &Body, inst: Inst) -> Run<()> {
        let to = self.result(body, inst)?;
        self.emit(Op::BindMemory { to });
        Ok(())
    }

    // ---- globals ----

    /// Returns the index of a global variable.
    pub(super) fn global(&mut self, name: Symbol) -> u32 {
        if let Some(found) = self.it.global_ids.get(&name) {
            return *found;
        }
        self.it.sites.globals.push(GlobalSite { name, address: 0 });
        let number = self.it.sites.globals.len() as u32 - 1;
        self.it.global_ids.insert(name, number);
        number
    }

    pub(super) fn alloc_global(&mut self, name: Symbol) -> Run<()> {
        let global = self.global(name);
        self.emit(Op::AllocGlobal { global });
        Ok(())
    }

    pub(super) fn global_addr(&mut self, body: &Body, inst: Inst, name: Symbol) -> Run<()> {
        let to = self.result(body, inst)?;
        let global = self.global(name);
        self.emit(Op::GlobalAddr { to, global });
        Ok(())
    }

    /// Translates `global_value`: a statically initialized object is stored in the memory of the global itself.
    pub(super) fn global_value(&mut self, body: &Body, inst: Inst, name: Symbol) -> Run<()> {
        self.global_addr(body, inst, name)
    }
}
