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

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::{Inst, Opcode, Ownership};

pub(super) const RULE: Rule = Rule::always(Opcode::CopyValue, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let source = rw.body().operand_value(inst, 0);
    if rw.ownership_of(source) == Ownership::None && rw.may_change() {
        rw.replace(inst, source);
    }
}
