//! Removes unused `load_borrow` instructions, and replaces a borrow that is only copied by a load of a copy.
//!
//! ```text
//! %1 = load_borrow %0
//! %2 = copy_value %1
//! end_borrow %1
//! ---
//! %2 = load [copy] %0
//! ```

use super::Rule;
use super::forwarding::{convert, end_of_chain, only_copy};
use super::rewriter::Rewriter;
use silkit_ir::instructions::{Load, LoadQualifier};
use silkit_ir::{Inst, Opcode};

pub(super) const RULE: Rule = Rule::optimized(Opcode::LoadBorrow, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(borrowed) = body.first_result(inst) else { return };
    let is_end = |user: Inst| matches!(body.inst(user).opcode, Opcode::EndBorrow | Opcode::DebugValue);
    if body.users(borrowed).all(is_end) {
        if rw.may_change() {
            rw.remove_with_users(inst);
        }
        return;
    }
    let last = end_of_chain(rw, borrowed);
    let Some(copy) = only_copy(rw, inst, last) else { return };
    if rw.may_change() {
        let address = rw.body().operand_value(inst, 0);
        let qualifier = Some(LoadQualifier::Copy);
        let loaded = rw.before(inst).build(Load { qualifier, ..Load::new(address) });
        let part = convert(rw, borrowed, loaded);
        rw.replace(copy, part);
        rw.remove_with_users(inst);
    }
}
