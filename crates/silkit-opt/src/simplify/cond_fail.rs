//! Removes a `cond_fail` whose condition is known to be false.
//!
//! ```text
//! %0 = integer_literal $Builtin.Int1, 0
//! cond_fail %0, "arithmetic overflow"
//! ---
//! ```

use super::always;
use silkit_ir::instructions::IntegerLiteral;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[always(Opcode::CondFail, "cond_fail of false", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let literal = rw.body().def_as::<IntegerLiteral>(rw.body().operand_value(inst, 0));
    if literal.is_some_and(|literal| literal.value == "0") && rw.may_change() {
        rw.remove(inst);
    }
}
