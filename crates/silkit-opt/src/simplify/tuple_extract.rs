//! Folds `tuple_extract` of a `tuple`.
//!
//! ```text
//! %1 = tuple (%0, %0)
//! %2 = tuple_extract %1, 1
//! use %2
//! ---
//! use %0
//! ```

use super::always;
use silkit_ir::instructions::{Tuple, TupleExtract};
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[always(Opcode::TupleExtract, "tuple_extract of tuple", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(TupleExtract { operand, field }) = body.view_as(inst) else { return };
    let Some(Tuple { elements, .. }) = body.def_as(operand) else { return };
    let element = elements.iter().nth(field as usize);
    if let (Some(element), Some(whole)) = (element, body.defining_inst(operand)) {
        rw.fold_pair(whole, inst, element);
    }
}
