//! Rules for calls: callees and kinds of calls.

use super::facts::{at_operand, differ, operand, same, sil_type};
use super::generic::{misfit, unmet_requirement};
use super::kinds::holds;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::{Inst, NONE, Opcode};
use silkit_types::{FnFlags, Type, TypeKind};

pub(super) const RULES: &[&Rule] =
    &[&CALLEE_TYPE, &GENERIC_ARGUMENTS, &KIND_OF_CALL, &ASYNC_CALL, &GENERIC_REQUIREMENTS, &ISOLATED_CLOSURE];

/// Opcodes that call or bind arguments.
pub(super) const APPLIES: &[Opcode] =
    &[Opcode::Apply, Opcode::TryApply, Opcode::BeginApply, Opcode::PartialApply];

static CALLEE_TYPE: Rule = Rule {
    id: RuleId::new("SIL0310"),
    name: "CalleeType",
    severity: Severity::Error,
    summary: "The callee type that a call states is the type of the callee",
    details: "\
The call passes its arguments as the written type says, so it must be the one that the callee has:
conventions and attributes included.",
    failing: "\
sil @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = function_ref @g : $@convention(thin) (Builtin.Int64) -> Builtin.Int64
  %2 = apply %1(%0) : $@convention(method) (Builtin.Int64) -> Builtin.Int64
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
    check: Check::Inst(CALLEES, callee_type),
};

/// The instructions that state the type of a function value.
const CALLEES: &[Opcode] =
    &[Opcode::Apply, Opcode::TryApply, Opcode::BeginApply, Opcode::PartialApply, Opcode::Thunk];

fn callee_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(written) = sil_type(cx, inst, "type") else { return };
    let actual = operand(cx, inst, 0);
    if holds(cx, written.ty(), TypePredicate::Function) == Some(false) {
        let message = format!("`{}` expects a function, found `{written}`", cx.body.info(inst).name);
        cx.report(at_operand(cx, &CALLEE_TYPE, inst, 0, message));
        return;
    }
    if written.is_address() || actual.is_address() {
        let message = format!("`{}` expects a function, found the address of one", cx.body.info(inst).name);
        cx.report(at_operand(cx, &CALLEE_TYPE, inst, 0, message).note("load it first"));
        return;
    }
    if differ(cx, written, actual) {
        let name = cx.body.info(inst).name;
        let message =
            format!("`{name}` states the callee type `{written}`, but the callee has type `{actual}`");
        cx.report(
            at_operand(cx, &CALLEE_TYPE, inst, 0, message)
                .also(Place::Value(cx.body.operand_value(inst, 0)), "the callee"),
        );
    }
}

static GENERIC_ARGUMENTS: Rule = Rule {
    id: RuleId::new("SIL0311"),
    name: "GenericArguments",
    severity: Severity::Error,
    summary: "A call has one generic argument for each generic parameter of its callee",
    details: "\
They follow the callee in angle brackets, `apply %1<Int, String>(…)`, in the order of the parameters.
The types of arguments and results follow from them.",
    failing: "\
sil @g : $@convention(thin) <T> (@in_guaranteed T) -> ()
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = function_ref @g : $@convention(thin) <T> (@in_guaranteed T) -> ()
  %2 = apply %1(%0) : $@convention(thin) <T> (@in_guaranteed T) -> ()
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @g : $@convention(thin) <T> (@in_guaranteed T) -> ()
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = function_ref @g : $@convention(thin) <T> (@in_guaranteed T) -> ()
  %2 = apply %1<Builtin.Int64>(%0) : $@convention(thin) <T> (@in_guaranteed T) -> ()
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(APPLIES, generic_arguments),
};

fn generic_arguments(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(f) = sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()) else { return };
    let subs = cx.body.word(inst, "subs").unwrap_or(NONE);
    let given = cx.body.list(subs).len();
    let wanted = f.sig.map_or(0, |s| s.data().params.len());
    if given != wanted {
        let message = format!("the callee has {wanted} generic parameters, but {given} arguments are given");
        cx.report(at_operand(cx, &GENERIC_ARGUMENTS, inst, 0, message));
        return;
    }
    if let Some(message) = f.sig.and_then(|sig| cx.body.with_types(subs, |subs| misfit(sig, subs))) {
        cx.report(at_operand(cx, &GENERIC_ARGUMENTS, inst, 0, message));
    }
}

static KIND_OF_CALL: Rule = Rule {
    id: RuleId::new("SIL0314"),
    name: "KindOfCall",
    severity: Severity::Error,
    summary: "Coroutines are called by `begin_apply`, functions that throw by `try_apply` or with `[nothrow]`",
    details: "\
Each kind of call has exactly the successors that its callee needs. `[nothrow]` states that a call of a
throwing function does not throw; it is not allowed if the callee cannot throw.",
    failing: "\
sil @g : $@convention(thin) () -> @error any Error
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) () -> @error any Error
  %1 = apply %0() : $@convention(thin) () -> @error any Error
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil @g : $@convention(thin) () -> @error any Error
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) () -> @error any Error
  %1 = apply [nothrow] %0() : $@convention(thin) () -> @error any Error
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(&[Opcode::Apply, Opcode::TryApply, Opcode::BeginApply], kind_of_call),
};

fn kind_of_call(cx: &FunctionVerifier<'_>, inst: Inst) {
    use Opcode as O;
    let Some(f) = sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()) else { return };
    let opcode = cx.body.inst(inst).opcode;
    let (throws, nothrow) = (f.error.is_some(), cx.body.has_flag(inst, "nothrow"));
    let (message, help) = match opcode {
        O::BeginApply if f.flags.contains(FnFlags::YIELD_MANY) => (
            "`begin_apply` calls a coroutine that yields many times",
            "`begin_apply` resumes its callee once: declare it `@yield_once`",
        ),
        O::BeginApply if !f.is_coroutine() => {
            ("`begin_apply` calls a function that is not a coroutine", "call it with `apply`")
        }
        O::Apply | O::TryApply if f.is_coroutine() => {
            ("the callee is a coroutine, which only `begin_apply` calls", "call it with `begin_apply`")
        }
        O::TryApply if !throws => {
            ("`try_apply` calls a function that has no error result", "call it with `apply`")
        }
        O::Apply | O::BeginApply if throws && !nothrow => (
            "the callee throws, but this call has no error target",
            "call it with `try_apply`, or add `[nothrow]` if it cannot throw",
        ),
        O::Apply | O::BeginApply if !throws && nothrow => {
            ("the call is `[nothrow]`, but the callee has no error result", "remove `[nothrow]`")
        }
        _ => return,
    };
    cx.report(at_operand(cx, &KIND_OF_CALL, inst, 0, message.to_owned()).note(help));
}

static ASYNC_CALL: Rule = Rule {
    id: RuleId::new("SIL0315"),
    name: "AsyncCall",
    severity: Severity::Error,
    summary: "Only an `@async` function calls `@async` functions",
    details: "\
A function that is not `@async` has no way to be suspended. Mark it `@async`, or start a task.
`[noasync]` states that the callee does not suspend in this call.",
    failing: "\
sil @g : $@convention(thin) @async () -> ()
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) @async () -> ()
  %1 = apply %0() : $@convention(thin) @async () -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil @g : $@convention(thin) @async () -> ()
sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = function_ref @g : $@convention(thin) @async () -> ()
  %1 = apply %0() : $@convention(thin) @async () -> ()
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::Inst(&[Opcode::Apply, Opcode::TryApply, Opcode::BeginApply], async_call),
};

fn async_call(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(f) = sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()) else { return };
    let Some(own) = cx.function.ty.ty().as_function() else { return };
    if !f.is_async() && cx.body.has_flag(inst, "noasync") {
        let message = "the call is `[noasync]`, but the callee is not `@async`".to_owned();
        cx.report(at_operand(cx, &ASYNC_CALL, inst, 0, message).note("remove `[noasync]`"));
    }
    if f.is_async() && !own.is_async() && !cx.body.has_flag(inst, "noasync") {
        let name = cx.body.info(inst).name;
        let message = format!("`{name}` of an `@async` function in a function that is not `@async`");
        cx.report(
            at_operand(cx, &ASYNC_CALL, inst, 0, message).also(Place::Whole, "this function is not `@async`"),
        );
    }
}

static GENERIC_REQUIREMENTS: Rule = Rule {
    id: RuleId::new("SIL0316"),
    name: "GenericRequirements",
    severity: Severity::Warning,
    summary: "Generic arguments meet the requirements of the callee",
    details: "\
For `T : P` the callee receives the witness table of the argument, which exists only if the argument
conforms to `P`. A class constraint needs a reference. Use an argument that meets the requirement, or
declare the conformance.",
    failing: "\
protocol P {
}
struct S {
}
sil @g : $@convention(thin) <T where T : P> (@thick T.Type) -> ()
sil @f : $@convention(thin) (@thick S.Type) -> () {
bb0(%0 : $@thick S.Type):
  %1 = function_ref @g : $@convention(thin) <T where T : P> (@thick T.Type) -> ()
  %2 = apply %1<S>(%0) : $@convention(thin) <T where T : P> (@thick T.Type) -> ()
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
protocol P {
}
struct S : P {
}
sil @g : $@convention(thin) <T where T : P> (@thick T.Type) -> ()
sil @f : $@convention(thin) (@thick S.Type) -> () {
bb0(%0 : $@thick S.Type):
  %1 = function_ref @g : $@convention(thin) <T where T : P> (@thick T.Type) -> ()
  %2 = apply %1<S>(%0) : $@convention(thin) <T where T : P> (@thick T.Type) -> ()
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(APPLIES, generic_requirements),
};

fn generic_requirements(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(f) = sil_type(cx, inst, "type").and_then(|t| t.ty().as_function()) else { return };
    let Some(sig) = f.sig else { return };
    let given = cx.body.word(inst, "subs").unwrap_or(NONE);
    if let Some(unmet) = cx.body.with_types(given, |given| unmet_requirement(cx, sig, given)) {
        let message = format!("{}, which the callee requires", unmet.message);
        let finding = at_operand(cx, &GENERIC_REQUIREMENTS, inst, 0, message);
        cx.report(if unmet.is_unchecked { finding.warning() } else { finding });
    }
}

static ISOLATED_CLOSURE: Rule = Rule {
    id: RuleId::new("SIL0317"),
    name: "IsolatedClosure",
    severity: Severity::Error,
    summary: "A closure that is isolated to any actor captures this actor first",
    details: "\
The first argument of `partial_apply [isolated_any]` is the isolation of the closure, of type
`Optional<any Actor>`, which `function_extract_isolation` returns.",
    failing: "\
sil @g : $@convention(thin) (Builtin.Int64) -> ()
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  %1 = function_ref @g : $@convention(thin) (Builtin.Int64) -> ()
  %2 = partial_apply [callee_guaranteed] [isolated_any] %1(%0) : $@convention(thin) (Builtin.Int64) -> ()
  unreachable
}
",
    corrected: "\
sil @g : $@convention(thin) (Builtin.Int64) -> ()
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  %1 = function_ref @g : $@convention(thin) (Builtin.Int64) -> ()
  %2 = partial_apply [callee_guaranteed] %1(%0) : $@convention(thin) (Builtin.Int64) -> ()
  unreachable
}
",
    check: Check::Inst(&[Opcode::PartialApply], isolated_closure),
};

fn isolated_closure(cx: &FunctionVerifier<'_>, inst: Inst) {
    if !cx.body.has_flag(inst, "isolated_any") {
        return;
    }
    let Some(first) = cx.body.operand_range(inst, 1).next() else {
        let message = "the closure is isolated, but captures no actor";
        cx.report(cx.finding(&ISOLATED_CLOSURE, Place::Inst(inst), message));
        return;
    };
    let ty = operand(cx, inst, first);
    let isolation = Type::optional(Type::new(TypeKind::Any(Type::nominal("Actor"))));
    if !ty.is_unknown() && (ty.is_address() || same(cx, ty.ty(), isolation) == Some(false)) {
        let message = format!("the closure is isolated, but its first capture has type `{ty}`");
        cx.report(at_operand(cx, &ISOLATED_CLOSURE, inst, first, message));
    }
}
