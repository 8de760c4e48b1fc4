//! Folds conversions of bridge objects.
//!
//! ```text
//! %2 = ref_to_bridge_object %0, %1
//! %3 = classify_bridge_object %2
//! %5 = value_to_bridge_object %4
//! %6 = unchecked_trivial_bit_cast %5 to $UInt64
//! %7 = struct_extract %6, #UInt64._value
//! %8 = value_to_bridge_object %7
//! ---
//! %3 = tuple (%9, %9)    // two zeros
//! %8 = value_to_bridge_object %4
//! ```

use super::always;
use silkit_ir::instructions::{StructExtract, UncheckedTrivialBitCast, ValueToBridgeObject};
use silkit_ir::{Inst, Opcode, Value};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::{SilType, Type};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::ClassifyBridgeObject, "classify_bridge_object of Swift object", classify),
    always(Opcode::ValueToBridgeObject, "value_to_bridge_object of bits of another one", from_value),
];

/// Returns the value before casts that do not change its representation.
fn cast_source(rw: &Rewriter<'_, '_>, value: Value) -> Value {
    use Opcode as O;
    let is_cast = |opcode| matches!(opcode, O::UncheckedRefCast | O::Upcast | O::RefToBridgeObject);
    rw.body().look_through(value, is_cast)
}

/// Folds the classification of a Swift object, which is neither an Objective-C object nor a tagged pointer.
fn classify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let ty = rw.ty(cast_source(rw, rw.body().operand_value(inst, 0))).ty();
    let is_swift = rw.declarations().is_class(ty) == Some(true);
    if is_swift && rw.may_change() {
        let flag = SilType::object(Type::builtin("Int1"));
        let mut builder = rw.before(inst);
        let no = builder.integer_literal(flag, "0");
        let both = builder.tuple(&[no, no][..]);
        rw.replace(inst, both);
    }
}

/// Replaces uses of the bits of a bridge object by the bridge object.
fn from_value(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(StructExtract { operand: whole, .. }) = body.def_as(body.operand_value(inst, 0)) else { return };
    let Some(UncheckedTrivialBitCast { operand: object, .. }) = body.def_as(whole) else { return };
    let Some(ValueToBridgeObject { operand: bits }) = body.def_as(object) else { return };
    if rw.may_change() {
        let operand = rw.body().operand_id(inst, 0);
        rw.set_operand(operand, bits);
    }
}
