//! Rule: block arguments have the ownership that conventions and forwarding imply.

use super::operands::word;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::{ApplySite, ArgumentConvention, Conventions};
use silkit_ir::{Inst, Opcode, Ownership};
use silkit_types::ResultConvention;

pub(super) const RULES: &[&Rule] = &[&ENTRY_OWNERSHIP, &FORWARDED_ARGUMENT];

static ENTRY_OWNERSHIP: Rule = Rule {
    id: RuleId::new("SIL0413"),
    name: "EntryArgumentOwnership",
    severity: Severity::Error,
    summary: "An argument of the entry block has the ownership of its convention",
    details: "\
The caller passes arguments by the conventions of the function type: `@owned` transfers ownership,
`@guaranteed` lends the value. The argument of the entry block states the same ownership; arguments of
trivial types and addresses state none.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = tuple ()
  return %1 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @guaranteed $Builtin.NativeObject):
  %1 = tuple ()
  return %1 : $()
}
",
    check: Check::Body(entry_arguments),
};

static FORWARDED_ARGUMENT: Rule = Rule {
    id: RuleId::new("SIL0414"),
    name: "ForwardedArgumentOwnership",
    severity: Severity::Error,
    summary: "A forwarded block argument has the ownership of the terminator's operand or result",
    details: "\
`switch_enum` and `checked_cast_br` forward their operand, or its payload, to the argument of a
successor. If they consume an owned value, the argument is owned; if they forward a guaranteed one, it
is guaranteed. The results of `try_apply` and `await_async_continuation` are not borrowed. An argument
of a trivial type has no ownership.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Optional<Builtin.NativeObject>) -> () {
bb0(%0 : @guaranteed $Optional<Builtin.NativeObject>):
  switch_enum %0 : $Optional<Builtin.NativeObject>, case #Optional.some!enumelt: bb1, case #Optional.none!enumelt: bb2
bb1(%2 : @owned $Builtin.NativeObject):
  destroy_value %2 : $Builtin.NativeObject
  br bb3
bb2:
  br bb3
bb3:
  %6 = tuple ()
  return %6 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@guaranteed Optional<Builtin.NativeObject>) -> () {
bb0(%0 : @guaranteed $Optional<Builtin.NativeObject>):
  switch_enum %0 : $Optional<Builtin.NativeObject>, case #Optional.some!enumelt: bb1, case #Optional.none!enumelt: bb2
bb1(%2 : @guaranteed $Builtin.NativeObject):
  br bb3
bb2:
  br bb3
bb3:
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Inst(
        &[
            Opcode::SwitchEnum,
            Opcode::CheckedCastBranch,
            Opcode::TryApply,
            Opcode::AwaitAsyncContinuation,
        ],
        forwarded_arguments,
    ),
};

fn entry_arguments(cx: &FunctionVerifier<'_>) {
    let Some(conventions) = Conventions::of(cx.function, cx.addresses()).filter(|_| cx.is_ossa()) else {
        return;
    };
    let Some(entry) = cx.body.entry_block() else { return };
    for (index, &value) in cx.body.arguments(entry).iter().enumerate() {
        let data = cx.body.value(value);
        let Some(convention) = conventions.convention(index) else { continue };
        let by_convention = match convention {
            ArgumentConvention::Owned => Ownership::Owned,
            ArgumentConvention::Guaranteed => Ownership::Guaranteed,
            ArgumentConvention::Unowned => Ownership::Unowned,
            _ => Ownership::None,
        };
        let wanted = match cx.ownership().is_trivial(data.ty) {
            Some(true) => Ownership::None,
            Some(false) => by_convention,
            None if data.ownership == Ownership::None || data.ownership == by_convention => continue,
            None => {
                let why = || format!("whether the type of `{}` is trivial", cx.value(value));
                cx.unknown(&ENTRY_OWNERSHIP, Place::Value(value), why);
                continue;
            }
        };
        if data.ownership != wanted {
            let (is, should) = (word(data.ownership), word(wanted));
            let message =
                format!("the argument `{}` is {is}, by its convention it is {should}", cx.value(value));
            let finding = cx.finding(&ENTRY_OWNERSHIP, Place::Value(value), message);
            cx.report(finding.label(format!("should be {should}")));
        }
    }
}

fn forwarded_arguments(cx: &FunctionVerifier<'_>, inst: Inst) {
    if !cx.is_ossa() {
        return;
    }
    if matches!(cx.body.inst(inst).opcode, Opcode::TryApply | Opcode::AwaitAsyncContinuation) {
        return returned_arguments(cx, inst);
    }
    let Some(forwarded) = cx.ownership().forwarded(inst) else { return };
    for block in cx.body.successors(inst) {
        for &value in cx.body.arguments(block) {
            let data = cx.body.value(value);
            if data.ownership == forwarded || cx.ownership().is_trivial(data.ty) != Some(false) {
                continue;
            }
            let name = cx.body.info(inst).name;
            let (is, should) = (word(data.ownership), word(forwarded));
            let message =
                format!("`{name}` forwards a value that is {should} to `{}`, which is {is}", cx.value(value));
            let finding = cx.finding(&FORWARDED_ARGUMENT, Place::Value(value), message);
            cx.report(finding.label(format!("should be {should}")).also(Place::Inst(inst), "forwarded here"));
        }
    }
}

/// Reports guaranteed block arguments for results and errors, which must be owned.
fn returned_arguments(cx: &FunctionVerifier<'_>, inst: Inst) {
    let site = ApplySite::new(cx.body, inst, cx.addresses());
    let lends = site.and_then(|site| site.callee_conventions()).is_some_and(|conventions| {
        conventions.ty.results.iter().any(|result| result.convention == ResultConvention::Guaranteed)
    });
    if lends {
        return;
    }
    let arguments = cx.body.successors(inst).flat_map(|block| cx.body.arguments(block));
    for &value in arguments {
        let data = cx.body.value(value);
        if data.ownership != Ownership::Guaranteed || cx.ownership().is_trivial(data.ty) != Some(false) {
            continue;
        }
        let name = cx.body.info(inst).name;
        let message = format!("`{name}` passes a value on to `{}`, which is guaranteed", cx.value(value));
        let finding = cx.finding(&FORWARDED_ARGUMENT, Place::Value(value), message);
        cx.report(finding.label("should be owned").also(Place::Inst(inst), "passed on here"));
    }
}
