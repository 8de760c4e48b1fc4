//! Removes destroys of values without ownership.
//!
//! ```text
//! %1 = thin_to_thick_function %0 to $@callee_guaranteed () -> ()
//! destroy_value %1
//! ---
//! ```

use super::always;
use silkit_ir::instructions::Enum;
use silkit_ir::{Inst, Opcode};
use silkit_transform::inst_simplify;
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::DestroyValue, "destroy_value without effect", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let is_empty_case = || {
        let made = rw.body().def_as::<Enum>(rw.body().operand_value(inst, 0));
        made.is_some_and(|made| made.payload.is_none())
    };
    // As in the reference, a noncopyable enum without payload has nothing to destroy, even if it has a deinitializer.
    if (inst_simplify::does_nothing(&rw.view(), inst) || is_empty_case()) && rw.may_change() {
        rw.remove(inst);
    }
}
