//! Rules for blocks: terminators and predecessors.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};

pub(super) const RULES: &[&Rule] = &[
    &BLOCK_ENDS_IN_TERMINATOR,
    &TERMINATOR_ENDS_BLOCK,
    &ENTRY_HAS_NO_PREDECESSORS,
    &CONDITION_DECIDES,
    &NO_CRITICAL_EDGE,
    &ONE_EXIT_OF_A_KIND,
];

static BLOCK_ENDS_IN_TERMINATOR: Rule = Rule {
    id: RuleId::new("SIL0101"),
    name: "BlockEndsInTerminator",
    severity: Severity::Error,
    summary: "Every block ends in a terminator",
    details: "\
Control never falls through from one block to the next: the last instruction of each block transfers it.
End the block with `br`, with `return`, or with `unreachable` if control cannot get there.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Body(block_ends_in_terminator),
};

fn block_ends_in_terminator(cx: &FunctionVerifier<'_>) {
    for block in cx.body.blocks() {
        if cx.body.terminator(block).is_some() {
            continue;
        }
        let name = cx.block(block);
        let finding = match cx.body.last_inst(block) {
            None => {
                let message = format!("the block `{name}` is empty");
                cx.finding(&BLOCK_ENDS_IN_TERMINATOR, Place::Block(block), message)
            }
            Some(last) => {
                let message = format!("the block `{name}` does not end in a terminator");
                let label = format!("`{}` is none", cx.body.info(last).name);
                cx.finding(&BLOCK_ENDS_IN_TERMINATOR, Place::Inst(last), message).label(label)
            }
        };
        cx.report_broken(finding);
    }
}

static TERMINATOR_ENDS_BLOCK: Rule = Rule {
    id: RuleId::new("SIL0102"),
    name: "TerminatorEndsBlock",
    severity: Severity::Error,
    summary: "Nothing follows a terminator in its block",
    details: "\
A terminator transfers control; instructions after it in the same block would never run. Begin a new
block after it, or remove the rest.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  %0 = tuple ()
  return %0 : $()
}
",
    check: Check::Body(terminator_ends_block),
};

fn terminator_ends_block(cx: &FunctionVerifier<'_>) {
    for inst in cx.insts() {
        let Some(next) = cx.body.next_inst(inst) else { continue };
        if cx.body.inst(inst).opcode.is_terminator() {
            let block = cx.block(cx.body.inst_block(inst));
            let message = format!("the block `{block}` has instructions after its terminator");
            cx.report_broken(
                cx.finding(&TERMINATOR_ENDS_BLOCK, Place::Inst(next), message)
                    .label("never executed")
                    .also(Place::Inst(inst), "control leaves the block here"),
            );
        }
    }
}

static ENTRY_HAS_NO_PREDECESSORS: Rule = Rule {
    id: RuleId::new("SIL0103"),
    name: "EntryHasNoPredecessors",
    severity: Severity::Error,
    summary: "No terminator branches to the entry block",
    details: "\
The arguments of the entry block are those of the function; only a call enters it. Split the block, so
that the loop goes to its second part.",
    failing: "\
sil @f : $@convention(thin) () -> () {
bb0:
  br bb0
}
",
    corrected: "\
sil @f : $@convention(thin) () -> () {
bb0:
  br bb1
bb1:
  br bb1
}
",
    check: Check::Body(entry_has_no_predecessors),
};

fn entry_has_no_predecessors(cx: &FunctionVerifier<'_>) {
    let Some(entry) = cx.body.entry_block() else { return };
    for pred in cx.body.predecessors(entry) {
        let Some(terminator) = cx.body.last_inst(pred) else { continue };
        let message = format!("`{}` branches to the entry block", cx.body.info(terminator).name);
        cx.report_broken(
            cx.finding(&ENTRY_HAS_NO_PREDECESSORS, Place::Inst(terminator), message)
                .label("branches there")
                .also(Place::Block(entry), "the entry block"),
        );
    }
}

static CONDITION_DECIDES: Rule = Rule {
    id: RuleId::new("SIL0104"),
    name: "ConditionDecides",
    severity: Severity::Error,
    summary: "The two targets of `cond_br` differ",
    details: "\
With the same target on both sides the condition decides nothing, and the target could not tell by which
edge it was entered. Use `br`, or give one edge a block of its own.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb1
bb1:
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  br bb1
bb1:
  unreachable
}
",
    check: Check::Inst(&[Opcode::CondBranch], condition_decides),
};

fn condition_decides(cx: &FunctionVerifier<'_>, inst: Inst) {
    let mut targets = cx.body.successors(inst);
    let (first, second) = (targets.next(), targets.next());
    if let Some(target) = first
        && first == second
    {
        let message = format!("both targets of `cond_br` are `{}`", cx.block(target));
        cx.report(cx.finding(&CONDITION_DECIDES, Place::Inst(inst), message));
    }
}

static NO_CRITICAL_EDGE: Rule = Rule {
    id: RuleId::new("SIL0105"),
    name: "NoCriticalEdge",
    severity: Severity::Error,
    summary: "No edge of an `[ossa]` function is critical",
    details: "\
An edge is critical if its block has other successors and its target other predecessors: there is no
place for instructions that belong on this edge alone, such as the end of a borrow. Split the edge with
a new block.",
    failing: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  br bb2
bb2:
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  br bb3
bb2:
  br bb3
bb3:
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::Body(no_critical_edge),
};

fn no_critical_edge(cx: &FunctionVerifier<'_>) {
    if !cx.is_ossa() {
        return;
    }
    for block in cx.body.blocks() {
        if cx.body.block_successors(block).len() < 2 {
            continue;
        }
        let Some(terminator) = cx.body.last_inst(block) else { continue };
        for next in cx.body.block_successors(block) {
            if cx.body.predecessors(next).nth(1).is_some() {
                let (from, to) = (cx.block(block), cx.block(next));
                let message = format!("the edge from `{from}` to `{to}` is critical");
                cx.report(
                    cx.finding(&NO_CRITICAL_EDGE, Place::Inst(terminator), message)
                        .label(format!("`{from}` has other successors"))
                        .reference_message("critical edges not allowed in OSSA")
                        .also(Place::Block(next), format!("`{to}` has other predecessors")),
                );
            }
        }
    }
}

static ONE_EXIT_OF_A_KIND: Rule = Rule {
    id: RuleId::new("SIL0106"),
    name: "OneExitOfAKind",
    severity: Severity::Error,
    summary: "A function has at most one `return`, one `throw` and one `unwind`",
    details: "\
All paths that return meet in one block, and so do those that throw and those that unwind. Branch there
from the other paths, and pass the result as an argument.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  return %0 : $Builtin.Int1
bb2:
  return %0 : $Builtin.Int1
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  br bb3(%0 : $Builtin.Int1)
bb2:
  br bb3(%0 : $Builtin.Int1)
bb3(%4 : $Builtin.Int1):
  return %4 : $Builtin.Int1
}
",
    check: Check::Body(one_exit_of_a_kind),
};

fn one_exit_of_a_kind(cx: &FunctionVerifier<'_>) {
    if cx.body.block_count() < 2 {
        return;
    }
    let mut first: Vec<(Opcode, Inst)> = Vec::new();
    for block in cx.body.blocks() {
        let Some(inst) = cx.body.terminator(block) else { continue };
        let opcode = cx.body.inst(inst).opcode;
        if !opcode.leaves_function() {
            continue;
        }
        let kind = if opcode == Opcode::ThrowAddr { Opcode::Throw } else { opcode };
        if let Some(&(_, earlier)) = first.iter().find(|(of, _)| *of == kind) {
            let message = format!("the function has two `{}`", kind.info().name);
            cx.report(
                cx.finding(&ONE_EXIT_OF_A_KIND, Place::Inst(inst), message)
                    .also(Place::Inst(earlier), "the first one is here"),
            );
        } else {
            first.push((kind, inst));
        }
    }
}
