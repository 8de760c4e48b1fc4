//! Removes destroys of values without ownership.
//!
//! ```text
//! %1 = thin_to_thick_function %0 to $@callee_guaranteed () -> ()
//! destroy_value %1
//! ---
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::{Inst, Opcode, Ownership};

pub(super) const RULE: Rule = Rule::always(Opcode::DestroyValue, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let destroyed = rw.body().operand_value(inst, 0);
    if rw.ownership_of(destroyed) == Ownership::None && rw.may_change() {
        rw.remove(inst);
    }
}
