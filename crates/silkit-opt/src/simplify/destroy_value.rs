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
    // The deinitializer of a noncopyable value runs even if its parts have no ownership.
    let is_copyable =
        || rw.declarations().is_move_only(rw.ty(destroyed).ty(), rw.view().signature()) == Some(false);
    if rw.ownership_of(destroyed) == Ownership::None && is_copyable() && rw.may_change() {
        rw.remove(inst);
    }
}
