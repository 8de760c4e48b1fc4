//! Rules for edges: the arguments of a block match the values that each terminator passes.

use crate::context::FunctionVerifier;
use crate::families::types::cases::boxed_payload;
use crate::families::types::facts::{may_be_same, own_type};
use crate::families::types::kinds::is_surely_address_only;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::conventions::{Addresses, ApplySite, Conventions};
use silkit_ir::{Block, DeclRef, Inst, NONE, Opcode, Value, ValueDef};
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[
    &EDGE_PASSES_ARGUMENTS,
    &EDGE_PASSES_TYPES,
    &PHI_COMES_FROM_BRANCHES,
    &ARGUMENT_IS_OBJECT,
    &ARGUMENT_IS_LOADABLE,
    &ENTRY_TAKES_PARAMETERS,
];

static EDGE_PASSES_ARGUMENTS: Rule = Rule {
    id: RuleId::new("SIL0110"),
    name: "EdgePassesArguments",
    severity: Severity::Error,
    summary: "A terminator passes as many arguments as its target takes",
    details: "\
`br` and `cond_br` list the arguments. Other terminators pass their results: the payload of a case, the
result of a call or its error, the value that was cast. If a terminator passes nothing to a target, the
target takes no argument.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  br bb1(%0 : $Builtin.Int1)
bb1:
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  br bb1(%0 : $Builtin.Int1)
bb1(%2 : $Builtin.Int1):
  unreachable
}
",
    check: Check::Body(edges),
};

static EDGE_PASSES_TYPES: Rule = Rule {
    id: RuleId::new("SIL0111"),
    name: "EdgePassesTypes",
    severity: Severity::Error,
    summary: "The values that a terminator passes have the types of its target's arguments",
    details: "\
The argument of a block has one type whichever edge it is entered by. Convert the value before the
branch, or change the type of the argument.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  br bb1(%0 : $Builtin.Int1)
bb1(%2 : $Builtin.Int64):
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  br bb1(%0 : $Builtin.Int1)
bb1(%2 : $Builtin.Int1):
  unreachable
}
",
    check: Check::With(&["SIL0110"]),
};

static PHI_COMES_FROM_BRANCHES: Rule = Rule {
    id: RuleId::new("SIL0112"),
    name: "PhiComesFromBranches",
    severity: Severity::Error,
    summary: "All predecessors of a block with arguments end in branches, if it has several",
    details: "\
Only `br` passes values of its choice; in functions without ownership `cond_br` does too. The argument
of a block that another terminator targets is the result of this terminator, so the block has no other
predecessor. Split the edge with a block that ends in `br`.",
    failing: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1(%0 : $Builtin.Int1), bb2
bb1(%2 : $Builtin.Int1):
  unreachable
bb2:
  unreachable
}
",
    corrected: "\
sil [ossa] @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb2
bb1:
  br bb3(%0 : $Builtin.Int1)
bb2:
  unreachable
bb3(%4 : $Builtin.Int1):
  unreachable
}
",
    check: Check::With(&["SIL0110"]),
};

static ARGUMENT_IS_OBJECT: Rule = Rule {
    id: RuleId::new("SIL0113"),
    name: "ArgumentIsObject",
    severity: Severity::Error,
    summary: "No branch passes an address",
    details: "\
An address that depends on the path hides which memory is used. Pass what is needed to compute it and
compute it in the target, or copy the memory to one place before.",
    failing: "\
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  br bb1(%0 : $*Builtin.Int64)
bb1(%2 : $*Builtin.Int64):
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  br bb1
bb1:
  %2 = load %0 : $*Builtin.Int64
  unreachable
}
",
    check: Check::With(&["SIL0110"]),
};

static ENTRY_TAKES_PARAMETERS: Rule = Rule {
    id: RuleId::new("SIL0114"),
    name: "EntryTakesParameters",
    severity: Severity::Error,
    summary: "The arguments of the entry block are the parameters of the function",
    details: "\
They are, in order: the addresses of indirect results, that of an indirect error, and the parameters, an
address where the convention is indirect.",
    failing: "\
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  unreachable
}
",
    corrected: "\
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> () {
bb0(%0 : $*Builtin.Int64):
  unreachable
}
",
    check: Check::Body(entry_takes_parameters),
};

/// The values that an edge passes to its target.
enum PassedValues {
    /// These values.
    Values(Vec<Value>),
    /// Results of the terminator, with their types if known.
    Results(Vec<SilType>),
    /// At most one result.
    AtMostOne,
    /// Not known.
    Unknown,
}

static ARGUMENT_IS_LOADABLE: Rule = Rule {
    id: RuleId::new("SIL0190"),
    name: "ArgumentIsLoadable",
    severity: Severity::Error,
    summary: "An argument of a block, a result of a call and `undef` are of loadable types",
    details: "\
A value whose type is known only at run time, such as one of a generic or an existential type, stays in memory: no value has an
address-only type, unless the file is read with `-enable-sil-opaque-values`. Pass the value through memory that is allocated
before the branch, or take and return it `@in` and `@out`.",
    failing: "\
sil @f : $@convention(thin) <T> (@in_guaranteed T) -> () {
bb0(%0 : $*T):
  br bb1(undef : $T)
bb1(%2 : $T):
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) <T> (@in_guaranteed T) -> () {
bb0(%0 : $*T):
  br bb1
bb1:
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::With(&["SIL0110"]),
};

fn edges(cx: &FunctionVerifier<'_>) {
    let is_lowered = cx.addresses() == Addresses::Lowered;
    for block in cx.body.blocks() {
        if is_lowered {
            for &argument in cx.body.arguments(block) {
                is_loadable(cx, argument, Place::Value(argument));
            }
            for inst in cx.body.block_insts(block) {
                values_are_loadable(cx, inst);
            }
        }
        let Some(terminator) = cx.body.terminator(block) else { continue };
        for (index, to) in cx.body.successors(terminator).enumerate() {
            check_edge(cx, terminator, index, to);
        }
    }
}

/// Checks the results of a call, and the operands that are `undef`.
fn values_are_loadable(cx: &FunctionVerifier<'_>, inst: Inst) {
    match cx.body.inst(inst).opcode {
        Opcode::Apply | Opcode::BeginApply => {
            cx.body.results(inst).for_each(|result| is_loadable(cx, result, Place::Value(result)));
        }
        // A variable whose value is lost keeps its type.
        Opcode::DebugValue => return,
        _ => {}
    }
    for (index, operand) in cx.body.operands(inst).iter().enumerate() {
        if cx.body.def(operand.value) == ValueDef::Undef {
            is_loadable(cx, operand.value, Place::Operand(cx.body.operand_id(inst, index)));
        }
    }
}

/// Reports a value of an address-only type.
fn is_loadable(cx: &FunctionVerifier<'_>, value: Value, place: Place) {
    let ty = cx.body.value(value).ty;
    if !ty.is_address() && !ty.is_unknown() && is_surely_address_only(cx, ty.ty()) {
        let message = format!("`{}` has the address-only type `{ty}`", cx.value(value));
        // The reference does not check it.
        cx.report(cx.finding(&ARGUMENT_IS_LOADABLE, place, message).warning());
    }
}

fn check_edge(cx: &FunctionVerifier<'_>, terminator: Inst, index: usize, to: Block) {
    let arguments = cx.body.arguments(to);
    let passed = passed(cx, terminator, index);
    let given = match &passed {
        PassedValues::Values(values) => values.len(),
        PassedValues::Results(types) => types.len(),
        PassedValues::AtMostOne => arguments.len().min(1),
        PassedValues::Unknown => {
            cx.unknown(&EDGE_PASSES_TYPES, Place::Inst(terminator), || {
                format!("the arguments that it passes to `{}` are unknown", cx.block(to))
            });
            arguments.len()
        }
    };
    let name = cx.body.info(terminator).name;
    if given != arguments.len() {
        let message = format!(
            "`{name}` passes {given} arguments to `{}`, which takes {}",
            cx.block(to),
            arguments.len()
        );
        cx.report_broken(
            cx.finding(&EDGE_PASSES_ARGUMENTS, Place::Inst(terminator), message)
                .label(format!("passes {given}"))
                .also(Place::Block(to), format!("takes {}", arguments.len())),
        );
        return;
    }
    let opcode = cx.body.inst(terminator).opcode;
    let passes = opcode == Opcode::Branch || opcode == Opcode::CondBranch && !cx.is_ossa();
    if !arguments.is_empty()
        && !passes
        && (opcode == Opcode::CondBranch || cx.body.predecessors(to).nth(1).is_some())
    {
        let message = format!("`{name}` targets `{}`, whose arguments only a branch can pass", cx.block(to));
        cx.report(
            cx.finding(&PHI_COMES_FROM_BRANCHES, Place::Inst(terminator), message)
                .label("is not a `br`")
                .also(Place::Block(to), "has arguments and several predecessors"),
        );
    }
    for (i, &argument) in arguments.iter().enumerate() {
        let takes = cx.body.value(argument).ty;
        let gives = match &passed {
            PassedValues::Values(values) => cx.body.value(values[i]).ty,
            PassedValues::Results(types) => types[i],
            PassedValues::AtMostOne | PassedValues::Unknown => continue,
        };
        if matches!(passed, PassedValues::Values(_)) && takes.is_address() {
            let message = format!("a branch passes the address `{}`", cx.value(argument));
            cx.report(
                cx.finding(&ARGUMENT_IS_OBJECT, Place::Value(argument), message)
                    .also(Place::Inst(terminator), "passed here")
                    .reference_message("Block arguments cannot be addresses: !arg->getType().isAddress()"),
            );
        }
        if !agree(cx, takes, gives) {
            let message =
                format!("`{}` has type `{takes}`, but `{name}` passes `{gives}`", cx.value(argument));
            cx.report(
                cx.finding(&EDGE_PASSES_TYPES, Place::Inst(terminator), message)
                    .label(format!("passes `{gives}`"))
                    .also(Place::Value(argument), format!("has type `{takes}`")),
            );
        }
    }
}

/// Returns true if two types are the same or not known to differ.
fn agree(cx: &FunctionVerifier<'_>, a: SilType, b: SilType) -> bool {
    a == b
        || a.is_unknown()
        || b.is_unknown()
        || a.is_address() == b.is_address() && may_be_same(cx, a.ty(), b.ty())
}

fn word(cx: &FunctionVerifier<'_>, inst: Inst, name: &str) -> Option<u32> {
    let at = cx.body.info(inst).attrs.iter().position(|a| a.name == name)?;
    Some(cx.body.words(inst)[at]).filter(|&w| w != NONE)
}

fn operand_type(cx: &FunctionVerifier<'_>, inst: Inst) -> SilType {
    cx.body.operands(inst).first().map_or_else(SilType::unknown, |o| cx.body.value(o.value).ty)
}

fn passed(cx: &FunctionVerifier<'_>, terminator: Inst, index: usize) -> PassedValues {
    let values = |spec: &str| {
        let info = cx.body.info(terminator);
        let at = info.operands.iter().position(|o| o.name == spec);
        let range = at.map_or(0..0, |at| cx.body.operand_range(terminator, at));
        PassedValues::Values(cx.body.operands(terminator)[range].iter().map(|o| o.value).collect())
    };
    match cx.body.inst(terminator).opcode {
        Opcode::Branch => values("args"),
        Opcode::CondBranch => values(if index == 0 { "true_args" } else { "false_args" }),
        Opcode::SwitchEnum => payload(cx, terminator, index),
        Opcode::TryApply => called(cx, terminator, index),
        Opcode::CheckedCastBranch => cast(cx, terminator, index),
        Opcode::AwaitAsyncContinuation => awaited(cx, terminator, index),
        Opcode::DynamicMethodBranch => {
            if index == 0 {
                PassedValues::Results(vec![SilType::unknown()])
            } else {
                PassedValues::Results(Vec::new())
            }
        }
        // The reference allows any arguments in the target of a `yield`; no value is passed.
        _ => PassedValues::Results(Vec::new()),
    }
}

/// Returns the values that `switch_enum` passes: the payload of the case. In non-OSSA functions the target may omit
/// the argument.
fn payload(cx: &FunctionVerifier<'_>, inst: Inst, index: usize) -> PassedValues {
    let cases = cx.body.list(word(cx, inst, "cases").unwrap_or(NONE));
    let takes = |to: Option<Block>| to.map_or(0, |to| cx.body.arguments(to).len());
    let target = cx.body.successor(inst, index);
    let Some(&case) = cases.get(2 * index) else {
        return default_payload(cx, operand_type(cx, inst), cases);
    };
    let operand = operand_type(cx, inst);
    let name = DeclRef::from_u32(case).name();
    let ty = name.and_then(|name| case_payload(cx, operand.ty(), name.as_str()));
    match ty {
        None => PassedValues::AtMostOne,
        Some(Payload::None) => PassedValues::Results(Vec::new()),
        Some(Payload::Of(_)) if !cx.is_ossa() && takes(target) == 0 => PassedValues::Results(Vec::new()),
        Some(Payload::Of(ty)) if ty.is_unknown() => PassedValues::Results(vec![SilType::unknown()]),
        Some(Payload::Of(ty)) => PassedValues::Results(vec![operand.with_type(ty)]),
    }
}

enum Payload {
    None,
    Of(Type),
}

/// Returns the value that the default passes: the payload of the only remaining case, or in OSSA the operand itself.
fn default_payload(cx: &FunctionVerifier<'_>, operand: SilType, cases: &[u32]) -> PassedValues {
    let left = remaining(cx, operand.ty(), cases);
    match left.as_deref() {
        Some([Payload::None]) => PassedValues::Results(Vec::new()),
        _ if !cx.is_ossa() => PassedValues::Results(Vec::new()),
        Some([Payload::Of(ty)]) if ty.is_unknown() => PassedValues::Results(vec![SilType::unknown()]),
        Some([Payload::Of(ty)]) => PassedValues::Results(vec![operand.with_type(*ty)]),
        // With no or several remaining cases, it is the whole value.
        Some(_) if cx.declarations().is_trivial(operand.ty(), cx.signature()) == Some(false) => {
            PassedValues::Results(vec![operand])
        }
        _ => PassedValues::AtMostOne,
    }
}

/// Returns the payloads of the cases that the default of a `switch_enum` covers.
fn remaining(cx: &FunctionVerifier<'_>, ty: Type, cases: &[u32]) -> Option<Vec<Payload>> {
    let listed: Vec<Symbol> = cases.iter().step_by(2).filter_map(|&c| DeclRef::from_u32(c).name()).collect();
    let names: Vec<Symbol> = match optional(ty) {
        Some(_) => vec![Symbol::new("some"), Symbol::new("none")],
        None => cx.declarations().nominal_of(ty)?.body.cases.iter().map(|c| c.name).collect(),
    };
    names.iter().filter(|n| !listed.contains(n)).map(|n| case_payload(cx, ty, n.as_str())).collect()
}

/// Returns the wrapped type of an optional type.
fn optional(ty: Type) -> Option<Type> {
    match ty.kind() {
        TypeKind::Optional(wrapped) => Some(*wrapped),
        TypeKind::Named(n) if n.parent.is_none() && n.name == "Optional" => n.args.first().copied(),
        _ => None,
    }
}

/// Returns the payload of a case; `None` if it is not known whether there is one.
fn case_payload(cx: &FunctionVerifier<'_>, ty: Type, case: &str) -> Option<Payload> {
    match (optional(ty), case) {
        (Some(wrapped), "some") => Some(Payload::Of(wrapped)),
        (Some(_), "none") => Some(Payload::None),
        _ => cx.declarations().enum_case(ty, case.into()).map(|found| match found.payload {
            None => Payload::None,
            // The payload of an indirect case is in a box.
            Some(_) if found.indirect => {
                Payload::Of(boxed_payload(cx, ty, case.into()).unwrap_or_else(Type::unknown))
            }
            Some(_) => Payload::Of(
                cx.declarations().enum_payload(ty, case.into()).map_or_else(Type::unknown, |p| p.ty),
            ),
        }),
    }
}

fn called(cx: &FunctionVerifier<'_>, inst: Inst, index: usize) -> PassedValues {
    let site = ApplySite::new(cx.body, inst, cx.addresses());
    let Some(callee) = site.and_then(|s| s.callee_type().ty().as_function()) else {
        return PassedValues::Unknown;
    };
    let error_is_direct = callee.error.is_some_and(|e| !cx.addresses().is_indirect_result(e.convention));
    match index {
        0 => {}
        _ if callee.error.is_none() => return PassedValues::Unknown,
        _ if !error_is_direct => return PassedValues::Results(Vec::new()),
        _ => {}
    }
    let passed = cx.body.with_callee(inst, cx.declarations(), |callee, types| match index {
        0 => types.direct_result(Conventions::new(callee, cx.addresses())),
        _ => callee.error.map_or_else(SilType::unknown, |error| SilType::object(types.of(error.ty))),
    });
    PassedValues::Results(vec![passed.unwrap_or_else(SilType::unknown)])
}

fn cast(cx: &FunctionVerifier<'_>, inst: Inst, index: usize) -> PassedValues {
    match index {
        0 => {
            // Formal types other than classes and values are lowered first.
            let target = word(cx, inst, "target_type").map(Type::from_u32);
            let target = target.filter(|t| matches!(t.kind(), TypeKind::Named(_)));
            PassedValues::Results(vec![target.map_or_else(SilType::unknown, SilType::object)])
        }
        _ if cx.is_ossa() => PassedValues::Results(vec![operand_type(cx, inst)]),
        _ => PassedValues::Results(Vec::new()),
    }
}

fn awaited(cx: &FunctionVerifier<'_>, inst: Inst, index: usize) -> PassedValues {
    if index > 0 {
        return PassedValues::Results(vec![SilType::unknown()]);
    }
    let resumed = |get: Inst| {
        let ty = word(cx, get, "resume").map(Type::from_u32);
        ty.filter(|t| matches!(t.kind(), TypeKind::Builtin(..) | TypeKind::Named(_)))
            .map_or_else(SilType::unknown, SilType::object)
    };
    let continuation = cx.body.operands(inst).first().map(|o| cx.body.def(o.value));
    let Some(silkit_ir::ValueDef::Result(def, _)) = continuation else { return PassedValues::Unknown };
    match cx.body.inst(def).opcode {
        Opcode::GetAsyncContinuation => PassedValues::Results(vec![resumed(def)]),
        Opcode::GetAsyncContinuationAddr => PassedValues::Results(Vec::new()),
        _ => PassedValues::Unknown,
    }
}

fn entry_takes_parameters(cx: &FunctionVerifier<'_>) {
    let Some(ty) = own_type(cx) else { return };
    let conventions = Conventions::new(&ty, cx.addresses());
    let Some(entry) = cx.body.entry_block() else { return };
    let arguments = cx.body.arguments(entry);
    let expected = conventions.argument_count();
    if arguments.len() != expected {
        let message = format!(
            "`{}` takes {} arguments, but the type of the function has {expected}",
            cx.block(entry),
            arguments.len()
        );
        cx.report(cx.finding(&ENTRY_TAKES_PARAMETERS, Place::Block(entry), message));
        return;
    }
    for (index, &argument) in arguments.iter().enumerate() {
        let takes = cx.body.value(argument).ty;
        let Some(wants) = conventions.argument_type(index) else { continue };
        // A tuple of packs stays in memory even with opaque values.
        let is_opaque = cx.addresses() == Addresses::Opaque;
        let wants = if is_opaque && holds_packs(wants.ty()) { wants.to_address() } else { wants };
        if takes.is_unknown() || wants.is_unknown() || agree(cx, takes, wants) {
            continue;
        }
        // With opaque values, a tuple of packs may still be in memory.
        if is_opaque && agree(cx, SilType::object(takes.ty()), wants) {
            continue;
        }
        let message =
            format!("`{}` has type `{takes}`, but the function takes `{wants}`", cx.value(argument));
        cx.report(cx.finding(&ENTRY_TAKES_PARAMETERS, Place::Value(argument), message));
    }
}

fn holds_packs(ty: Type) -> bool {
    let is_expansion = |ty: Type| matches!(ty.kind(), TypeKind::PackExpansion(_));
    match ty.kind() {
        TypeKind::Tuple(elements) => elements.iter().any(|e| is_expansion(e.ty)),
        TypeKind::Paren(inner) => is_expansion(*inner),
        _ => is_expansion(ty),
    }
}
