//! Folds `unchecked_enum_data` of an `enum`.
//!
//! ```text
//! %1 = enum $Optional<Int>, #Optional.some!enumelt, %0
//! %2 = unchecked_enum_data %1, #Optional.some!enumelt
//! use %2
//! ---
//! use %0
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::{Enum, UncheckedEnumData};
use silkit_ir::{Inst, Opcode};

pub(super) const RULE: Rule = Rule::always(Opcode::UncheckedEnumData, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(UncheckedEnumData { operand, element }) = body.view_as(inst) else { return };
    let Some(Enum { element: made, payload: Some(payload), .. }) = body.def_as(operand) else { return };
    if let Some(whole) = body.defining_inst(operand).filter(|_| made == element) {
        rw.fold_pair(whole, inst, payload);
    }
}
