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

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::{Inst, Opcode};
use silkit_transform::merge_blocks;

pub(super) const RULE: Rule = Rule::always(Opcode::Branch, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(target) = body.successors(inst).next() else { return };
    if body.inst_block(inst) == target || body.single_predecessor(target).is_none() || !rw.may_change() {
        return;
    }
    let users: Vec<Inst> = rw.body().arguments(target).iter().flat_map(|&arg| rw.body().users(arg)).collect();
    if rw.keeps_debug_info() {
        rw.before(inst).debug_step();
    }
    let context = rw.ownership_context();
    merge_blocks::merge_into_larger(rw.body_mut(), context, target);
    for user in users {
        if !rw.body().is_removed(user) {
            rw.revisit(user);
        }
    }
}
