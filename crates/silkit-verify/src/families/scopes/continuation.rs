//! Rule: the memory for the result of a continuation.

use super::derived::{Next, each_use, is_passed, touches_memory};
use super::kinds::{CONTINUATION, ends};
use crate::context::FunctionVerifier;
use crate::families::memory::before::{Content, content_before};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_analysis::{Begin, Scopes};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};

pub(super) const RULES: &[&Rule] = &[&CONTINUATION_MEMORY, &CONTINUATION_IS_CONSUMED];

static CONTINUATION_MEMORY: Rule = Rule {
    id: RuleId::new("SIL0241"),
    name: "ContinuationMemory",
    severity: Severity::Error,
    summary: "The memory for the result of a continuation is uninitialized, and neither accessed nor deallocated before the `await`",
    details: "\
The code that resumes the continuation writes its result to the memory of `get_async_continuation_addr`,
at any time until `await_async_continuation` has returned. So a value in the memory would be leaked, a
read or a write is a race, and after a `dealloc_stack` the result overwrites other memory. Use the
memory before the continuation is created or after the `await`.",
    failing: "\
import _Concurrency

sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int64
  %1 = get_async_continuation_addr Builtin.Int64, %0 : $*Builtin.Int64
  %2 = load %0 : $*Builtin.Int64
  await_async_continuation %1 : $Builtin.RawUnsafeContinuation, resume bb1
bb1:
  dealloc_stack %0 : $*Builtin.Int64
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
import _Concurrency

sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int64
  %1 = get_async_continuation_addr Builtin.Int64, %0 : $*Builtin.Int64
  await_async_continuation %1 : $Builtin.RawUnsafeContinuation, resume bb1
bb1:
  %3 = load %0 : $*Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Paths(continuation_memory),
};

fn continuation_memory(cx: &FunctionVerifier<'_>) {
    let body = cx.body;
    let mut scopes = None;
    for get in cx.insts_with(&[Opcode::GetAsyncContinuationAddr]) {
        let (address, Some(result)) = (body.operand_value(get, 0), body.first_result(get)) else { continue };
        if !cx.block_order().is_reachable(body.inst_block(get)) {
            continue;
        }
        if let Some((Content::Owned, stored)) = content_before(cx, &[address], get) {
            let message =
                format!("the memory `{}` of a continuation already holds a value", cx.value(address));
            cx.report(
                cx.finding(&CONTINUATION_MEMORY, Place::Inst(get), message)
                    .warning()
                    .also(Place::Inst(stored), "stored here"),
            );
        }
        let ends = ends(cx, &CONTINUATION, result);
        if ends.is_empty() {
            continue;
        }
        let scopes = scopes.get_or_insert_with(|| Scopes::new(body, cx.dead_ends()));
        // Violations of the scope itself are reported by another rule.
        if !scopes.check(Begin::After(get), &ends, CONTINUATION.coherence).is_empty() {
            continue;
        }
        each_use(cx, address, |operand| {
            let user = body.operand(operand).user;
            // A callee may store the address until the continuation is resumed.
            if is_passed(cx, operand) || user == get || !touches_memory(cx, operand) || !scopes.contains(user)
            {
                return Next::Follow;
            }
            let name = body.info(user).name;
            let message = format!(
                "`{name}` uses the memory `{}` while a continuation may write to it",
                cx.value(address)
            );
            cx.report(
                cx.finding(&CONTINUATION_MEMORY, Place::Operand(operand), message)
                    .warning()
                    .label("used here")
                    .also(Place::Inst(get), "the continuation is created here"),
            );
            Next::Stop
        });
    }
}

static CONTINUATION_IS_CONSUMED: Rule = Rule {
    id: RuleId::new("SIL0243"),
    name: "ContinuationIsConsumed",
    severity: Severity::Error,
    summary: "A continuation is not used after its `await`",
    details: "\
`await_async_continuation` consumes the continuation: when it returns, the continuation was resumed, which
happens only once. This also holds for a value that the continuation is a part of. Move the use before the
`await`.",
    failing: "\
import _Concurrency

sil @use : $@convention(thin) (Builtin.RawUnsafeContinuation) -> ()
sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = get_async_continuation Builtin.Int64
  await_async_continuation %0 : $Builtin.RawUnsafeContinuation, resume bb1
bb1(%2 : $Builtin.Int64):
  %3 = function_ref @use : $@convention(thin) (Builtin.RawUnsafeContinuation) -> ()
  %4 = apply %3(%0) : $@convention(thin) (Builtin.RawUnsafeContinuation) -> ()
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
import _Concurrency

sil @use : $@convention(thin) (Builtin.RawUnsafeContinuation) -> ()
sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = get_async_continuation Builtin.Int64
  %1 = function_ref @use : $@convention(thin) (Builtin.RawUnsafeContinuation) -> ()
  %2 = apply %1(%0) : $@convention(thin) (Builtin.RawUnsafeContinuation) -> ()
  await_async_continuation %0 : $Builtin.RawUnsafeContinuation, resume bb1
bb1(%4 : $Builtin.Int64):
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Paths(continuation_is_consumed),
};

fn continuation_is_consumed(cx: &FunctionVerifier<'_>) {
    let body = cx.body;
    for &block in cx.block_order().blocks() {
        let is_await = |&inst: &Inst| body.inst(inst).opcode == Opcode::AwaitAsyncContinuation;
        let Some(wait) = body.last_inst(block).filter(is_await) else { continue };
        let mut work = vec![body.operand_value(wait, 0)];
        while let Some(value) = work.pop() {
            for operand in body.uses(value) {
                let user = body.operand(operand).user;
                let to = body.inst_block(user);
                let is_after = to != block
                    && cx.block_order().is_reachable(to)
                    && cx.dominators().dominates(block, to)
                    && body.inst(user).opcode != Opcode::DebugValue;
                if is_after {
                    let message = format!("`{}` uses a continuation after its `await`", body.info(user).name);
                    // The reference does not check it.
                    let finding =
                        cx.finding(&CONTINUATION_IS_CONSUMED, Place::Operand(operand), message).warning();
                    cx.report(finding.label("used here").also(Place::Inst(wait), "consumed here"));
                } else if matches!(body.inst(user).opcode, Opcode::Struct | Opcode::Tuple | Opcode::Enum) {
                    work.extend(body.first_result(user));
                }
            }
        }
    }
}
