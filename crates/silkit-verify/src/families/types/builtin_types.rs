//! Rules for builtins: the types of their operands and results, and where they are allowed.

use super::concurrency::may_isolate;
use super::facts::{at_operand, operand};
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::info::BuiltinInfo;
use silkit_ir::{Body, Inst, Opcode};
use silkit_types::{SilType, Type, TypeKind};

pub(super) const RULES: &[&Rule] = &[&BUILTIN_TYPES, &DEFAULT_ACTOR];

static BUILTIN_TYPES: Rule = Rule {
    id: RuleId::new("SIL0377"),
    name: "BuiltinTypes",
    severity: Severity::Error,
    summary: "The operands and the result of an arithmetic builtin have the types of its name",
    details: "\
`add_Int32` adds two `Builtin.Int32`, `cmp_eq_Int32` compares two and gives a `Builtin.Int1`, and
`zext_Int32_Int64` converts the first type to the second. `sadd_with_overflow_Int32` gives a pair: the
sum, and a `Builtin.Int1` for the overflow.",
    failing: "\
sil @f : $@convention(thin) (Builtin.Int32, Builtin.Int64) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int32, %1 : $Builtin.Int64):
  %2 = builtin \"add_Int32\"(%0, %1) : $Builtin.Int32
  return %2
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.Int32, Builtin.Int32) -> Builtin.Int32 {
bb0(%0 : $Builtin.Int32, %1 : $Builtin.Int32):
  %2 = builtin \"add_Int32\"(%0, %1) : $Builtin.Int32
  return %2
}
",
    check: Check::Inst(&[Opcode::Builtin], builtin_types),
};

/// How an arithmetic builtin uses the types of its name.
#[derive(Clone, Copy)]
enum Arithmetic {
    /// `(T) -> T`.
    Unary,
    /// `(T, T) -> T`.
    Binary,
    /// `(T, T) -> Int1`.
    Comparison,
    /// `(A) -> B`.
    Conversion,
    /// `(T, T, Int1) -> (T, Int1)`: the sum, difference or product, and whether it overflows.
    Overflow,
}

fn arithmetic(name: &str) -> Option<Arithmetic> {
    Some(match name {
        "fneg" => Arithmetic::Unary,
        "add" | "sub" | "mul" | "sdiv" | "udiv" | "srem" | "urem" | "sdiv_exact" | "udiv_exact" | "and"
        | "or" | "xor" | "shl" | "lshr" | "ashr" | "fadd" | "fsub" | "fmul" | "fdiv" | "frem" => {
            Arithmetic::Binary
        }
        "sadd_with_overflow" | "uadd_with_overflow" | "ssub_with_overflow" | "usub_with_overflow"
        | "smul_with_overflow" | "umul_with_overflow" => Arithmetic::Overflow,
        "trunc" | "zext" | "sext" | "fptrunc" | "fpext" | "fptosi" | "fptoui" | "sitofp" | "uitofp"
        | "inttoptr" | "ptrtoint" | "bitcast" => Arithmetic::Conversion,
        name if name.starts_with("cmp_") || name.starts_with("fcmp_") => Arithmetic::Comparison,
        _ => return None,
    })
}

/// Returns the scalar type of a suffix: `$Builtin.Int32` for `Int32`.
fn suffix_type(suffix: &str) -> Option<SilType> {
    let is_scalar = suffix == "Word"
        || suffix == "RawPointer"
        || suffix.strip_prefix("Int").is_some_and(|bits| bits.parse::<u32>().is_ok())
        || suffix.strip_prefix("FPIEEE").is_some_and(|bits| bits.parse::<u32>().is_ok());
    is_scalar.then(|| SilType::object(Type::builtin(suffix)))
}

fn builtin_types(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(name) = cx.body.words(inst).first().and_then(|&word| Body::symbol(word)) else { return };
    let Some(info) = BuiltinInfo::find(name.as_str()).filter(|info| info.has_name(name.as_str())) else {
        return;
    };
    let Some(kind) = arithmetic(info.name) else { return };
    let suffixes = name.as_str().strip_prefix(info.name).unwrap_or_default();
    let types: Option<Vec<SilType>> = suffixes.split('_').skip(1).map(suffix_type).collect();
    let Some(types) = types else { return };
    let int1 = || SilType::object(Type::builtin("Int1"));
    let (operands, result): (Vec<SilType>, SilType) = match (kind, &types[..]) {
        (Arithmetic::Unary, &[ty]) => (vec![ty], ty),
        (Arithmetic::Binary, &[ty]) => (vec![ty, ty], ty),
        (Arithmetic::Comparison, &[ty]) => (vec![ty, ty], int1()),
        (Arithmetic::Conversion, &[from, to]) => (vec![from], to),
        // The compiler's own tests call them with operands of other widths, from which the result follows.
        (Arithmetic::Overflow, &[_]) => return overflow_types(cx, inst, name),
        _ => return,
    };
    let given = cx.body.operands(inst).len();
    if given != operands.len() {
        let message = format!("`{name}` takes {} operands, but {given} are given", operands.len());
        // The reference checks no types of builtins.
        cx.report(cx.finding(&BUILTIN_TYPES, Place::Inst(inst), message).warning());
        return;
    }
    for (index, wanted) in operands.into_iter().enumerate() {
        let actual = operand(cx, inst, index);
        if !actual.is_unknown() && actual != wanted {
            let message = format!("`{name}` takes `{wanted}`, found `{actual}`");
            cx.report(at_operand(cx, &BUILTIN_TYPES, inst, index, message).warning());
        }
    }
    let actual = cx.body.first_result(inst).map(|value| cx.body.value(value).ty);
    if let Some(actual) = actual.filter(|actual| !actual.is_unknown() && *actual != result) {
        let message = format!("the result of `{name}` has type `{result}`, not `{actual}`");
        cx.report(cx.finding(&BUILTIN_TYPES, Place::Inst(inst), message).warning());
    }
}

/// Checks that an operation that may overflow gives a value of the type of its operands, and a `Builtin.Int1`.
fn overflow_types(cx: &FunctionVerifier<'_>, inst: Inst, name: Symbol) {
    let result = cx.body.first_result(inst).map(|value| cx.body.value(value).ty);
    let (Some(result), &[_, _, _]) = (result, cx.body.operands(inst)) else { return };
    let [wanted, other] = [0, 1].map(|index| operand(cx, inst, index));
    if wanted.is_unknown() || other.is_unknown() || result.is_unknown() {
        return;
    }
    let is_pair = match result.ty().kind() {
        TypeKind::Tuple(elements) => {
            elements.len() == 2
                && elements[0].ty == wanted.ty()
                && matches!(elements[1].ty.kind(), TypeKind::Builtin(name, _) if *name == "Int1")
        }
        _ => false,
    };
    let message = if wanted != other {
        format!("`{name}` takes two operands of one type, found `{wanted}` and `{other}`")
    } else if !is_pair {
        format!("the result of `{name}` has type `({}, Builtin.Int1)`, not `{result}`", wanted.ty())
    } else {
        return;
    };
    // The reference checks no types of builtins.
    cx.report(cx.finding(&BUILTIN_TYPES, Place::Inst(inst), message).warning());
}

static DEFAULT_ACTOR: Rule = Rule {
    id: RuleId::new("SIL0378"),
    name: "DefaultActor",
    severity: Severity::Error,
    summary: "`initializeDefaultActor` and `destroyDefaultActor` work on actors",
    details: "\
A default actor is an instance of an actor class that has the storage of the default executor. Values of
other types have none.",
    failing: "\
import _Concurrency
sil @f : $@convention(thin) (Builtin.Int64) -> () {
bb0(%0 : $Builtin.Int64):
  %1 = builtin \"initializeDefaultActor\"(%0) : $()
  return %1
}
",
    corrected: "\
import _Concurrency
actor A {}
sil @f : $@convention(thin) (@guaranteed A) -> () {
bb0(%0 : $A):
  %1 = builtin \"initializeDefaultActor\"(%0) : $()
  return %1
}
",
    check: Check::Inst(&[Opcode::Builtin], default_actor),
};

fn default_actor(cx: &FunctionVerifier<'_>, inst: Inst) {
    let name = silkit_ir::ownership::builtin(cx.body, inst).map(|builtin| builtin.name);
    let Some(name @ ("initializeDefaultActor" | "destroyDefaultActor")) = name else { return };
    if cx.body.operands(inst).is_empty() {
        return;
    }
    let ty = operand(cx, inst, 0);
    if !ty.is_unknown() && may_isolate(cx, ty.ty()) == Some(false) {
        let message = format!("`{name}` works on a default actor, found `{ty}`");
        cx.report(at_operand(cx, &DEFAULT_ACTOR, inst, 0, message));
    }
}
