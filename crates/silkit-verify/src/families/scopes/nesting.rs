//! Rule: stack discipline: allocations are deallocated in reverse order.

use super::joint::broken_scopes;
use super::kinds::{STACK, allocated};
use super::operands::NOT_THE_LAST;
use super::stack::{ActiveLists, StackViolation, active_lists};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::Inst;

pub(super) const RULES: &[&Rule] = &[&DEALLOCATIONS_NEST, &DEAD_END_KEEPS_OUTER_ALLOCATIONS];

static DEALLOCATIONS_NEST: Rule = Rule {
    id: RuleId::new("SIL0210"),
    name: "DeallocationsNest",
    severity: Severity::Error,
    summary: "Stack allocations are deallocated in reverse order",
    details: "\
The stack is last in, first out: a deallocation must name the last allocation that is still active.
Deallocate the inner one first, or allocate the two in the other order.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int64
  %1 = alloc_stack $Builtin.Int32
  dealloc_stack %0 : $*Builtin.Int64
  dealloc_stack %1 : $*Builtin.Int32
  %4 = tuple ()
  return %4 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = alloc_stack $Builtin.Int64
  %1 = alloc_stack $Builtin.Int32
  dealloc_stack %1 : $*Builtin.Int32
  dealloc_stack %0 : $*Builtin.Int64
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::Paths(nesting),
};

static DEAD_END_KEEPS_OUTER_ALLOCATIONS: Rule = Rule {
    id: RuleId::new("SIL0211"),
    name: "DeadEndKeepsOuterAllocations",
    severity: Severity::Error,
    summary: "A dead-end region whose entries disagree about the stack deallocates nothing from outside",
    details: "\
Paths into blocks from which none leaves the function may disagree about what is on the stack. There,
new allocations nest as everywhere, but allocations from outside stay: on some path they are not the
last ones, or do not exist. Remove the deallocation, or move it before the paths meet.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = alloc_stack $Builtin.Int64
  cond_br %0, bb1, bb2
bb1:
  %3 = alloc_stack $Builtin.Int32
  br bb3
bb2:
  br bb3
bb3:
  dealloc_stack %1 : $*Builtin.Int64
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  %1 = alloc_stack $Builtin.Int64
  cond_br %0, bb1, bb2
bb1:
  %3 = alloc_stack $Builtin.Int32
  br bb3
bb2:
  br bb3
bb3:
  unreachable
}
",
    check: Check::With(&["SIL0210"]),
};

fn nesting(cx: &FunctionVerifier<'_>) {
    if active_lists(cx).are_sound() {
        return;
    }
    // Violations of a single scope are already reported.
    let broken = broken_scopes(cx);
    let lists = ActiveLists::compute(cx, &STACK, |alloc| broken.contains(&alloc));
    for wrong in lists.wrong() {
        match *wrong {
            StackViolation::Order { alloc, last, dealloc } => report_order(cx, alloc, last, dealloc),
            StackViolation::Outer { alloc, dealloc } => report_outer(cx, alloc, dealloc),
            // Scopes with joint post-dominance agree at all points from which an exit is reachable, and in loops.
            StackViolation::Exit | StackViolation::Edge => {}
        }
    }
}

fn name(cx: &FunctionVerifier<'_>, alloc: Inst) -> String {
    allocated(cx, alloc).map_or_else(String::new, |v| cx.value(v))
}

fn report_order(cx: &FunctionVerifier<'_>, alloc: Inst, last: Inst, dealloc: Inst) {
    let (outer, inner) = (name(cx, alloc), name(cx, last));
    let message = format!("`{outer}` is deallocated while `{inner}`, allocated after it, is active");
    cx.report(
        cx.finding(&DEALLOCATIONS_NEST, Place::Inst(dealloc), message)
            .label("deallocated too early")
            .also(Place::Inst(alloc), format!("`{outer}` is allocated here"))
            .also(Place::Inst(last), format!("`{inner}` is allocated here"))
            .reference_message_showing(
                Place::Inst(dealloc),
                NOT_THE_LAST,
                vec![("Recent stack alloc: ", last), ("Matching stack alloc: ", alloc)],
            ),
    );
}

fn report_outer(cx: &FunctionVerifier<'_>, alloc: Inst, dealloc: Inst) {
    let name = name(cx, alloc);
    let block = cx.block(cx.body.inst_block(dealloc));
    let message = format!("`{name}` is deallocated in a dead end that paths enter with different stacks");
    cx.report(
        cx.finding(&DEAD_END_KEEPS_OUTER_ALLOCATIONS, Place::Inst(dealloc), message)
            .label(format!("no path from `{block}` leaves the function"))
            .also(Place::Inst(alloc), "allocated outside of it"),
    );
}
