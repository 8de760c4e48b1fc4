//! Forwarding chains from a borrowed value that could forward an owned value instead.
//!
//! ```text
//! %1 = begin_borrow %0
//! %2 = struct_extract %1, #S.field
//! %3 = upcast %2 to $B            // the end of the chain
//! ```

use silkit_ir::info::{OperandOwnership, Results, UseRule};
use silkit_ir::instructions::{StructExtract, TupleExtract};
use silkit_ir::ownership::forwarded_operands;
use silkit_ir::{Body, Inst, Opcode, Operand, Point, Value};
use silkit_transform::destroy;
use silkit_transform::patterns::Rewriter;
use silkit_types::SilType;

/// Returns the uses of a borrowed value that do not end its scope.
pub(super) fn uses_but_ends(body: &Body, value: Value) -> impl Iterator<Item = Operand> + '_ {
    body.uses(value).filter(|&operand| body.inst(body.operand(operand).user).opcode != Opcode::EndBorrow)
}

/// Returns the copy of the last value of a chain, if that is its only use.
pub(super) fn only_copy(rw: &Rewriter<'_, '_>, borrow: Inst, last: Value) -> Option<Inst> {
    let body = rw.body();
    let mut uses = uses_but_ends(body, last);
    let user = uses.next().filter(|_| uses.next().is_none()).map(|operand| body.operand(operand).user)?;
    (rw.is(user, Opcode::CopyValue) && body.inst_block(user) == body.inst_block(borrow)).then_some(user)
}

/// Returns the last value of the forwarding chain of a borrowed value. Each link is the only use in the same block,
/// by an instruction that could forward an owned value as well. Returns `None` if a noncopyable value is forwarded: it
/// cannot be copied, and may have a deinitializer.
pub(super) fn end_of_chain(rw: &Rewriter<'_, '_>, value: Value) -> Option<Value> {
    let body = rw.body();
    let mut last = value;
    loop {
        let counts = |operand: &Operand| {
            let user = body.operand(*operand).user;
            !matches!(body.inst(user).opcode, Opcode::EndBorrow | Opcode::DebugValue)
                && body.operand_spec(*operand).is_some()
        };
        let mut uses = body.uses(last).filter(counts);
        let Some(operand) = uses.next().filter(|_| uses.next().is_none()) else { return Some(last) };
        let user = body.operand(operand).user;
        let Some(next) = body.first_result(user).filter(|_| forwards_alone(body, user, operand)) else {
            return Some(last);
        };
        if !can_forward_owned(rw, user) || Some(body.inst_block(user)) != body.defining_block(last) {
            return Some(last);
        }
        if rw.declarations().is_move_only(rw.ty(last).ty(), rw.view().signature()) == Some(true) {
            return None;
        }
        last = next;
    }
}

/// Returns true if an instruction has one result, to which it forwards only this operand.
fn forwards_alone(body: &Body, user: Inst, operand: Operand) -> bool {
    body.is_forwarding(user)
        && body.results(user).len() == 1
        && body.info(user).results == Results::One
        && forwarded_operands(body, user).eq([operand])
}

/// Returns true if an instruction could forward an owned value: if it extracts a part, the remaining parts must need
/// no destroy.
fn can_forward_owned(rw: &Rewriter<'_, '_>, inst: Inst) -> bool {
    match rw.body().inst(inst).opcode {
        Opcode::StructExtract | Opcode::TupleExtract => {
            let whole = rw.ty(rw.body().operand_value(inst, 0)).ty();
            let Some(index) = part_index(rw, inst) else { return false };
            let Some(parts) = destroy::parts(rw.declarations(), whole) else { return false };
            let is_trivial = |ty| rw.is_trivial(SilType::object(ty));
            parts.iter().enumerate().all(|(at, &(_, ty))| at == index || is_trivial(ty))
        }
        _ => {
            let always_borrows = UseRule::Always(OperandOwnership::GuaranteedForwarding);
            rw.body().info(inst).operands.iter().all(|operand| operand.ownership != always_borrows)
        }
    }
}

/// Returns the index of the part that an instruction extracts.
fn part_index(rw: &Rewriter<'_, '_>, inst: Inst) -> Option<usize> {
    let body = rw.body();
    if let Some(extract) = body.view_as::<TupleExtract>(inst) {
        return usize::try_from(extract.field).ok();
    }
    let extract = body.view_as::<StructExtract>(inst)?;
    rw.field_index(extract.operand, extract.field)
}

/// Replaces a borrowed value, and the values forwarded from it, by an owned one. Returns the owned value at the end
/// of the chain.
pub(super) fn convert(rw: &mut Rewriter<'_, '_>, borrowed: Value, owned: Value) -> Value {
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

/// Destructures an owned value where an instruction extracts a part of a borrowed one. Returns the part.
fn take_apart(rw: &mut Rewriter<'_, '_>, extract: Inst, owned: Value) -> Option<Value> {
    let index = part_index(rw, extract)?;
    let is_tuple = rw.is(extract, Opcode::TupleExtract);
    let mut builder = rw.at(Point::Before(extract));
    let parts = if is_tuple { builder.destructure_tuple(owned) } else { builder.destructure_struct(owned) };
    parts.get(index).copied()
}
