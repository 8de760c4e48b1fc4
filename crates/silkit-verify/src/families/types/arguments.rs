//! Rules for the arguments of calls, compared with the substituted type of the callee.

use super::calls::APPLIES;
use super::facts::{at_operand, differ, operand};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::Conventions;
use silkit_ir::{CalleeTypes, Inst, Opcode};
use silkit_types::FunctionType;

pub(super) const RULES: &[&Rule] = &[&ARGUMENT_COUNT, &ARGUMENT_TYPE];

static ARGUMENT_COUNT: Rule = Rule {
    id: RuleId::new("SIL0312"),
    name: "ArgumentCount",
    severity: Severity::Error,
    summary: "A call passes as many arguments as its callee takes",
    details: "\
They are, in order: the addresses for indirect results, that for an indirect error, and the parameters.
`partial_apply` passes the last parameters only, and no addresses for results.",
    failing: "\
sil @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = function_ref @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
  %2 = apply %1() : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
  return %2 : $Builtin.Int64
}
",
    corrected: "\
sil @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = function_ref @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
  %2 = apply %1(%0) : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
  return %2 : $Builtin.Int64
}
",
    check: Check::Inst(APPLIES, arguments),
};

static ARGUMENT_TYPE: Rule = Rule {
    id: RuleId::new("SIL0313"),
    name: "ArgumentType",
    severity: Severity::Error,
    summary: "An argument of a call has the type of the parameter, with the generic arguments substituted",
    details: "\
It is an address where the parameter is indirect. Convert the argument first, or call another function.",
    failing: "\
sil @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
sil @f : $@convention(thin) (Builtin.Int32) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int32):
  %1 = function_ref @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
  %2 = apply %1(%0) : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
  return %2 : $Builtin.Int64
}
",
    corrected: "\
sil @g : $@convention(thin) (Builtin.Int32) -> Builtin.Int64
sil @f : $@convention(thin) (Builtin.Int32) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int32):
  %1 = function_ref @g : $@convention(thin) (Builtin.Int32) -> Builtin.Int64
  %2 = apply %1(%0) : $@convention(thin) (Builtin.Int32) -> Builtin.Int64
  return %2 : $Builtin.Int64
}
",
    check: Check::With(&["SIL0312"]),
};

fn arguments(cx: &FunctionVerifier<'_>, inst: Inst) {
    cx.body.with_callee(inst, cx.declarations(), |f, types| arguments_of(cx, inst, f, types));
}

fn arguments_of(cx: &FunctionVerifier<'_>, inst: Inst, f: &FunctionType, types: &CalleeTypes<'_>) {
    let conventions = Conventions::new(f, cx.addresses());
    let given = cx.body.operand_range(inst, 1);
    let expected = conventions.argument_count();
    let is_closure = cx.body.inst(inst).opcode == Opcode::PartialApply;
    let (at_most, fits) =
        if is_closure { ("at most ", given.len() <= f.params.len()) } else { ("", given.len() == expected) };
    if !fits {
        let name = cx.body.info(inst).name;
        let takes = if is_closure { f.params.len() } else { expected };
        let message =
            format!("`{name}` passes {} arguments, but the callee takes {at_most}{takes}", given.len());
        cx.report(
            cx.finding(&ARGUMENT_COUNT, Place::Inst(inst), message)
                .label(format!("passes {}", given.len()))
                .also(Place::Value(cx.body.operand_value(inst, 0)), format!("takes {at_most}{takes}")),
        );
        return;
    }
    // A closure binds the last parameters.
    let first = expected - given.len();
    for (position, index) in (first..).zip(given) {
        let Some(stated) = conventions.argument_type(position) else { continue };
        let wanted = stated.with_type(types.of(stated.ty()));
        let actual = operand(cx, inst, index);
        if differ(cx, wanted, actual) {
            let name = cx.value(cx.body.operand_value(inst, index));
            let message = format!("argument {position} is `{wanted}`, but `{name}` has type `{actual}`");
            cx.report(
                at_operand(cx, &ARGUMENT_TYPE, inst, index, message)
                    .also(Place::Value(cx.body.operand_value(inst, 0)), "the callee"),
            );
        } else if wanted.is_unknown() || actual.is_unknown() {
            let place = Place::Operand(cx.body.operand_id(inst, index));
            cx.unknown(&ARGUMENT_TYPE, place, || "the type of the argument is unknown".into());
        }
    }
}
