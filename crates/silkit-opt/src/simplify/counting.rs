//! Simplifies reference counting in non-OSSA functions.
//!
//! Counting of an enum becomes counting of its payload, `retain_value` of a reference becomes `strong_retain`, and
//! counting of static objects is removed, as is a release directly before a retain of the same object:
//!
//! ```text
//! %1 = enum $Optional<C>, #Optional.some!enumelt, %0
//! retain_value %1
//! %3 = global_value @g : $C
//! strong_release %3
//! ---
//! strong_retain %0
//! ```

use super::Rule;
use super::rewriter::Rewriter;
use silkit_ir::instructions::{AddressToPointer, Enum, GlobalAddr, ReleaseValue, RetainValue};
use silkit_ir::{Inst, Opcode, Serialized, Value};
use silkit_transform::counting::Counting;
use silkit_types::decl::{DeclFlags, NominalDecl};

pub(super) const STRONG_RETAIN: Rule = Rule::optimized(Opcode::StrongRetain, retain);
pub(super) const STRONG_RELEASE: Rule = Rule::optimized(Opcode::StrongRelease, count_static);
pub(super) const RETAIN_VALUE: Rule = Rule::optimized(Opcode::RetainValue, retain_value);
pub(super) const RELEASE_VALUE: Rule = Rule::optimized(Opcode::ReleaseValue, count_value);

/// Removes a retain of a static object, or directly after a release of the same object.
fn retain(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if !remove_pair(rw, inst, Opcode::StrongRelease) {
        count_static(rw, inst);
    }
}

/// Removes a `retain_value` directly after a `release_value` of the same value, or counts the content of an aggregate.
fn retain_value(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if !remove_pair(rw, inst, Opcode::ReleaseValue) {
        count_value(rw, inst);
    }
}

/// Removes a retain and the release of the same value directly before it.
fn remove_pair(rw: &mut Rewriter<'_, '_>, inst: Inst, release: Opcode) -> bool {
    let body = rw.body();
    let is_same = |&previous: &Inst| {
        rw.is(previous, release) && body.operand_value(previous, 0) == body.operand_value(inst, 0)
    };
    let Some(previous) = body.prev_inst(inst).filter(is_same).filter(|_| rw.may_change()) else {
        return false;
    };
    let next = rw.body().next_inst(inst);
    rw.remove(previous);
    rw.remove(inst);
    // It may be a retain after another release.
    next.into_iter().for_each(|next| rw.revisit(next));
    true
}

/// Removes reference counting of static objects, of null references and of functions without context.
fn count_static(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if is_static(rw, rw.body().operand_value(inst, 0)) && rw.may_change() {
        rw.remove(inst);
    }
}

/// Returns true if a value is a reference to a static object or a metatype, null, or a function without context.
fn is_static(rw: &Rewriter<'_, '_>, value: Value) -> bool {
    let body = rw.body();
    let mut value = value;
    loop {
        let Some(inst) = body.defining_inst(value) else { return false };
        match body.inst(inst).opcode {
            // In a client, the object may be initialized dynamically.
            Opcode::GlobalValue => return rw.function().attributes.serialized == Serialized::No,
            Opcode::ThinToThickFunction
            | Opcode::ValueToBridgeObject
            | Opcode::ObjCMetatypeToObject
            | Opcode::ObjCExistentialMetatypeToObject => return true,
            Opcode::Upcast | Opcode::ConvertFunction | Opcode::UncheckedRefCast => {
                value = body.operand_value(inst, 0);
            }
            // The empty collections of the standard library.
            Opcode::RawPointerToRef => {
                let pointer = body.def_as::<AddressToPointer>(body.operand_value(inst, 0));
                return pointer.is_some_and(|pointer| body.def_as::<GlobalAddr>(pointer.operand).is_some());
            }
            _ => return false,
        }
    }
}

/// Replaces counting of an aggregate by counting of its content.
fn count_value(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let mut value = rw.body().operand_value(inst, 0);
    while let Some(Enum { payload, .. }) = rw.body().def_as(value) {
        // The deinitializer of the enum runs.
        if rw.declarations().nominal_of(rw.ty(value).ty()).is_some_and(has_deinit) {
            break;
        }
        match payload {
            Some(payload) => value = payload,
            None => {
                if rw.may_change() {
                    rw.remove(inst);
                }
                return;
            }
        }
    }
    let counting = Counting::of(rw.declarations(), rw.ty(value), rw.view().signature());
    let is_reference = matches!(counting, Counting::Strong | Counting::Unowned);
    if counting == Counting::Trivial {
        if rw.may_change() {
            rw.remove(inst);
        }
    } else if (is_reference || value != rw.body().operand_value(inst, 0)) && rw.may_change() {
        replace(rw, inst, value, counting);
    }
}

fn has_deinit(decl: &NominalDecl) -> bool {
    decl.flags.contains(DeclFlags::HAS_DEINIT)
}

fn replace(rw: &mut Rewriter<'_, '_>, inst: Inst, value: Value, counting: Counting) {
    let nonatomic = rw.body().has_flag(inst, "nonatomic");
    let is_retain = rw.is(inst, Opcode::RetainValue);
    let mut builder = rw.before(inst);
    match (counting, is_retain) {
        (Counting::Value, true) => {
            _ = builder.build(RetainValue { nonatomic, ..RetainValue::new(value) });
        }
        (Counting::Value, false) => {
            _ = builder.build(ReleaseValue { nonatomic, ..ReleaseValue::new(value) });
        }
        // As in the reference, an object is counted atomically then.
        (_, true) => counting.retain(&mut builder, value),
        (_, false) => counting.release(&mut builder, value),
    }
    rw.remove(inst);
}
