//! The types that debug variables state.

use super::facts::{operand, same};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Interned;
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::AttrKind;
use silkit_ir::{DebugVarData, Inst, NONE, Opcode};
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&DEBUG_VARIABLE_TYPE];

static DEBUG_VARIABLE_TYPE: Rule = Rule {
    id: RuleId::new("SIL0372"),
    name: "DebugVariableType",
    severity: Severity::Error,
    summary: "The type of a debug variable is that of the value that describes it",
    details: "\
Another type needs a debug expression, which says how the value relates to the variable: `expr op_deref`, or `expr op_fragment:#S.x` for a part.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  debug_value %0, let, name \"x\", type $Builtin.Int32
  %2 = tuple ()
  return %2
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  debug_value %0, let, name \"x\", type $Builtin.Int64
  %2 = tuple ()
  return %2
}
",
    check: Check::Inst(&[Opcode::DebugValue, Opcode::AllocStack], debug_variable_type),
};

fn debug_variable_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let info = cx.body.info(inst);
    let Some(at) = info.attrs.iter().position(|attr| attr.kind == AttrKind::DebugVar) else { return };
    let Some(&word) = cx.body.words(inst).get(at).filter(|&&word| word != NONE) else { return };
    let variable = DebugVarData::of(Interned::from_u32(word));
    let is_computed = !variable.expr.is_empty() || variable.transform.is_some();
    let Some(stated) = variable.ty.filter(|ty| !is_computed && !ty.is_unknown()) else { return };
    let value = match cx.body.results(inst).next() {
        Some(allocated) => cx.body.value(allocated).ty,
        None => operand(cx, inst, 0),
    };
    if value.is_unknown() {
        return;
    }
    if same(cx, without_wrapper(stated.ty()), without_wrapper(value.ty())) == Some(false) {
        let message = format!(
            "the variable has the type `{}`, but is described by a value of type `{}`",
            stated.ty(),
            value.ty()
        );
        cx.report(cx.finding(&DEBUG_VARIABLE_TYPE, Place::Inst(inst), message));
    }
}

/// Returns `T` for `@moveOnly T`.
fn without_wrapper(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::MoveOnly(inner) => *inner,
        _ => ty,
    }
}
