//! Copies, destroys, retains and releases.

use super::Translator;
use super::moves::CopyAs;
use crate::op::Op;
use crate::types::Plan;
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::UncheckedOwnershipConversion;
use silkit_ir::{Body, Inst, Value};
use silkit_layout::{FnRepr, LayoutKind, TyKind};

impl Translator<'_, '_> {
    pub(super) fn retain_value(&mut self, body: &Body, operand: Value) -> Run<()> {
        let ty = self.object_type(body, operand)?;
        if self.it.types.get(ty).plan.is_trivial() {
            return Ok(());
        }
        let value = self.use_value(body, operand)?;
        self.emit(Op::RetainValue { value, ty });
        Ok(())
    }

    pub(super) fn release_value(&mut self, body: &Body, operand: Value) -> Run<()> {
        if self.is_without_deinit(body, operand) {
            return self.release_parts(body, operand);
        }
        let ty = self.object_type(body, operand)?;
        if self.it.types.get(ty).plan.is_trivial() {
            return Ok(());
        }
        let value = self.use_value(body, operand)?;
        self.emit(Op::ReleaseValue { value, ty });
        Ok(())
    }

    pub(super) fn strong_retain(&mut self, body: &Body, operand: Value) -> Run<()> {
        let ty = self.object_type(body, operand)?;
        match self.it.types.get(ty).plan {
            Plan::Strong => {
                let object = self.use_value(body, operand)?;
                self.emit(Op::Retain { object });
                Ok(())
            }
            _ => self.retain_value(body, operand),
        }
    }

    pub(super) fn strong_release(&mut self, body: &Body, operand: Value) -> Run<()> {
        let ty = self.object_type(body, operand)?;
        match self.it.types.get(ty).plan {
            Plan::Strong => {
                let object = self.use_value(body, operand)?;
                self.emit(Op::Release { object });
                Ok(())
            }
            _ => self.release_value(body, operand),
        }
    }

    pub(super) fn copy_value(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        self.forward(body, inst, operand)?;
        let Some(copy) = body.first_result(inst) else { return Ok(()) };
        match self.copy_as(body, copy) {
            CopyAs::Copy => self.retain_value(body, operand),
            CopyAs::Borrow => Ok(()),
            CopyAs::Move => self.note_moved(body, operand),
        }
    }

    pub(super) fn destroy_value(&mut self, body: &Body, operand: Value) -> Run<()> {
        let inst = self.inst;
        if self.is_postponed(inst) {
            return Ok(());
        }
        self.destroy_owned(body, operand)?;
        self.destroy_postponed(body, inst)
    }

    fn destroy_owned(&mut self, body: &Body, operand: Value) -> Run<()> {
        if self.is_borrowed_copy(body, operand) {
            return Ok(());
        }
        // In OSSA, `destroy_value` ends a closure on the stack; later passes insert the `dealloc_stack`.
        let is_closure_on_stack = body
            .def_as::<silkit_ir::instructions::PartialApply<'_>>(operand)
            .is_some_and(|closure| closure.on_stack);
        if is_closure_on_stack && !is_given_back(body, operand) {
            let address = self.use_value(body, operand)? + 8;
            self.emit(Op::DeallocStack { address });
            return Ok(());
        }
        self.release_unless_moved(body, operand)
    }

    pub(super) fn convert_ownership(
        &mut self,
        body: &Body,
        inst: Inst,
        i: UncheckedOwnershipConversion,
    ) -> Run<()> {
        self.forward(body, inst, i.operand)
    }

    /// Creates an unowned copy of a strong reference.
    pub(super) fn unowned_copy_value(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        self.forward(body, inst, operand)?;
        self.unowned_retain(body, operand, 1)
    }

    /// Creates a strong copy of an unowned reference; the program stops if the object was destroyed.
    pub(super) fn strong_copy_unowned(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let ty = self.object_type(body, operand)?;
        let to = self.result(body, inst)?;
        self.emit(Op::StrongFromUnowned { to, from, ty });
        Ok(())
    }

    pub(super) fn copy_value_as_result(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        self.forward(body, inst, operand)?;
        match body.first_result(inst) {
            Some(value) => self.retain_value(body, value),
            None => Ok(()),
        }
    }

    pub(super) fn strong_retain_unowned(&mut self, body: &Body, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let ty = self.object_type(body, operand)?;
        let to = self.allocate_slot(16);
        self.emit(Op::StrongFromUnowned { to, from, ty });
        Ok(())
    }

    pub(super) fn unowned_retain(&mut self, body: &Body, operand: Value, change: i32) -> Run<()> {
        let object = self.use_value(body, operand)?;
        self.emit(Op::UnownedRetain { object, change });
        Ok(())
    }

    pub(super) fn retain_value_addr(&mut self, body: &Body, operand: Value, retain: bool) -> Run<()> {
        let address = self.use_value(body, operand)?;
        let (ty, _) = self.type_of(body, operand)?;
        let id = self.type_id(ty)?;
        let size = self.it.types.get(id).size;
        let value = self.allocate_slot(size);
        self.emit(Op::Load { to: value, address, ty: id });
        self.emit(if retain {
            Op::RetainValue { value, ty: id }
        } else {
            Op::ReleaseValue { value, ty: id }
        });
        Ok(())
    }

    /// Returns true if a value is the result of `drop_deinit`, so that its destruction destroys only its parts.
    fn is_without_deinit(&self, body: &Body, value: Value) -> bool {
        body.defining_inst(value).is_some_and(|i| body.inst(i).opcode == silkit_ir::Opcode::DropDeinit)
    }

    pub(super) fn drop_deinit(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        self.forward(body, inst, operand)
    }

    /// Destroys the parts of a value whose deinit was dropped.
    fn release_parts(&mut self, body: &Body, operand: Value) -> Run<()> {
        let (ty, is_address) = self.type_of(body, operand)?;
        let info = self.it.info(ty)?;
        let slot = self.use_value(body, operand)?;
        let LayoutKind::Fields(parts) = &info.layout.kind else {
            return unsupported(format!("destroying `{ty}` without running its deinit"));
        };
        for part in parts {
            let ty = self.type_id(part.ty)?;
            if self.it.types.get(ty).plan.is_trivial() {
                continue;
            }
            if is_address {
                let address = self.allocate_slot(8);
                self.emit(Op::AddAddress { to: address, from: slot, offset: part.offset as u32 });
                self.emit(Op::DestroyAddr { address, ty });
            } else {
                self.emit(Op::ReleaseValue { value: slot + part.offset as u32, ty });
            }
        }
        Ok(())
    }

    /// Destroys the parts of a value if its deinit was dropped. Returns true if it was.
    pub(super) fn destroy_parts_at(&mut self, body: &Body, operand: Value) -> Run<bool> {
        let dropped = self.is_without_deinit(body, operand);
        if dropped {
            self.release_parts(body, operand)?;
        }
        Ok(dropped)
    }

    pub(super) fn is_unique(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let address = self.use_value(body, operand)?;
        let to = self.result(body, inst)?;
        self.emit(Op::IsUnique { to, address });
        Ok(())
    }

    pub(super) fn begin_cow_mutation(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let value = self.use_value(body, operand)?;
        let (ty, _) = self.type_of(body, operand)?;
        let results: Vec<Value> = body.results(inst).collect();
        let [unique, buffer] = results[..] else {
            return unsupported("`begin_cow_mutation` without two results");
        };
        let to = self.define(body, unique, silkit_layout::Ty::int(1), false)?;
        self.emit(Op::IsUniqueValue { to, value });
        self.alias(body, buffer, value, ty, false)?;
        Ok(())
    }

    /// Destroys a non-escaping closure and deallocates its context.
    pub(super) fn destroy_not_escaped(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let value = self.use_value(body, operand)?;
        let to = self.result(body, inst)?;
        self.emit(Op::Const1 { to, value: 0 });
        let (ty, _) = self.type_of(body, operand)?;
        if matches!(ty.kind(), TyKind::Lowered(FnRepr::Thick)) {
            let ty = self.type_id(ty)?;
            self.emit(Op::ReleaseValue { value, ty });
        }
        Ok(())
    }
}

/// Returns true if a `dealloc_stack` deallocates the context of a closure.
pub(super) fn is_given_back(body: &Body, closure: Value) -> bool {
    body.users(closure).any(|user| body.inst(user).opcode == silkit_ir::Opcode::DeallocStack)
}
