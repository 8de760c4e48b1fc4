//! Folds `switch_enum` of an enum whose case is known.
//!
//! ```text
//! %1 = enum $Optional<Int>, #Optional.some!enumelt, %0
//! switch_enum %1, case #Optional.some!enumelt: bb1, case #Optional.none!enumelt: bb2
//! ---
//! br bb1(%0)
//! ```

use super::always;
use silkit_ir::instructions::{Branch, Enum, SwitchEnum};
use silkit_ir::{Inst, Opcode, Point, Value};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[always(Opcode::SwitchEnum, "switch_enum of known case", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(SwitchEnum { operand, cases, .. }) = body.view_as(inst) else { return };
    let Some(Enum { element, payload, .. }) = body.def_as(operand) else { return };
    let Some(target) = cases.iter().find(|case| case.0 == element).map(|case| case.1) else { return };
    let Some(made) = body.defining_inst(operand) else { return };
    let is_only_use = rw.is_only_user(operand, inst);
    if !is_only_use && rw.is_owned(operand) {
        // Another use of an owned payload would need a copy.
        return;
    }
    let args: &[Value] = match (body.arguments(target).len(), &payload) {
        (0, _) => &[],
        (1, Some(payload)) => std::slice::from_ref(payload),
        _ => return,
    };
    if !rw.may_change() {
        return;
    }
    let (block, loc) = (rw.body().inst_block(inst), rw.body().inst(inst).loc);
    rw.remove(inst);
    let mut builder = rw.at(Point::End(block));
    builder.set_default_loc(loc);
    builder.build(Branch::new(target, args));
    if is_only_use {
        rw.remove_with_users(made);
    }
}
