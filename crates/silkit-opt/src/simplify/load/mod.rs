//! Simplifies loads with known or unused values.
//!
//! ```text
//! %2 = load [copy] %3                  // only destroyed
//! destroy_value %2
//! %4 = unchecked_addr_cast %5 to $*B   // %5 : $*C, a subclass of B
//! %6 = load [take] %4
//! ---
//! %8 = load [take] %5
//! %6 = upcast %8 to $B
//! ```

mod character;
mod constant;
mod empty;
mod lazy;

use super::always;
use silkit_ir::instructions::{Load, LoadQualifier, UncheckedAddrCast};
use silkit_ir::{Inst, Opcode};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[
    always(Opcode::Load, "load of object as superclass", upcast_value),
    always(Opcode::Load, "load of constant memory", constant::fold),
    always(Opcode::Load, "load of empty collection", empty::fold),
    always(Opcode::Load, "load of character of literal", character::fold),
    always(Opcode::Load, "load [copy] that is only destroyed", remove_dead_copy),
];

/// Replaces a load of an object as a superclass by a load of its class with an upcast.
fn upcast_value(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(Load { address, qualifier }) = rw.body().view_as(inst) else { return };
    let Some(UncheckedAddrCast { operand: source, ty }) = rw.body().def_as(address) else { return };
    let (class, superclass) = (rw.ty(source).ty(), ty.ty());
    if !rw.declarations().is_subclass(class, superclass) || !rw.may_change() {
        return;
    }
    let mut builder = rw.before(inst);
    let object = builder.build(Load { qualifier, ..Load::new(source) });
    let value = builder.upcast(object, ty.to_object());
    rw.replace(inst, value);
}

/// Removes a load of a copy that is only destroyed.
fn remove_dead_copy(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let is_copy = body.view_as::<Load>(inst).is_some_and(|load| load.qualifier == Some(LoadQualifier::Copy));
    let Some(value) = body.first_result(inst).filter(|_| is_copy) else { return };
    let is_dead = rw.counted_uses(value).all(|use_| rw.is(body.operand(use_).user, Opcode::DestroyValue));
    if !is_dead || !rw.may_change() {
        return;
    }
    rw.remove_with_users(inst);
}
