//! Rules for function exits: results, errors, yielded values.

use super::facts::{differ, expect, lowers_addresses, own_type, sil_type};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::Conventions;
use silkit_ir::{Inst, Opcode, ValueDef};
use silkit_types::SilType;

pub(super) const RULES: &[&Rule] = &[&RETURN_TYPE, &THROW_TYPE, &YIELD_TYPES, &END_OF_CALL_TYPE];

static RETURN_TYPE: Rule = Rule {
    id: RuleId::new("SIL0320"),
    name: "ReturnType",
    severity: Severity::Error,
    summary: "`return` returns the direct results of the function type",
    details: "\
Several direct results are a tuple, and none is the empty tuple. Indirect results were written through
their addresses before.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  return %0 : $Builtin.Int64
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  return %0 : $Builtin.Int64
}
",
    check: Check::Inst(&[Opcode::Return], return_type),
};

fn return_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(f) = own_type(cx) else { return };
    let value = Conventions::new(&f, cx.addresses()).direct_result_type();
    expect(cx, &RETURN_TYPE, inst, 0, value, "the function returns");
}

static THROW_TYPE: Rule = Rule {
    id: RuleId::new("SIL0321"),
    name: "ThrowType",
    severity: Severity::Error,
    summary: "`throw` throws a value of the function's error type; `throw_addr` is for an indirect error result",
    details: "\
Where the error result is indirect, `@error_indirect E`, the error is stored to the address that the
function was given, and `throw_addr` says so. Any other error is thrown as a value.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> @error any Error {
bb0(%0 : $Builtin.Int64):
  throw %0 : $Builtin.Int64
}
",
    corrected: "\
sil @f : $@convention(thin) (@owned any Error) -> @error any Error {
bb0(%0 : $any Error):
  throw %0 : $any Error
}
",
    check: Check::Inst(&[Opcode::Throw, Opcode::ThrowAddr], throw_type),
};

fn throw_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(error) = own_type(cx).and_then(|f| f.error) else { return };
    let by_address = cx.body.inst(inst).opcode == Opcode::ThrowAddr;
    let is_indirect = cx.addresses().is_indirect_result(error.convention);
    if lowers_addresses(cx) && is_indirect != by_address {
        let (how, help) = if by_address {
            ("as a value", "throw the error with `throw`")
        } else {
            ("through an address", "store the error and end with `throw_addr`")
        };
        let message = format!("the function returns its error {how}");
        cx.report(cx.finding(&THROW_TYPE, Place::Inst(inst), message).note(help));
    } else if !by_address {
        expect(cx, &THROW_TYPE, inst, 0, SilType::object(error.ty), "the function throws");
    }
}

static YIELD_TYPES: Rule = Rule {
    id: RuleId::new("SIL0322"),
    name: "YieldTypes",
    severity: Severity::Error,
    summary: "`yield` yields the values of the coroutine's type",
    details: "\
As many as there are `@yields` in the type, in their order; addresses where they are indirect. The
caller uses them until it resumes the coroutine.",
    failing: "\
sil @f : $@yield_once @convention(thin) (Builtin.Int64) -> @yields Builtin.Int32 {
bb0(%0 : $Builtin.Int64):
  yield %0 : $Builtin.Int64, resume bb1, unwind bb2
bb1:
  %2 = tuple ()
  return %2 : $()
bb2:
  unwind
}
",
    corrected: "\
sil @f : $@yield_once @convention(thin) (Builtin.Int64) -> @yields Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  yield %0 : $Builtin.Int64, resume bb1, unwind bb2
bb1:
  %2 = tuple ()
  return %2 : $()
bb2:
  unwind
}
",
    check: Check::Inst(&[Opcode::Yield], yield_types),
};

fn yield_types(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(f) = own_type(cx).filter(|f| f.is_coroutine()) else { return };
    let wanted = Conventions::new(&f, cx.addresses()).yield_types();
    let given = cx.body.operand_range(inst, 0);
    if given.len() != wanted.len() {
        let message =
            format!("{} values are yielded, but the function type has {}", given.len(), wanted.len());
        cx.report(
            cx.finding(&YIELD_TYPES, Place::Inst(inst), message).also(Place::Whole, "its type is here"),
        );
        return;
    }
    for (index, wanted) in given.zip(wanted) {
        expect(cx, &YIELD_TYPES, inst, index, wanted, "the coroutine yields");
    }
}

static END_OF_CALL_TYPE: Rule = Rule {
    id: RuleId::new("SIL0323"),
    name: "EndOfCallType",
    severity: Severity::Error,
    summary: "`end_apply` returns the direct results of the coroutine that it ends",
    details: "\
A coroutine that is resumed to its end returns as any function does. The type after `as` is that of the
direct results of the callee of the `begin_apply`, with the generic arguments substituted.",
    failing: "\
sil @g : $@yield_once @convention(thin) () -> @yields Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  %3 = end_apply %2 as $Builtin.Int64
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil @g : $@yield_once @convention(thin) () -> @yields Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  %3 = end_apply %2 as $()
  return %3 : $()
}
",
    check: Check::Inst(&[Opcode::EndApply], end_of_call_type),
};

fn end_of_call_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(token) = cx.body.operands(inst).first() else { return };
    let ValueDef::Result(begin, _) = cx.body.def(token.value) else { return };
    if cx.body.inst(begin).opcode != Opcode::BeginApply {
        return;
    }
    let wanted = cx.body.with_callee(begin, cx.declarations(), |f, types| {
        types.direct_result(Conventions::new(f, cx.addresses()))
    });
    let (Some(wanted), Some(given)) = (wanted, sil_type(cx, inst, "type")) else { return };
    if differ(cx, wanted, given) {
        let message = format!("the coroutine returns `{wanted}`, not `{given}`");
        cx.report(
            cx.finding(&END_OF_CALL_TYPE, Place::Inst(inst), message).also(Place::Inst(begin), "called here"),
        );
    }
}
