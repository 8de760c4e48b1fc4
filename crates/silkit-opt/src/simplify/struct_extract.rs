//! Folds `struct_extract` of a `struct`.
//!
//! ```text
//! %1 = struct $Int64 (%0)
//! %2 = struct_extract %1, #Int64._value
//! use %2
//! ---
//! use %0
//! ```

use super::always;
use silkit_ir::instructions::{Struct, StructExtract};
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::StructExtract, "struct_extract of struct", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(StructExtract { operand, field }) = body.view_as(inst) else { return };
    let Some(Struct { elements, .. }) = body.def_as(operand) else { return };
    let element = rw.field_index(operand, field).and_then(|index| elements.iter().nth(index));
    if let (Some(element), Some(whole)) = (element, body.defining_inst(operand)) {
        rw.fold_pair(whole, inst, element);
    }
}
