//! Simplifies reference counting in non-OSSA functions.
//!
//! Counting of an enum becomes counting of its payload, `retain_value` of a reference becomes `strong_retain`, and
//! counting of static objects is removed:
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
use silkit_ir::instructions::{
    AddressToPointer, Enum, GlobalAddr, ReleaseValue, RetainValue, StrongRelease, StrongRetain,
};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_types::Type;

pub(super) const STRONG_RETAIN: Rule = Rule::optimized(Opcode::StrongRetain, count_static);
pub(super) const STRONG_RELEASE: Rule = Rule::optimized(Opcode::StrongRelease, count_static);
pub(super) const RETAIN_VALUE: Rule = Rule::optimized(Opcode::RetainValue, count_value);
pub(super) const RELEASE_VALUE: Rule = Rule::optimized(Opcode::ReleaseValue, count_value);

/// Removes reference counting of static objects and of null references.
fn count_static(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    if is_static(rw.body(), rw.body().operand_value(inst, 0)) && rw.may_change() {
        rw.remove(inst);
    }
}

/// Returns true if a value is a reference to a static object, or null.
fn is_static(body: &Body, value: Value) -> bool {
    let mut value = value;
    loop {
        let Some(inst) = body.defining_inst(value) else { return false };
        match body.inst(inst).opcode {
            Opcode::GlobalValue | Opcode::ValueToBridgeObject => return true,
            Opcode::Upcast
            | Opcode::ConvertFunction
            | Opcode::UncheckedRefCast
            | Opcode::InitExistentialRef => {
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
    let ty = rw.ty(value);
    let is_reference = is_class(rw, ty.ty());
    if rw.is_trivial(ty) {
        if rw.may_change() {
            rw.remove(inst);
        }
    } else if (is_reference || value != rw.body().operand_value(inst, 0)) && rw.may_change() {
        replace(rw, inst, value, is_reference);
    }
}

/// Returns true if values of a type are references to class instances.
fn is_class(rw: &Rewriter<'_, '_>, ty: Type) -> bool {
    rw.declarations().is_class(ty) == Some(true)
}

fn replace(rw: &mut Rewriter<'_, '_>, inst: Inst, value: Value, is_reference: bool) {
    let nonatomic = rw.body().has_flag(inst, "nonatomic");
    let is_retain = rw.is(inst, Opcode::RetainValue);
    let mut builder = rw.before(inst);
    match (is_retain, is_reference) {
        // As in the reference, an object is counted atomically then.
        (true, true) => builder.build(StrongRetain::new(value)),
        (true, false) => builder.build(RetainValue { nonatomic, ..RetainValue::new(value) }),
        (false, true) => builder.build(StrongRelease::new(value)),
        (false, false) => builder.build(ReleaseValue { nonatomic, ..ReleaseValue::new(value) }),
    };
    rw.remove(inst);
}
