//! Replaces a cast of a value in memory whose result is known by a branch.
//!
//! ```text
//! checked_cast_addr_br take_always X in %1 to X in %0, bb1, bb2
//! ---
//! copy_addr [take] %1 to [init] %0
//! br bb1
//! ```
//!
//! ```text
//! checked_cast_addr_br take_always String in %1 to S in %0, bb1, bb2
//! ---
//! destroy_addr %1
//! br bb2
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::{Branch, CastConsumption, CheckedCastAddrBranch, CopyAddr};
use silkit_ir::{Inst, Opcode, Point};

pub(super) const RULE: Rule = Rule::always(Opcode::CheckedCastAddrBranch, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(cast) = rw.body().view_as::<CheckedCastAddrBranch<'_>>(inst) else { return };
    let CheckedCastAddrBranch { consumption, source, target, success, failure, .. } = cast;
    let is_same = rw.declarations().same_type(cast.source_type, cast.target_type, None) == Some(true)
        && rw.ty(source) == rw.ty(target);
    let fails = !is_same && rw.declarations().cast_always_fails(cast.source_type, cast.target_type);
    if !is_same && !fails || !rw.may_change() {
        return;
    }
    let (block, loc) = (rw.body().inst_block(inst), rw.body().inst(inst).loc);
    rw.remove(inst);
    let mut builder = rw.at(Point::End(block));
    builder.set_default_loc(loc);
    if is_same {
        let take = !matches!(consumption, CastConsumption::CopyOnSuccess | CastConsumption::BorrowAlways);
        builder.build(CopyAddr { take, init: true, ..CopyAddr::new(source, target) });
    } else if consumption == CastConsumption::TakeAlways {
        builder.destroy_addr(source);
    }
    builder.build(Branch::new(if is_same { success } else { failure }, &[][..]));
}
