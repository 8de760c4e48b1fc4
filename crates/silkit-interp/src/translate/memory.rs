//! Loads, stores, copies and accesses.

use super::Translator;
use super::moves::CopyAs;
use crate::op::{Op, Write};
use crate::sites::AccessSite;
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{
    AccessEnforcement, AccessKind, AnyInst, Assign, AssignByWrapper, AssignByWrapperMode, AssignQualifier,
    BeginAccess, BeginUnpairedAccess, EndUnpairedAccess, InitQualifier, Load, LoadQualifier, LoadUnowned,
    LoadWeak, Store, StoreBorrow, StoreQualifier, StoreUnowned, StoreWeak, TupleAddrConstructor,
};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_layout::{Ty, TyKind};

impl Translator<'_, '_> {
    /// Emits the report of a write to memory that the address promises not to change.
    pub(super) fn check_writable(&mut self, body: &Body, address: Value) {
        let Some((what, is_access)) = read_only(body, address) else { return };
        let message = self.text(format!("writing through an address of `{what}`"));
        self.emit(Op::WriteToReadOnly { message, is_access });
    }

    fn loaded_type(&mut self, body: &Body, inst: Inst, address: Value) -> Run<Ty> {
        match body.first_result(inst) {
            Some(value) if !body.value(value).ty.is_unknown() => Ok(self.type_of(body, value)?.0),
            _ => Ok(self.type_of(body, address)?.0),
        }
    }

    pub(super) fn load(&mut self, body: &Body, inst: Inst, i: Load) -> Run<()> {
        let address = self.use_value(body, i.address)?;
        let ty = self.loaded_type(body, inst, i.address)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, false)?;
        let id = self.type_id(ty)?;
        let id = self.as_aligned(body, i.address, id)?;
        let info = self.it.types.get(id);
        let is_trivial = info.plan.is_trivial();
        let op = match i.qualifier {
            Some(LoadQualifier::Copy) if !is_trivial => match self.copy_as(body, value) {
                CopyAs::Copy => Op::LoadCopy { to, address, ty: id },
                CopyAs::Borrow => Op::Load { to, address, ty: id },
                CopyAs::Move => Op::LoadTake { to, address, ty: id },
            },
            Some(LoadQualifier::Take) if !is_trivial => Op::LoadTake { to, address, ty: id },
            _ => match (info.size, info.align, info.is_dense) {
                (0, ..) => Op::Nop,
                (8, 8, true) => Op::Load8 { to, address },
                (1, 1, true) => Op::Load1 { to, address },
                _ => Op::Load { to, address, ty: id },
            },
        };
        if !matches!(op, Op::Nop) {
            self.emit(op);
        }
        Ok(())
    }

    /// Returns the type to use for accesses of a trivial value at an address. The result is an array of bytes if
    /// `pointer_to_address [align=1]` makes the address possibly unaligned.
    fn as_aligned(
        &mut self,
        body: &Body,
        address: Value,
        ty: crate::types::TypeId,
    ) -> Run<crate::types::TypeId> {
        let made = body.def_as::<silkit_ir::instructions::PointerToAddress>(address);
        let is_unaligned = made.is_some_and(|i| i.align.is_some_and(|a| a.as_str() == "1"));
        let info = self.it.types.get(ty);
        if !is_unaligned || info.align == 1 || !info.plan.is_trivial() {
            return Ok(ty);
        }
        let bytes = silkit_layout::Builtin::FixedArray(u64::from(info.size), Ty::int(8));
        self.type_id(Ty::builtin(bytes))
    }

    pub(super) fn load_borrow(&mut self, body: &Body, inst: Inst, address: Value) -> Run<()> {
        let slot = self.use_value(body, address)?;
        let ty = self.loaded_type(body, inst, address)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, ty, false)?;
        let ty = self.type_id(ty)?;
        self.emit(Op::Load { to, address: slot, ty });
        Ok(())
    }

    fn store_to(&mut self, body: &Body, source: Value, destination: Value, write: Write) -> Run<()> {
        self.check_writable(body, destination);
        let from = self.use_value(body, source)?;
        let address = self.use_value(body, destination)?;
        let (ty, _) = self.type_of(body, source)?;
        let id = self.type_id(ty)?;
        let id = self.as_aligned(body, destination, id)?;
        if self.it.instruments.is_some() {
            self.emit(Op::ObserveStore { from, address, ty: id });
        }
        let info = self.it.types.get(id);
        let op = match (write, info.plan.is_trivial()) {
            (Write::Assign | Write::Either, false) => Op::StoreAssign { write, from, address, ty: id },
            _ => match (info.size, info.align) {
                (0, _) if info.plan.is_trivial() => return Ok(()),
                (8, 8) => Op::Store8 { from, address },
                (1, 1) => Op::Store1 { from, address },
                _ => Op::Store { from, address, ty: id },
            },
        };
        self.emit(op);
        Ok(())
    }

    /// Returns the kind of a store. In raw SIL, an assignment can also be an initialization, because definite
    /// initialization has not run.
    fn write(&self, init: bool) -> Write {
        match init {
            true => Write::Init,
            false if self.function.is_raw => Write::Either,
            false => Write::Assign,
        }
    }

    pub(super) fn store(&mut self, body: &Body, i: Store) -> Run<()> {
        let write = self.write(i.qualifier != Some(StoreQualifier::Assign));
        self.store_to(body, i.source, i.destination, write)
    }

    pub(super) fn store_borrow(&mut self, body: &Body, inst: Inst, i: StoreBorrow) -> Run<()> {
        self.store_to(body, i.source, i.destination, Write::Init)?;
        self.forward(body, inst, i.destination)
    }

    /// Returns the type of a reference that is loaded from weak or unowned storage.
    fn referent(&mut self, body: &Body, value: Value, address: Value) -> Run<Ty> {
        if !body.value(value).ty.is_unknown() {
            return Ok(self.type_of(body, value)?.0);
        }
        let (storage, _) = self.type_of(body, address)?;
        match storage.kind() {
            TyKind::Storage(_, referent) => Ok(*referent),
            _ => unsupported(format!("a weak or unowned reference of type `{storage}`")),
        }
    }

    pub(super) fn load_weak(&mut self, body: &Body, inst: Inst, i: LoadWeak) -> Run<()> {
        let address = self.use_value(body, i.address)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let ty = self.referent(body, value, i.address)?;
        let to = self.define(body, value, ty, false)?;
        let ty = self.type_id(ty)?;
        self.emit(Op::LoadWeak { take: i.take, to, address, ty });
        Ok(())
    }

    pub(super) fn load_unowned(&mut self, body: &Body, inst: Inst, i: LoadUnowned) -> Run<()> {
        let address = self.use_value(body, i.address)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let ty = self.referent(body, value, i.address)?;
        let to = self.define(body, value, ty, false)?;
        let ty = self.type_id(ty)?;
        self.emit(Op::LoadUnowned { take: i.take, to, address, ty });
        Ok(())
    }

    pub(super) fn store_weak(&mut self, body: &Body, i: StoreWeak) -> Run<()> {
        self.check_writable(body, i.destination);
        let from = self.use_value(body, i.source)?;
        let address = self.use_value(body, i.destination)?;
        let ty = self.object_type(body, i.source)?;
        self.emit(Op::StoreWeak { init: i.init, from, address, ty });
        Ok(())
    }

    pub(super) fn store_unowned(&mut self, body: &Body, i: StoreUnowned) -> Run<()> {
        self.check_writable(body, i.destination);
        let from = self.use_value(body, i.source)?;
        let address = self.use_value(body, i.destination)?;
        let ty = self.object_type(body, i.source)?;
        self.emit(Op::StoreUnowned { init: i.init, from, address, ty });
        Ok(())
    }

    pub(super) fn copy_addr(
        &mut self,
        body: &Body,
        source: Value,
        take: bool,
        destination: Value,
        init: bool,
    ) -> Run<()> {
        self.check_writable(body, destination);
        if take {
            self.check_writable(body, source);
        }
        let write = self.write(init);
        match self.copy_at_as(body, source, destination) {
            CopyAs::Borrow if !take => self.borrow_to(body, source, destination),
            how => self.copy_to(body, source, take || how == CopyAs::Move, destination, write),
        }
    }

    /// Copies the bits of a value to memory that only borrows the value.
    fn borrow_to(&mut self, body: &Body, source: Value, destination: Value) -> Run<()> {
        let from = self.use_value(body, source)?;
        let to = self.use_value(body, destination)?;
        let (ty, _) = self.type_of(body, source)?;
        let size = self.size(ty)?;
        let ty = self.type_id(ty)?;
        let value = self.allocate_slot(size);
        self.emit(Op::Load { to: value, address: from, ty });
        self.emit(Op::Store { from: value, address: to, ty });
        Ok(())
    }

    fn copy_to(
        &mut self,
        body: &Body,
        source: Value,
        take: bool,
        destination: Value,
        write: Write,
    ) -> Run<()> {
        let from = self.use_value(body, source)?;
        let to = self.use_value(body, destination)?;
        let (ty, _) = self.type_of(body, source)?;
        let ty = self.type_id(ty)?;
        self.emit(Op::CopyAddr { take, write, from, to, ty });
        Ok(())
    }

    pub(super) fn move_addr(&mut self, body: &Body, source: Value, destination: Value) -> Run<()> {
        let take = !self.it.options.consume_copies;
        self.copy_addr(body, source, take, destination, true)
    }

    pub(super) fn destroy_addr(&mut self, body: &Body, operand: Value) -> Run<()> {
        if self.destroy_parts_at(body, operand)? {
            return Ok(());
        }
        if self.is_borrowed_place(body, operand) {
            return self.forget_place(body, operand);
        }
        let address = self.use_value(body, operand)?;
        let (ty, _) = self.type_of(body, operand)?;
        let ty = self.type_id(ty)?;
        if self.function.is_raw {
            // Definite initialization has not run, so the memory might be uninitialized.
            self.emit(Op::DestroyIfAny { address, ty });
        } else {
            self.emit(Op::DestroyAddr { address, ty });
        }
        Ok(())
    }

    /// Writes the elements of a tuple; each element is a value or is copied from another address.
    pub(super) fn tuple_addr_constructor(&mut self, body: &Body, i: TupleAddrConstructor<'_>) -> Run<()> {
        self.check_writable(body, i.destination);
        let write = self.write(i.qualifier == InitQualifier::Init);
        let base = self.use_value(body, i.destination)?;
        let (ty, _) = self.type_of(body, i.destination)?;
        let info = self.it.info(ty)?;
        let leaves = self.tuple_leaves(ty)?;
        let leaves = if leaves.len() == i.elements.len() { leaves } else { self.parts_of(&info.layout) };
        for (value, (offset, part)) in i.elements.iter().zip(leaves) {
            let from = self.use_value(body, value)?;
            let (_, is_address) = self.type_of(body, value)?;
            let address = self.allocate_slot(8);
            self.emit(Op::AddAddress { to: address, from: base, offset });
            let ty = self.type_id(part)?;
            if is_address {
                self.emit(Op::CopyAddr { take: true, write, from, to: address, ty });
            } else {
                self.emit(Op::StoreAssign { write, from, address, ty });
            }
        }
        Ok(())
    }

    pub(super) fn assign(&mut self, body: &Body, i: Assign) -> Run<()> {
        let write = match i.qualifier {
            Some(AssignQualifier::Init) => Write::Init,
            Some(AssignQualifier::Reassign | AssignQualifier::Reinit) => Write::Assign,
            None => Write::Either,
        };
        let (_, is_address) = self.type_of(body, i.source)?;
        if is_address {
            return self.copy_to(body, i.source, true, i.destination, write);
        }
        self.store_to(body, i.source, i.destination, write)
    }

    pub(super) fn assign_by_wrapper(&mut self, body: &Body, i: AssignByWrapper) -> Run<()> {
        match i.mode {
            Some(AssignByWrapperMode::AssignWrappedValue) => self.set_wrapped(body, i),
            Some(AssignByWrapperMode::Init | AssignByWrapperMode::Assign) => {
                self.call_initializer(body, i.initializer, i.source, i.destination)
            }
            None => self.wrapper_by_state(body, i),
        }
    }

    pub(super) fn begin_access(&mut self, body: &Body, inst: Inst, i: BeginAccess) -> Run<()> {
        self.forward(body, inst, i.address)?;
        self.begin_access_to(body, i)
    }

    /// Emits the beginning of an access.
    pub(super) fn begin_access_to(&mut self, body: &Body, i: BeginAccess) -> Run<()> {
        let address = self.use_value(body, i.address)?;
        let modifies = i.kind != AccessKind::Read;
        let is_dynamic = i.enforcement == AccessEnforcement::Dynamic;
        let is_checked = is_dynamic || i.enforcement == AccessEnforcement::Static;
        let (ty, _) = self.type_of(body, i.address)?;
        let exclusive = if is_checked { self.size(ty).unwrap_or(0) } else { 0 };
        let site =
            AccessSite { address, buffer: None, modifies, no_nested_conflict: false, is_dynamic, exclusive };
        let site = self.access_site(site);
        self.emit(Op::BeginAccess { site });
        Ok(())
    }

    fn access_site(&mut self, site: AccessSite) -> u32 {
        self.it.sites.accesses.push(site);
        self.it.sites.accesses.len() as u32 - 1
    }

    pub(super) fn end_access(&mut self, body: &Body, operand: Value) -> Run<()> {
        if let Some(begin) = body.def_as::<BeginAccess>(operand) {
            let address = self.use_value(body, begin.address)?;
            self.emit(Op::EndAccess { address });
        }
        Ok(())
    }

    pub(super) fn begin_unpaired(&mut self, body: &Body, i: BeginUnpairedAccess) -> Run<()> {
        let address = self.use_value(body, i.address)?;
        let buffer = Some(self.use_value(body, i.buffer)?);
        let modifies = i.kind != AccessKind::Read;
        let site = self.access_site(AccessSite {
            address,
            buffer,
            modifies,
            no_nested_conflict: i.no_nested_conflict,
            is_dynamic: true,
            exclusive: 0,
        });
        self.emit(Op::BeginUnpaired { site });
        Ok(())
    }

    pub(super) fn end_unpaired(&mut self, body: &Body, i: EndUnpairedAccess) -> Run<()> {
        let buffer = self.use_value(body, i.buffer)?;
        self.emit(Op::EndUnpaired { buffer });
        Ok(())
    }
}

/// Returns the instruction that makes memory read-only through an address that it derives, and true if it is an access.
fn read_only(body: &Body, address: Value) -> Option<(&'static str, bool)> {
    let parts = |opcode| {
        matches!(
            opcode,
            Opcode::StructElementAddr
                | Opcode::TupleElementAddr
                | Opcode::IndexAddr
                | Opcode::MarkDependence
                | Opcode::UncheckedAddrCast
        )
    };
    match body.view(body.defining_inst(body.look_through(address, parts))?) {
        AnyInst::RefElementAddr(i) if i.immutable => Some(("ref_element_addr [immutable]", false)),
        AnyInst::RefTailAddr(i) if i.immutable => Some(("ref_tail_addr [immutable]", false)),
        AnyInst::BeginAccess(i) if i.kind == AccessKind::Read => Some(("begin_access [read]", true)),
        _ => None,
    }
}
