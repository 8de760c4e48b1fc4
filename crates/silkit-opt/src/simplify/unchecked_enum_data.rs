//! Folds `unchecked_enum_data` of an `enum`.
//!
//! ```text
//! %1 = enum $Optional<Int>, #Optional.some!enumelt, %0
//! %2 = unchecked_enum_data %1, #Optional.some!enumelt
//! use %2
//! ---
//! use %0
//! ```

use super::always;
use silkit_ir::instructions::{Enum, UncheckedEnumData};
use silkit_ir::{Inst, Opcode, Ownership, Value};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::UncheckedEnumData, "unchecked_enum_data of enum", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(UncheckedEnumData { operand, element }) = body.view_as(inst) else { return };
    let Some(Enum { element: made, payload: Some(payload), .. }) = body.def_as(operand) else { return };
    let Some(whole) = body.defining_inst(operand).filter(|_| made == element) else { return };
    if rw.is_owned(operand) && rw.ownership_of(payload) == Ownership::None && !rw.is_only_user(operand, inst)
    {
        destroy_whole(rw, inst, operand, payload);
    } else {
        rw.fold_pair(whole, inst, payload);
    }
}

/// Replaces the payload of an owned enum by the trivial value that it was made from. The enum is destroyed instead.
fn destroy_whole(rw: &mut Rewriter<'_, '_>, inst: Inst, whole: Value, payload: Value) {
    if rw.may_change() {
        rw.before(inst).destroy_value(whole);
        rw.replace(inst, payload);
    }
}
