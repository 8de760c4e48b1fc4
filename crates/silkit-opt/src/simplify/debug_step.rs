//! Removes `debug_step` instructions in optimized code.
//!
//! ```text
//! debug_step
//! ---
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::{Inst, Opcode};

pub(super) const RULE: Rule = Rule::optimized(Opcode::DebugStep, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if rw.may_change() {
        rw.remove(inst);
    }
}
