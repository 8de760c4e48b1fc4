//! Rules for executors and continuations.

use super::facts::{at_operand, declared, formal_type, lowers_addresses, operand, resolved, same};
use super::kinds::holds;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::ownership::builtin;
use silkit_ir::{Inst, Opcode};
use silkit_types::decl::NominalKind;
use silkit_types::{FnFlags, MetatypeRepr, Type, TypeKind, lowered_as_parameter};

pub(super) const RULES: &[&Rule] = &[&EXECUTOR, &CONTINUATION, &ASYNC_ONLY, &ERASED_ISOLATION];

static EXECUTOR: Rule = Rule {
    id: RuleId::new("SIL0352"),
    name: "ExecutorOfActor",
    severity: Severity::Error,
    summary: "An executor operand is an actor or an executor",
    details: "\
`hop_to_executor` and `extract_executor` take an actor, a `Builtin.Executor`, or an optional of these.
Values of other types have no executor.",
    failing: "\
class C {
}
sil @f : $@convention(thin) @async (@guaranteed C) -> () {
bb0(%0 : $C):
  hop_to_executor %0 : $C
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) @async (Builtin.Executor) -> () {
bb0(%0 : $Builtin.Executor):
  hop_to_executor %0 : $Builtin.Executor
  unreachable
}
",
    check: Check::Inst(&[Opcode::HopToExecutor, Opcode::ExtractExecutor], executor),
};

fn executor(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    if !ty.is_unknown() && may_isolate(cx, ty.ty()) == Some(false) {
        let name = cx.body.info(inst).name;
        let message = format!("`{name}` takes an actor or an executor, not `{ty}`");
        cx.report(at_operand(cx, &EXECUTOR, inst, 0, message));
    }
}

/// Returns whether values of a type have an executor.
pub(super) fn may_isolate(cx: &FunctionVerifier<'_>, ty: Type) -> Option<bool> {
    let ty = resolved(cx, ty);
    match ty.kind() {
        TypeKind::Builtin(name, _) => {
            Some(matches!(name.as_str(), "Executor" | "DefaultActorStorage" | "ImplicitActor"))
        }
        TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Metatype(..) => Some(false),
        TypeKind::Named(n) if n.name == "Optional" && n.args.len() == 1 => match n.args[0].kind() {
            TypeKind::Named(n) if n.name == "Optional" => None,
            _ => may_isolate(cx, n.args[0]),
        },
        TypeKind::Named(_) => {
            let decl = declared(cx, ty)?;
            match decl.kind {
                NominalKind::Actor => Some(true),
                NominalKind::Protocol => None,
                // No module declares a class that inherits from an actor; a struct or enum that contains an executor
                // is not one.
                _ if cx.declarations().own().get(decl.path).is_some() => {
                    let is_none =
                        |protocol| cx.declarations().conforms(ty, Symbol::new(protocol)) == Some(false);
                    (decl.inherited.is_empty() || (is_none("Actor") && is_none("AnyActor"))).then_some(false)
                }
                _ if matches!(decl.path.as_str(), "Int" | "Bool" | "String" | "UInt" | "Double") => {
                    Some(false)
                }
                _ => None,
            }
        }
        TypeKind::Param { .. } => {
            let sig = cx.signature()?;
            let data = sig.data();
            let is_bare = data
                .requirements
                .iter()
                .all(|r| matches!(r.constraint.kind(), TypeKind::Named(n) if n.name == "AnyObject"));
            (is_bare
                && !sig.params_may_meet()
                && data.params.iter().all(|p| {
                    p.bound.is_none_or(|b| matches!(b.kind(), TypeKind::Named(n) if n.name == "AnyObject"))
                }))
            .then_some(false)
        }
        _ => None,
    }
}

static CONTINUATION: Rule = Rule {
    id: RuleId::new("SIL0353"),
    name: "ContinuationType",
    severity: Severity::Error,
    summary: "A continuation resumes with a value of its type, in memory of that type, or with an error",
    details: "\
`get_async_continuation_addr T, %a` gets the address of uninitialized memory for a `T`, lowered as the
argument for a generic parameter. The `error`
target of `await_async_continuation` takes a value of type `any Error`.",
    failing: "\
sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int64
  %1 = get_async_continuation_addr Builtin.Int32, %0 : $*Builtin.Int64
  await_async_continuation %1 : $Builtin.RawUnsafeContinuation, resume bb1
bb1:
  dealloc_stack %0 : $*Builtin.Int64
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int32
  %1 = get_async_continuation_addr Builtin.Int32, %0 : $*Builtin.Int32
  await_async_continuation %1 : $Builtin.RawUnsafeContinuation, resume bb1
bb1:
  dealloc_stack %0 : $*Builtin.Int32
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::Inst(
        &[Opcode::GetAsyncContinuation, Opcode::GetAsyncContinuationAddr, Opcode::AwaitAsyncContinuation],
        continuation,
    ),
};

fn continuation(cx: &FunctionVerifier<'_>, inst: Inst) {
    if cx.body.inst(inst).opcode == Opcode::AwaitAsyncContinuation {
        return resumed_with_error(cx, inst);
    }
    let Some(wanted) = formal_type(cx, inst, "resume") else { return };
    if cx.body.inst(inst).opcode == Opcode::GetAsyncContinuation {
        if lowers_addresses(cx) && holds(cx, wanted, TypePredicate::Loadable) == Some(false) {
            let message =
                format!("`{wanted}` is address-only, so the continuation cannot be resumed with a value");
            let finding = cx.finding(&CONTINUATION, Place::Inst(inst), message);
            cx.report(finding.note("`get_async_continuation_addr` resumes with a value in memory"));
        }
        return;
    }
    let memory = operand(cx, inst, 0);
    // The function that resumes is generic over the type.
    let lowered = lowered_as_parameter(resolved(cx, wanted));
    if !memory.is_unknown()
        && (same(cx, lowered, memory.ty()) == Some(false) || have_other_forms(lowered, memory.ty()))
    {
        let message =
            format!("the continuation is resumed with `{wanted}`, but the memory is for `{memory}`");
        cx.report(at_operand(cx, &CONTINUATION, inst, 0, message));
    }
}

/// Returns true if a type cannot be the form in which a generic function sees another: a thin metatype, a function with
/// direct results, a tuple with other labels.
fn have_other_forms(lowered: Type, ty: Type) -> bool {
    match (lowered.kind(), ty.kind()) {
        (TypeKind::Metatype(..), TypeKind::Metatype(repr, _)) => *repr == MetatypeRepr::Thin,
        (TypeKind::Function(f), TypeKind::Function(g)) => f.pattern_sig.is_some() && g.pattern_sig.is_none(),
        (TypeKind::Tuple(es), TypeKind::Tuple(fs)) => {
            es.iter().zip(fs).any(|(e, f)| e.label != f.label || have_other_forms(e.ty, f.ty))
        }
        _ => false,
    }
}

fn resumed_with_error(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(error) = cx.body.successor(inst, 1) else { return };
    let [argument] = *cx.body.arguments(error) else { return };
    let ty = cx.body.value(argument).ty;
    let is_other = match ty.ty().kind() {
        TypeKind::Any(inner) => matches!(inner.kind(), TypeKind::Named(n) if n.name != "Error"),
        TypeKind::Builtin(..) | TypeKind::Tuple(_) => true,
        TypeKind::Named(n) => n.name != "Error" && declared(cx, ty.ty()).is_some(),
        _ => false,
    };
    if is_other {
        let message =
            format!("`{}` is the error of the continuation, but has type `{ty}`", cx.value(argument));
        let finding = cx.finding(&CONTINUATION, Place::Value(argument), message);
        cx.report(finding.also(Place::Inst(inst), "resumed here"));
    }
}

static ASYNC_ONLY: Rule = Rule {
    id: RuleId::new("SIL0374"),
    name: "AsyncOnly",
    severity: Severity::Error,
    summary: "What suspends or asks for the current task is in an `@async` function",
    details: "\
Only an asynchronous function runs in a task, on an executor that it can leave. A synchronous function has
no continuation to resume.",
    failing: "\
sil @f : $@convention(thin) () -> Builtin.Int64 {
bb0:
  %0 = get_async_continuation Builtin.Int64
  await_async_continuation %0, resume bb1
bb1(%2 : $Builtin.Int64):
  return %2
}
",
    corrected: "\
sil @f : $@convention(thin) @async () -> Builtin.Int64 {
bb0:
  %0 = get_async_continuation Builtin.Int64
  await_async_continuation %0, resume bb1
bb1(%2 : $Builtin.Int64):
  return %2
}
",
    check: Check::Inst(
        &[
            Opcode::GetAsyncContinuation,
            Opcode::GetAsyncContinuationAddr,
            Opcode::HopToExecutor,
            Opcode::Builtin,
        ],
        async_only,
    ),
};

fn async_only(cx: &FunctionVerifier<'_>, inst: Inst) {
    let is_async = cx.function.ty.ty().as_function().is_none_or(|ty| ty.is_async());
    if is_async {
        return;
    }
    let place = Place::Inst(inst);
    if cx.body.inst(inst).opcode != Opcode::Builtin {
        let message = format!("`{}` is allowed only in an `@async` function", cx.body.info(inst).name);
        // The reference does not check instructions.
        cx.report(cx.finding(&ASYNC_ONLY, place, message).warning());
        return;
    }
    let name = builtin(cx.body, inst).map(|builtin| builtin.name);
    if let Some(name @ ("getCurrentAsyncTask" | "getCurrentExecutor")) = name {
        let message = format!("`{name}` is allowed only in an `@async` function");
        cx.report(cx.finding(&ASYNC_ONLY, place, message));
    }
}

static ERASED_ISOLATION: Rule = Rule {
    id: RuleId::new("SIL0319"),
    name: "ErasedIsolation",
    severity: Severity::Error,
    summary: "`function_extract_isolation` asks an `@isolated(any)` function",
    details: "\
Only a function value whose type says `@isolated(any)` carries its isolation.",
    failing: "\
import _Concurrency
sil @f : $@convention(thin) (@guaranteed @callee_guaranteed () -> ()) -> () {
bb0(%0 : $@callee_guaranteed () -> ()):
  %1 = function_extract_isolation %0
  %2 = tuple ()
  return %2
}
",
    corrected: "\
import _Concurrency
sil @f : $@convention(thin) (@guaranteed @isolated(any) @callee_guaranteed () -> ()) -> () {
bb0(%0 : $@isolated(any) @callee_guaranteed () -> ()):
  %1 = function_extract_isolation %0
  %2 = tuple ()
  return %2
}
",
    check: Check::Inst(&[Opcode::FunctionExtractIsolation], erased_isolation),
};

fn erased_isolation(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    let has_isolation = match ty.ty().as_function() {
        Some(function) => function.flags.contains(FnFlags::ISOLATED_ANY),
        None => ty.is_unknown() || declared(cx, ty.ty()).is_none(),
    };
    if !has_isolation {
        let message = format!("`{ty}` is not an `@isolated(any)` function");
        cx.report(at_operand(cx, &ERASED_ISOLATION, inst, 0, message));
    }
}
