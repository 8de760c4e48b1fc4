//! Rule: the ownership of every operand satisfies the constraint of the use.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::reference_message::OwnershipError;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::Addresses;
use silkit_ir::info::OperandOwnership;
use silkit_ir::instructions::UncheckedOwnershipConversion;
use silkit_ir::{Inst, Opcode, Operand, Ownership, Value, ValueDef};

pub(super) const RULES: &[&Rule] = &[&OPERAND_OWNERSHIP];

static OPERAND_OWNERSHIP: Rule = Rule {
    id: RuleId::new("SIL0401"),
    name: "OperandOwnership",
    severity: Severity::Error,
    summary: "The ownership of a value satisfies the constraint of each use",
    details: "\
A consume takes an owned value; an `end_borrow`, a projection such as `ref_element_addr` and a
forwarding instruction whose result is guaranteed take a guaranteed one; an unowned value may only be
copied or used at once. A value without ownership fits everywhere. With opaque values, a guaranteed
address-only value stays in the memory that it is borrowed from, so it can be projected, but not become
a part of another value, be taken out of an enum, or be passed to a phi. Copy a guaranteed value before
it is consumed, borrow an owned one with `begin_borrow`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  destroy_value %0 : $Builtin.NativeObject
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = copy_value %0 : $Builtin.NativeObject
  destroy_value %1 : $Builtin.NativeObject
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(&[], check),
};

fn check(cx: &FunctionVerifier<'_>, inst: Inst) {
    if !cx.is_ossa() {
        return;
    }
    conversion(cx, inst);
    if cx.addresses() == Addresses::Opaque {
        representation(cx, inst);
    }
    for operand in cx.body.operand_ids(inst) {
        let value = cx.body.operand(operand).value;
        let ownership = cx.ownership().value(value);
        // Every use accepts such a value.
        if ownership == Some(Ownership::None) {
            continue;
        }
        match (cx.ownership().operand(operand), ownership) {
            (Some(how), Some(ownership)) if !how.constraint().allows(ownership) => {
                report(cx, inst, operand, how, ownership);
            }
            (Some(_), Some(_)) => {}
            (_, None) => cx.unknown(&OPERAND_OWNERSHIP, Place::Operand(operand), || {
                format!("the ownership of `{}`", cx.value(value))
            }),
            (None, _) => cx.unknown(&OPERAND_OWNERSHIP, Place::Operand(operand), || {
                format!("how `{}` uses `{}`", cx.body.info(inst).name, cx.value(value))
            }),
        }
    }
}

/// Checks that an instruction does not forward a guaranteed address-only value to one with another representation, which
/// would be a copy.
fn representation(cx: &FunctionVerifier<'_>, inst: Inst) {
    let body = cx.body;
    let is_borrowed = |value: Value| {
        cx.ownership().value(value) == Some(Ownership::Guaranteed)
            && cx.declarations().properties(body.value(value).ty.ty(), cx.signature()).address_only
                == Some(true)
    };
    let name = body.info(inst).name;
    let forwarded = match body.inst(inst).opcode {
        Opcode::Struct
        | Opcode::Tuple
        | Opcode::Enum
        | Opcode::UncheckedEnumData
        | Opcode::UncheckedValueCast
        | Opcode::MarkDependence => body.first_result(inst),
        Opcode::SwitchEnum => body.operands(inst).first().map(|operand| operand.value),
        Opcode::BorrowedFrom => {
            let phi = body.operand_value(inst, 0);
            if body.is_phi(phi) && is_borrowed(phi) {
                let message = format!(
                    "the phi `{}` forwards a guaranteed address-only value, which is a copy",
                    cx.value(phi)
                );
                let finding = cx.finding(&OPERAND_OWNERSHIP, Place::Value(phi), message);
                cx.report(finding.reference_message_at(
                    Place::Inst(inst),
                    "Guaranteed address-only phi not allowed--implies a copy: (!arg->getType().isAddressOnly(F) || \
                     arg->getOwnershipKind() != OwnershipKind::Guaranteed)",
                ));
            }
            None
        }
        _ => None,
    };
    if forwarded.is_some_and(is_borrowed) {
        let message = format!("`{name}` forwards a guaranteed address-only value, which is a copy");
        let finding = cx.finding(&OPERAND_OWNERSHIP, Place::Inst(inst), message);
        cx.report(finding.label("not in the same memory").reference_message(
            "Forwarding a guaranteed address-only value requires the same representation since no move or copy is \
             allowed.: fwdOp.hasSameRepresentation()",
        ));
    }
}

/// Checks that an ownership conversion states the ownership of its operand.
fn conversion(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(conversion) = cx.body.view_as::<UncheckedOwnershipConversion>(inst) else { return };
    let Some(found) = cx.ownership().value(conversion.operand) else { return };
    let named = Ownership::from(conversion.from);
    if found == named || cx.body.def(conversion.operand) == ValueDef::Undef {
        return;
    }
    let name = cx.value(conversion.operand);
    let message = format!(
        "`unchecked_ownership_conversion` states that `{name}` is {}, but it is {}",
        word(named),
        word(found)
    );
    let finding = cx.finding(&OPERAND_OWNERSHIP, Place::Operand(cx.body.operand_id(inst, 0)), message);
    cx.report(finding.also(Place::Value(conversion.operand), format!("{} from here", word(found))));
}

fn report(
    cx: &FunctionVerifier<'_>,
    inst: Inst,
    operand: Operand,
    how: OperandOwnership,
    ownership: Ownership,
) {
    use OperandOwnership as O;
    let value = cx.body.operand(operand).value;
    let does = match how {
        O::DestroyingConsume | O::ForwardingConsume => "consumes",
        O::EndBorrow => "ends a borrow with",
        O::Reborrow => "forwards as a borrow",
        O::GuaranteedForwarding => "forwards as guaranteed",
        O::ForwardingUnowned => "forwards as unowned",
        O::InteriorPointer => "creates a pointer into",
        O::TrivialUse => "uses as trivial",
        _ => "uses",
    };
    let (user, name) = (cx.body.info(inst).name, cx.value(value));
    let has = word(ownership);
    let message = format!("`{user}` {does} `{name}`, which is {has}");
    let label = match how.constraint().ownership {
        Some(Ownership::None) => "must have no ownership here".to_owned(),
        Some(wanted) => format!("must be {} here", word(wanted)),
        None => format!("may not be {has} here"),
    };
    let error = OwnershipError::Incompatible { operand, ownership, wanted: how.constraint() };
    let finding = cx.finding(&OPERAND_OWNERSHIP, Place::Operand(operand), message);
    let finding = finding.label(label).ownership_reference_message(value, error);
    cx.report(finding.also(Place::Value(value), format!("{has} from here")));
}

/// Records that a rule could not be decided because the ownership of an operand's value is not known.
pub(super) fn may_not_be_known(cx: &FunctionVerifier<'_>, rule: &'static Rule, operand: Operand) {
    let value = cx.body.operand(operand).value;
    if cx.ownership().value(value).is_none() {
        cx.unknown(rule, Place::Operand(operand), || format!("the ownership of `{}`", cx.value(value)));
    }
}

/// Returns the name of an ownership for messages.
pub(super) fn word(ownership: Ownership) -> &'static str {
    match ownership {
        Ownership::None => "without ownership",
        Ownership::Owned => "owned",
        Ownership::Guaranteed => "guaranteed",
        Ownership::Unowned => "unowned",
    }
}
