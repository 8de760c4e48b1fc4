//! Removes unused `load_borrow` instructions, and replaces a borrow that is only copied by a load of a copy.
//!
//! ```text
//! %1 = load_borrow %0
//! %2 = copy_value %1
//! end_borrow %1
//! ---
//! %2 = load [copy] %0
//! ```

use super::forwarding::{convert, end_of_chain, only_copy};
use super::optimized;
use silkit_ir::instructions::{Load, LoadQualifier};
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[
    optimized(Opcode::LoadBorrow, "load_borrow without use", remove_unused),
    optimized(Opcode::LoadBorrow, "load_borrow of copied value", load_copy),
];

fn remove_unused(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let is_end = |user: Inst| matches!(body.inst(user).opcode, Opcode::EndBorrow | Opcode::DebugValue);
    if body.results(inst).flat_map(|value| body.users(value)).all(is_end) && rw.may_change() {
        rw.remove_with_users(inst);
    }
}

fn load_copy(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(borrowed) = rw.body().first_result(inst) else { return };
    let Some(copy) = end_of_chain(rw, borrowed).and_then(|last| only_copy(rw, inst, last)) else { return };
    if rw.may_change() {
        let address = rw.body().operand_value(inst, 0);
        let qualifier = Some(LoadQualifier::Copy);
        let loaded = rw.before(inst).build(Load { qualifier, ..Load::new(address) });
        let part = convert(rw, borrowed, loaded);
        rw.replace(copy, part);
        rw.remove_with_users(inst);
    }
}
