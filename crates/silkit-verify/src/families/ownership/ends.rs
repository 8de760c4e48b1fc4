//! Rule: the operand of the end of a borrow scope is a value that begins one.

use super::enclosing::{introducers, listed_for};
use super::operands::may_not_be_known;
use crate::context::FunctionVerifier;
use crate::finding::{Finding, Place};
use crate::reference_message::OwnershipError;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::OperandOwnership;
use silkit_ir::ownership::forwarded_operands;
use silkit_ir::{ArgFlags, Inst, Opcode, Operand, Ownership, Value, ValueDef};

pub(super) const RULES: &[&Rule] = &[&ONLY_BORROWS_END];

static ONLY_BORROWS_END: Rule = Rule {
    id: RuleId::new("SIL0412"),
    name: "OnlyBorrowsEnd",
    severity: Severity::Error,
    summary: "An `end_borrow` or a reborrow ends a borrow scope",
    details: "\
A guaranteed argument of the function lasts as long as the call, and a value that was forwarded from a
borrow, such as that of `struct_extract`, as long as the borrow: neither has a scope of its own. End the
scope of the `begin_borrow`, `load_borrow` or reborrow, or begin one with `begin_borrow`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  end_borrow %0 : $Builtin.NativeObject
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = begin_borrow %0 : $Builtin.NativeObject
  end_borrow %1 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(&[Opcode::EndBorrow, Opcode::Branch], check),
};

fn check(cx: &FunctionVerifier<'_>, inst: Inst) {
    if !cx.is_ossa() {
        return;
    }
    for operand in cx.body.operand_ids(inst) {
        let how = cx.ownership().operand(operand);
        if !matches!(how, Some(OperandOwnership::EndBorrow | OperandOwnership::Reborrow)) {
            continue;
        }
        let value = cx.body.operand(operand).value;
        if cx.ownership().value(value) != Some(Ownership::Guaranteed) {
            may_not_be_known(cx, &ONLY_BORROWS_END, operand);
            continue;
        }
        let Some(what) = has_no_scope(cx, value) else { continue };
        let message =
            format!("`{}` ends the borrow of `{}`, {what}", cx.body.info(inst).name, cx.value(value));
        let finding = cx.finding(&ONLY_BORROWS_END, Place::Operand(operand), message);
        let finding = finding.label("has no scope of its own").also(Place::Value(value), "created here");
        cx.report(with_reference_error(cx, operand, how, finding));
    }
}

/// Returns the value that the reference reports for a scope end, and the phi that such a value is passed to.
fn with_reference_error(
    cx: &FunctionVerifier<'_>,
    operand: Operand,
    how: Option<OperandOwnership>,
    finding: Finding,
) -> Finding {
    let body = cx.body;
    let (value, end) = (body.operand(operand).value, body.operand(operand).user);
    let of_phi = |phi| listed_for(cx, phi);
    let base = introducers(cx, value, &of_phi).and_then(|found| found.first().copied()).unwrap_or(value);
    let finding = finding.ownership_reference_message(base, OwnershipError::NotABorrow { end });
    let phi = body.successors(end).next().and_then(|b| body.arguments(b).get(body.operand_index(operand)));
    match phi {
        Some(&phi) if how == Some(OperandOwnership::Reborrow) => {
            finding.ownership_reference_message(phi, OwnershipError::MixedPhi)
        }
        _ => finding,
    }
}

/// Returns the reason why a guaranteed value has no borrow scope of its own.
fn has_no_scope(cx: &FunctionVerifier<'_>, value: Value) -> Option<&'static str> {
    let body = cx.body;
    match body.def(value) {
        ValueDef::Argument(block, _) if body.is_entry_block(block) => Some("an argument of the function"),
        ValueDef::Argument(..) if body.is_phi(value) => {
            let is_reborrow = body.value(value).arg_flags.contains(ArgFlags::REBORROW);
            (!is_reborrow).then_some("a forwarded phi")
        }
        ValueDef::Argument(block, _) => {
            let inst = body.terminator(body.single_predecessor(block)?)?;
            is_forwarded_borrow(cx, inst).then_some("which was forwarded from another borrow")
        }
        ValueDef::Result(inst, _) if body.inst(inst).opcode == Opcode::BorrowedFrom => {
            let phi = body.operand_value(inst, 0);
            if body.is_phi(phi) { has_no_scope(cx, phi) } else { None }
        }
        ValueDef::Result(inst, _) => {
            is_forwarded_borrow(cx, inst).then_some("which was forwarded from another borrow")
        }
        ValueDef::Undef | ValueDef::Pending => None,
    }
}

fn is_forwarded_borrow(cx: &FunctionVerifier<'_>, inst: Inst) -> bool {
    forwarded_operands(cx.body, inst).any(|operand| {
        cx.ownership().operand(operand) == Some(OperandOwnership::GuaranteedForwarding)
            && cx.ownership().value(cx.body.operand(operand).value) == Some(Ownership::Guaranteed)
    })
}
