//! The uses of an allocation, and whether they allow promotion.

use super::rewrite::Slot;
use silkit_ir::instructions::{Load, LoadQualifier, Store, StoreBorrow};
use silkit_ir::{Block, Body, Inst, Opcode, Value};
use silkit_pass::FunctionContext;

/// Returns true if an instruction projects the address of a part of memory, or the same address with another type.
pub(super) fn is_projection(body: &Body, inst: Inst) -> bool {
    matches!(
        body.inst(inst).opcode,
        Opcode::StructElementAddr | Opcode::TupleElementAddr | Opcode::UncheckedAddrCast
    )
}

/// Returns `None` if a use of an allocation is not understood; otherwise whether all uses are in the block of the
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

/// Returns true if an address user only reads memory.
fn is_read_only(body: &Body, slot: &Slot, inst: Inst, home: Block, is_single: &mut bool) -> bool {
    let has_ossa = slot.has_ossa;
    let mut work = vec![(inst, false)];
    while let Some((inst, is_part)) = work.pop() {
        *is_single &= body.inst_block(inst) == home;
        match body.inst(inst).opcode {
            // A part that is taken or borrowed is owned by the whole, which remains.
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
            // The result of a cast has no owner, so that no part of it can be borrowed.
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

/// Returns true if memory is never read.
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

/// Returns true if an instruction is a projection that is only used by projections.
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

/// Returns all uses of an address, each followed by those of its projections and borrows, newest use first.
pub(super) fn newest_first(body: &Body, address: Value) -> Vec<Inst> {
    let mut found = Vec::new();
    let users = |address| {
        let mut users: Vec<Inst> = body.users(address).collect();
        users.reverse();
        users
    };
    let mut work = users(address);
    while let Some(user) = work.pop() {
        found.push(user);
        if is_projection(body, user) || body.inst(user).opcode == Opcode::StoreBorrow {
            work.extend(body.results(user).flat_map(users));
        }
    }
    found
}

/// Returns all uses of an address, including those of projections and borrows, in layout order.
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
