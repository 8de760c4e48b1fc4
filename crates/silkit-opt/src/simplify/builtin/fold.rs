//! Folds builtins with integer literals as operands.
//!
//! ```text
//! %0 = integer_literal $Builtin.Int64, 3
//! %1 = integer_literal $Builtin.Int64, 4
//! %2 = integer_literal $Builtin.Int1, -1
//! %3 = builtin "sadd_with_overflow_Int64"(%0, %1, %2) : $(Builtin.Int64, Builtin.Int1)
//! ---
//! %4 = integer_literal $Builtin.Int64, 7
//! %5 = integer_literal $Builtin.Int1, 0
//! %3 = tuple (%4, %5)
//! ```

use super::integer::Int;
use super::{base_name, builtin};
use silkit_ir::instructions::IntegerLiteral;
use silkit_ir::{Body, Inst, Value};
use silkit_transform::patterns::Rewriter;
use silkit_types::{SilType, TypeKind};

/// The result of a folded builtin.
enum Folded {
    /// A literal.
    One(i128),
    /// A tuple of two literals.
    Pair(i128, i128),
    /// One of its operands.
    Operand(Value),
}

/// Replaces uses of a builtin by its result if it is known; the builtin becomes dead.
pub(super) fn fold(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let Some(result) = rw.body().first_result(inst).filter(|&result| rw.body().is_used(result)) else {
        return;
    };
    let ty = rw.ty(result);
    let Some(name) = base_name(rw.body(), inst) else { return };
    let Some(folded) = folded(rw.body(), inst, name, ty).filter(|_| rw.may_change()) else { return };
    let value = match (folded, ty.ty().kind()) {
        (Folded::One(value), _) => rw.before(inst).integer_literal(ty, &*value.to_string()),
        (Folded::Pair(first, second), TypeKind::Tuple(elements)) if elements.len() == 2 => {
            let types = [SilType::object(elements[0].ty), SilType::object(elements[1].ty)];
            let mut builder = rw.before(inst);
            let first = builder.integer_literal(types[0], &*first.to_string());
            let second = builder.integer_literal(types[1], &*second.to_string());
            builder.tuple(&[first, second][..])
        }
        (Folded::Operand(value), _) => value,
        (Folded::Pair(..), _) => return,
    };
    rw.replace_all_uses(result, value);
}

/// Returns the value of an integer literal.
fn literal(body: &Body, value: Value) -> Option<Int> {
    let IntegerLiteral { ty, value } = body.def_as(value)?;
    Int::parse(value.as_str(), ty)
}

fn folded(body: &Body, inst: Inst, name: &str, ty: SilType) -> Option<Folded> {
    let operands: Vec<Value> = body.operands(inst).iter().map(|operand| operand.value).collect();
    let literals: Vec<Option<Int>> = operands.iter().map(|&value| literal(body, value)).collect();
    let one = |int: Int| Folded::One(int.signed());
    let flag = |is_set: bool| if is_set { -1 } else { 0 };
    match (literals[..].first().copied().flatten(), literals.get(1).copied().flatten()) {
        (Some(_), _) if matches!(name, "assumeNonNegative" | "int_expect") => {
            Some(Folded::Operand(operands[0]))
        }
        (Some(int), _) if name == "int_ctlz" => Some(Folded::One(int.leading_zeros().into())),
        (Some(int), _) if name == "int_cttz" => Some(Folded::One(int.trailing_zeros().into())),
        (Some(a), Some(b)) => {
            let compared = || a.compare(name, b).map(|holds| Folded::One(flag(holds)));
            let checked = || {
                let (result, overflows) = a.operate_checked(name.strip_prefix("int_").unwrap_or(name), b)?;
                Some(Folded::Pair(result.signed(), flag(overflows)))
            };
            a.operate(name, b).map(one).or_else(compared).or_else(checked)
        }
        (Some(int), None) if operands.len() == 1 => match ty.ty().kind() {
            TypeKind::Tuple(elements) => {
                let bits = SilType::object(elements.first()?.ty).integer_width()?;
                Some(Folded::Pair(int.convert_checked(name, bits)?.signed(), 0))
            }
            _ => int.convert(name, ty.integer_width()?).map(one),
        },
        _ if matches!(name, "inttoptr" | "ptrtoint") => {
            let inverse = if name == "inttoptr" { "ptrtoint" } else { "inttoptr" };
            let original = operand_of(body, *operands.first()?, inverse)?;
            (body.value(original).ty == ty).then_some(Folded::Operand(original))
        }
        (first, second) => {
            compared(body, name, &operands, (first, second)).map(|holds| Folded::One(flag(holds)))
        }
    }
}

/// Returns the operand of a builtin.
fn operand_of(body: &Body, value: Value, name: &str) -> Option<Value> {
    builtin(body, value).filter(|of| of.1 == name).map(|(inst, _)| body.operand_value(inst, 0))
}

/// Returns the result of comparing an unknown number with the minimum or maximum of its type.
fn compared(
    body: &Body,
    name: &str,
    operands: &[Value],
    literals: (Option<Int>, Option<Int>),
) -> Option<bool> {
    let is_zero = |int: Option<Int>| int.is_some_and(|int| int.signed() == 0);
    let is_max = |int: Option<Int>| int.is_some_and(Int::is_signed_max);
    let is_positive = |index: usize| {
        let operand = operands.get(index).and_then(|&value| builtin(body, value));
        operand.is_some_and(|(_, name)| name == "assumeNonNegative")
    };
    let (first, second) = literals;
    match name {
        "cmp_ult" if is_zero(second) => Some(false),
        "cmp_uge" if is_zero(second) => Some(true),
        "cmp_ule" if is_zero(first) => Some(true),
        "cmp_ugt" if is_zero(first) => Some(false),
        "cmp_slt" if is_max(first) || is_zero(second) && is_positive(0) => Some(false),
        "cmp_sge" if is_max(first) || is_zero(second) && is_positive(0) => Some(true),
        "cmp_sgt" if is_max(second) || is_zero(first) && is_positive(1) => Some(false),
        "cmp_sle" if is_max(second) || is_zero(first) && is_positive(1) => Some(true),
        _ => None,
    }
}
