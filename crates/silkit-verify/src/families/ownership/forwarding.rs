//! Rules: forwarding instructions have a single ownership, and trivial values are not managed.

use super::operands::word;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::UseRule;
use silkit_ir::ownership::forwarded_operands;
use silkit_ir::{Inst, Opcode, Operand, Ownership};

pub(super) const RULES: &[&Rule] = &[&FORWARDING_AGREES, &TRIVIAL_IS_NOT_MANAGED, &QUALIFIER_FITS_TYPE];

static FORWARDING_AGREES: Rule = Rule {
    id: RuleId::new("SIL0411"),
    name: "ForwardingAgrees",
    severity: Severity::Error,
    summary: "All values that an instruction forwards have the same ownership",
    details: "\
A `struct`, `tuple` or `enum` of owned values is owned, one of guaranteed values guaranteed; trivial
values fit both. A mix would have to be consumed and not consumed. Copy the guaranteed values, or borrow
the owned ones.",
    failing: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject, @guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject, %1 : @guaranteed $Builtin.NativeObject):
  %2 = tuple (%0 : $Builtin.NativeObject, %1 : $Builtin.NativeObject)
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (@owned Builtin.NativeObject, @guaranteed Builtin.NativeObject) -> () {
bb0(%0 : @owned $Builtin.NativeObject, %1 : @guaranteed $Builtin.NativeObject):
  %2 = copy_value %1 : $Builtin.NativeObject
  %3 = tuple (%0 : $Builtin.NativeObject, %2 : $Builtin.NativeObject)
  unreachable
}
",
    check: Check::Inst(&[], forwarding_agrees),
};

static TRIVIAL_IS_NOT_MANAGED: Rule = Rule {
    id: RuleId::new("SIL0415"),
    name: "TrivialIsNotManaged",
    severity: Severity::Error,
    summary: "A value of a trivial type is neither copied nor moved nor destroyed",
    details: "\
A trivial value has no lifetime to manage: every use is a copy, and nothing is released at its end.
Remove the instruction and use the operand itself.",
    failing: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  destroy_value %0 : $Builtin.Int64
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  %1 = tuple ()
  return %1 : $()
}
",
    check: Check::Inst(
        &[Opcode::CopyValue, Opcode::MoveValue, Opcode::DestroyValue, Opcode::EndLifetime],
        trivial_is_not_managed,
    ),
};

static QUALIFIER_FITS_TYPE: Rule = Rule {
    id: RuleId::new("SIL0416"),
    name: "QualifierFitsType",
    severity: Severity::Error,
    summary: "`[trivial]` is for trivial types, other qualifiers and `load_borrow` are for nontrivial ones",
    details: "\
`load [trivial]` and `store [trivial]` move bits and leave reference counts alone, so they fit trivial
types only; what has no ownership, such as `Optional.none`, may be stored so too. `load [copy]`, `load
[take]`, `store [init]`, `store [assign]` and `load_borrow` manage an ownership that a trivial type does
not have.",
    failing: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> @out Builtin.Int64 {
bb0(%0 : $*Builtin.Int64, %1 : $Builtin.Int64):
  store %1 to [init] %0 : $*Builtin.Int64
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int64) -> @out Builtin.Int64 {
bb0(%0 : $*Builtin.Int64, %1 : $Builtin.Int64):
  store %1 to [trivial] %0 : $*Builtin.Int64
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::Inst(&[Opcode::Load, Opcode::LoadBorrow, Opcode::Store], qualifier_fits_type),
};

fn forwarding_agrees(cx: &FunctionVerifier<'_>, inst: Inst) {
    let body = cx.body;
    if body.operands(inst).len() < 2 || body.inst(inst).forwarding.is_some() || !cx.is_ossa() {
        return;
    }
    let mut first: Option<(Operand, Ownership)> = None;
    for operand in forwarded_operands(body, inst) {
        let spec = body.operand_spec(operand).map(|s| body.info(inst).operands[s].ownership);
        let Some(ownership) = cx.ownership().value(body.operand(operand).value) else { continue };
        if spec != Some(UseRule::Forwarded) || ownership == Ownership::None {
            continue;
        }
        let Some((one, expected)) = first else {
            first = Some((operand, ownership));
            continue;
        };
        if ownership != expected {
            let name = |o: Operand| cx.value(body.operand(o).value);
            let message = format!(
                "`{}` forwards `{}`, which is {}, and `{}`, which is {}",
                body.info(inst).name,
                name(one),
                word(expected),
                name(operand),
                word(ownership)
            );
            let finding = cx.finding(&FORWARDING_AGREES, Place::Operand(operand), message);
            cx.report(finding.label(word(ownership)).also(Place::Operand(one), word(expected)));
            return;
        }
    }
}

fn trivial_is_not_managed(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(operand) = cx.body.operand_ids(inst).next().filter(|_| cx.is_ossa()) else { return };
    let value = cx.body.operand(operand).value;
    let is_variable = cx.body.inst(inst).opcode == Opcode::MoveValue && cx.body.has_flag(inst, "var_decl");
    if !is_variable && is_trivial_object(cx, operand) == Some(true) {
        let name = cx.body.info(inst).name;
        let message = format!("`{name}` of `{}`, whose type is trivial", cx.value(value));
        let finding = cx.finding(&TRIVIAL_IS_NOT_MANAGED, Place::Operand(operand), message);
        cx.report(finding.label("nothing to manage here"));
    }
}

fn is_trivial_object(cx: &FunctionVerifier<'_>, operand: Operand) -> Option<bool> {
    cx.ownership().is_trivial(cx.body.value(cx.body.operand(operand).value).ty.to_object())
}

fn qualifier_fits_type(cx: &FunctionVerifier<'_>, inst: Inst) {
    let body = cx.body;
    let Some(operand) = body.operand_ids(inst).next().filter(|_| cx.is_ossa()) else { return };
    let Some(is_trivial) = is_trivial_object(cx, operand) else { return };
    let value = body.operand(operand).value;
    let has_none = !body.value(value).ty.is_address() && cx.ownership().value(value) == Some(Ownership::None);
    let name = body.info(inst).name;
    let (qualifier, is_wrong) = match (body.inst(inst).opcode, cx.body.keyword(inst, "qualifier")) {
        (Opcode::LoadBorrow, _) => (None, is_trivial),
        (_, qualifier @ Some("trivial")) => (qualifier, !is_trivial && !has_none),
        (Opcode::Load | Opcode::Store, qualifier @ Some(_)) => (qualifier, is_trivial),
        _ => return,
    };
    if is_wrong {
        let kind = if is_trivial { "trivial" } else { "not trivial" };
        let what = qualifier.map_or(name.to_owned(), |qualifier| format!("{name} [{qualifier}]"));
        let message = format!("`{what}` of `{}`, whose type is {kind}", cx.value(value));
        cx.report(
            cx.finding(&QUALIFIER_FITS_TYPE, Place::Inst(inst), message).label("does not fit the type"),
        );
    }
}
