//! Removes pairs of `begin_cow_mutation` and `end_cow_mutation` without effect, and folds the uniqueness of the
//! empty collections, which are shared.
//!
//! ```text
//! (%1, %2) = begin_cow_mutation %0
//! %3 = end_cow_mutation %2
//! %4 = end_cow_mutation %5
//! (%6, %7) = begin_cow_mutation %4
//! ---
//! %3 → %0, %7 → %5
//! ```
//!
//! ```text
//! %0 = global_addr @_swiftEmptyArrayStorage : $*_SwiftEmptyArrayStorage
//! %1 = address_to_pointer %0 to $Builtin.RawPointer
//! %2 = raw_pointer_to_ref %1 to $__EmptyArrayStorage
//! (%3, %4) = begin_cow_mutation %2
//! ---
//! %3 → integer_literal $Builtin.Int1, 0
//! ```

use super::Rule;
use super::empty_collection;
use super::rewriter::Rewriter;
use silkit_ir::instructions::EndCOWMutation;
use silkit_ir::{Inst, Opcode, Operand, Value};

pub(super) const RULE: Rule = Rule::optimized(Opcode::BeginCOWMutation, simplify);

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let results: Vec<Value> = rw.body().results(inst).collect();
    let [is_unique, buffer] = results[..] else { return };
    let instance = rw.body().operand_value(inst, 0);
    // Without the pair, a use of the uniqueness flag would get a different answer.
    if rw.counted_uses(is_unique).next().is_some() {
        if !empty_collection::is_instance(rw.body(), instance) || !rw.may_change() {
            return;
        }
        let ty = rw.ty(is_unique);
        let no = rw.before(inst).integer_literal(ty, "0");
        rw.replace_all_uses(is_unique, no);
    }
    if begins_after_end(rw, inst, instance) {
        if rw.may_change() {
            end_twice(rw, inst, instance, buffer);
        }
    } else if rw.counted_uses(buffer).all(|operand| ends(rw, operand)) && rw.may_change() {
        let pairs: Vec<Inst> =
            rw.counted_uses(buffer).map(|operand| rw.body().operand(operand).user).collect();
        for end in pairs {
            rw.replace(end, instance);
        }
        rw.remove_with_users(inst);
    }
}

/// Returns true if a use is an `end_cow_mutation` without `[keep_unique]`.
fn ends(rw: &Rewriter<'_, '_>, operand: Operand) -> bool {
    let user = rw.body().operand(operand).user;
    rw.body().view_as::<EndCOWMutation>(user).is_some_and(|end| !end.keep_unique)
}

/// Returns true if a buffer is mutable directly before the instruction that makes it mutable.
fn begins_after_end(rw: &Rewriter<'_, '_>, begin: Inst, instance: Value) -> bool {
    let body = rw.body();
    body.def_as::<EndCOWMutation>(instance).is_some_and(|end| !end.keep_unique)
        && rw.counted_uses(instance).all(|operand| body.operand(operand).user == begin)
}

fn end_twice(rw: &mut Rewriter<'_, '_>, begin: Inst, instance: Value, buffer: Value) {
    let Some(end) = rw.body().defining_inst(instance) else { return };
    let mutable = rw.body().operand_value(end, 0);
    rw.replace_all_uses(buffer, mutable);
    rw.remove_with_users(begin);
    rw.remove_with_users(end);
}
