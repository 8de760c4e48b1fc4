//! Removes copies of values without ownership.
//!
//! ```text
//! %0 = enum $Optional<C>, #Optional.none!enumelt
//! %1 = copy_value %0
//! use %1
//! ---
//! %0 = enum $Optional<C>, #Optional.none!enumelt
//! use %0
//! ```

use super::always;
use silkit_ir::{Inst, Opcode, Ownership};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::CopyValue, "copy_value of value without ownership", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let source = rw.body().operand_value(inst, 0);
    if rw.ownership_of(source) == Ownership::None && rw.may_change() {
        rw.replace(inst, source);
    }
}
