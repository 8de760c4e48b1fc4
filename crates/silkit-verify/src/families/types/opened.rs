//! Rules for the archetypes that instructions open or name.

use super::facts::{at_operand, declared, formal_type, operand, resolved, same, sil_type};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};
use silkit_types::decl::NominalKind;
use silkit_types::{Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&OPENED_FROM_OPERAND, &VALUE_PARAMETER];

static OPENED_FROM_OPERAND: Rule = Rule {
    id: RuleId::new("SIL0356"),
    name: "OpenedFromOperand",
    severity: Severity::Error,
    summary: "An opened archetype is of the existential that is opened",
    details: "\
`@opened(\"…\", any P) Self` names the existential `any P` whose dynamic type it is. An instruction that
opens a value of `any P` cannot give the type of another existential.",
    failing: "\
protocol P {}
protocol Q {}
sil @f : $@convention(thin) (@in_guaranteed any P) -> () {
bb0(%0 : $*any P):
  %1 = open_existential_addr immutable_access %0 to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any Q) Self
  %2 = tuple ()
  return %2
}
",
    corrected: "\
protocol P {}
protocol Q {}
sil @f : $@convention(thin) (@in_guaranteed any P) -> () {
bb0(%0 : $*any P):
  %1 = open_existential_addr immutable_access %0 to $*@opened(\"01234567-89AB-CDEF-0123-000000000000\", any P) Self
  %2 = tuple ()
  return %2
}
",
    check: Check::Inst(
        &[
            Opcode::OpenExistentialAddr,
            Opcode::OpenExistentialRef,
            Opcode::OpenExistentialBox,
            Opcode::OpenExistentialMetatype,
            Opcode::OpenExistentialValue,
            Opcode::OpenComExistential,
        ],
        opened_from_operand,
    ),
};

fn opened_from_operand(cx: &FunctionVerifier<'_>, inst: Inst) {
    let (from, Some(to)) = (operand(cx, inst, 0), sil_type(cx, inst, "type")) else { return };
    let (mut opened, mut existential) = (to.ty(), from.ty());
    // Metatypes may be nested.
    while let TypeKind::Metatype(_, inner) = opened.kind() {
        let TypeKind::Metatype(_, outer) = existential.kind() else { return };
        (opened, existential) = (*inner, *outer);
    }
    while let TypeKind::Paren(inner) = opened.kind() {
        opened = *inner;
    }
    let TypeKind::Opened { existential: named, .. } = opened.kind() else { return };
    if from.is_unknown() || !is_other(cx, existential, *named) {
        return;
    }
    let message = format!("the operand is a `{existential}`, but the opened type is of `{named}`");
    // The reference does not check it.
    cx.report(at_operand(cx, &OPENED_FROM_OPERAND, inst, 0, message).warning());
}

/// Returns true if two types are existentials of different single protocols, or one is of a protocol and the other of all
/// types or all objects.
fn is_other(cx: &FunctionVerifier<'_>, a: Type, b: Type) -> bool {
    let protocol = |ty: Type| {
        let ty = resolved(cx, ty);
        let inner = match ty.kind() {
            TypeKind::Any(inner) => *inner,
            _ => ty,
        };
        let TypeKind::Named(named) = inner.kind() else { return None };
        let is_any = named.parent.is_none() && matches!(named.name.as_str(), "Any" | "AnyObject");
        let is_protocol = || declared(cx, inner).is_some_and(|decl| decl.kind == NominalKind::Protocol);
        (named.args.is_empty() && (is_any || is_protocol())).then_some(inner)
    };
    let (Some(a), Some(b)) = (protocol(a), protocol(b)) else { return false };
    a != b && same(cx, a, b) == Some(false)
}

static VALUE_PARAMETER: Rule = Rule {
    id: RuleId::new("SIL0354"),
    name: "ValueParameter",
    severity: Severity::Error,
    summary: "`type_value` gives the value of a value parameter",
    details: "\
A value parameter is declared with the type of its values, `<let N : Int>`. A type parameter has no
value.",
    failing: "\
sil @f : $@convention(thin) <N> () -> Int {
bb0:
  %0 = type_value $Int for N
  return %0
}
",
    corrected: "\
sil @f : $@convention(thin) <let N : Int> () -> Int {
bb0:
  %0 = type_value $Int for N
  return %0
}
",
    check: Check::Inst(&[Opcode::TypeValue], value_parameter),
};

fn value_parameter(cx: &FunctionVerifier<'_>, inst: Inst) {
    if let Some(ty) = sil_type(cx, inst, "type")
        && let Some(decl) = declared(cx, ty.ty())
        && decl.path != "Int"
    {
        let message = format!("the value of a value parameter is an `Int`, and not a `{}`", ty.ty());
        // The reference does not check it.
        cx.report(cx.finding(&VALUE_PARAMETER, Place::Inst(inst), message).warning());
        return;
    }
    let Some(parameter) = formal_type(cx, inst, "parameter") else { return };
    if declared(cx, parameter).is_some() {
        let message = format!("`{parameter}` is a type, which has no value");
        // The reference does not check it.
        cx.report(cx.finding(&VALUE_PARAMETER, Place::Inst(inst), message).warning());
        return;
    }
    let TypeKind::Param { depth, index, .. } = parameter.kind() else { return };
    let Some(sig) = cx.signature() else { return };
    let declared = sig.data().params.iter().find(|p| p.depth == *depth && p.index == *index);
    if declared.is_some_and(|declared| declared.value_type.is_none()) {
        let message = format!("`{parameter}` is a type parameter, which has no value");
        // The reference does not check it.
        cx.report(cx.finding(&VALUE_PARAMETER, Place::Inst(inst), message).warning());
    }
}
