//! Replacement of a box by an address: shared by the allocating function and by specialized callees.

use silkit_ir::instructions::{
    AccessEnforcement, BeginAccess, MarkUnresolvedNonCopyableValue, MoveOnlyCheckKind,
};
use silkit_ir::{Body, Inst, Opcode, Point, Value};
use silkit_types::decl::Declarations;

/// Replaces the projected address of a box by another address.
pub(super) fn replace_projections(body: &mut Body, value: Value, address: Value) {
    for inst in references(body, value) {
        if body.inst(inst).opcode == Opcode::ProjectBox {
            body.edit().replace(inst, address);
        }
    }
}

/// Makes the dynamic accesses of the contents of a box static.
pub(super) fn make_accesses_static(body: &mut Body, value: Value) {
    let projections =
        references(body, value).into_iter().filter(|&inst| body.inst(inst).opcode == Opcode::ProjectBox);
    let users: Vec<Inst> =
        projections.flat_map(|inst| body.results(inst)).flat_map(|address| body.users(address)).collect();
    for user in users {
        let is_dynamic = body
            .view_as::<BeginAccess>(user)
            .is_some_and(|access| access.enforcement == AccessEnforcement::Dynamic);
        if is_dynamic {
            body.edit().set_attr(user, "enforcement", AccessEnforcement::Static as u32);
        }
    }
}

/// Deletes the remaining uses of a box.
pub(super) fn remove_references(body: &mut Body, value: Value) {
    for inst in references(body, value).into_iter().rev() {
        body.edit().remove(inst);
    }
}

/// Returns the uses of a box and of its copies, in definition order.
pub(super) fn references(body: &Body, value: Value) -> Vec<Inst> {
    let mut found: Vec<Inst> = body.users(value).collect();
    let mut next = 0;
    while let Some(&inst) = found.get(next) {
        next += 1;
        if body.inst(inst).opcode != Opcode::ProjectBox {
            found.extend(body.results(inst).flat_map(|value| body.users(value)));
        }
    }
    found
}

/// Puts a check of a kind on the whole memory of a value that is not copied, in place of checks of its uses. Returns the
/// checked address, if there is a check.
pub(super) fn check_once(
    body: &mut Body,
    address: Value,
    kind: MoveOnlyCheckKind,
    declarations: &Declarations,
) -> Option<Value> {
    let mut checks = Vec::new();
    let mut work = vec![address];
    while let Some(value) = work.pop() {
        for user in body.users(value) {
            match body.inst(user).opcode {
                Opcode::BeginBorrow | Opcode::BeginAccess | Opcode::CopyValue | Opcode::MarkUninitialized => {
                    work.extend(body.results(user))
                }
                Opcode::MarkUnresolvedNonCopyableValue => checks.push(user),
                _ => {}
            }
        }
    }
    if checks.is_empty() {
        return None;
    }
    for check in checks {
        let operand = body.operand_value(check, 0);
        body.edit().replace(check, operand);
    }
    let point = match body.defining_inst(address) {
        Some(inst) => Point::After(inst),
        None => Point::Start(body.entry_block().expect("invariant: what has an argument has a block")),
    };
    let is_checked = |user| !matches!(body.inst(user).opcode, Opcode::DeallocStack | Opcode::DebugValue);
    let uses: Vec<_> = body.uses(address).filter(|&operand| is_checked(body.operand(operand).user)).collect();
    let check =
        body.builder_at(point, declarations).build(MarkUnresolvedNonCopyableValue::new(kind, address));
    let mut editor = body.edit();
    uses.into_iter().for_each(|operand| editor.set_operand(operand, check));
    Some(check)
}
