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

use super::optimized;
use silkit_ir::instructions::{AddressToPointer, Enum, GlobalAddr, ReleaseValue, RetainValue};
use silkit_ir::{Inst, Opcode, Serialized, Value, chain};
use silkit_transform::counting::Counting;
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::decl::{DeclFlags, NominalDecl};

pub(super) const PATTERNS: &[Pattern] = &[
    optimized(Opcode::StrongRetain, "strong_retain after strong_release", retain_after_release),
    optimized(Opcode::StrongRetain, "strong_retain of static object", count_static),
    optimized(Opcode::StrongRelease, "strong_release of static object", count_static),
    optimized(Opcode::RetainValue, "retain_value after release_value", retain_value_after_release),
    optimized(Opcode::RetainValue, "retain_value of known content", count_value),
    optimized(Opcode::ReleaseValue, "release_value of known content", count_value),
];

fn retain_after_release(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    remove_pair(rw, inst, Opcode::StrongRelease);
}

fn retain_value_after_release(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    remove_pair(rw, inst, Opcode::ReleaseValue);
}

/// Removes a retain and the release of the same value directly before it.
fn remove_pair(rw: &mut Rewriter<'_, '_>, inst: Inst, release: Opcode) {
    let body = rw.body();
    let is_same = |&previous: &Inst| {
        rw.is(previous, release) && body.operand_value(previous, 0) == body.operand_value(inst, 0)
    };
    let Some(previous) = body.prev_inst(inst).filter(is_same).filter(|_| rw.may_change()) else { return };
    let next = rw.body().next_inst(inst);
    rw.remove(previous);
    rw.remove(inst);
    // It may be a retain after another release.
    next.into_iter().for_each(|next| rw.revisit(next));
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
    let is_cast =
        |opcode| matches!(opcode, Opcode::Upcast | Opcode::ConvertFunction | Opcode::UncheckedRefCast);
    let Some(inst) = body.defining_inst(body.look_through(value, is_cast)) else { return false };
    match body.inst(inst).opcode {
        // In a client, the object may be initialized dynamically.
        Opcode::GlobalValue => rw.function().attributes.serialized == Serialized::No,
        Opcode::ThinToThickFunction
        | Opcode::ValueToBridgeObject
        | Opcode::ObjCMetatypeToObject
        | Opcode::ObjCExistentialMetatypeToObject => true,
        // The empty collections of the standard library.
        Opcode::RawPointerToRef => {
            let pointer = body.def_as::<AddressToPointer>(body.operand_value(inst, 0));
            pointer.is_some_and(|pointer| body.def_as::<GlobalAddr>(pointer.operand).is_some())
        }
        _ => false,
    }
}

/// Replaces counting of an aggregate by counting of its content.
fn count_value(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let counted = rw.body().operand_value(inst, 0);
    // An enum with a deinitializer is not taken apart: the deinitializer runs.
    let as_enum = |value| {
        let has_deinit = rw.declarations().nominal_of(rw.ty(value).ty()).is_some_and(has_deinit);
        rw.body().def_as::<Enum>(value).filter(|_| !has_deinit)
    };
    let value = chain(counted, |value| as_enum(value)?.payload).last().unwrap_or(counted);
    let is_empty = as_enum(value).is_some_and(|case| case.payload.is_none());
    let counting = Counting::of(rw.declarations(), rw.ty(value), rw.view().signature());
    let is_reference = matches!(counting, Counting::Strong | Counting::Unowned);
    if is_empty || counting == Counting::Trivial {
        if rw.may_change() {
            rw.remove(inst);
        }
    } else if (is_reference || value != counted) && rw.may_change() {
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
