//! `onone-simplification`, `late-onone-simplification` and `simplification`: apply the simplification rules until
//! none applies.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   %1 = struct $Int64 (%0)
//!   br bb1(%1)
//!
//! bb1(%3 : $Int64):
//!   %4 = struct_extract %3, #Int64._value
//!   return %4
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64):
//!   debug_step
//!   return %0
//! }
//! ```

use super::rewriter::{Mode, Rewriter};
use super::{Pipelines, RULES, Rule};
use silkit_ir::{Body, Inst, Opcode};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::stack_nesting::fix_stack_nesting;
use silkit_transform::unreachable::remove_unreachable_blocks;
use std::sync::LazyLock;

/// The options that the passes read.
const OPTIONS: &[&str] = &["assert-conf-id", "opt-mode", "simplify-instruction"];

pub(super) const ONONE: Pass<'static> =
    Pass::function("onone-simplification", "Simplifies instructions, and preserves debug info", &onone)
        .with_options(OPTIONS);

pub(super) const LATE_ONONE: Pass<'static> = Pass::function(
    "late-onone-simplification",
    "Simplifies instructions at the end of unoptimized builds, and preserves debug info",
    &late_onone,
)
.with_options(OPTIONS);

pub(super) const FULL: Pass<'static> =
    Pass::function("simplification", "Simplifies instructions", &full).with_options(OPTIONS);

fn onone(cx: &mut FunctionContext<'_>) {
    run(cx, Mode::Onone);
}

fn late_onone(cx: &mut FunctionContext<'_>) {
    run(cx, Mode::LateOnone);
}

fn full(cx: &mut FunctionContext<'_>) {
    run(cx, Mode::Full);
}

/// The rule of each kind of instruction, by opcode.
static BY_OPCODE: LazyLock<Vec<Option<&'static Rule>>> = LazyLock::new(|| {
    let size = RULES.iter().map(|rule| rule.opcode as usize + 1).max().unwrap_or(0);
    let mut table = vec![None; size];
    for rule in RULES {
        table[rule.opcode as usize] = Some(rule);
    }
    table
});

/// Returns the rule for an instruction.
fn rule(opcode: Opcode, pipelines: Pipelines) -> Option<&'static Rule> {
    let rule = BY_OPCODE.get(opcode as usize).copied().flatten()?;
    rule.pipelines.intersects(pipelines).then_some(rule)
}

fn run(cx: &mut FunctionContext<'_>, mode: Mode) {
    let only = cx.options().get("simplify-instruction").map(str::to_owned);
    let is_meant = |opcode: Opcode| only.as_deref().is_none_or(|name| names(opcode, name));
    let pipelines = if mode == Mode::Full { Pipelines::FULL } else { Pipelines::ONONE };
    let mut rewriter = Rewriter::new(cx, mode);
    let all: Vec<Inst> = rewriter.body().insts().collect();
    all.iter().rev().for_each(|&inst| rewriter.worklist().push(inst));
    loop {
        while let Some(inst) = rewriter.worklist().pop() {
            if rewriter.body().is_removed(inst) {
                continue;
            }
            let opcode = rewriter.body().inst(inst).opcode;
            let Some(rule) = rule(opcode, pipelines).filter(|_| is_meant(opcode)) else { continue };
            let bound = rewriter.body().inst_bound();
            (rule.simplify)(&mut rewriter, inst);
            if std::mem::take(&mut rewriter.has_hidden_insts) {
                continue;
            }
            // Visit instructions that the rule created with a builder.
            for number in bound..rewriter.body().inst_bound() {
                rewriter.revisit(Inst::from_u32(number as u32));
            }
        }
        remove_dead_instructions(&mut rewriter);
        remove_dead_blocks(&mut rewriter);
        if rewriter.worklist().is_empty() {
            break;
        }
    }
    if rewriter.needs_nesting {
        let is_ossa = rewriter.function().has_ossa();
        // If nesting cannot be corrected, the input was not properly nested either; the verifier reports that.
        _ = fix_stack_nesting(rewriter.body_mut(), is_ossa);
    }
}

/// Returns true if an option of the command line selects this kind of instruction, by its SIL name or the reference's
/// class name.
fn names(opcode: Opcode, name: &str) -> bool {
    name.split(',').any(|name| name == opcode.info().name)
}

/// Removes unused instructions in one backward pass over the function.
fn remove_dead_instructions(rewriter: &mut Rewriter<'_, '_>) {
    let all: Vec<Inst> = rewriter.body().insts().collect();
    let mut count = 0;
    for &inst in all.iter().rev() {
        if !rewriter.body().is_removed(inst) && is_dead(rewriter, inst) && rewriter.may_change() {
            rewriter.remove_with_users(inst);
            count += 1;
        }
    }
    rewriter.count("dead instructions removed", count);
}

/// Returns true if an instruction is trivially dead.
fn is_dead(rewriter: &Rewriter<'_, '_>, inst: Inst) -> bool {
    let body = rewriter.body();
    let counts = |user: Inst| rewriter.keeps_debug_info() || body.inst(user).opcode != Opcode::DebugValue;
    if body.results(inst).flat_map(|result| body.users(result)).any(counts) {
        return false;
    }
    match body.inst(inst).opcode {
        Opcode::MarkUninitialized | Opcode::DebugValue | Opcode::BorrowedFrom | Opcode::ExtendLifetime => {
            false
        }
        // An undecided move initializes memory. The reference removes it, and then its verifier rejects the function.
        Opcode::MarkUnresolvedMoveAddr => false,
        // It may consume the enum.
        Opcode::UncheckedEnumData => !rewriter.function().has_ossa(),
        Opcode::Builtin if is_on_fast_path(body, inst) => false,
        _ if body.is_terminator(inst) => false,
        _ => {
            let behavior = rewriter.behavior();
            !behavior.may_read_or_write(inst) && !behavior.may_have_side_effects(inst)
        }
    }
}

fn is_on_fast_path(body: &Body, inst: Inst) -> bool {
    silkit_ir::ownership::builtin(body, inst).is_some_and(|builtin| builtin.name == "onFastPath")
}

/// Removes unreachable blocks. The branches of the remaining blocks are revisited, since their targets may now have a
/// single predecessor.
fn remove_dead_blocks(rewriter: &mut Rewriter<'_, '_>) {
    let count = remove_unreachable_blocks(rewriter.body_mut());
    if count == 0 {
        return;
    }
    rewriter.count("blocks removed", count as u64);
    let body = rewriter.body();
    let ends = body.blocks().rev().filter_map(|block| body.terminator(block));
    let branches: Vec<Inst> = ends.filter(|&inst| body.inst(inst).opcode == Opcode::Branch).collect();
    branches.into_iter().for_each(|branch| rewriter.revisit(branch));
}
