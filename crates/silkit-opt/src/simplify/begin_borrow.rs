//! Removes borrow scopes whose value could be used as it is.
//!
//! What is copied out of a borrow of an owned value is taken out of a copy of it:
//!
//! ```text
//! %1 = begin_borrow %0
//! %2 = struct_extract %1, #S.field
//! %3 = copy_value %2
//! end_borrow %1
//! ---
//! %1 = copy_value %0
//! (%3, %4) = destructure_struct %1
//! ```
//!
//! An owned value that is borrowed once and then destroyed is used itself:
//!
//! ```text
//! %1 = begin_borrow %0
//! fix_lifetime %1
//! end_borrow %1
//! destroy_value %0
//! ---
//! fix_lifetime %0
//! destroy_value %0
//! ```
//!
//! Lexical scopes stay, and so do those of values to which a pointer may have escaped. A closure without context needs
//! no borrow at all.

use super::Rule;
use super::rewriter::Rewriter;
use silkit_analysis::ossa::Borrows;
use silkit_ir::info::Results;
use silkit_ir::instructions::{BeginBorrow, StructExtract, ThinToThickFunction, TupleExtract};
use silkit_ir::ownership::forwarded_operands;
use silkit_ir::{Block, Body, Inst, Opcode, Operand, Ownership, Point, Value, ValueDef};
use silkit_transform::destroy;
use silkit_types::SilType;

pub(super) const RULE: Rule = Rule::always(Opcode::BeginBorrow, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(BeginBorrow { operand: borrowed, lexical, .. }) = rw.body().view_as(inst) else { return };
    if rw.is_owned(borrowed) && !lexical && !has_pointer_escape(rw, borrowed) {
        use_owned_value(rw, inst, borrowed);
    } else if rw.body().def_as::<ThinToThickFunction>(borrowed).is_some() {
        use_closure(rw, inst, borrowed);
    }
}

fn has_pointer_escape(rw: &Rewriter<'_, '_>, value: Value) -> bool {
    let ownership = rw.ownership();
    Borrows::new(rw.body(), &ownership).has_pointer_escape(value)
}

/// Lets what uses a borrowed closure without context use the closure.
fn use_closure(rw: &mut Rewriter<'_, '_>, borrow: Inst, closure: Value) {
    let body = rw.body();
    let Some(result) = body.first_result(borrow) else { return };
    let is_passed_on = body.users(result).any(|user| rw.is(user, Opcode::Branch));
    if is_passed_on || !rw.may_change() {
        return;
    }
    let is_end = |operand: &Operand| rw.is(rw.body().operand(*operand).user, Opcode::EndBorrow);
    let uses: Vec<Operand> = rw.body().uses(result).filter(|operand| !is_end(operand)).collect();
    for operand in uses {
        rw.set_operand(operand, closure);
    }
    rw.remove_with_users(borrow);
}

fn use_owned_value(rw: &mut Rewriter<'_, '_>, borrow: Inst, owned: Value) {
    let Some(result) = rw.body().first_result(borrow) else { return };
    let last = end_of_chain(rw, result);
    let ownership = rw.ownership();
    let could_be_owned = |operand: Operand| {
        ownership.operand(operand).is_some_and(|how| how.constraint().allows(Ownership::Owned))
    };
    if !uses_but_ends(rw.body(), last).all(could_be_owned) {
        return;
    }
    if let Some(copy) = only_copy(rw, borrow, last) {
        if rw.may_change() {
            let copied = rw.before(borrow).copy_value(owned);
            let part = convert(rw, result, copied);
            rw.replace(copy, part);
            rw.remove_with_users(borrow);
        }
    } else if is_destroyed_after(rw.body(), owned, borrow) && rw.may_change() {
        let part = convert(rw, result, owned);
        let is_destroy = |operand: &Operand| rw.is(rw.body().operand(*operand).user, Opcode::DestroyValue);
        let destroys: Vec<Operand> = rw.body().uses(owned).filter(is_destroy).collect();
        for operand in destroys {
            rw.set_operand(operand, part);
        }
        rw.remove_with_users(borrow);
    }
}

/// Returns the uses of a borrowed value that do not end its scope.
fn uses_but_ends(body: &Body, value: Value) -> impl Iterator<Item = Operand> + '_ {
    body.uses(value).filter(|&operand| body.inst(body.operand(operand).user).opcode != Opcode::EndBorrow)
}

/// Returns the instruction that copies the last value of a chain, if nothing else uses that.
fn only_copy(rw: &Rewriter<'_, '_>, borrow: Inst, last: Value) -> Option<Inst> {
    let body = rw.body();
    let mut uses = uses_but_ends(body, last);
    let user = uses.next().filter(|_| uses.next().is_none()).map(|operand| body.operand(operand).user)?;
    (rw.is(user, Opcode::CopyValue) && body.inst_block(user) == body.inst_block(borrow)).then_some(user)
}

/// Returns the last value to which a borrowed one is forwarded, as far as each is forwarded by one instruction of its
/// block that could forward an owned value as well.
fn end_of_chain(rw: &Rewriter<'_, '_>, value: Value) -> Value {
    let body = rw.body();
    let mut last = value;
    loop {
        let counts = |operand: &Operand| {
            let user = body.operand(*operand).user;
            !matches!(body.inst(user).opcode, Opcode::EndBorrow | Opcode::DebugValue)
                && body.operand_spec(*operand).is_some()
        };
        let mut uses = body.uses(last).filter(counts);
        let Some(operand) = uses.next().filter(|_| uses.next().is_none()) else { return last };
        let user = body.operand(operand).user;
        let Some(next) = body.first_result(user).filter(|_| forwards_alone(body, user, operand)) else {
            return last;
        };
        if !can_forward_owned(rw, user) || Some(body.inst_block(user)) != defining_block(body, last) {
            return last;
        }
        last = next;
    }
}

/// Returns the block in which a value is defined.
fn defining_block(body: &Body, value: Value) -> Option<Block> {
    match body.def(value) {
        ValueDef::Result(inst, _) => Some(body.inst_block(inst)),
        ValueDef::Argument(block, _) => Some(block),
        ValueDef::Undef | ValueDef::Pending => None,
    }
}

/// Returns true if an instruction has one result, to which it forwards this operand alone.
fn forwards_alone(body: &Body, user: Inst, operand: Operand) -> bool {
    body.is_forwarding(user)
        && body.results(user).len() == 1
        && body.info(user).results == Results::One
        && forwarded_operands(body, user).eq([operand])
}

/// Returns true if an instruction could forward an owned value: one that takes a part of it must leave nothing behind
/// that has to be destroyed.
fn can_forward_owned(rw: &Rewriter<'_, '_>, inst: Inst) -> bool {
    match rw.body().inst(inst).opcode {
        Opcode::StructExtract | Opcode::TupleExtract => {
            let whole = rw.ty(rw.body().operand_value(inst, 0)).ty();
            let Some(index) = part_index(rw, inst) else { return false };
            let Some(parts) = destroy::parts(rw.declarations(), whole) else { return false };
            let is_trivial = |ty| rw.is_trivial(SilType::object(ty));
            parts.iter().enumerate().all(|(at, &(_, ty))| at == index || is_trivial(ty))
        }
        Opcode::DifferentiableFunctionExtract | Opcode::LinearFunctionExtract | Opcode::BorrowedFrom => false,
        _ => true,
    }
}

/// Returns which part of a value an instruction extracts.
fn part_index(rw: &Rewriter<'_, '_>, inst: Inst) -> Option<usize> {
    let body = rw.body();
    if let Some(extract) = body.view_as::<TupleExtract>(inst) {
        return usize::try_from(extract.field).ok();
    }
    let extract = body.view_as::<StructExtract>(inst)?;
    rw.field_index(extract.operand, extract.field)
}

/// Returns true if a value has no other uses than an instruction and destructions after it.
fn is_destroyed_after(body: &Body, value: Value, user: Inst) -> bool {
    let is_destroy = |inst: Inst| body.inst(inst).opcode == Opcode::DestroyValue;
    let block = body.inst_block(user);
    // Without dominators: all is in one block, or the destructions are in the block of the instruction.
    let is_near = |inst: Inst| body.inst_block(inst) == block;
    let is_local = defining_block(body, value) == Some(block);
    let mut others = body.users(value).filter(|&inst| !is_destroy(inst));
    others.next() == Some(user)
        && others.next().is_none()
        && (is_local || body.users(value).filter(|&inst| is_destroy(inst)).all(is_near))
}

/// Lets what uses a borrowed value, and what is forwarded from it, use an owned one. Returns the owned value at the end
/// of the chain.
fn convert(rw: &mut Rewriter<'_, '_>, borrowed: Value, owned: Value) -> Value {
    let (mut borrowed, mut owned) = (borrowed, owned);
    loop {
        let mut next = None;
        let uses: Vec<Operand> = uses_but_ends(rw.body(), borrowed).collect();
        for operand in uses {
            let user = rw.body().operand(operand).user;
            if let Some(part) = take_apart(rw, user, owned) {
                next = rw.body().first_result(user).map(|value| (value, part));
            } else {
                rw.set_operand(operand, owned);
                if forwards_alone(rw.body(), user, operand) {
                    rw.edit().set_forwarding(user, None);
                    next = rw.body().first_result(user).map(|value| (value, value));
                }
            }
        }
        let Some(link) = next else { return owned };
        (borrowed, owned) = link;
    }
}

/// Takes an owned value apart where an instruction extracts a part of a borrowed one. Returns the part.
fn take_apart(rw: &mut Rewriter<'_, '_>, extract: Inst, owned: Value) -> Option<Value> {
    let index = part_index(rw, extract)?;
    let is_tuple = rw.is(extract, Opcode::TupleExtract);
    let mut builder = rw.at(Point::Before(extract));
    let parts = if is_tuple { builder.destructure_tuple(owned) } else { builder.destructure_struct(owned) };
    parts.get(index).copied()
}
