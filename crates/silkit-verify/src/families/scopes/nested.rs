//! Rule: an access that is said to have no nested conflict has none.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::FxHashMap;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode, Value};

pub(super) const RULES: &[&Rule] = &[&NO_NESTED_CONFLICT];

static NO_NESTED_CONFLICT: Rule = Rule {
    id: RuleId::new("SIL0242"),
    name: "NoNestedConflict",
    severity: Severity::Error,
    summary: "A `[no_nested_conflict]` access has no conflicting access to the same address inside",
    details: "\
The flag promises that the runtime need not remember the access, because no other access that would
conflict begins before its end. Two accesses conflict if one of them is not a `read`. Only accesses to
the same value in the same block are compared. Remove the flag, or end the access before.",
    failing: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [dynamic] [no_nested_conflict] %0 : $*Builtin.Int64
  %2 = begin_access [modify] [dynamic] %0 : $*Builtin.Int64
  end_access %2 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  %5 = tuple ()
  return %5 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (@inout Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  %1 = begin_access [read] [dynamic] [no_nested_conflict] %0 : $*Builtin.Int64
  end_access %1 : $*Builtin.Int64
  %3 = begin_access [modify] [dynamic] %0 : $*Builtin.Int64
  end_access %3 : $*Builtin.Int64
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::Body(no_nested_conflict),
};

fn no_nested_conflict(cx: &FunctionVerifier<'_>) {
    let body = cx.body;
    if cx.insts_with(&[Opcode::BeginAccess]).next().is_none() {
        return;
    }
    // The last `[no_nested_conflict]` access to each address that is open.
    let mut open: FxHashMap<Value, Inst> = FxHashMap::default();
    for block in body.blocks() {
        open.clear();
        for inst in body.block_insts(block) {
            match body.inst(inst).opcode {
                Opcode::BeginAccess => {
                    let address = body.operand_value(inst, 0);
                    let reads = |access: Inst| body.keyword(access, "kind") == Some("read");
                    if let Some(&outer) = open.get(&address).filter(|&&outer| !(reads(outer) && reads(inst)))
                    {
                        report(cx, outer, inst, address);
                    }
                    if body.has_flag(inst, "no_nested_conflict") {
                        open.insert(address, inst);
                    }
                }
                Opcode::EndAccess => {
                    let begin = body.defining_inst(body.operand_value(inst, 0));
                    let begin = begin.filter(|&begin| body.inst(begin).opcode == Opcode::BeginAccess);
                    if let Some(begin) = begin {
                        let address = body.operand_value(begin, 0);
                        if open.get(&address) == Some(&begin) {
                            open.remove(&address);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

fn report(cx: &FunctionVerifier<'_>, outer: Inst, inner: Inst, address: Value) {
    let message = format!("an access to `{}` conflicts with the one around it", cx.value(address));
    cx.report(
        cx.finding(&NO_NESTED_CONFLICT, Place::Inst(inner), message)
            .warning()
            .label("begins too early")
            .also(Place::Inst(outer), "declared to have no nested conflict"),
    );
}
