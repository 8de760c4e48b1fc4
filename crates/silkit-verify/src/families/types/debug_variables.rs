//! The types that debug variables state.

use super::facts::{operand, same};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashMap, Interned, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{DebugVarData, Inst, NONE, Opcode, SourceLoc};
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&DEBUG_VARIABLE_TYPE, &ONE_VARIABLE_TYPE];

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
    let Some(variable) = variable_of(cx, inst).filter(|variable| is_plain(variable)) else { return };
    let Some(stated) = variable.ty.filter(|ty| !ty.is_unknown()) else { return };
    let value = describing_type(cx, inst);
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

/// Returns the variable that an instruction describes.
fn variable_of(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<&'static DebugVarData> {
    cx.body.word(inst, "var").map(|word| DebugVarData::of(Interned::from_u32(word)))
}

/// Returns true if a variable has the value that describes it, without a debug expression.
fn is_plain(variable: &DebugVarData) -> bool {
    variable.expr.is_empty() && variable.transform.is_none()
}

/// Returns the type of the value that describes a variable.
fn describing_type(cx: &FunctionVerifier<'_>, inst: Inst) -> SilType {
    match cx.body.first_result(inst) {
        Some(allocated) => cx.body.value(allocated).ty,
        None => operand(cx, inst, 0),
    }
}

static ONE_VARIABLE_TYPE: Rule = Rule {
    id: RuleId::new("SIL0380"),
    name: "OneVariableType",
    severity: Severity::Error,
    summary: "A debug variable has one type in all instructions that describe it",
    details: "\
Instructions describe the same variable if its name, number, scope and location are the same. Some may describe it by its
value and others by the address of its value. Instructions with a debug expression are not compared.",
    failing: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) (Builtin.Int64, Builtin.Int32) -> () }
sil @f : $@convention(thin) (Builtin.Int64, Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int32):
  debug_value %0, let, name \"x\", loc \"a.swift\":2:7, scope 1
  debug_value %1, let, name \"x\", loc \"a.swift\":2:7, scope 1
  %4 = tuple (), loc \"a.swift\":3:1, scope 1
  return %4, loc \"a.swift\":3:1, scope 1
}
",
    corrected: "\
sil_scope 1 { loc \"a.swift\":1:1 parent @f : $@convention(thin) (Builtin.Int64, Builtin.Int32) -> () }
sil @f : $@convention(thin) (Builtin.Int64, Builtin.Int32) -> () {
bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int32):
  debug_value %0, let, name \"x\", loc \"a.swift\":2:7, scope 1
  debug_value %1, let, name \"y\", loc \"a.swift\":2:10, scope 1
  %4 = tuple (), loc \"a.swift\":3:1, scope 1
  return %4, loc \"a.swift\":3:1, scope 1
}
",
    check: Check::Body(one_variable_type),
};

fn one_variable_type(cx: &FunctionVerifier<'_>) {
    let mut first = FxHashMap::default();
    for inst in cx.insts_with(&[Opcode::DebugValue, Opcode::AllocStack]) {
        let Some((variable, ty)) = described(cx, inst) else { continue };
        let &mut (other, other_ty) = first.entry(variable).or_insert((inst, ty));
        if other != inst && same(cx, ty, other_ty) == Some(false) {
            let message = format!("the variable has the type `{ty}` here, and `{other_ty}` elsewhere");
            let finding = cx.finding(&ONE_VARIABLE_TYPE, Place::Inst(inst), message);
            cx.report(finding.also(Place::Inst(other), format!("described as `{other_ty}`")));
        }
    }
}

/// What tells debug variables of a function apart: name, number, scope and location.
type Variable = (Symbol, Option<u32>, u32, SourceLoc);

/// Returns the variable that an instruction describes without a debug expression, and its type. `None` if the scope or the
/// location of the variable is not known.
fn described(cx: &FunctionVerifier<'_>, inst: Inst) -> Option<(Variable, Type)> {
    let variable = variable_of(cx, inst).filter(|variable| is_plain(variable))?;
    let own = cx.body.loc(cx.body.inst(inst).loc);
    let scope = variable.scope.or(own.map(|loc| loc.scope)).filter(|&scope| scope != NONE)?;
    let loc = variable.loc.or(own.and_then(|loc| loc.source))?;
    let ty = variable.ty.unwrap_or_else(|| describing_type(cx, inst));
    let key = (variable.name?, variable.argno, scope, loc);
    (!ty.is_unknown()).then(|| (key, without_wrapper(ty.ty())))
}

/// Returns `T` for `@moveOnly T`.
fn without_wrapper(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::MoveOnly(inner) => *inner,
        _ => ty,
    }
}
