//! `merge-cond_fails`: merges consecutive `cond_fail` instructions.
//!
//! ```text
//! sil @f : $@convention(thin) (Builtin.Int1, Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int1):
//!   cond_fail %0, "overflow"
//!   cond_fail %1, "overflow"
//!   %4 = tuple ()
//!   return %4
//! }
//! ---
//! sil @f : $@convention(thin) (Builtin.Int1, Builtin.Int1) -> () {
//! bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int1):
//!   %2 = builtin "or_Int1"(%0, %1) : $Builtin.Int1
//!   cond_fail %2, "overflow"
//!   %4 = tuple ()
//!   return %4
//! }
//! ```

use silkit_analysis::BodyView;
use silkit_base::Symbol;
use silkit_ir::generated::Opcode;
use silkit_ir::instructions::CondFail;
use silkit_ir::{Block, Body, Inst, Point, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_pass::options;
use silkit_types::TypeKind;

pub(super) const PASS: Pass<'static> =
    Pass::function("merge-cond_fails", "Merges consecutive `cond_fail` instructions", &run)
        .with_options(&[options::MERGEABLE_TRAPS]);

fn run(cx: &mut FunctionContext<'_>) {
    // After merging, messages no longer tell which check failed.
    let ignores_messages = cx.options().is_on(options::MERGEABLE_TRAPS);
    let blocks: Vec<Block> = cx.body().blocks().collect();
    for block in blocks {
        for checks in runs(&cx.view(), block, ignores_messages) {
            merge(cx, &checks);
        }
    }
}

/// Returns the checks of a block that can be merged: no instruction between them depends on which one fails.
fn runs(view: &BodyView<'_>, block: Block, ignores_messages: bool) -> Vec<Vec<Inst>> {
    let (body, behavior) = (view.body, view.behavior());
    let is_observable = |inst| behavior.may_have_side_effects(inst) || behavior.may_read(inst);
    let mut runs = Vec::new();
    let mut open: Vec<Inst> = Vec::new();
    for inst in body.block_insts(block) {
        if body.inst(inst).opcode == Opcode::CondFail {
            let fits = match open.first() {
                Some(&first) => ignores_messages || message(body, first) == message(body, inst),
                None => true,
            };
            if fits && !checks_overflow(body, inst) {
                open.push(inst);
            }
        } else if is_observable(inst) && open.len() < 2 {
            open.clear();
        } else if is_observable(inst) {
            runs.push(std::mem::take(&mut open));
        }
    }
    runs.extend(Some(open).filter(|open| open.len() > 1));
    runs
}

fn message(body: &Body, check: Inst) -> &'static str {
    body.view_as::<CondFail>(check).and_then(|c| c.message).map_or("", Symbol::as_str)
}

/// Returns true if the condition is the overflow flag of an arithmetic builtin, for which separate conditional jumps
/// are faster.
fn checks_overflow(body: &Body, check: Inst) -> bool {
    let part = body.defining_inst(body.operand_value(check, 0));
    let part = part.filter(|&p| body.inst(p).opcode == Opcode::TupleExtract);
    let whole = part.and_then(|p| body.defining_inst(body.operand_value(p, 0)));
    whole.is_some_and(|w| body.inst(w).opcode == Opcode::Builtin)
}

fn merge(cx: &mut FunctionContext<'_>, checks: &[Inst]) {
    let (Some(&last), Some(conditions)) = (checks.last(), conditions(cx.body(), checks)) else { return };
    if !cx.may_change() {
        return;
    }
    let ty = cx.body().value(conditions[0]).ty;
    let TypeKind::Builtin(..) = ty.ty().kind() else { return };
    let message = cx.body().view_as::<CondFail>(last).and_then(|c| c.message);
    let mut builder = cx.at(Point::After(last));
    let mut merged = conditions[0];
    for &condition in &conditions[1..] {
        merged = builder.builtin("or_Int1", &[][..], &[merged, condition][..], ty);
    }
    builder.build(CondFail { message, ..CondFail::new(merged) });
    checks.iter().for_each(|&check| builder.remove(check));
    cx.count("checks removed", checks.len() as u64 - 1);
}

fn conditions(body: &Body, checks: &[Inst]) -> Option<Vec<Value>> {
    let conditions: Vec<Value> = checks.iter().map(|&c| body.operand_value(c, 0)).collect();
    (conditions.len() > 1).then_some(conditions)
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    const CHECKS: &str = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1, Builtin.Int1, @in Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int1, %1 : $Builtin.Int1, %2 : $*Builtin.Int64):
  cond_fail %0, \"a\"
  cond_fail %1, \"b\"
  %3 = builtin \"xor_Int1\"(%0, %1) : $Builtin.Int1
  cond_fail %3, \"a\"
  %4 = load %2
  cond_fail %1, \"b\"
  %5 = integer_literal $Builtin.Int1, -1
  %6 = builtin \"sadd_with_overflow_Int64\"(%4, %4, %5) : $(Builtin.Int64, Builtin.Int1)
  %7 = tuple_extract %6, 1
  cond_fail %7, \"b\"
  %8 = tuple ()
  return %8
}
";

    #[test]
    fn checks_with_one_message_become_one() {
        let expected = "\
  cond_fail %1, \"b\"
  %4 = builtin \"xor_Int1\"(%0, %1) : $Builtin.Int1
  %5 = builtin \"or_Int1\"(%0, %4) : $Builtin.Int1
  cond_fail %5, \"a\"
  %7 = load %2
  cond_fail %1, \"b\"
";
        let text = changed("merge-cond_fails", &[], CHECKS);
        assert!(text.contains(expected), "{text}");
        assert_eq!(text.matches("cond_fail").count(), 4);
    }

    #[test]
    fn messages_may_be_lost_where_that_is_allowed() {
        let text = changed("merge-cond_fails", &["mergeable-traps"], CHECKS);
        assert_eq!(text.matches("cond_fail").count(), 3, "{text}");
    }
}
