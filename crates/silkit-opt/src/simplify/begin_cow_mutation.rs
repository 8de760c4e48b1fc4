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

use super::empty_collection;
use super::optimized;
use silkit_ir::instructions::EndCOWMutation;
use silkit_ir::{Inst, Opcode, Operand, Value};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[
    optimized(Opcode::BeginCOWMutation, "uniqueness of empty collection", fold_uniqueness),
    optimized(Opcode::BeginCOWMutation, "begin_cow_mutation after end_cow_mutation", begin_after_end),
    optimized(Opcode::BeginCOWMutation, "begin_cow_mutation that only ends", remove_pairs),
];

/// Folds the uniqueness of an empty collection, which is shared.
fn fold_uniqueness(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let results: Vec<Value> = rw.body().results(inst).collect();
    let [is_unique, _] = results[..] else { return };
    let instance = rw.body().operand_value(inst, 0);
    let is_used = rw.counted_uses(is_unique).next().is_some();
    if is_used && empty_collection::is_instance(rw.body(), instance) && rw.may_change() {
        let ty = rw.ty(is_unique);
        let no = rw.before(inst).integer_literal(ty, "0");
        rw.replace_all_uses(is_unique, no);
        rw.revisit(inst);
    }
}

fn begin_after_end(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(buffer) = only_buffer(rw, inst) else { return };
    let instance = rw.body().operand_value(inst, 0);
    if begins_after_end(rw, inst, instance) && rw.may_change() {
        end_twice(rw, inst, instance, buffer);
    }
}

fn remove_pairs(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(buffer) = only_buffer(rw, inst) else { return };
    let instance = rw.body().operand_value(inst, 0);
    if rw.counted_uses(buffer).all(|operand| ends(rw, operand)) && rw.may_change() {
        let pairs: Vec<Inst> =
            rw.counted_uses(buffer).map(|operand| rw.body().operand(operand).user).collect();
        for end in pairs {
            rw.replace(end, instance);
        }
        rw.remove_with_users(inst);
    }
}

/// Returns the mutable buffer, if the uniqueness flag is unused. Without the pair, a use of it would get a different answer.
fn only_buffer(rw: &Rewriter<'_, '_>, inst: Inst) -> Option<Value> {
    let mut results = rw.body().results(inst);
    let (is_unique, buffer) = (results.next()?, results.next()?);
    rw.counted_uses(is_unique).next().is_none().then_some(buffer)
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
