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

use super::always;
use silkit_ir::instructions::{Branch, CastConsumption, CheckedCastAddrBranch, CopyAddr};
use silkit_ir::{Builder, Inst, Opcode, Point};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::CheckedCastAddrBranch, "checked_cast_addr_br to the same type", succeed),
    always(Opcode::CheckedCastAddrBranch, "checked_cast_addr_br that always fails", fail),
];

fn succeed(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(cast) = rw.body().view_as::<CheckedCastAddrBranch<'_>>(inst) else { return };
    let CheckedCastAddrBranch { consumption, source, target, success, .. } = cast;
    let is_same = rw.declarations().same_type(cast.source_type, cast.target_type, None) == Some(true)
        && rw.ty(source) == rw.ty(target);
    if is_same && rw.may_change() {
        let take = !matches!(consumption, CastConsumption::CopyOnSuccess | CastConsumption::BorrowAlways);
        let mut builder = remove_cast(rw, inst);
        builder.build(CopyAddr { take, init: true, ..CopyAddr::new(source, target) });
        builder.build(Branch::new(success, &[][..]));
    }
}

fn fail(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(cast) = rw.body().view_as::<CheckedCastAddrBranch<'_>>(inst) else { return };
    let CheckedCastAddrBranch { consumption, source, failure, .. } = cast;
    if rw.declarations().cast_always_fails(cast.source_type, cast.target_type) && rw.may_change() {
        let mut builder = remove_cast(rw, inst);
        if consumption == CastConsumption::TakeAlways {
            builder.destroy_addr(source);
        }
        builder.build(Branch::new(failure, &[][..]));
    }
}

/// Removes a cast, and returns a builder at the end of its block.
fn remove_cast<'r>(rw: &'r mut Rewriter<'_, '_>, inst: Inst) -> Builder<'r> {
    let (block, loc) = (rw.body().inst_block(inst), rw.body().inst(inst).loc);
    rw.remove(inst);
    let mut builder = rw.at(Point::End(block));
    builder.set_default_loc(loc);
    builder
}
