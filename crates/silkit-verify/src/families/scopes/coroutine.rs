//! Rules for the number of yields of a coroutine, and for pending continuations.

use crate::context::FunctionVerifier;
use crate::families::structure::stages::is_raw;
use crate::finding::{Finding, Place};
use crate::rule::{Check, Rule};
use silkit_base::Entity;
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::ApplySite;
use silkit_ir::{Block, Inst, Opcode, ValueDef};
use silkit_types::FnFlags;

pub(super) const RULES: &[&Rule] = &[
    &FUNCTION_ALLOWS_EXIT,
    &COROUTINE_YIELDS,
    &COROUTINE_STATE_AGREES,
    &NO_SUSPENSION_WHILE_PENDING,
    &AWAIT_HANDLES_ERROR,
    &ABORTABLE_COROUTINE,
];

static FUNCTION_ALLOWS_EXIT: Rule = Rule {
    id: RuleId::new("SIL0220"),
    name: "FunctionAllowsExit",
    severity: Severity::Error,
    summary: "Only a coroutine yields and unwinds, only a function with an error result throws",
    details: "\
The type of a function says how control may leave it. Give it the convention or the error result, or
leave another way.",
    failing: "\
sil @f : $@convention(thin) (@owned any Error) -> () {
bb0(%0 : $any Error):
  throw %0 : $any Error
}
",
    corrected: "\
sil @f : $@convention(thin) (@owned any Error) -> @error any Error {
bb0(%0 : $any Error):
  throw %0 : $any Error
}
",
    check: Check::Inst(
        &[Opcode::Yield, Opcode::Unwind, Opcode::Throw, Opcode::ThrowAddr],
        function_allows_exit,
    ),
};

const COROUTINE: FnFlags = FnFlags::YIELD_ONCE.union(FnFlags::YIELD_ONCE_2).union(FnFlags::YIELD_MANY);

fn function_allows_exit(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(ty) = cx.function.ty.ty().as_function() else { return };
    let name = cx.body.info(inst).name;
    let message = match cx.body.inst(inst).opcode {
        Opcode::Yield | Opcode::Unwind if !ty.flags.intersects(COROUTINE) => {
            format!("`{name}` is allowed only in a coroutine")
        }
        Opcode::Throw | Opcode::ThrowAddr if ty.error.is_none() => {
            format!("`{name}` is allowed only in a function with an error result")
        }
        _ => return,
    };
    cx.report(
        cx.finding(&FUNCTION_ALLOWS_EXIT, Place::Inst(inst), message).also(Place::Whole, "its type is here"),
    );
}

static COROUTINE_YIELDS: Rule = Rule {
    id: RuleId::new("SIL0221"),
    name: "CoroutineYields",
    severity: Severity::Error,
    summary: "A yield-once coroutine yields once before it returns, and unwinds only if it is aborted",
    details: "\
A `@yield_once` coroutine passes exactly one `yield` on every path to `return`. The caller resumes it at
one target of the `yield`, or tells it to unwind at the other: from there it may only come to `unwind`,
and nothing else comes there. A coroutine may throw before it yields. In raw SIL a diagnostic counts
yields, and this rule looks at unwinding alone.",
    failing: "\
sil @f : $@yield_once @convention(thin) (Builtin.Int1) -> @yields Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  %1 = tuple ()
  return %1 : $()
}
",
    corrected: "\
sil @f : $@yield_once @convention(thin) (Builtin.Int1) -> @yields Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  yield %0 : $Builtin.Int1, resume bb1, unwind bb2
bb1:
  %2 = tuple ()
  return %2 : $()
bb2:
  unwind
}
",
    check: Check::Paths(coroutine_yields),
};

static COROUTINE_STATE_AGREES: Rule = Rule {
    id: RuleId::new("SIL0222"),
    name: "CoroutineStateAgrees",
    severity: Severity::Error,
    summary: "Paths that meet in a coroutine agree on what it has yielded and whether it unwinds",
    details: "\
A block of a coroutine is reached before the yield, after it, or while unwinding, but not in different
states on different paths, even if no path leaves the function from there. The targets of a `yield` have
no other predecessors. Give each state blocks of its own.",
    failing: "\
sil @f : $@yield_once @convention(thin) (Builtin.Int1) -> @yields Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  yield %0 : $Builtin.Int1, resume bb1, unwind bb2
bb1:
  br bb3
bb2:
  br bb3
bb3:
  unreachable
}
",
    corrected: "\
sil @f : $@yield_once @convention(thin) (Builtin.Int1) -> @yields Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  yield %0 : $Builtin.Int1, resume bb1, unwind bb2
bb1:
  unreachable
bb2:
  unreachable
}
",
    check: Check::With(&["SIL0221"]),
};

/// The state of a coroutine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// It has not yielded, or may yield again.
    Running,
    /// It has yielded and was resumed.
    Resumed,
    /// It was aborted and must unwind.
    Unwinding,
}

impl State {
    fn describe(self) -> &'static str {
        match self {
            State::Running => "before the coroutine yields",
            State::Resumed => "after the coroutine was resumed",
            State::Unwinding => "while the coroutine unwinds",
        }
    }
}

fn coroutine_yields(cx: &FunctionVerifier<'_>) {
    let Some(flags) = cx.function.ty.ty().as_function().map(|f| f.flags & COROUTINE) else { return };
    if flags.is_empty() {
        return;
    }
    // In raw SIL, a mandatory pass diagnoses source code that yields more than once or never.
    let yields_many = flags.contains(FnFlags::YIELD_MANY) || is_raw(cx);
    // The state at the start of each block, and the terminator from which it was reached first.
    let mut states: Vec<Option<(State, Inst)>> = vec![None; cx.body.block_bound()];
    for &block in cx.block_order().blocks() {
        let state = states[block.index()].map_or(State::Running, |(state, _)| state);
        let Some(terminator) = cx.body.terminator(block) else { continue };
        let opcode = cx.body.inst(terminator).opcode;
        if let Some(wrong) = wrong_exit(opcode, state, yields_many) {
            let finding = cx.finding(&COROUTINE_YIELDS, Place::Inst(terminator), wrong);
            cx.report(with_yield(cx, finding, &states, block).label(format!("reached {}", state.describe())));
        }
        for (index, next) in cx.body.block_successors(block).enumerate() {
            let after = match opcode {
                Opcode::Yield if index == 1 => State::Unwinding,
                Opcode::Yield if !yields_many => State::Resumed,
                _ => state,
            };
            match states[next.index()] {
                None => states[next.index()] = Some((after, terminator)),
                Some((before, first)) if before != after || opcode == Opcode::Yield => {
                    let message = format!(
                        "`{}` is reached both {} and {}",
                        cx.block(next),
                        before.describe(),
                        after.describe()
                    );
                    cx.report(
                        cx.finding(&COROUTINE_STATE_AGREES, Place::Block(next), message)
                            .also(Place::Inst(first), before.describe())
                            .also(Place::Inst(terminator), after.describe()),
                    );
                }
                Some(_) => {}
            }
        }
    }
}

fn wrong_exit(opcode: Opcode, state: State, yields_many: bool) -> Option<&'static str> {
    match (opcode, state) {
        (Opcode::Return, State::Running) if !yields_many => {
            Some("a yield-once coroutine returns without having yielded")
        }
        (Opcode::Return | Opcode::Throw | Opcode::ThrowAddr, State::Unwinding) => {
            Some("a coroutine that is aborted leaves without unwinding")
        }
        (Opcode::Unwind, State::Running | State::Resumed) => {
            Some("a coroutine unwinds without being aborted")
        }
        (Opcode::Yield, State::Resumed) => Some("a yield-once coroutine yields twice"),
        (Opcode::Yield, State::Unwinding) => Some("a coroutine that is aborted yields"),
        _ => None,
    }
}

/// Adds the `yield` on the path to a block, if there is one.
fn with_yield(
    cx: &FunctionVerifier<'_>,
    finding: Finding,
    states: &[Option<(State, Inst)>],
    block: Block,
) -> Finding {
    let mut at = block;
    for _ in 0..states.len() {
        let Some((_, from)) = states[at.index()] else { break };
        if cx.body.inst(from).opcode == Opcode::Yield {
            return finding.also(Place::Inst(from), "yields here");
        }
        at = cx.body.inst_block(from);
    }
    finding
}

static NO_SUSPENSION_WHILE_PENDING: Rule = Rule {
    id: RuleId::new("SIL0223"),
    name: "NoSuspensionWhilePending",
    severity: Severity::Error,
    summary: "While a continuation is pending, the task neither suspends nor creates another one",
    details: "\
Between `get_async_continuation` and its `await_async_continuation` the task has promised to suspend at
the latter. Until then it can neither suspend at another point (a call of an `@async` function, a hop to
another executor, a `yield`) nor create a second continuation. Move the instruction before or after.",
    failing: "\
import _Concurrency

sil @f : $@convention(thin) @async (@guaranteed Optional<any Actor>) -> () {
bb0(%0 : $Optional<any Actor>):
  %1 = get_async_continuation Builtin.Int64
  hop_to_executor %0 : $Optional<any Actor>
  await_async_continuation %1 : $Builtin.RawUnsafeContinuation, resume bb1
bb1(%4 : $Builtin.Int64):
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
import _Concurrency

sil @f : $@convention(thin) @async (@guaranteed Optional<any Actor>) -> () {
bb0(%0 : $Optional<any Actor>):
  hop_to_executor %0 : $Optional<any Actor>
  %2 = get_async_continuation Builtin.Int64
  await_async_continuation %2 : $Builtin.RawUnsafeContinuation, resume bb1
bb1(%4 : $Builtin.Int64):
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Paths(no_suspension_while_pending),
};

fn no_suspension_while_pending(cx: &FunctionVerifier<'_>) {
    let beginnings = [Opcode::GetAsyncContinuation, Opcode::GetAsyncContinuationAddr];
    let begins = |inst: Inst| beginnings.contains(&cx.body.inst(inst).opcode);
    if cx.insts_with(&beginnings).next().is_none() {
        return;
    }
    let mut at_start: Vec<Option<Option<Inst>>> = vec![None; cx.body.block_bound()];
    for &block in cx.block_order().blocks() {
        let mut pending = at_start[block.index()].flatten();
        for inst in cx.body.block_insts(block) {
            let awaits = cx.body.inst(inst).opcode == Opcode::AwaitAsyncContinuation;
            if let Some(get) = pending
                && (begins(inst) || suspends(cx, inst) || awaits && !names(cx, inst, get))
            {
                let name = cx.body.info(inst).name;
                let message = format!("`{name}` while a continuation is pending");
                cx.report(
                    cx.finding(&NO_SUSPENSION_WHILE_PENDING, Place::Inst(inst), message)
                        .label(if begins(inst) {
                            "a second continuation"
                        } else {
                            "the task may suspend here"
                        })
                        .also(Place::Inst(get), "the continuation is created here"),
                );
            }
            if begins(inst) {
                pending = Some(inst);
            } else if awaits {
                pending = None;
            }
        }
        for next in cx.body.block_successors(block) {
            at_start[next.index()].get_or_insert(pending);
        }
    }
}

fn names(cx: &FunctionVerifier<'_>, end: Inst, begin: Inst) -> bool {
    let operand = cx.body.operands(end).first().map(|o| cx.body.def(o.value));
    matches!(operand, Some(ValueDef::Result(def, _)) if def == begin)
}

/// Returns true if the task may be suspended at an instruction other than an await.
fn suspends(cx: &FunctionVerifier<'_>, inst: Inst) -> bool {
    match cx.body.inst(inst).opcode {
        Opcode::HopToExecutor | Opcode::Yield => true,
        Opcode::Apply | Opcode::TryApply | Opcode::BeginApply => {
            let site = ApplySite::new(cx.body, inst, cx.addresses());
            let callee = site.and_then(|s| s.callee_type().ty().as_function());
            callee.is_some_and(|f| f.flags.contains(FnFlags::ASYNC)) && !cx.body.has_flag(inst, "noasync")
        }
        _ => false,
    }
}

static AWAIT_HANDLES_ERROR: Rule = Rule {
    id: RuleId::new("SIL0224"),
    name: "AwaitHandlesError",
    severity: Severity::Error,
    summary: "An await has a target for the error if the continuation throws, and only then",
    details: "\
`get_async_continuation [throws]` makes a continuation that may be resumed with an error, which goes to
the `error` target of `await_async_continuation`. Without `[throws]` there is none.",
    failing: "\
import _Concurrency

sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = get_async_continuation [throws] Builtin.Int64
  await_async_continuation %0 : $Builtin.RawUnsafeContinuation, resume bb1
bb1(%2 : $Builtin.Int64):
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
import _Concurrency

sil @f : $@convention(thin) @async () -> () {
bb0:
  %0 = get_async_continuation [throws] Builtin.Int64
  await_async_continuation %0 : $Builtin.RawUnsafeContinuation, resume bb1, error bb2
bb1(%2 : $Builtin.Int64):
  %3 = tuple ()
  return %3 : $()
bb2(%5 : $any Error):
  unreachable
}
",
    check: Check::Inst(&[Opcode::AwaitAsyncContinuation], await_handles_error),
};

fn await_handles_error(cx: &FunctionVerifier<'_>, inst: Inst) {
    let operand = cx.body.operands(inst).first().map(|o| cx.body.def(o.value));
    let Some(ValueDef::Result(get, _)) = operand else { return };
    let is_get =
        matches!(cx.body.inst(get).opcode, Opcode::GetAsyncContinuation | Opcode::GetAsyncContinuationAddr);
    let throws = cx.body.has_flag(get, "throws");
    let has_target = cx.body.successors(inst).len() > 1;
    if is_get && throws != has_target {
        let message = if throws {
            "the continuation may be resumed with an error, for which there is no target"
        } else {
            "the continuation is never resumed with an error, but there is a target for one"
        };
        cx.report(
            cx.finding(&AWAIT_HANDLES_ERROR, Place::Inst(inst), message)
                .also(Place::Inst(get), "the continuation is created here"),
        );
    }
}

static ABORTABLE_COROUTINE: Rule = Rule {
    id: RuleId::new("SIL0225"),
    name: "AbortableCoroutine",
    severity: Severity::Error,
    summary: "A coroutine whose frame its caller deallocates is resumed, not aborted",
    details: "\
A `@yield_once_2` coroutine runs to its end also where its caller throws: it has no way to unwind. End
it with `end_apply` on every path.",
    failing: "\
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  (%0, %1, %2) = begin_apply undef() : $@yield_once_2 @convention(thin) () -> @yields @in_guaranteed ()
  abort_apply %1
  dealloc_stack %2 : $*Builtin.SILToken
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) () -> () {
bb0:
  (%0, %1, %2) = begin_apply undef() : $@yield_once_2 @convention(thin) () -> @yields @in_guaranteed ()
  %3 = end_apply %1 as $()
  dealloc_stack %2 : $*Builtin.SILToken
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Inst(&[Opcode::AbortApply], abortable_coroutine),
};

fn abortable_coroutine(cx: &FunctionVerifier<'_>, inst: Inst) {
    let token = cx.body.operands(inst).first().map(|o| cx.body.def(o.value));
    let Some(ValueDef::Result(begin, _)) = token else { return };
    let site = ApplySite::new(cx.body, begin, cx.addresses());
    let callee = site.and_then(|s| s.callee_conventions());
    if callee.is_some_and(|c| c.ty.flags.contains(FnFlags::YIELD_ONCE_2)) {
        let message = "a `@yield_once_2` coroutine is aborted";
        cx.report(
            cx.finding(&ABORTABLE_COROUTINE, Place::Inst(inst), message)
                .also(Place::Inst(begin), "the coroutine is called here")
                .reference_message("abort_apply of callee-allocated yield-once coroutine!?"),
        );
    }
}
