//! Removes `debug_step` instructions in optimized code.
//!
//! ```text
//! debug_step
//! ---
//! ```

use super::optimized;
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[optimized(Opcode::DebugStep, "debug_step", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if rw.may_change() {
        rw.remove(inst);
    }
}
