//! The uses of an allocation, and whether they allow promotion.

use super::rewrite::Slot;
use silkit_ir::instructions::{Load, LoadQualifier, Store, StoreBorrow};
use silkit_ir::{Block, Body, Inst, Opcode, Value};
use silkit_pass::FunctionContext;

/// Returns true if an instruction gives the address of a part of memory, or the same address for another type.
pub(super) fn is_projection(body: &Body, inst: Inst) -> bool {
    matches!(
        body.inst(inst).opcode,
        Opcode::StructElementAddr | Opcode::TupleElementAddr | Opcode::UncheckedAddrCast
    )
}

/// Returns whether all that uses an allocation is understood: then whether that is all in the block of the
/// allocation.
pub(super) fn single_block(cx: &FunctionContext<'_>, slot: &Slot) -> Option<bool> {
    let body = cx.body();
    let home = body.inst_block(slot.allocation);
    let mut is_single = true;
    for user in body.users(slot.address) {
        is_single &= body.inst_block(user) == home;
        let is_understood = match body.inst(user).opcode {
            Opcode::Store => {
                body.view_as::<Store>(user).is_some_and(|store| store.destination == slot.address)
            }
            Opcode::StoreBorrow => {
                body.view_as::<StoreBorrow>(user).is_some_and(|store| store.destination == slot.address)
                    && is_read_only(body, slot, user, home, &mut is_single)
            }
            Opcode::DeallocStack | Opcode::DebugValue => true,
            Opcode::DestroyAddr => !slot.is_address_only(cx),
            _ => is_read_only(body, slot, user, home, &mut is_single),
        };
        if !is_understood {
            return None;
        }
    }
    Some(is_single)
}

/// Returns true if memory is only loaded from by way of an instruction that uses its address.
fn is_read_only(body: &Body, slot: &Slot, inst: Inst, home: Block, is_single: &mut bool) -> bool {
    let has_ossa = slot.has_ossa;
    let mut work = vec![(inst, false)];
    while let Some((inst, is_part)) = work.pop() {
        *is_single &= body.inst_block(inst) == home;
        match body.inst(inst).opcode {
            // What is taken or borrowed of a part is owned or lent by the whole, which stays.
            Opcode::Load => {
                let load = body.view_as::<Load>(inst);
                if is_part && load.is_some_and(|l| l.qualifier == Some(LoadQualifier::Take)) {
                    return false;
                }
            }
            Opcode::LoadBorrow if !is_part => {}
            Opcode::StoreBorrow => {
                let results = body.results(inst);
                work.extend(results.flat_map(|v| body.users(v)).map(|user| (user, is_part)));
            }
            Opcode::EndBorrow | Opcode::DebugValue if !is_part => {}
            // A cast of a value gives one that nobody owns, of which no part can be borrowed.
            _ if is_projection(body, inst) && !(has_ossa && projects_cast(body, inst)) => {
                work.extend(body.results(inst).flat_map(|v| body.users(v)).map(|user| (user, true)));
            }
            _ => return false,
        }
    }
    true
}

fn projects_cast(body: &Body, inst: Inst) -> bool {
    let base = body.operands(inst).first().and_then(|o| body.defining_inst(o.value));
    body.inst(inst).opcode != Opcode::UncheckedAddrCast
        && base.is_some_and(|base| body.inst(base).opcode == Opcode::UncheckedAddrCast)
}

/// Returns true if nothing is ever read from memory.
pub(super) fn is_only_written(body: &Body, address: Value) -> bool {
    body.users(address).all(|user| match body.inst(user).opcode {
        Opcode::Store | Opcode::DeallocStack | Opcode::DebugValue => true,
        Opcode::StoreBorrow => body
            .results(user)
            .flat_map(|v| body.users(v))
            .all(|user| body.inst(user).opcode == Opcode::EndBorrow),
        _ => is_dead_projection(body, user),
    })
}

/// Returns true if an instruction is a projection whose uses are projections alone.
fn is_dead_projection(body: &Body, inst: Inst) -> bool {
    let mut work = vec![inst];
    while let Some(inst) = work.pop() {
        if !is_projection(body, inst) {
            return false;
        }
        work.extend(body.results(inst).flat_map(|v| body.users(v)));
    }
    true
}

/// Returns all uses of an address, including those of projections and borrows, block by block in order.
pub(super) fn all(body: &Body, address: Value) -> Vec<Inst> {
    let mut found = Vec::new();
    let mut work = vec![address];
    while let Some(address) = work.pop() {
        for user in body.users(address) {
            found.push(user);
            if is_projection(body, user) || body.inst(user).opcode == Opcode::StoreBorrow {
                work.extend(body.results(user));
            }
        }
    }
    found.sort_unstable_by_key(|&inst| (body.inst_block(inst), body.order_in_block(inst)));
    found
}
