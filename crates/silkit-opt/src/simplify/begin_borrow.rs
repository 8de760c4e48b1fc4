//! Removes redundant borrow scopes.
//!
//! A copy of a part of a borrowed value becomes a part of a copy of the owned value:
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
//! A single borrow of an owned value that is destroyed afterwards is replaced by the value:
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
//! Lexical scopes and scopes of values with pointer escapes are kept. A closure without context needs no borrow.

use super::always;
use super::forwarding::{convert, end_of_chain, only_copy, uses_but_ends};
use silkit_analysis::ossa::Borrows;
use silkit_ir::instructions::{BeginBorrow, ThinToThickFunction};
use silkit_ir::{Body, Inst, Opcode, Operand, Ownership, Value};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::BeginBorrow, "begin_borrow of owned value", borrow_of_owned),
    always(Opcode::BeginBorrow, "begin_borrow of closure without context", borrow_of_closure),
];

fn borrow_of_owned(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(BeginBorrow { operand: owned, lexical, .. }) = rw.body().view_as(inst) else { return };
    if rw.is_owned(owned) && !lexical {
        use_owned_value(rw, inst, owned);
    }
}

fn borrow_of_closure(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(BeginBorrow { operand: closure, .. }) = rw.body().view_as(inst) else { return };
    if rw.body().def_as::<ThinToThickFunction>(closure).is_some() {
        use_closure(rw, inst, closure);
    }
}

fn has_pointer_escape(rw: &Rewriter<'_, '_>, value: Value) -> bool {
    let ownership = rw.ownership();
    Borrows::new(rw.body(), &ownership).has_pointer_escape(value)
}

/// Replaces uses of a borrowed closure without context by the closure.
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

/// Replaces uses of a borrow by the owned value, and of borrows within it that then are the only borrow of the value.
fn use_owned_value(rw: &mut Rewriter<'_, '_>, borrow: Inst, owned: Value) {
    let mut next = use_instead(rw, borrow, owned, false);
    // Without the outer borrow, the value has the same uses. They need not be visited again for each of many borrows.
    while let Some(nested) = next {
        next = use_instead(rw, nested, owned, true);
    }
}

/// Replaces uses of a borrow by the owned value, or by parts of a copy of it. Returns the only borrow of the value then.
fn use_instead(
    rw: &mut Rewriter<'_, '_>,
    borrow: Inst,
    owned: Value,
    is_without_escape: bool,
) -> Option<Inst> {
    let result = rw.body().first_result(borrow)?;
    let last = end_of_chain(rw, result)?;
    let ownership = rw.ownership();
    let could_be_owned = |operand: Operand| {
        ownership.operand(operand).is_some_and(|how| how.constraint().allows(Ownership::Owned))
    };
    if !uses_but_ends(rw.body(), last).all(could_be_owned) {
        return None;
    }
    let may_escape = |rw: &Rewriter<'_, '_>| !is_without_escape && has_pointer_escape(rw, owned);
    // Pointer escapes are checked last, since that visits all uses of the value, which may be shared by many borrows.
    if let Some(copy) = only_copy(rw, borrow, last) {
        if !may_escape(rw) && rw.may_change() {
            let copied = rw.before(borrow).copy_value(owned);
            let part = convert(rw, result, copied);
            rw.replace(copy, part);
            rw.remove_with_users(borrow);
        }
    } else if is_destroyed_after(rw.body(), owned, borrow) && !may_escape(rw) && rw.may_change() {
        let part = convert(rw, result, owned);
        let is_destroy = |operand: &Operand| rw.is(rw.body().operand(*operand).user, Opcode::DestroyValue);
        let destroys: Vec<Operand> = rw.body().uses(owned).filter(is_destroy).collect();
        for operand in destroys {
            rw.set_operand(operand, part);
        }
        rw.remove_with_users(borrow);
        return only_borrow(rw.body(), owned).filter(|_| part == owned);
    }
    None
}

/// Returns the borrow that is the only use of a value, apart from destroys. Lexical borrows are kept.
fn only_borrow(body: &Body, value: Value) -> Option<Inst> {
    let mut others = body.users(value).filter(|&user| body.inst(user).opcode != Opcode::DestroyValue);
    let user = others.next().filter(|_| others.next().is_none())?;
    body.view_as::<BeginBorrow>(user).filter(|borrow| !borrow.lexical).map(|_| user)
}

/// Returns true if a value has no other uses than an instruction and destroys after it.
fn is_destroyed_after(body: &Body, value: Value, user: Inst) -> bool {
    let is_destroy = |inst: Inst| body.inst(inst).opcode == Opcode::DestroyValue;
    let block = body.inst_block(user);
    // Without dominators, all of it must be in one block, or the destroys in the block of the instruction.
    let is_near = |inst: Inst| body.inst_block(inst) == block;
    let is_local = body.defining_block(value) == Some(block);
    let mut others = body.users(value).filter(|&inst| !is_destroy(inst));
    others.next() == Some(user)
        && others.next().is_none()
        && (is_local || body.users(value).filter(|&inst| is_destroy(inst)).all(is_near))
}
