//! Folds loads of the count and the capacity of empty collections.
//!
//! ```text
//! %0 = global_addr @_swiftEmptySetSingleton : $*_SwiftEmptySetSingleton
//! %1 = address_to_pointer %0 to $Builtin.RawPointer
//! %2 = raw_pointer_to_ref %1 to $__RawSetStorage
//! %3 = ref_element_addr %2, #__RawSetStorage._count
//! %4 = struct_element_addr %3, #Int._value
//! %5 = load %4
//! ---
//! %5 = integer_literal $Builtin.Int64, 0
//! ```

use crate::simplify::empty_collection;
use silkit_ir::instructions::{Builtin, IntegerLiteral, RefElementAddr, StructElementAddr};
use silkit_ir::{Body, DeclRef, Inst, Value};
use silkit_transform::patterns::Rewriter;

/// Replaces a load of a number that is zero in an empty collection.
pub(super) fn fold(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let address = rw.body().operand_value(inst, 0);
    let Some(loaded) = rw.body().first_result(inst) else { return };
    let ty = rw.ty(loaded);
    let is_number = ty.ty().to_string().starts_with("Builtin.Int");
    if !is_number || !is_zero(rw.body(), address, loaded) || !rw.may_change() {
        return;
    }
    let zero = rw.before(inst).integer_literal(ty, "0");
    rw.replace(inst, zero);
}

/// Returns true if an address is in a count or capacity of an empty collection.
fn is_zero(body: &Body, address: Value, loaded: Value) -> bool {
    // The lowest bit is a flag, which is set in the empty array.
    let is_flagged = |field| {
        is_field(field, "_capacityAndFlags") && !body.users(loaded).all(|user| is_shift_right(body, user))
    };
    let step = |inst| {
        let StructElementAddr { operand, field } = body.view_as(inst)?;
        (!is_flagged(field)).then_some(operand)
    };
    let root = body.chain(address, step).last().unwrap_or(address);
    let Some(RefElementAddr { operand, field, .. }) = body.def_as(root) else { return false };
    let is_known = ["_count", "_capacity", "countAndCapacity"].iter().any(|name| is_field(field, name));
    is_known && empty_collection::is_instance(body, operand)
}

fn is_field(field: DeclRef, name: &str) -> bool {
    field.name().is_some_and(|field| field.as_str() == name)
}

/// Returns true if an instruction shifts a number right by at least one bit.
fn is_shift_right(body: &Body, inst: Inst) -> bool {
    body.view_as::<Builtin>(inst).is_some_and(|builtin| builtin.name.as_str().starts_with("lshr_"))
        && body
            .def_as::<IntegerLiteral>(body.operand_value(inst, 1))
            .is_some_and(|literal| literal.value.as_str().parse::<u32>().is_ok_and(|bits| bits > 0))
}
