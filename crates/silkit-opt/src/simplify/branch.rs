//! Merges a block into its only predecessor.
//!
//! ```text
//!   br bb1(%0)
//! bb1(%2 : $Int64):
//!   return %2
//! ---
//!   return %0
//! ```
//!
//! If debug info is kept, a `debug_step` replaces the branch.

use super::always;
use silkit_ir::{Inst, Opcode};
use silkit_transform::merge_blocks;
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::Branch, "br to block with one predecessor", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(target) = body.successors(inst).next() else { return };
    if body.inst_block(inst) == target || body.single_predecessor(target).is_none() || !rw.may_change() {
        return;
    }
    if rw.keeps_debug_info() {
        rw.before(inst).debug_step();
    }
    let context = rw.context().ownership_context();
    merge_blocks::merge_into_larger(rw.body_mut(), context, target);
}
