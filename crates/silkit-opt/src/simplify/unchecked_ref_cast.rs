//! Removes redundant casts before a reference cast.
//!
//! ```text
//! %1 = upcast %0 to $B
//! %2 = unchecked_ref_cast %1 to $C
//! ---
//! %2 = unchecked_ref_cast %0 to $C
//! ```
//!
//! `init_existential_ref` counts as such a cast.

use super::always;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::UncheckedRefCast, "unchecked_ref_cast of converted reference", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let reference = body.operand_value(inst, 0);
    let Some(step) = body.defining_inst(reference) else { return };
    let is_step = matches!(body.inst(step).opcode, Opcode::Upcast | Opcode::InitExistentialRef);
    let is_only_use = rw.is_only_user(reference, inst);
    if !is_step || !is_only_use && rw.is_owned(reference) || !rw.may_change() {
        return;
    }
    let (operand, source) = (rw.body().operand_id(inst, 0), rw.body().operand_value(step, 0));
    rw.set_operand(operand, source);
    if is_only_use {
        rw.remove_with_users(step);
    }
}
