//! Builtins whose result is one of their operands.

use super::is_literal;
use silkit_ir::instructions::{Builtin, IntegerLiteral};
use silkit_ir::{Body, Inst, Value};

/// Returns the value that is equal to the result of a builtin.
pub(super) fn same_value(body: &Body, inst: Inst) -> Option<Value> {
    let builtin: Builtin<'_> = body.view_as(inst)?;
    let mut operands = builtin.args.iter();
    let (first, second) = (operands.next()?, operands.next());
    let (operation, _) = builtin.name.as_str().split_once('_')?;
    match operation {
        "shl" | "ashr" | "lshr" => is_literal(body, second?, "0").then_some(first),
        // The expected value does not matter for a literal.
        "int" if builtin.name.as_str().starts_with("int_expect_") => {
            body.def_as::<IntegerLiteral>(first).map(|_| first)
        }
        "inttoptr" => operand_of(body, first, &["ptrtoint"]),
        "truncOrBitCast" if is_identity(body, inst, first) => Some(first),
        "truncOrBitCast" => operand_of(body, first, &["zextOrBitCast", "sextOrBitCast"]),
        "zextOrBitCast" | "sextOrBitCast" => is_identity(body, inst, first).then_some(first),
        "xor" => reverted_xor(body, first, second?).or_else(|| reverted_xor(body, second?, first)),
        _ => None,
    }
}

fn is_identity(body: &Body, inst: Inst, operand: Value) -> bool {
    body.first_result(inst).is_some_and(|result| body.value(result).ty == body.value(operand).ty)
}

/// Returns the first operand of one of some builtins.
fn operand_of(body: &Body, value: Value, operations: &[&str]) -> Option<Value> {
    let builtin: Builtin<'_> = body.def_as(value)?;
    let (operation, _) = builtin.name.as_str().split_once('_')?;
    if operations.contains(&operation) { builtin.args.iter().next() } else { None }
}

/// Returns `x` if one operand is `xor` of `x` and the other operand.
fn reverted_xor(body: &Body, inner: Value, other: Value) -> Option<Value> {
    let builtin: Builtin<'_> =
        body.def_as(inner).filter(|b: &Builtin<'_>| b.name.as_str().starts_with("xor_"))?;
    let mut operands = builtin.args.iter();
    match (operands.next()?, operands.next()?) {
        (left, right) if right == other => Some(left),
        (left, right) if left == other => Some(right),
        _ => None,
    }
}

/// Returns the operand that is equal to a sum, difference or product: the other operand is neutral, or this one is the
/// zero of a product.
pub(super) fn known_result(body: &Body, sum: Value) -> Option<Value> {
    let builtin: Builtin<'_> = body.def_as(sum)?;
    let (operation, _) = builtin.name.as_str().split_once("_with_overflow")?;
    let mut operands = builtin.args.iter();
    let (first, second) = (operands.next()?, operands.next()?);
    let neutral = match operation {
        "sadd" | "uadd" | "ssub" | "usub" => "0",
        "smul" | "umul" => "1",
        _ => return None,
    };
    let is_product = neutral == "1";
    let is_commutative = !matches!(operation, "ssub" | "usub");
    match (first, second) {
        _ if is_literal(body, second, neutral) => Some(first),
        _ if is_literal(body, first, neutral) && is_commutative => Some(second),
        _ if is_product => [first, second].into_iter().find(|&value| is_literal(body, value, "0")),
        _ => None,
    }
}
