//! `definite-init`: decides for memory marked with `mark_uninitialized` which writes initialize it, and destroys it
//! where only a part of it is initialized (definite initialization).
//!
//! | instruction | becomes |
//! |---|---|
//! | `assign`, `copy_addr`, `tuple_addr_constructor` to uninitialized memory | the same with `[init]` |
//! | `assign` to initialized memory | `assign … to [reassign]` |
//! | `assign_by_wrapper` | `[init]`; `[assign]` of an initialized wrapper; `[assign_wrapped_value]` when all of `self` is initialized |
//! | `assign_or_init` | `[init]`, or `[set]` when all of `self` is initialized |
//! | `begin_access [modify] [dynamic]` directly around an initialization | `begin_access [init] [static]` |
//! | `destroy_addr` of memory that is not initialized | nothing |
//! | `destroy_addr` of memory of which some elements are initialized | `destroy_addr` of these |
//! | `destroy_value` of a box whose memory is not initialized | `dealloc_box` |
//! | `destroy_value` of an object that is not initialized | `destroy_addr` of the initialized properties, `dealloc_partial_ref` |
//!
//! ```text
//! sil [ossa] @f : $@convention(thin) (@owned C, Builtin.Int1) -> () {
//! bb0(%0 : @owned $C, %1 : $Builtin.Int1):
//!   %2 = alloc_stack $C
//!   %3 = mark_uninitialized [var] %2
//!   cond_br %1, bb1, bb2
//! bb1:
//!   assign %0 to %3
//!   destroy_addr %3
//!   br bb3
//! bb2:
//!   destroy_value %0
//!   destroy_addr %3
//!   br bb3
//! bb3:
//!   dealloc_stack %2
//!   %12 = tuple ()
//!   return %12
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (@owned C, Builtin.Int1) -> () {
//! bb0(%0 : @owned $C, %1 : $Builtin.Int1):
//!   %2 = alloc_stack $C
//!   %3 = mark_uninitialized [var] %2
//!   cond_br %1, bb1, bb2
//! bb1:
//!   assign %0 to [init] %3
//!   destroy_addr %3
//!   br bb3
//! bb2:
//!   destroy_value %0
//!   br bb3
//! bb3:
//!   dealloc_stack %2
//!   %11 = tuple ()
//!   return %11
//! }
//! ```
//!
//! If an element is initialized on some of the paths to a write or a release only, a *control variable* of one bit for
//! each element records at run time which elements are initialized (`control.rs`).
//!
//! The mark stays; `raw-sil-inst-lowering` removes it. Memory that is used before it is initialized is an error
//! (`diagnose.rs`). Such memory, and memory with a use that is not understood, is left as it is.

mod accessors;
mod closures;
mod control;
mod diagnose;
mod names;
mod object;
mod plan;
mod releases;
mod returns;
mod states;
#[cfg(test)]
mod tests;
mod uses;
mod writes;

use diagnose::{ErrorEffect, InitError, NotePlace};
use plan::Outcome;
use silkit_analysis::dataflow::{ControlFlow, Region};
use silkit_analysis::{BlockOrder, Dominators, Joins};
use silkit_base::Symbol;
use silkit_ir::{Body, Inst, Opcode};
use silkit_pass::{FunctionContext, Pass, Problem, ProblemLocation, Severity};

pub(super) const PASS: Pass<'static> = Pass::function(
    "definite-init",
    "Decides which writes initialize memory, and destroys partially initialized memory",
    &run,
)
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let body = cx.body();
    let marks: Vec<Inst> =
        body.insts().filter(|&inst| body.inst(inst).opcode == Opcode::MarkUninitialized).collect();
    if marks.is_empty() {
        return;
    }
    let (dominators, order) = (cx.get::<Dominators>(), cx.get::<BlockOrder>());
    let flow =
        ControlFlow { body: cx.body(), dominators: dominators.of(cx.body()), order: order.of(cx.body()) };
    let mut joins = Joins::compute(flow.body, flow.dominators);
    let mut region = Region::new(flow);
    // All memory is analyzed before the first change, which may add blocks.
    let view = cx.view();
    let (mut plans, mut problems, mut is_blocked) = (Vec::new(), Vec::new(), false);
    for mark in marks {
        let Some(outcome) = Outcome::of(&view, &mut region, flow, &mut joins, mark) else { continue };
        plans.extend(outcome.plan.filter(plan::Plan::has_changes));
        is_blocked |= outcome.errors.iter().any(InitError::is_blocking);
        problems.extend(outcome.errors.into_iter().map(|error| problem(cx, mark, error)));
    }
    let exits = exits(cx.body());
    if is_blocked && cx.may_change() {
        ignore_moves(cx);
    }
    problems.into_iter().for_each(|problem| cx.diagnose(problem));
    for plan in plans {
        if !cx.may_change() {
            return;
        }
        plan.perform(cx, &exits);
        cx.count("objects initialized", 1);
    }
}

/// Creates the problem that is reported for an error.
fn problem(cx: &FunctionContext<'_>, mark: Inst, error: InitError) -> Problem {
    let severity = if error.effect == ErrorEffect::Warns { Severity::Warning } else { Severity::Error };
    let problem = cx.problem(severity, Some(error.inst), error.message);
    error.notes.into_iter().fold(problem, |problem, (place, message)| {
        let place = match place {
            NotePlace::Mark => ProblemLocation::of(cx.body(), mark),
            NotePlace::Declaration(range) => {
                range.map_or_else(ProblemLocation::default, ProblemLocation::in_declarations)
            }
        };
        problem.note(place, message)
    })
}

/// Marks a function with errors, so that no later pass reports the same memory as moved.
fn ignore_moves(cx: &mut FunctionContext<'_>) {
    let mark = Symbol::new("sil.optimizer.moveonly.diagnostic.ignore");
    let semantics = &mut cx.function_mut().attributes.semantics;
    if !semantics.contains(&mark) {
        semantics.push(mark);
    }
}

/// Returns the instructions at which a function is left.
fn exits(body: &Body) -> Vec<Inst> {
    let is_exit = |&inst: &Inst| {
        matches!(body.inst(inst).opcode, Opcode::Return | Opcode::Throw | Opcode::ThrowAddr | Opcode::Unwind)
    };
    body.blocks().filter_map(|block| body.terminator(block)).filter(is_exit).collect()
}
