//! The conditions under which the result of an instruction can be replaced by the result of an identical one in OSSA.

use crate::simplify::address_users;
use silkit_analysis::BodyView;
use silkit_analysis::ossa::{Borrows, Incomplete, Liveness, projected_address};
use silkit_base::Worklist;
use silkit_ir::info::Role;
use silkit_ir::instructions::{MarkUninitialized, PointerToAddress, ProjectBox};
use silkit_ir::{Body, Inst, Opcode, Ownership, Value};
use silkit_transform::{replace_borrowed, replace_owned};

/// How a value replaces an identical one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    Plain,
    /// By a borrow of a copy.
    Borrowed,
    /// By a copy.
    Copied,
}

impl Replacement {
    /// Returns how the result of an instruction can be replaced by the result of another one.
    pub(super) fn of(view: &BodyView<'_>, inst: Inst, other: Inst) -> Option<Self> {
        let body = view.body;
        let Some(result) = body.first_result(inst).filter(|_| view.function.has_ossa()) else {
            return Some(Self::Plain);
        };
        if body.value(result).ty.is_address() {
            let covers = scope_contains(body, other, inst) || scope_covers_uses(view, other, inst);
            return (covers && may_live_on(view, result)).then_some(Self::Plain);
        }
        match view.ownership().value(result) {
            // An aggregate of several values may belong to several scopes.
            Some(Ownership::Guaranteed) if joins_values(body, inst) => None,
            Some(Ownership::Guaranteed) => {
                let value = body.first_result(other)?;
                let can_be_replaced = || replace_borrowed::can_be_replaced(view, result, value);
                (is_live_at(view, value, inst) && can_be_replaced()).then_some(Self::Borrowed)
            }
            Some(Ownership::Owned) => {
                let value = body.first_result(other)?;
                let has_lifetime = view.ownership().value(value) != Some(Ownership::None);
                (has_lifetime && replace_owned::can_be_replaced(view, result, value)).then_some(Self::Copied)
            }
            _ => Some(Self::Plain),
        }
    }
}

/// Returns true if an instruction makes an aggregate of several values.
fn joins_values(body: &Body, inst: Inst) -> bool {
    matches!(body.inst(inst).opcode, Opcode::Struct | Opcode::Tuple) && body.operands(inst).len() > 1
}

/// Returns true if the borrow scopes that a guaranteed value belongs to have not ended before an instruction.
fn is_live_at(view: &BodyView<'_>, value: Value, inst: Inst) -> bool {
    let body = view.body;
    let ownership = view.ownership();
    let borrows = Borrows::new(body, &ownership);
    borrows.introducers(value).into_iter().filter(|&scope| body.defining_inst(scope).is_some()).all(|scope| {
        let mut liveness = Liveness::of_value(body, scope);
        borrows.add_simple_uses(&mut liveness, scope);
        liveness.contains(body, inst)
    })
}

/// Returns true if the operand of an instruction is the operand of another one or a nested borrow of it.
fn scope_contains(body: &Body, other: Inst, inst: Inst) -> bool {
    let (Some(outer), Some(inner)) = (body.operands(other).first(), body.operands(inst).first()) else {
        return true;
    };
    let mut value = inner.value;
    while value != outer.value {
        match body.defining_inst(value) {
            Some(borrow) if body.inst(borrow).opcode == Opcode::BeginBorrow => {
                value = body.operand_value(borrow, 0);
            }
            _ => return false,
        }
    }
    true
}

/// Returns true if the object whose memory an instruction projects is borrowed at all uses of the address that another
/// instruction results in.
fn scope_covers_uses(view: &BodyView<'_>, other: Inst, inst: Inst) -> bool {
    let body = view.body;
    let Some(base) = body.operands(other).first().map(|operand| operand.value) else { return false };
    let is_borrowed = view.ownership().value(base) == Some(Ownership::Guaranteed);
    is_borrowed && address_users(body, inst).into_iter().all(|user| is_live_at(view, base, user))
}

/// Returns true if the uses of an address in one borrow scope may use an identical address in another scope: their
/// extent is known.
fn may_live_on(view: &BodyView<'_>, address: Value) -> bool {
    let body = view.body;
    let follows = |role| matches!(role, Role::Projection(_) | Role::Cast(_) | Role::Marker(_));
    let root = body.origin(address, follows).root;
    let is_outside_of_objects = match body.defining_inst(root).map(|inst| body.inst(inst).opcode) {
        Some(Opcode::AllocStack | Opcode::GlobalAddr) => true,
        Some(_) => false,
        None => body.value(root).ty.is_address(),
    };
    // As in the reference, a computed pointer may point into an object, but an argument of the function does not.
    let is_computed =
        |cast: PointerToAddress| body.defining_inst(cast.operand).is_some() || body.is_phi(cast.operand);
    let is_address = |value| body.value(value).ty.is_address();
    let step = |inst: Inst| {
        let source = body.operands(inst).first().filter(|_| follows(body.info(inst).role))?.value;
        is_address(source).then_some(source)
    };
    let base = body.chain(address, step).last();
    if !is_outside_of_objects && base.and_then(|base| body.def_as(base)).is_some_and(is_computed) {
        return false;
    }
    // As in the reference, the owner of a box is not known through a mark.
    let is_marked = |project: ProjectBox| body.def_as::<MarkUninitialized>(project.box_value).is_some();
    if base.and_then(|base| body.def_as(base)).is_some_and(is_marked) {
        return false;
    }
    let ownership = view.ownership();
    let borrows = Borrows::new(body, &ownership);
    is_outside_of_objects
        || borrows.add_address_uses(&mut Liveness::of_several(), address) == Incomplete::Complete
            && !lets_pointers_escape(&borrows, address)
}

/// Returns true if a value borrowed from an address, or from a derived address, has a pointer escape.
fn lets_pointers_escape(borrows: &Borrows<'_>, address: Value) -> bool {
    let body = borrows.body;
    let mut work = Worklist::new();
    work.push(address);
    while let Some(address) = work.pop() {
        for operand in body.uses(address) {
            let user = body.operand(operand).user;
            let loaded = body.first_result(user).filter(|_| body.inst(user).opcode == Opcode::LoadBorrow);
            if loaded.is_some_and(|value| borrows.has_pointer_escape(value)) {
                return true;
            }
            projected_address(body, operand).into_iter().for_each(|address| _ = work.push(address));
        }
    }
    false
}
