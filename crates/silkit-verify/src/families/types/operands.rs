//! Rules for the type requirements of the instruction table on operands and attributes.

use super::facts::{at_operand, lowers_addresses, operand, same, same_lowered};
use super::kinds::{describe, holds};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::{TypePredicate, TypeRule, TypeSubject};
use silkit_ir::{Inst, NONE, ValueDef};
use silkit_types::{SilType, TypeKind};

pub(super) const RULES: &[&Rule] = &[&OBJECT_OR_ADDRESS, &KIND_OF_TYPE, &OPERAND_TYPES_AGREE, &LOADABLE];

pub(super) static OBJECT_OR_ADDRESS: Rule = Rule {
    id: RuleId::new("SIL0301"),
    name: "ObjectOrAddress",
    severity: Severity::Error,
    summary: "An operand is an object (`$T`) or an address (`$*T`), as its instruction requires",
    details: "\
An instruction either works on a value or on the memory that holds one. `load` reads the value from an
address; to get an address for a value, allocate memory and store the value there.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $Builtin.Int64):
  %1 = load %0 : $Builtin.Int64
  return %1 : $Builtin.Int64
}
",
    corrected: "\
sil @f : $@convention(thin) (@in_guaranteed Builtin.Int64) -> Builtin.Int64 {
bb0(%0 : $*Builtin.Int64):
  %1 = load %0 : $*Builtin.Int64
  return %1 : $Builtin.Int64
}
",
    check: Check::Inst(&[], table),
};

pub(super) static KIND_OF_TYPE: Rule = Rule {
    id: RuleId::new("SIL0302"),
    name: "KindOfType",
    severity: Severity::Error,
    summary: "An operand or a stated type is of a kind that its instruction supports",
    details: "\
Each instruction is defined for some kinds of types: a struct, an enum, a class, a function, a metatype,
`Builtin.Int1`, …; `silkit explain` of the instruction lists them.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  cond_fail %0 : $Builtin.Int64, \"overflow\"
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_fail %0 : $Builtin.Int1, \"overflow\"
  %2 = tuple ()
  return %2 : $()
}
",
    check: Check::With(&["SIL0301"]),
};

static OPERAND_TYPES_AGREE: Rule = Rule {
    id: RuleId::new("SIL0303"),
    name: "OperandTypesAgree",
    severity: Severity::Error,
    summary: "Operands that stand for the same value or memory have the same type",
    details: "\
A value that is stored, copied or selected has the type of the memory or of the result. With another
type a later load would reinterpret it. Cast the value or the address first.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int64) -> @out Builtin.Int32 {
bb0(%0 : $*Builtin.Int32, %1 : $Builtin.Int64):
  store %1 to %0 : $*Builtin.Int32
  %3 = tuple ()
  return %3 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int64) -> @out Builtin.Int64 {
bb0(%0 : $*Builtin.Int64, %1 : $Builtin.Int64):
  store %1 to %0 : $*Builtin.Int64
  %3 = tuple ()
  return %3 : $()
}
",
    check: Check::With(&["SIL0301"]),
};

static LOADABLE: Rule = Rule {
    id: RuleId::new("SIL0304"),
    name: "Loadable",
    severity: Severity::Error,
    summary: "Only a value of a loadable type is loaded from memory",
    details: "\
The size of a value of a generic or resilient type is not known at compile time, and the address of a
weak reference is part of it: such values stay in memory. Pass the address on, or copy with `copy_addr`.",
    failing: "\
sil @f : $@convention(thin) <T> (@in_guaranteed T) -> () {
bb0(%0 : $*T):
  %1 = load %0 : $*T
  %2 = tuple ()
  return %2 : $()
}
",
    corrected: "\
sil @f : $@convention(thin) <T> (@in_guaranteed T) -> () {
bb0(%0 : $*T):
  %1 = alloc_stack $T
  copy_addr %0 to [init] %1 : $*T
  destroy_addr %1 : $*T
  dealloc_stack %1 : $*T
  %5 = tuple ()
  return %5 : $()
}
",
    check: Check::With(&["SIL0301"]),
};

/// Checks the type requirements of the table for one instruction and reports one violation of each.
fn table(cx: &FunctionVerifier<'_>, inst: Inst) {
    for rule in cx.body.info(inst).types {
        match rule.of {
            TypeSubject::Operand(spec) => {
                for index in cx.body.operand_range(inst, spec.into()) {
                    let ty = operand(cx, inst, index);
                    // `undef` has the type that its use requires.
                    let is_undef = cx.body.def(cx.body.operand_value(inst, index)) == ValueDef::Undef;
                    if !is_undef && !ty.is_unknown() && !check(cx, inst, *rule, ty, Some(index)) {
                        return;
                    }
                }
            }
            TypeSubject::Attr(attr) => {
                if let Some(ty) = attribute(cx, inst, attr)
                    && !check(cx, inst, *rule, ty, None)
                {
                    return;
                }
            }
        }
    }
}

fn attribute(cx: &FunctionVerifier<'_>, inst: Inst, attr: u8) -> Option<SilType> {
    let word = cx.body.words(inst)[usize::from(attr)];
    (word != NONE).then(|| SilType::from_u32(word)).filter(|t| !t.is_unknown())
}

fn subject(cx: &FunctionVerifier<'_>, inst: Inst, of: TypeSubject) -> Option<SilType> {
    match of {
        TypeSubject::Attr(attr) => attribute(cx, inst, attr),
        TypeSubject::Operand(spec) => {
            let index = cx.body.operand_range(inst, spec.into()).next()?;
            Some(operand(cx, inst, index)).filter(|t| !t.is_unknown())
        }
    }
}

/// Returns true if a requirement of the table holds or is not known to be violated.
fn check(cx: &FunctionVerifier<'_>, inst: Inst, rule: TypeRule, ty: SilType, index: Option<usize>) -> bool {
    use TypePredicate as P;
    let place = || index.map_or(Place::Inst(inst), |i| Place::Operand(cx.body.operand_id(inst, i)));
    let answer = match rule.is {
        P::Address | P::Object | P::Loadable if !lowers_addresses(cx) => return true,
        P::Address => Some(ty.is_address()),
        P::Object => Some(!ty.is_address()),
        P::Same(of) => subject(cx, inst, of).and_then(|other| {
            if other.is_address() == ty.is_address() {
                same_lowered(cx, ty.ty(), other.ty())
            } else {
                Some(false)
            }
        }),
        P::SameObject(of) => subject(cx, inst, of).and_then(|other| same_lowered(cx, ty.ty(), other.ty())),
        P::Referring(of) => match (ty.ty().kind(), subject(cx, inst, of)) {
            (TypeKind::Storage(_, referent), Some(other)) => same(cx, *referent, other.ty()),
            _ => None,
        },
        // A literal type without a size exists only at compile time.
        P::Integer if index.is_some() && is_literal(ty) => Some(false),
        kind => holds(cx, ty.ty(), kind),
    };
    if answer == Some(true) {
        return true;
    }
    let (broken, other) = match rule.is {
        P::Address | P::Object => (&OBJECT_OR_ADDRESS, None),
        P::Loadable => (&LOADABLE, None),
        P::Same(of) | P::SameObject(of) | P::Referring(of) => (&OPERAND_TYPES_AGREE, subject(cx, inst, of)),
        _ => (&KIND_OF_TYPE, None),
    };
    let name = |of: TypeSubject| match of {
        TypeSubject::Operand(spec) => cx.body.info(inst).operands[usize::from(spec)].name,
        TypeSubject::Attr(attr) => cx.body.info(inst).attrs[usize::from(attr)].name,
    };
    let what = name(rule.of);
    if answer.is_none() {
        cx.unknown(broken, place(), || {
            format!("it is unknown whether the {what} `{ty}` is {}", describe(rule.is))
        });
        return true;
    }
    let op = cx.body.info(inst).name;
    let message = match (rule.is, other) {
        (P::Same(of) | P::SameObject(of) | P::Referring(of), Some(other)) => {
            format!("the {what} of `{op}` is `{ty}`, which does not fit its {}, `{other}`", name(of))
        }
        _ => format!("`{op}` expects {} as its {what}, found `{ty}`", describe(rule.is)),
    };
    cx.report(match index {
        Some(index) => at_operand(cx, broken, inst, index, message),
        None => cx.finding(broken, place(), message),
    });
    false
}

fn is_literal(ty: SilType) -> bool {
    matches!(ty.ty().kind(), TypeKind::Builtin(name, _) if *name == "IntLiteral")
}
