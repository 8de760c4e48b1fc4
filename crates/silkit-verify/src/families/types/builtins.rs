//! Rules for builtins: their names.

use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::BuiltinInfo;
use silkit_ir::{Body, Inst, Opcode};

pub(super) const RULES: &[&Rule] = &[&BUILTIN_EXISTS];

static BUILTIN_EXISTS: Rule = Rule {
    id: RuleId::new("SIL0360"),
    name: "BuiltinExists",
    severity: Severity::Error,
    summary: "A builtin has a known name with types that it is overloaded for",
    details: "\
The name of an overloaded builtin ends with its types (`add_Int64`, `zext_Int32_Int64`) or, if it is
atomic, with the memory ordering before them (`atomicload_acquire_Int64`). Operations of `Builtin` in
Swift code that are instructions in SIL, such as `Builtin.load`, are not builtins in SIL. Names that
begin with `int_` are LLVM intrinsics and are not checked.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int64):
  %1 = builtin \"trunc_Int32_Int64\"(%0 : $Builtin.Int64) : $Builtin.Int32
  return %1 : $Builtin.Int32
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int64):
  %1 = builtin \"trunc_Int64_Int32\"(%0 : $Builtin.Int64) : $Builtin.Int32
  return %1 : $Builtin.Int32
}
",
    check: Check::Inst(&[Opcode::Builtin], builtin_exists),
};

/// Builtins of compiler versions other than that of the table.
const OF_OTHER_VERSIONS: &[&str] = &[
    "autoDiffAllocateSubcontext",
    "autoDiffCreateLinearMapContext",
    "createAsyncDiscardingTaskInGroup",
    "createAsyncDiscardingTaskInGroupWithExecutor",
    "createAsyncTaskFuture",
    "createAsyncTaskGroupFuture",
    "createAsyncTaskInGroup",
    "createAsyncTaskInGroupWithExecutor",
    "createAsyncTaskWithExecutor",
    "swift3ImplicitObjCEntrypoint",
    "taskAddCancellationHandler",
    "taskAddPriorityEscalationHandler",
    "taskLocalValuePop",
    "taskLocalValuePush",
    "taskRemoveCancellationHandler",
    "taskRemovePriorityEscalationHandler",
    "unsafeGuaranteed",
    "unsafeGuaranteedEnd",
];

fn builtin_exists(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(name) = cx.body.words(inst).first().and_then(|&word| Body::symbol(word)) else { return };
    let message = match BuiltinInfo::find(name.as_str()) {
        Some(builtin) if builtin.has_name(name.as_str()) => return,
        Some(builtin) => format!("`{}` is not overloaded for the types of `{name}`", builtin.name),
        None if name.as_str().starts_with("int_") || OF_OTHER_VERSIONS.contains(&name.as_str()) => {
            cx.unknown(&BUILTIN_EXISTS, Place::Inst(inst), || format!("`{name}` is unknown"));
            return;
        }
        None => format!("unknown builtin `{name}`"),
    };
    cx.report(cx.finding(&BUILTIN_EXISTS, Place::Inst(inst), message));
}
