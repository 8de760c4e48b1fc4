//! Copies in raw SIL of values that cannot be copied: the move checker makes each of them a move or a borrow.
//!
//! A copy that nothing but `destroy_value` ends is a borrow: its bits are those of the original, and its destruction does
//! nothing. Any other copy is a move: memory that it comes from is left uninitialized, and of a value that it comes from
//! a byte of the frame says that the value is gone.

use super::Translator;
use crate::op::{Op, Slot};
use crate::violation::Run;
use silkit_base::FxHashMap;
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::instructions::{AnyInst, LoadQualifier};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};
use silkit_layout::Ty;

/// The treatment of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CopyAs {
    /// A copy.
    Copy,
    /// The original goes on.
    Borrow,
    /// The original is gone.
    Move,
}

impl Translator<'_, '_> {
    fn is_movable(&mut self, body: &Body, value: Value) -> bool {
        self.function.is_raw
            && self
                .type_of(body, value)
                .and_then(|(ty, _)| self.type_id(ty))
                .is_ok_and(|id| self.it.types.has_deinit(id))
    }

    /// Returns the fate of a value that `copy_value` or `load [copy]` creates.
    pub(super) fn copy_as(&mut self, body: &Body, copy: Value) -> CopyAs {
        match self.is_movable(body, copy) {
            false if self.function.is_raw && is_consume_operator(body, copy) => CopyAs::Move,
            false => CopyAs::Copy,
            true if is_consumed(body, copy) => CopyAs::Move,
            true => CopyAs::Borrow,
        }
    }

    /// Returns the fate of a copy in memory.
    pub(super) fn copy_at_as(&mut self, body: &Body, destination: Value) -> CopyAs {
        match self.is_movable(body, destination) {
            false => CopyAs::Copy,
            true if is_place_consumed(body, place(body, destination)) => CopyAs::Move,
            true => CopyAs::Borrow,
        }
    }

    /// Returns true if a value is, or an address holds, a copy that is a borrow: its destruction does nothing.
    pub(super) fn is_borrowed_copy(&mut self, body: &Body, value: Value) -> bool {
        let origin = origin(body, value);
        let is_copy = body.defining_inst(origin).is_some_and(|inst| is_copy(body, inst));
        is_copy && self.copy_as(body, origin) == CopyAs::Borrow
    }

    /// Returns true if a place holds a copy that is a borrow.
    pub(super) fn is_borrowed_place(&mut self, body: &Body, address: Value) -> bool {
        if !self.is_movable(body, address) {
            return false;
        }
        let place = place(body, address);
        let is_copied = aliases(body, place).into_iter().any(|alias| {
            body.users(alias).any(|user| match body.view(user) {
                AnyInst::CopyAddr(i) => i.destination == alias && !i.take,
                _ => false,
            })
        });
        is_copied && !is_place_consumed(body, place)
    }

    /// Takes a byte of the frame for each value that a copy moves from.
    pub(super) fn prepare_moves(&mut self, body: &Body) {
        if !self.function.is_raw {
            return;
        }
        let mut moved: FxHashMap<Value, Slot> = FxHashMap::default();
        for inst in body.insts().filter(|&inst| body.inst(inst).opcode == Opcode::CopyValue) {
            let Some(copy) = body.first_result(inst) else { continue };
            let owner = owner(body, body.operand_value(inst, 0));
            if !moved.contains_key(&owner) && self.copy_as(body, copy) == CopyAs::Move {
                let slot = self.allocate_slot(8);
                moved.insert(owner, slot);
            }
        }
        self.instance_mut().moved = moved;
        let ends = self.ends_before_joins(body);
        self.instance_mut().ends = ends;
    }

    /// Notes that a value is there, for what is moved from later.
    pub(super) fn note_defined(&mut self, value: Value) {
        if let Some(&to) = self.it.instances[self.id.0 as usize].moved.get(&value) {
            self.emit(Op::Const1 { to, value: 0 });
        }
    }

    /// Notes that a copy of a value is a move.
    pub(super) fn note_moved(&mut self, body: &Body, value: Value) -> Run<()> {
        let owner = owner(body, value);
        if let Some(&to) = self.it.instances[self.id.0 as usize].moved.get(&owner) {
            self.emit(Op::Const1 { to, value: 1 });
        }
        let mut offset = 0;
        let mut at = owner;
        while let Some(inst) = body.defining_inst(at) {
            at = match body.view(inst) {
                AnyInst::LoadBorrow(i) => {
                    let (ty, _) = self.type_of(body, value)?;
                    return self.forget_part(body, i.address, offset, ty);
                }
                AnyInst::BeginBorrow(i) => i.operand,
                AnyInst::StructExtract(i) => {
                    let (whole, _) = self.type_of(body, i.operand)?;
                    let Some(name) = i.field.name() else { break };
                    let part = self.program.world.struct_field(whole, name);
                    offset += part.map_err(crate::types::type_error)?.offset;
                    i.operand
                }
                _ => break,
            };
        }
        Ok(())
    }

    /// Marks a place as uninitialized.
    pub(super) fn forget_place(&mut self, body: &Body, address: Value) -> Run<()> {
        let (ty, _) = self.type_of(body, address)?;
        self.forget_part(body, address, 0, ty)
    }

    /// Marks a part of what is at a place as uninitialized.
    fn forget_part(&mut self, body: &Body, address: Value, offset: u64, ty: Ty) -> Run<()> {
        let mut slot = self.use_value(body, address)?;
        if offset > 0 {
            let from = std::mem::replace(&mut slot, self.allocate_slot(8));
            self.emit(Op::AddAddress { to: slot, from, offset: offset as u32 });
        }
        let size = self.size(ty)?;
        let to = self.allocate_slot(size);
        let ty = self.type_id(ty)?;
        self.emit(Op::LoadTake { to, address: slot, ty });
        Ok(())
    }

    /// Destroys a value unless it was moved.
    pub(super) fn release_unless_moved(&mut self, body: &Body, value: Value) -> Run<()> {
        let Some(&condition) = self.it.instances[self.id.0 as usize].moved.get(&value) else {
            return self.release_value(body, value);
        };
        let test = self.emit(Op::Nop);
        self.release_value(body, value)?;
        let then = self.it.code.len() as u32;
        self.it.code[test as usize] = Op::JumpIf { condition, then, otherwise: test + 1 };
        Ok(())
    }
}

/// Returns true if an instruction copies a value.
fn is_copy(body: &Body, inst: Inst) -> bool {
    match body.view(inst) {
        AnyInst::CopyValue(_) => true,
        AnyInst::Load(i) => i.qualifier == Some(LoadQualifier::Copy),
        _ => false,
    }
}

/// Returns true if a copy is the operand of `consume`, which ends the variable that it comes from.
fn is_consume_operator(body: &Body, copy: Value) -> bool {
    body.users(copy).any(|user| matches!(body.view(user), AnyInst::MoveValue(i) if i.allows_diagnostics))
}

/// Returns true if an instruction hands a value on as it is.
fn is_forward(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::MarkUnresolvedNonCopyableValue
            | Opcode::MoveValue
            | Opcode::CopyableToMoveOnlyWrapperValue
            | Opcode::MoveOnlyWrapperToCopyableValue
    )
}

/// Returns the value that others hand on as it is.
fn origin(body: &Body, mut value: Value) -> Value {
    while let Some(inst) = body.defining_inst(value).filter(|&inst| is_forward(body.inst(inst).opcode)) {
        value = body.operand_value(inst, 0);
    }
    value
}

/// Returns the value whose destruction ends what a value is borrowed from.
pub(super) fn owner(body: &Body, mut value: Value) -> Value {
    while let Some(inst) =
        body.defining_inst(value).filter(|&inst| body.inst(inst).opcode == Opcode::BeginBorrow)
    {
        value = body.operand_value(inst, 0);
    }
    value
}

/// Returns the memory that an address is marked or accessed as.
pub(super) fn place(body: &Body, mut address: Value) -> Value {
    let is_same = |opcode| matches!(opcode, Opcode::MarkUnresolvedNonCopyableValue | Opcode::BeginAccess);
    while let Some(inst) = body.defining_inst(address).filter(|&inst| is_same(body.inst(inst).opcode)) {
        address = body.operand_value(inst, 0);
    }
    address
}

/// Returns the addresses that a place is marked or accessed as.
fn aliases(body: &Body, place: Value) -> Vec<Value> {
    let mut all = vec![place];
    let mut at = 0;
    while let Some(&value) = all.get(at) {
        let marks = body.users(value).filter(|&user| {
            matches!(body.inst(user).opcode, Opcode::MarkUnresolvedNonCopyableValue | Opcode::BeginAccess)
        });
        all.extend(marks.filter_map(|user| body.first_result(user)));
        at += 1;
    }
    all
}

/// Returns true if something other than a destruction ends a value.
fn is_consumed(body: &Body, value: Value) -> bool {
    body.uses(value).any(|operand| consumes(body, operand))
}

fn consumes(body: &Body, operand: Operand) -> bool {
    let inst = body.operand(operand).user;
    let opcode = body.inst(inst).opcode;
    if is_forward(opcode) || opcode == Opcode::CopyValue {
        return body.first_result(inst).is_some_and(|result| is_consumed(body, result));
    }
    if let Some(site) = ApplySite::of_operand(body, operand, Addresses::Lowered) {
        let is_on_stack = matches!(body.view(inst), AnyInst::PartialApply(i) if i.on_stack);
        let convention = site.convention_of_operand(body.operand_index(operand));
        return !is_on_stack && (!site.is_full() || convention.is_some_and(|c| c.is_consumed()));
    }
    let is_source = body.operand_index(operand) == 0;
    match opcode {
        Opcode::Store | Opcode::Assign => is_source,
        Opcode::Return
        | Opcode::Throw
        | Opcode::Branch
        | Opcode::CondBranch
        | Opcode::Struct
        | Opcode::Tuple
        | Opcode::Enum
        | Opcode::DestructureStruct
        | Opcode::DestructureTuple
        | Opcode::DropDeinit
        | Opcode::UncheckedEnumData
        | Opcode::SwitchEnum => true,
        _ => false,
    }
}

/// Returns true if what is at a place is taken, rather than looked at and destroyed.
fn is_place_consumed(body: &Body, place: Value) -> bool {
    body.defining_inst(place).is_none_or(|inst| body.inst(inst).opcode != Opcode::AllocStack)
        || aliases(body, place).into_iter().any(|alias| is_address_consumed(body, alias))
}

fn is_address_consumed(body: &Body, address: Value) -> bool {
    body.uses(address).any(|operand| {
        let inst = body.operand(operand).user;
        let site = ApplySite::of_operand(body, operand, Addresses::Lowered);
        match body.view(inst) {
            AnyInst::Load(i) => match i.qualifier {
                Some(LoadQualifier::Take) => true,
                Some(LoadQualifier::Copy) => {
                    body.first_result(inst).is_some_and(|value| is_consumed(body, value))
                }
                _ => false,
            },
            AnyInst::CopyAddr(i) => i.source == address && i.take,
            AnyInst::UncheckedTakeEnumDataAddr(_) => {
                body.first_result(inst).is_some_and(|payload| is_address_consumed(body, payload))
            }
            _ => site.is_some_and(|site| {
                let convention = site.convention_of_operand(body.operand_index(operand));
                convention.is_some_and(|c| c.is_consumed())
            }),
        }
    })
}
