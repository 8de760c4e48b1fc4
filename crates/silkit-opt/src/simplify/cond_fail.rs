//! Removes a `cond_fail` whose condition is known to be false.
//!
//! ```text
//! %0 = integer_literal $Builtin.Int1, 0
//! cond_fail %0, "arithmetic overflow"
//! ---
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::IntegerLiteral;
use silkit_ir::{Inst, Opcode};

pub(super) const RULE: Rule = Rule::always(Opcode::CondFail, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let literal = rw.body().def_as::<IntegerLiteral>(rw.body().operand_value(inst, 0));
    if literal.is_some_and(|literal| literal.value == "0") && rw.may_change() {
        rw.remove(inst);
    }
}
