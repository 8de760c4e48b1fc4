//! Assignments to properties with init accessors in raw SIL, whose mode is not yet chosen by definite initialization:
//! the init accessor is called until all of `self` is initialized, and the setter afterwards.

use super::Translator;
use crate::op::Op;
use crate::sites::Move;
use crate::types::type_error;
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::{AssignOrInit, AssignOrInitMode};
use silkit_ir::{Body, DeclRef, Value, ValueDef};
use silkit_layout::Ty;
use silkit_types::decl::StorageRestrictions;
use std::rc::Rc;

/// A stored property of `self`: its name, its type, and its offset in the struct or object.
type Stored = (Symbol, Ty, u32);

impl Translator<'_, '_> {
    pub(super) fn assign_or_init(&mut self, body: &Body, i: AssignOrInit<'_>) -> Run<()> {
        match (i.mode, i.self_value) {
            (Some(AssignOrInitMode::Set), _) => self.call_setter(body, i.setter, i.value),
            (None, Some(receiver)) => self.assign_or_init_by_state(body, i, receiver),
            _ => unsupported("an init accessor whose mode is chosen"),
        }
    }

    fn assign_or_init_by_state(&mut self, body: &Body, i: AssignOrInit<'_>, receiver: Value) -> Run<()> {
        let (ty, _) = self.type_of(body, receiver)?;
        let base = self.use_value(body, receiver)?;
        let stored = self.stored_in(ty)?;
        let StorageRestrictions { initializes, accesses } = self.restrictions(ty, i.property)?;
        let mut branches = Vec::new();
        for &(_, ty, offset) in &stored {
            let (condition, address) = (self.allocate_slot(8), self.allocate_slot(8));
            self.emit(Op::AddAddress { to: address, from: base, offset });
            let ty = self.type_id(ty)?;
            self.emit(Op::HoldsValue { to: condition, address, ty });
            branches.push((condition, self.emit(Op::Nop)));
        }
        let has_setter = !matches!(body.def(i.setter), ValueDef::Undef);
        if has_setter {
            self.call_setter(body, i.setter, i.value)?;
        }
        let over = self.emit(Op::Nop);
        let initializer = self.it.code.len() as u32;
        let mut addresses = Vec::new();
        for name in initializes.iter().chain(&accesses) {
            let found = stored.iter().find(|(stored, ..)| stored == name);
            let Some(&(_, ty, offset)) = found else {
                return unsupported(format!("an init accessor of `{name}`, which is not stored,"));
            };
            let address = self.allocate_slot(8);
            self.emit(Op::AddAddress { to: address, from: base, offset });
            if initializes.contains(name) {
                let ty = self.type_id(ty)?;
                self.emit(Op::DestroyIfAny { address, ty });
            }
            addresses.push(Move { from: address, to: 0, len: 8 });
        }
        let accessed = addresses.split_off(initializes.len());
        self.call_init_accessor(body, i, addresses, accessed)?;
        let end = self.it.code.len() as u32;
        self.it.code[over as usize] = Op::Jump { to: end };
        for (condition, at) in branches {
            self.it.code[at as usize] = Op::JumpIf { condition, then: at + 1, otherwise: initializer };
        }
        if !has_setter {
            self.it.code[over as usize] = Op::Nop;
        }
        Ok(())
    }

    /// Calls an init accessor with the addresses of the properties that it initializes, the assigned value, and the
    /// addresses of the properties that it accesses.
    fn call_init_accessor(
        &mut self,
        body: &Body,
        i: AssignOrInit<'_>,
        initialized: Vec<Move>,
        accessed: Vec<Move>,
    ) -> Run<()> {
        let target = self.callee(body, i.initializer, &[])?;
        let value = self.assigned(body, i.value, i.initializer, accessed.len())?;
        let (mut args, mut to) = (initialized, 0);
        args.extend(value);
        args.extend(accessed);
        for arg in &mut args {
            arg.to = to;
            to += arg.len.next_multiple_of(8);
        }
        let result = self.allocate_slot(16);
        let site = self.call_site(target, (args.into(), to), (result, 0));
        self.emit_call(site);
        Ok(())
    }

    /// Returns the stored properties of a struct or of the instances of a class.
    fn stored_in(&mut self, ty: Ty) -> Run<Vec<Stored>> {
        if self.it.is_class(ty) {
            let layout = self.program.world.class_layout(ty).map_err(type_error)?;
            return Ok(layout.fields.iter().map(|f| (f.name, f.ty, f.offset as u32)).collect());
        }
        let info = self.it.info(ty)?;
        let parts = info.layout.parts().iter();
        Ok(parts.filter_map(|p| Some((p.name?, p.ty, p.offset as u32))).collect())
    }

    /// Returns the stored properties that an init accessor uses.
    fn restrictions(&mut self, of: Ty, property: DeclRef) -> Run<StorageRestrictions> {
        let program = Rc::clone(&self.program);
        let world = &program.world;
        for nominal in world.ancestry(of).filter_map(|ty| ty.as_nominal().map(|(nominal, _)| nominal)) {
            let (Some(decl), Some(name)) = (world.decl(nominal), property.name()) else { continue };
            if let Some(accessor) = decl.body.init_accessor(name) {
                return Ok(accessor.storage.clone());
            }
            if decl.body.members.named(name).is_some() {
                return Ok(StorageRestrictions::default());
            }
        }
        unsupported(format!("the init accessor of `{property}`, which is not declared,"))
    }
}
