//! Removes destroys of values without ownership.
//!
//! ```text
//! %1 = thin_to_thick_function %0 to $@callee_guaranteed () -> ()
//! destroy_value %1
//! ---
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::{Inst, Opcode};
use silkit_transform::inst_simplify;

pub(super) const RULE: Rule = Rule::always(Opcode::DestroyValue, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if inst_simplify::does_nothing(&rw.view(), inst) && rw.may_change() {
        rw.remove(inst);
    }
}
