//! Replaces `fix_lifetime` of a stack allocation by `fix_lifetime` of its value, so that the allocation can be
//! promoted.
//!
//! ```text
//! %0 = alloc_stack $C
//! fix_lifetime %0
//! ---
//! %0 = alloc_stack $C
//! %1 = load_borrow %0
//! fix_lifetime %1
//! end_borrow %1
//! ```

use super::optimized;
use silkit_ir::instructions::{AllocStack, FixLifetime, Load, LoadBorrow, LoadQualifier, StoreBorrow};
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] =
    &[optimized(Opcode::FixLifetime, "fix_lifetime of stack memory", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let address = rw.body().operand_value(inst, 0);
    let ty = rw.ty(address).to_object();
    let is_loadable = rw.declarations().is_loadable(ty.ty(), rw.view().signature()) == Some(true);
    let allocation = rw.body().def_as::<StoreBorrow>(address).map_or(address, |borrow| borrow.destination);
    if rw.body().def_as::<AllocStack>(allocation).is_none() || !is_loadable || !rw.may_change() {
        return;
    }
    let (has_ossa, is_trivial) = (rw.function().has_ossa(), rw.is_trivial(ty));
    let mut builder = rw.before(inst);
    if has_ossa && !is_trivial {
        let value = builder.build(LoadBorrow::new(address));
        builder.build(FixLifetime::new(value));
        builder.end_borrow(value);
    } else {
        let qualifier = has_ossa.then_some(LoadQualifier::Trivial);
        let value = builder.build(Load { qualifier, ..Load::new(address) });
        builder.build(FixLifetime::new(value));
    }
    rw.remove(inst);
}
