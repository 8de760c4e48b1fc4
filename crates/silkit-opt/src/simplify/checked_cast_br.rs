//! Replaces the operand of a checked cast by the object before an upcast or before its conversion to an existential.
//!
//! ```text
//!   %1 = init_existential_ref %0 : $C : $C, $AnyObject
//!   checked_cast_br AnyObject in %1 to D, bb1, bb2
//! bb2(%3 : @owned $AnyObject):
//!   destroy_value %3
//! ---
//!   checked_cast_br C in %0 to D, bb1, bb2
//! bb2(%2 : @owned $C):
//!   %3 = init_existential_ref %2 : $C : $C, $AnyObject
//!   destroy_value %3
//! ```

use super::always;
use silkit_ir::instructions::{AnyInst, CheckedCastBranch};
use silkit_ir::{Block, Inst, Opcode, Operand, Value};
use silkit_transform::patterns::{Pattern, Rewriter};
use silkit_types::TypeKind;

pub(super) const PATTERNS: &[Pattern] =
    &[always(Opcode::CheckedCastBranch, "checked_cast_br of converted object", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(CheckedCastBranch { operand, exact, failure, .. }) = body.view_as(inst) else { return };
    let Some(conversion) = body.defining_inst(operand) else { return };
    let (object, class) = match body.view(conversion) {
        AnyInst::Upcast(upcast) => (upcast.operand, rw.ty(upcast.operand).ty()),
        AnyInst::InitExistentialRef(init) if !exact => (init.operand, init.concrete.ty()),
        _ => return,
    };
    // An owned object is consumed by the cast instead of the conversion.
    let is_free = !rw.is_owned(operand) || rw.is_only_user(operand, inst);
    if !is_free || matches!(class.kind(), TypeKind::Metatype(..)) || !rw.may_change() {
        return;
    }
    let operand_id = rw.body().operand_id(inst, 0);
    rw.set_operand(operand_id, object);
    if let Some(source) = rw.body().info(inst).attr("source_type") {
        rw.edit().set_word(inst, source, class.as_u32());
    }
    if rw.function().has_ossa() {
        convert_after_failure(rw, failure, conversion, object);
    }
    if rw.counted_uses(operand).next().is_none() {
        rw.remove_with_users(conversion);
    }
}

/// Converts the argument of the failure branch, which is the object itself now.
fn convert_after_failure(rw: &mut Rewriter<'_, '_>, failure: Block, conversion: Inst, object: Value) {
    let Some(&argument) = rw.body().arguments(failure).first() else { return };
    let uses: Vec<Operand> = rw.body().uses(argument).collect();
    let ty = rw.ty(object);
    rw.edit().set_type(argument, ty);
    let Some(first) = rw.body().first_inst(failure).filter(|_| !uses.is_empty()) else { return };
    let copy = match rw.body().view(conversion) {
        AnyInst::Upcast(mut upcast) => {
            upcast.operand = argument;
            rw.before(first).build(upcast)
        }
        AnyInst::InitExistentialRef(mut init) => {
            init.operand = argument;
            rw.before(first).build(init)
        }
        _ => return,
    };
    for operand in uses {
        rw.set_operand(operand, copy);
    }
}
