//! Rules for the token of a coroutine that is called, and for the stack memory of its frame.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_types::SilType;

pub(super) const RULES: &[&Rule] = &[&TOKEN_ENDS_CALL, &FRAME_OUTLIVES_CALL];

static TOKEN_ENDS_CALL: Rule = Rule {
    id: RuleId::new("SIL0246"),
    name: "TokenEndsCall",
    severity: Severity::Error,
    summary: "The token of `begin_apply` is used only to end the call",
    details: "\
The token stands for the suspended coroutine. It is an operand of `end_apply` and `abort_apply`, and of
`end_borrow` where the program stops; values may depend on it. It cannot be stored, passed or kept
alive.",
    failing: "\
sil @co : $@yield_once @convention(thin) () -> @yields Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @co : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  fix_lifetime %2
  %4 = end_apply %2 as $()
  return %4
}
",
    corrected: "\
sil @co : $@yield_once @convention(thin) () -> @yields Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @co : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  (%1, %2) = begin_apply %0() : $@yield_once @convention(thin) () -> @yields Builtin.Int64
  %3 = end_apply %2 as $()
  return %3
}
",
    check: Check::Inst(&[Opcode::BeginApply], token_ends_call),
};

/// Returns the token among the results of a `begin_apply`.
fn token(body: &Body, call: Inst) -> Option<Value> {
    body.results(call).find(|&result| body.value(result).ty == SilType::token())
}

fn token_ends_call(cx: &FunctionVerifier<'_>, call: Inst) {
    let Some(token) = token(cx.body, call) else { return };
    for user in cx.body.users(token) {
        let opcode = cx.body.inst(user).opcode;
        // A value may depend on the access of the coroutine.
        let may_use = matches!(
            opcode,
            Opcode::EndApply
                | Opcode::AbortApply
                | Opcode::EndBorrow
                | Opcode::MarkDependence
                | Opcode::MarkDependenceAddr
        );
        if !may_use {
            let name = cx.body.info(user).name;
            let message = format!("`{name}` uses `{}`, which is the token of a call", cx.value(token));
            // The reference does not check it.
            let finding = cx.finding(&TOKEN_ENDS_CALL, Place::Inst(user), message).warning();
            cx.report(finding.also(Place::Inst(call), "the call begins here"));
        }
    }
}

static FRAME_OUTLIVES_CALL: Rule = Rule {
    id: RuleId::new("SIL0247"),
    name: "FrameOutlivesCall",
    severity: Severity::Error,
    summary: "The frame of a coroutine that its callee allocates is deallocated after the call",
    details: "\
The last result of `begin_apply` of a `@yield_once_2` coroutine is its frame on the stack. The coroutine
uses it until it has been resumed or aborted, so `dealloc_stack` follows `end_apply` or `abort_apply`.",
    failing: "\
sil @co : $@yield_once_2 @convention(thin) () -> @yields Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @co : $@yield_once_2 @convention(thin) () -> @yields Builtin.Int64
  (%1, %2, %3) = begin_apply %0() : $@yield_once_2 @convention(thin) () -> @yields Builtin.Int64
  dealloc_stack %3
  %5 = end_apply %2 as $()
  return %5
}
",
    corrected: "\
sil @co : $@yield_once_2 @convention(thin) () -> @yields Builtin.Int64
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = function_ref @co : $@yield_once_2 @convention(thin) () -> @yields Builtin.Int64
  (%1, %2, %3) = begin_apply %0() : $@yield_once_2 @convention(thin) () -> @yields Builtin.Int64
  %4 = end_apply %2 as $()
  dealloc_stack %3
  return %4
}
",
    check: Check::Paths(frame_outlives_call),
};

fn frame_outlives_call(cx: &FunctionVerifier<'_>) {
    let body = cx.body;
    for call in cx.insts_with(&[Opcode::BeginApply]) {
        let Some(token) = token(body, call) else { continue };
        let Some(frame) = body.results(call).last().filter(|&last| last != token) else { continue };
        let has = |value: Value, opcodes: &'static [Opcode]| {
            body.users(value).filter(move |&user| opcodes.contains(&body.inst(user).opcode))
        };
        for dealloc in has(frame, &[Opcode::DeallocStack]) {
            let block = body.inst_block(dealloc);
            let end = has(token, &[Opcode::EndApply, Opcode::AbortApply])
                .find(|&end| body.inst_block(end) == block && body.inst_precedes(dealloc, end));
            if let Some(end) = end {
                let message = format!("the frame `{}` is deallocated before the call ends", cx.value(frame));
                // The reference does not check it.
                let finding = cx.finding(&FRAME_OUTLIVES_CALL, Place::Inst(dealloc), message).warning();
                cx.report(finding.also(Place::Inst(end), "the call ends here"));
            }
        }
    }
}
