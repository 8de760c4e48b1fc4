//! Rule: joint post-dominance of all kinds of scopes: they end on every path, once.

use super::kinds::{ALL, Kind, STACK, allocated, begun, ends, may_begin};
use super::stack::{ActiveLists, active_lists};
use crate::context::FunctionVerifier;
use crate::finding::{Finding, Place};
use crate::rule::{Check, Rule};
use silkit_analysis::{Begin, Coherence, ScopeError, Scopes};
use silkit_base::{EntitySet, FxHashSet};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Block, Inst, Opcode, Value};
use std::rc::Rc;

pub(super) const RULES: &[&Rule] = &[&SCOPE_ENDS, &SCOPE_ENDS_ONCE, &SCOPE_BEGINS_ONCE, &SCOPE_IS_COHERENT];

static SCOPE_ENDS: Rule = Rule {
    id: RuleId::new("SIL0201"),
    name: "ScopeEnds",
    severity: Severity::Error,
    summary: "A scope ends on every path that leaves the function",
    details: "\
A stack allocation is deallocated, an access ended, a coroutine resumed or aborted, a stored borrow
ended and a continuation awaited on every path from there to a `return`, `throw` or `unwind`. A path
into a dead end, such as `unreachable`, need not end it. Add the end on the path that is shown.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = alloc_stack $Builtin.Int64
  cond_br %0, bb1, bb2
bb1:
  dealloc_stack %1 : $*Builtin.Int64
  br bb3
bb2:
  br bb3
bb3:
  %6 = tuple ()
  return %6 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = alloc_stack $Builtin.Int64
  cond_br %0, bb1, bb2
bb1:
  dealloc_stack %1 : $*Builtin.Int64
  br bb3
bb2:
  dealloc_stack %1 : $*Builtin.Int64
  br bb3
bb3:
  %7 = tuple ()
  return %7 : $()
}
",
    check: Check::Paths(joint_post_dominance),
};

static SCOPE_ENDS_ONCE: Rule = Rule {
    id: RuleId::new("SIL0202"),
    name: "ScopeEndsOnce",
    severity: Severity::Error,
    summary: "No path ends a scope twice",
    details: "\
After a scope has ended, a path must pass its beginning again before it may end it again. Remove one of
the ends, or move it to the paths on which the other is not passed.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int64
  dealloc_stack %0 : $*Builtin.Int64
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::With(&["SIL0201"]),
};

static SCOPE_BEGINS_ONCE: Rule = Rule {
    id: RuleId::new("SIL0203"),
    name: "ScopeBeginsOnce",
    severity: Severity::Error,
    summary: "A scope ends before it begins again",
    details: "\
A path that comes back to the beginning of a scope, around a loop, must have ended it, even if the loop
never leaves the function. End the scope in the loop, or begin it before the loop.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  br bb1
bb1:
  %1 = alloc_stack $Builtin.Int64
  br bb1
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  br bb1
bb1:
  %1 = alloc_stack $Builtin.Int64
  dealloc_stack %1 : $*Builtin.Int64
  br bb1
}
",
    check: Check::With(&["SIL0201"]),
};

static SCOPE_IS_COHERENT: Rule = Rule {
    id: RuleId::new("SIL0204"),
    name: "ContinuationIsCoherent",
    severity: Severity::Error,
    summary: "Paths that meet agree on whether a continuation was awaited",
    details: "\
Most scopes may be open on one path into a dead end and closed on another. A continuation may not:
instructions that suspend the task are allowed only while none is pending, so the state must be the same
on all paths. Await it on both paths, or give each a dead end of its own.",
    failing: "\
import _Concurrency

sil @f : $@convention(thin) @async (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = get_async_continuation Builtin.Int64
  cond_br %0, bb1, bb2
bb1:
  await_async_continuation %1 : $Builtin.RawUnsafeContinuation, resume bb3
bb2:
  br bb4
bb3(%4 : $Builtin.Int64):
  br bb4
bb4:
  unreachable
}
",
    corrected: "\
import _Concurrency

sil @f : $@convention(thin) @async (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = get_async_continuation Builtin.Int64
  cond_br %0, bb1, bb2
bb1:
  await_async_continuation %1 : $Builtin.RawUnsafeContinuation, resume bb3
bb2:
  unreachable
bb3(%5 : $Builtin.Int64):
  unreachable
}
",
    check: Check::With(&["SIL0201"]),
};

/// The scopes that violate joint post-dominance, by their begin.
#[derive(Debug, Default)]
pub(in crate::families) struct BrokenScopes(FxHashSet<Inst>);

/// Returns the scopes that violate joint post-dominance. Findings about them are reported in the first call.
pub(in crate::families) fn broken_scopes(cx: &FunctionVerifier<'_>) -> Rc<BrokenScopes> {
    cx.cached(|| check_scopes(cx))
}

impl BrokenScopes {
    pub(in crate::families) fn contains(&self, begin: &Inst) -> bool {
        self.0.contains(begin)
    }
}

fn joint_post_dominance(cx: &FunctionVerifier<'_>) {
    broken_scopes(cx);
}

/// The maximum number of scopes of a kind that are checked individually; of a larger number, only the suspects of one
/// pass over the body are checked.
const FEW: usize = 16;

fn check_scopes(cx: &FunctionVerifier<'_>) -> BrokenScopes {
    let mut broken = FxHashSet::default();
    let mut all: Vec<(Inst, &Kind, Value)> = Vec::new();
    let order = cx.block_order();
    for inst in cx.insts() {
        if !may_begin(cx.body.inst(inst).opcode) || !order.is_reachable(cx.body.inst_block(inst)) {
            continue;
        }
        all.extend(begun(cx, inst).map(|(kind, value)| (inst, kind, value)));
        // A coroutine frame may be a separate allocation.
        if cx.body.inst(inst).opcode == Opcode::BeginApply {
            all.extend(allocated(cx, inst).map(|value| (inst, &STACK, value)));
        }
    }
    if all.is_empty() {
        return BrokenScopes::default();
    }
    let mut found = Vec::new();
    for kind in ALL {
        let of_kind = all.iter().filter(|(_, of, _)| std::ptr::eq(*of, kind));
        let count = of_kind.clone().count();
        let lists = if count == 0 {
            continue;
        } else if std::ptr::eq(kind, &STACK) {
            Some(active_lists(cx))
        } else if count > FEW && kind.coherence == Coherence::NotRequired {
            Some(Rc::new(ActiveLists::compute(cx, kind, |_| false)))
        } else {
            None
        };
        let is_suspect = |begin: &Inst| lists.as_ref().is_none_or(|lists| lists.suspects().contains(begin));
        found.extend(of_kind.filter(|(begin, ..)| is_suspect(begin)));
    }
    if found.is_empty() {
        return BrokenScopes::default();
    }
    let mut scopes = Scopes::new(cx.body, cx.dead_ends());
    for &(inst, kind, value) in found {
        let ends = ends(cx, kind, value);
        for error in scopes.check(Begin::After(inst), &ends, kind.coherence) {
            if let Some(finding) = finding(cx, kind, inst, value, &ends, error) {
                broken.insert(inst);
                cx.report(finding);
            }
        }
    }
    BrokenScopes(broken)
}

fn finding(
    cx: &FunctionVerifier<'_>,
    kind: &Kind,
    begin: Inst,
    value: Value,
    ends: &[Inst],
    error: ScopeError,
) -> Option<Finding> {
    let (name, ended) = (kind.name, kind.ended);
    let value = cx.value(value);
    let begun = |f: Finding| f.also(Place::Inst(begin), format!("the {name} begins here"));
    Some(match error {
        // If the definition does not dominate the end, another rule reports it.
        ScopeError::Undominated(_) => return None,
        ScopeError::Leak { path } => {
            let exit = path.last().and_then(|&b| cx.body.last_inst(b))?;
            let leaves = cx.body.info(exit).name;
            let message = format!("the {name} `{value}` is not {ended} on a path to `{leaves}`");
            let finding = cx.finding(&SCOPE_ENDS, Place::Inst(exit), message).label("still open here");
            let finding = finding.reference_message(kind.reference_words.at_exit);
            let finding = match disagreeing_edge(cx, begin, ends, &path) {
                Some(edge) => finding.reference_message_at(Place::Inst(edge), kind.reference_words.at_edge),
                None => finding,
            };
            begun(finding.path(path))
        }
        ScopeError::EndedTwice { first, second, path } => {
            let message = format!("the {name} `{value}` is {ended} twice");
            let finding = cx
                .finding(&SCOPE_ENDS_ONCE, Place::Inst(second), message)
                .reference_message(kind.reference_words.at_end);
            let finding = if first == second {
                finding.label(format!("{ended} here, and again after the back edge"))
            } else {
                finding.label(format!("{ended} again here")).also(Place::Inst(first), format!("{ended} here"))
            };
            begun(finding.path(path))
        }
        ScopeError::BeginsAgain { path } => {
            let message = format!("the {name} `{value}` begins again before it is {ended}");
            let finding = cx.finding(&SCOPE_BEGINS_ONCE, Place::Inst(begin), message).label("begins here");
            match path.iter().rev().nth(1).and_then(|&b| cx.body.last_inst(b)) {
                Some(back) => {
                    finding.also(Place::Inst(back), "the back edge is taken with the scope open").path(path)
                }
                None => finding.path(path),
            }
        }
        ScopeError::Incoherent { path } => {
            let block = *path.last()?;
            let message = format!(
                "`{}` is reached both with the {name} `{value}` open and with it {ended}",
                cx.block(block)
            );
            let finding = cx.finding(&SCOPE_IS_COHERENT, Place::Block(block), message);
            begun(finding.label("open or closed, depending on the path").path(path))
        }
    })
}

/// Returns the terminator of an edge from a block in which a scope has ended to a block of a path on which it is
/// open. The reference, which walks forwards, reports there what this walk reports at the exit.
fn disagreeing_edge(cx: &FunctionVerifier<'_>, begin: Inst, ends: &[Inst], path: &[Block]) -> Option<Inst> {
    let body = cx.body;
    let mut ended = EntitySet::new();
    let mut work: Vec<Block> = ends.iter().map(|&end| body.inst_block(end)).collect();
    while let Some(block) = work.pop() {
        if ended.insert(block) {
            work.extend(body.block_successors(block));
        }
    }
    let join = path.iter().find(|&&b| b != body.inst_block(begin) && ended.contains(b))?;
    let from = body.predecessors(*join).find(|&b| ended.contains(b) && !path.contains(&b))?;
    body.terminator(from)
}
