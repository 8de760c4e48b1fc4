//! Casts an object as what it is known to be, not as an existential that holds it.
//!
//! ```text
//! %1 = init_existential_ref %0 : $C : $C, $AnyObject
//! checked_cast_br AnyObject in %1 to D, bb1, bb2
//! ---
//! checked_cast_br C in %0 to D, bb1, bb2
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::{CheckedCastBranch, InitExistentialRef};
use silkit_ir::{Inst, Opcode};

pub(super) const RULE: Rule = Rule::optimized(Opcode::CheckedCastBranch, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(CheckedCastBranch { operand, exact, .. }) = body.view_as(inst) else { return };
    let Some(InitExistentialRef { operand: object, concrete, .. }) = body.def_as(operand) else { return };
    // With ownership the other branch gets the existential back.
    if exact || rw.function().has_ossa() || !rw.may_change() {
        return;
    }
    let operand = rw.body().operand_id(inst, 0);
    rw.set_operand(operand, object);
    if let Some(source) = rw.body().info(inst).attr("source_type") {
        rw.edit().set_word(inst, source, concrete.ty().as_u32());
    }
}
