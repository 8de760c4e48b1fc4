//! Rule: definitions dominate uses.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, ValueDef};

pub(super) const RULES: &[&Rule] = &[&DEFINITION_DOMINATES_USE];

static DEFINITION_DOMINATES_USE: Rule = Rule {
    id: RuleId::new("SIL0120"),
    name: "DefinitionDominatesUse",
    severity: Severity::Error,
    summary: "The definition of a value dominates its uses",
    details: "\
Every path from the entry of the function to an instruction must pass through the definitions of the
values that it uses. Paths follow all edges of terminators, whether a condition can hold or not. Pass a
value that only some predecessors have as an argument of the block.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  %2 = integer_literal $Builtin.Int64, 1
  br bb3
bb2:
  br bb3
bb3:
  return %2 : $Builtin.Int64
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  %2 = integer_literal $Builtin.Int64, 1
  br bb3(%2 : $Builtin.Int64)
bb2:
  %4 = integer_literal $Builtin.Int64, 2
  br bb3(%4 : $Builtin.Int64)
bb3(%6 : $Builtin.Int64):
  return %6 : $Builtin.Int64
}
",
    check: Check::Inst(&[], definition_dominates_use),
};

fn definition_dominates_use(cx: &FunctionVerifier<'_>, inst: Inst) {
    let block = cx.body.inst_block(inst);
    for operand in cx.body.operand_ids(inst) {
        let value = cx.body.operand(operand).value;
        let is_plain = match cx.body.def(value) {
            ValueDef::Undef => true,
            // Most uses are in the same block as their definition.
            ValueDef::Result(def, _) if cx.body.inst_block(def) == block => cx.body.inst_precedes(def, inst),
            ValueDef::Argument(of, _) => of == block,
            _ => false,
        };
        if is_plain || cx.value_dominates(value, inst) {
            continue;
        }
        let name = cx.value(value);
        let message = format!("the definition of `{name}` does not dominate this use");
        let mut finding =
            cx.finding(&DEFINITION_DOMINATES_USE, Place::Operand(operand), message).label("used here");
        finding = finding.reference_message("instruction isn't dominated by its operand");
        finding = match cx.body.def(value) {
            ValueDef::Pending => finding.note("it was removed, or never defined"),
            _ => finding.also(Place::Value(value), "defined here"),
        };
        if let ValueDef::Result(def, _) = cx.body.def(value)
            && cx.body.inst_block(def) != block
        {
            let path = path_around(cx, cx.body.inst_block(def), block);
            finding = finding.path(path);
        }
        cx.report_broken(finding);
    }
}

/// Returns a path from the entry to a block that avoids another block.
fn path_around(
    cx: &FunctionVerifier<'_>,
    avoided: silkit_ir::Block,
    to: silkit_ir::Block,
) -> Vec<silkit_ir::Block> {
    let Some(entry) = cx.body.entry_block().filter(|&entry| entry != avoided) else { return Vec::new() };
    silkit_analysis::path(cx.body, &[entry], |b| b == to, |b| b != avoided).unwrap_or_default()
}
