//! Rules for enums: cases, payloads, and the instructions that distinguish cases.

use super::aggregates::names_member;
use super::facts::{at_operand, decl, declared, expect, operand, resolved, sil_type};
use super::kinds::holds;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::TypePredicate;
use silkit_ir::{DeclRef, Inst, NONE, Opcode};
use silkit_types::decl::{NominalDecl, NominalKind};
use silkit_types::{BoxField, BoxType, SilType, Type, TypeFacts, TypeKind};

pub(super) const RULES: &[&Rule] = &[&CASE_OF_ENUM, &PAYLOAD_OF_CASE, &SWITCHED_CASES, &SWITCHED_VALUES];

/// What is known about a case.
enum Case {
    /// The enum has no such case.
    Absent,
    /// A case without a payload.
    Bare,
    /// A case with a payload of this lowered type, if known.
    Payload(Option<Type>),
    /// The case is not known.
    Unknown,
}

fn enum_decl<'a>(cx: &FunctionVerifier<'a>, ty: Type) -> Option<&'a NominalDecl> {
    declared(cx, resolved(cx, ty)).filter(|d| d.kind == NominalKind::Enum)
}

fn case(cx: &FunctionVerifier<'_>, ty: Type, name: Symbol) -> Case {
    let Some(decl) = enum_decl(cx, ty) else { return Case::Unknown };
    let Some(case) = decl.body.cases.named(name) else {
        return if decl.has_known_layout() { Case::Absent } else { Case::Unknown };
    };
    match case.payload {
        None => Case::Bare,
        Some(_) if case.indirect => Case::Payload(boxed_payload(cx, ty, name)),
        Some(_) if name == "some" && decl.path == "Optional" => Case::Payload(optional_payload(cx, ty)),
        Some(_) => Case::Payload(TypeFacts::enum_payload(cx.declarations(), ty, name)),
    }
}

/// Returns the box that holds the payload of an indirect case, `{ var T }`. `None` if the payload is not a nominal type, or
/// for a generic enum, whose signature is part of the layout.
pub(in crate::families) fn boxed_payload(cx: &FunctionVerifier<'_>, ty: Type, case: Symbol) -> Option<Type> {
    let ty = resolved(cx, ty);
    let payload = cx.declarations().enum_payload(ty, case)?.ty;
    let is_plain = |ty: Type| {
        matches!(ty.kind(), TypeKind::Named(n) if n.args.is_empty() && n.parent.is_none())
            && declared(cx, ty).is_some_and(|decl| decl.sig.is_none() && decl.kind != NominalKind::Protocol)
    };
    let is_known = match payload.kind() {
        TypeKind::Tuple(elements) => elements.iter().all(|element| is_plain(element.ty)),
        _ => is_plain(payload),
    };
    if !is_plain(ty) || !is_known {
        return None;
    }
    let fields = Box::new([BoxField { mutable: true, ty: payload }]);
    let layout = BoxType { sig: None, captures_generics: false, fields, args: Box::default() };
    Some(Type::new(TypeKind::Box(Box::new(layout))))
}

fn optional_payload(cx: &FunctionVerifier<'_>, ty: Type) -> Option<Type> {
    match resolved(cx, ty).kind() {
        TypeKind::Named(n) if n.args.len() == 1 => Some(n.args[0]),
        _ => None,
    }
}

static CASE_OF_ENUM: Rule = Rule {
    id: RuleId::new("SIL0335"),
    name: "CaseOfEnum",
    severity: Severity::Error,
    summary: "A named case belongs to the enum",
    details: "\
Instructions that create enums, project payloads or switch over cases name the case by its declaration,
`#E.a!enumelt`. It must belong to the type of the value.",
    failing: "\
enum E {
  case a
  case b
}
sil @f : $@convention(thin) () -> E {
bb0:
  %0 = enum $E, #E.c!enumelt
  return %0 : $E
}
",
    corrected: "\
enum E {
  case a
  case b
}
sil @f : $@convention(thin) () -> E {
bb0:
  %0 = enum $E, #E.b!enumelt
  return %0 : $E
}
",
    check: Check::Inst(
        &[
            Opcode::Enum,
            Opcode::UncheckedEnumData,
            Opcode::InitEnumDataAddr,
            Opcode::UncheckedTakeEnumDataAddr,
            Opcode::InjectEnumAddr,
            Opcode::SwitchEnum,
            Opcode::SwitchEnumAddr,
            Opcode::SelectEnum,
            Opcode::SelectEnumAddr,
        ],
        case_of_enum,
    ),
};

fn case_of_enum(cx: &FunctionVerifier<'_>, inst: Inst) {
    let is_made = cx.body.inst(inst).opcode == Opcode::Enum;
    let ty = if is_made { sil_type(cx, inst, "type") } else { Some(operand(cx, inst, 0)) };
    let Some(ty) = ty.filter(|t| !t.is_unknown()) else { return };
    let Some(decl) = enum_decl(cx, ty.ty()).filter(|d| d.has_known_layout()) else {
        cx.unknown(&CASE_OF_ENUM, Place::Inst(inst), || format!("the cases of `{ty}` are unknown"));
        return;
    };
    let element = cx.body.word(inst, "element").map(DeclRef::from_u32);
    for named in element.into_iter().chain(listed(cx, inst)) {
        let Some(name) = named.name() else { continue };
        let is_there = decl.body.cases.position(name).is_some();
        if is_there && names_member(cx, named, ty.ty()) != Some(false) {
            continue;
        }
        let message = format!("`{named}` is not a case of `{ty}`");
        let cases: Vec<String> =
            decl.body.cases.iter().take(LISTED).map(|c| format!("`{}`", c.name)).collect();
        let more = if decl.body.cases.len() > LISTED { ", …" } else { "" };
        cx.report(
            cx.finding(&CASE_OF_ENUM, Place::Inst(inst), message)
                .note(format!("its cases are {}{more}", cases.join(", "))),
        );
    }
}

/// The maximum number of cases in a note.
const LISTED: usize = 8;

/// Returns the cases that an instruction lists.
fn listed(cx: &FunctionVerifier<'_>, inst: Inst) -> Vec<DeclRef> {
    let words = cx.body.list(cx.body.word(inst, "cases").unwrap_or(NONE));
    let is_select = matches!(cx.body.inst(inst).opcode, Opcode::SelectEnum | Opcode::SelectEnumAddr);
    let cases = words.iter().step_by(if is_select { 1 } else { 2 });
    cases.filter(|w| **w != NONE).map(|&w| DeclRef::from_u32(w)).collect()
}

static PAYLOAD_OF_CASE: Rule = Rule {
    id: RuleId::new("SIL0333"),
    name: "PayloadOfCase",
    severity: Severity::Error,
    summary: "Only a case with a payload takes and yields one",
    details: "\
`enum` takes a value of the payload's type exactly where the case has one. Projections take the payload
of a case that has one; a case without a payload needs only `inject_enum_addr` in memory.",
    failing: "\
enum E {
  case a(Builtin.Int64)
  case b
}
sil @f : $@convention(thin) () -> E {
bb0:
  %0 = enum $E, #E.a!enumelt
  return %0 : $E
}
",
    corrected: "\
enum E {
  case a(Builtin.Int64)
  case b
}
sil @f : $@convention(thin) () -> E {
bb0:
  %0 = enum $E, #E.b!enumelt
  return %0 : $E
}
",
    check: Check::Inst(
        &[
            Opcode::Enum,
            Opcode::UncheckedEnumData,
            Opcode::InitEnumDataAddr,
            Opcode::UncheckedTakeEnumDataAddr,
            Opcode::InjectEnumAddr,
        ],
        payload_of_case,
    ),
};

fn payload_of_case(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(name) = decl(cx, inst, "element").and_then(|d| d.name()) else { return };
    let opcode = cx.body.inst(inst).opcode;
    if opcode != Opcode::Enum {
        let base = operand(cx, inst, 0);
        if opcode != Opcode::InjectEnumAddr && matches!(case(cx, base.ty(), name), Case::Bare) {
            let message = format!("the case `{name}` of `{base}` has no payload");
            cx.report(at_operand(cx, &PAYLOAD_OF_CASE, inst, 0, message));
        }
        return;
    }
    let Some(ty) = sil_type(cx, inst, "type") else { return };
    let given = cx.body.operand_range(inst, 0);
    match (case(cx, ty.ty(), name), given.len()) {
        (Case::Bare, 1) => {
            let message = format!("the case `{name}` has no payload, but one is given");
            cx.report(at_operand(cx, &PAYLOAD_OF_CASE, inst, given.start, message));
        }
        (Case::Payload(_), 0) => {
            let message = format!("the case `{name}` has a payload, but none is given");
            cx.report(cx.finding(&PAYLOAD_OF_CASE, Place::Inst(inst), message));
        }
        (Case::Payload(Some(payload)), _) => {
            let wanted = SilType::object(payload);
            expect(cx, &PAYLOAD_OF_CASE, inst, given.start, wanted, "the payload of the case has type");
        }
        (Case::Unknown | Case::Payload(None), _) => {
            cx.unknown(&PAYLOAD_OF_CASE, Place::Inst(inst), || format!("the payload of `{name}` is unknown"));
        }
        (Case::Absent | Case::Bare, _) => {}
    }
}

static SWITCHED_CASES: Rule = Rule {
    id: RuleId::new("SIL0334"),
    name: "SwitchedCases",
    severity: Severity::Error,
    summary: "A switch lists each case at most once, and all of them unless it has a default",
    details: "\
`switch_enum`, `select_enum` and their forms for addresses have a target, or a result, for every case.
Add the missing cases or a `default`.",
    failing: "\
enum E {
  case a(Builtin.Int64)
  case b
}
sil @f : $@convention(thin) (E) -> () {
bb0(%0 : $E):
  switch_enum %0 : $E, case #E.b!enumelt: bb1
bb1:
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
enum E {
  case a(Builtin.Int64)
  case b
}
sil @f : $@convention(thin) (E) -> () {
bb0(%0 : $E):
  switch_enum %0 : $E, case #E.b!enumelt: bb1, default bb2
bb1:
  br bb3
bb2:
  br bb3
bb3:
  %4 = tuple ()
  return %4 : $()
}
",
    check: Check::Inst(
        &[Opcode::SwitchEnum, Opcode::SwitchEnumAddr, Opcode::SelectEnum, Opcode::SelectEnumAddr],
        switched_cases,
    ),
};

fn switched_cases(cx: &FunctionVerifier<'_>, inst: Inst) {
    let base = operand(cx, inst, 0);
    let is_select = matches!(cx.body.inst(inst).opcode, Opcode::SelectEnum | Opcode::SelectEnumAddr);
    let words = cx.body.list(cx.body.word(inst, "cases").unwrap_or(NONE));
    let has_default = if is_select { words.contains(&NONE) } else { cx.body.word(inst, "default").is_some() };
    let mut seen = FxHashSet::default();
    for name in listed(cx, inst).iter().filter_map(|d| d.name()) {
        if !seen.insert(name) {
            let message = format!("the case `{name}` is listed twice");
            cx.report(cx.finding(&SWITCHED_CASES, Place::Inst(inst), message));
        }
    }
    if base.is_unknown() || has_default {
        return;
    }
    let Some(decl) = enum_decl(cx, base.ty()).filter(|d| d.has_known_layout()) else {
        cx.unknown(&SWITCHED_CASES, Place::Inst(inst), || format!("the cases of `{base}` are unknown"));
        return;
    };
    let missing = decl.body.cases.iter().filter(|c| !seen.contains(&c.name));
    let missing: Vec<String> = missing.map(|c| format!("`{}`", c.name)).collect();
    if !missing.is_empty() {
        let name = cx.body.info(inst).name;
        let message = format!("`{name}` has no default and does not list {}", missing.join(", "));
        cx.report(at_operand(cx, &SWITCHED_CASES, inst, 0, message));
    }
}

static SWITCHED_VALUES: Rule = Rule {
    id: RuleId::new("SIL0336"),
    name: "SwitchedValues",
    severity: Severity::Error,
    summary: "`switch_value` compares a builtin integer with integer literals of its type",
    details: "\
Each case names an `integer_literal` of the type of the operand, which is a builtin integer such as
`Builtin.Int8`. To switch over the cases of an enum, use `switch_enum`.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int8, Builtin.Int8) -> () {
bb0(%0 : $Builtin.Int8, %1 : $Builtin.Int8):
  switch_value %0 : $Builtin.Int8, case %1: bb1, default bb2
bb1:
  unreachable
bb2:
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int8) -> () {
bb0(%0 : $Builtin.Int8):
  %1 = integer_literal $Builtin.Int8, 1
  switch_value %0 : $Builtin.Int8, case %1: bb1, default bb2
bb1:
  unreachable
bb2:
  unreachable
}
",
    check: Check::Inst(&[Opcode::SwitchValue], switched_values),
};

fn switched_values(cx: &FunctionVerifier<'_>, inst: Inst) {
    let ty = operand(cx, inst, 0);
    if !ty.is_unknown() && holds(cx, ty.ty(), TypePredicate::Integer) == Some(false) {
        let message = format!("`switch_value` compares a builtin integer, not `{ty}`");
        cx.report(at_operand(cx, &SWITCHED_VALUES, inst, 0, message));
        return;
    }
    for index in 1..cx.body.operands(inst).len() {
        let value = cx.body.operand_value(inst, index);
        let is_literal = cx
            .body
            .defining_inst(value)
            .is_some_and(|def| cx.body.inst(def).opcode == Opcode::IntegerLiteral);
        let case = operand(cx, inst, index);
        if !is_literal || super::facts::differ(cx, case, ty) {
            let message = format!("`{}` is not an integer literal of type `{ty}`", cx.value(value));
            cx.report(at_operand(cx, &SWITCHED_VALUES, inst, index, message));
        }
    }
}
