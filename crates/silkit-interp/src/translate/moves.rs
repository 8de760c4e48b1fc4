//! Copies of noncopyable values in raw SIL: the move checker converts each of them to a move or a borrow.
//!
//! A copy that is consumed only by `destroy_value` is a borrow: its bits are those of the original, and its destruction
//! has no effect. Any other copy is a move. If it moves from memory, the memory is marked as uninitialized. If it moves
//! from a value, a flag byte in the frame records that the value was moved.

use super::Translator;
use crate::op::{Op, Slot};
use crate::violation::Run;
use silkit_base::FxHashMap;
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::instructions::{AccessKind, AnyInst, LoadQualifier, MoveOnlyCheckKind};
use silkit_ir::{Body, Inst, Opcode, Operand, Value};
use silkit_layout::Ty;

/// The interpretation of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CopyAs {
    /// The copy stays a copy.
    Copy,
    /// The copy is a borrow: the original stays alive.
    Borrow,
    /// The copy is a move: it ends the lifetime of the original.
    Move,
}

impl Translator<'_, '_> {
    pub(super) fn is_movable(&mut self, body: &Body, value: Value) -> bool {
        self.function.is_raw
            && self
                .type_of(body, value)
                .and_then(|(ty, _)| self.type_id(ty))
                .is_ok_and(|id| self.it.types.has_deinit(id))
    }

    /// Returns true if `consume` moves copyable values.
    pub(super) fn consume_moves(&self) -> bool {
        self.function.is_raw && !self.it.options.consume_copies
    }

    /// Returns the interpretation of a `copy_value` or `load [copy]`.
    pub(super) fn copy_as(&mut self, body: &Body, copy: Value) -> CopyAs {
        match self.is_movable(body, copy) {
            false if self.consume_moves() && is_consume_operator(body, copy) => CopyAs::Move,
            false => CopyAs::Copy,
            true if is_consumed(body, copy) => CopyAs::Move,
            true => CopyAs::Borrow,
        }
    }

    /// Returns the interpretation of a copy in memory.
    pub(super) fn copy_at_as(&mut self, body: &Body, source: Value, destination: Value) -> CopyAs {
        match self.is_movable(body, destination) {
            false if self.consume_moves() && is_consumed_wrapper(body, source) => CopyAs::Move,
            false => CopyAs::Copy,
            true if is_place_consumed(body, place(body, destination)) => CopyAs::Move,
            true => CopyAs::Borrow,
        }
    }

    /// Returns true if a value is a copy that is interpreted as a borrow, whose destruction has no effect.
    pub(super) fn is_borrowed_copy(&mut self, body: &Body, value: Value) -> bool {
        let origin = origin(body, value);
        let is_copy = body.defining_inst(origin).is_some_and(|inst| is_copy(body, inst));
        is_copy && self.copy_as(body, origin) == CopyAs::Borrow
    }

    /// Returns true if the memory at an address contains a copy that is interpreted as a borrow.
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

    /// Allocates a flag in the frame for each value that a copy moves from.
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

    /// Clears the moved flag of a value, if it has one.
    pub(super) fn note_defined(&mut self, value: Value) {
        if let Some(&to) = self.it.instances[self.id.0 as usize].moved.get(&value) {
            self.emit(Op::Const1 { to, value: 0 });
        }
    }

    /// Records that a copy moved from a value: sets its moved flag, and marks the memory that it was borrowed
    /// from as uninitialized.
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

    /// Marks the memory at an address as uninitialized.
    pub(super) fn forget_place(&mut self, body: &Body, address: Value) -> Run<()> {
        let (ty, _) = self.type_of(body, address)?;
        self.forget_part(body, address, 0, ty)
    }

    /// Marks a part of the memory at an address as uninitialized.
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

    /// Destroys a value unless its moved flag is set.
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

/// Returns true if a copy is the operand of `consume`, which ends the lifetime of the copied variable.
fn is_consume_operator(body: &Body, copy: Value) -> bool {
    body.users(copy).any(|user| is_consume(body, user))
}

/// Returns true if an instruction is the operator `consume`. It ends the lifetime of its operand even if its result is
/// only destroyed, as in `_ = consume x`.
fn is_consume(body: &Body, inst: Inst) -> bool {
    matches!(body.view(inst), AnyInst::MoveValue(i) if i.allows_diagnostics)
}

/// Returns true if an instruction forwards a value unchanged.
fn is_forward(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::MarkUnresolvedNonCopyableValue
            | Opcode::MoveValue
            | Opcode::CopyableToMoveOnlyWrapperValue
            | Opcode::MoveOnlyWrapperToCopyableValue
    )
}

/// Returns the value that is forwarded unchanged as `value`.
fn origin(body: &Body, value: Value) -> Value {
    body.look_through(value, is_forward)
}

/// Returns the value that `value` is borrowed from, whose destruction ends its lifetime.
pub(super) fn owner(body: &Body, value: Value) -> Value {
    body.look_through(value, |opcode| opcode == Opcode::BeginBorrow)
}

/// Returns the memory that an address is derived from by marks and accesses.
pub(super) fn place(body: &Body, address: Value) -> Value {
    body.look_through(address, is_mark_of_place)
}

/// Returns true if an instruction results in the address of the memory at its first operand.
fn is_mark_of_place(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::MarkUnresolvedNonCopyableValue | Opcode::BeginAccess | Opcode::MoveOnlyWrapperToCopyableAddr
    )
}

/// Returns true if an address is that of a `consuming` parameter of a copyable type, accessed to modify it. A copy from
/// there is the operator `consume`; other copies only read.
fn is_consumed_wrapper(body: &Body, source: Value) -> bool {
    let view = |value| body.defining_inst(value).map(|inst| body.view(inst));
    let Some(AnyInst::MoveOnlyWrapperToCopyableAddr(i)) = view(source) else { return false };
    let access = body.look_through(i.operand, |opcode| opcode == Opcode::MarkUnresolvedNonCopyableValue);
    matches!(view(access), Some(AnyInst::BeginAccess(i)) if i.kind == AccessKind::Modify)
}

/// Returns all addresses that are derived from a memory location by marks and accesses.
fn aliases(body: &Body, place: Value) -> Vec<Value> {
    let mut all = vec![place];
    let mut at = 0;
    while let Some(&value) = all.get(at) {
        let marks = body.users(value).filter(|&user| is_mark_of_place(body.inst(user).opcode));
        all.extend(marks.filter_map(|user| body.first_result(user)));
        at += 1;
    }
    all
}

/// Returns true if a value is consumed by anything other than a destroy.
fn is_consumed(body: &Body, value: Value) -> bool {
    body.uses(value).any(|operand| consumes(body, operand))
}

fn consumes(body: &Body, operand: Operand) -> bool {
    let inst = body.operand(operand).user;
    let opcode = body.inst(inst).opcode;
    if is_consume(body, inst) {
        return true;
    }
    if is_forward(opcode) || opcode == Opcode::CopyValue {
        return body.first_result(inst).is_some_and(|result| is_consumed(body, result));
    }
    if let Some(site) = ApplySite::of_operand(body, operand, Addresses::Lowered) {
        let is_on_stack = matches!(body.view(inst), AnyInst::PartialApply(i) if i.on_stack)
            || body.first_result(inst).is_some_and(|closure| is_local_closure(body, closure));
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

/// Returns true if a closure in raw SIL is only converted to a non-escaping one. Closure lifetime fixup allocates such a
/// closure on the stack, where it borrows what it captures.
pub(super) fn is_local_closure(body: &Body, closure: Value) -> bool {
    let is_local = |user| match body.inst(user).opcode {
        Opcode::ConvertEscapeToNoEscape => super::kept_closures::outlived_closure(body, user).is_none(),
        Opcode::ConvertFunction => body.first_result(user).is_some_and(|value| is_local_closure(body, value)),
        Opcode::DestroyValue | Opcode::DebugValue => true,
        _ => false,
    };
    body.is_used(closure) && body.users(closure).all(is_local)
}

/// Returns true if the value in memory is consumed, rather than only borrowed and destroyed.
fn is_place_consumed(body: &Body, place: Value) -> bool {
    body.defining_inst(place).is_none_or(|inst| body.inst(inst).opcode != Opcode::AllocStack)
        || is_consume_temporary(body, place)
        || aliases(body, place).into_iter().any(|alias| is_address_consumed(body, alias))
}

/// Returns true if stack memory holds the result of `consume` of an address-only value: the compiler marks this memory,
/// but not that of a copy for another purpose.
fn is_consume_temporary(body: &Body, place: Value) -> bool {
    body.users(place).any(|user| match body.view(user) {
        AnyInst::MarkUnresolvedNonCopyableValue(i) => i.kind == MoveOnlyCheckKind::ConsumableAndAssignable,
        _ => false,
    })
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
