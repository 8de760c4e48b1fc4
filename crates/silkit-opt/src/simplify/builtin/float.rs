//! Folds builtins with floating-point literals as operands or results.
//!
//! ```text
//! %0 = float_literal $Builtin.FPIEEE80, 0x4000A000000000000000
//! %1 = builtin "fptrunc_FPIEEE80_FPIEEE64"(%0) : $Builtin.FPIEEE64
//! ---
//! %1 = float_literal $Builtin.FPIEEE64, 0x4004000000000000
//! ```

use super::base_name;
use super::integer::Int;
use rustc_apfloat::ieee::{Double, Half, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use silkit_ir::instructions::{FloatLiteral, IntegerLiteral};
use silkit_ir::{Body, Inst, Opcode, Value};
use silkit_transform::patterns::Rewriter;
use silkit_types::{SilType, TypeKind};
use std::cmp::Ordering;

/// Returns the width of a floating-point type in bits.
fn float_width(ty: SilType) -> Option<u32> {
    let TypeKind::Builtin(name, _) = ty.ty().kind() else { return None };
    name.as_str().strip_prefix("FPIEEE")?.parse().ok().filter(|bits| matches!(bits, 16 | 32 | 64 | 80))
}

/// Returns a literal in the widest format, which represents the values of all other formats exactly.
fn number(body: &Body, value: Value) -> Option<X87DoubleExtended> {
    let FloatLiteral { ty, value } = body.def_as(value)?;
    let bits = u128::from_str_radix(value.as_str().strip_prefix("0x")?, 16).ok()?;
    Some(match float_width(ty)? {
        16 => widened(Half::from_bits(bits)),
        32 => widened(Single::from_bits(bits)),
        64 => widened(Double::from_bits(bits)),
        _ => X87DoubleExtended::from_bits(bits),
    })
}

fn widened<F: FloatConvert<X87DoubleExtended>>(number: F) -> X87DoubleExtended {
    number.convert(&mut false).value
}

/// Returns the bits of a number in a format, rounded to nearest.
fn bits(number: X87DoubleExtended, width: u32) -> u128 {
    match width {
        16 => FloatConvert::<Half>::convert(number, &mut false).value.to_bits(),
        32 => FloatConvert::<Single>::convert(number, &mut false).value.to_bits(),
        64 => FloatConvert::<Double>::convert(number, &mut false).value.to_bits(),
        _ => number.to_bits(),
    }
}

/// The result of a folded builtin.
enum Folded {
    Float(u128),
    Int(i128),
}

/// Replaces uses of a builtin by its result if it is known; the builtin becomes dead.
pub(super) fn fold(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(result) = body.first_result(inst).filter(|&result| body.is_used(result)) else { return };
    let ty = rw.ty(result);
    let operand = body.operands(inst).first().and_then(|operand| body.defining_inst(operand.value));
    let may_fold = match operand.map(|operand| body.inst(operand).opcode) {
        Some(Opcode::FloatLiteral) => true,
        Some(Opcode::IntegerLiteral) => float_width(ty).is_some(),
        _ => false,
    };
    let Some(name) = may_fold.then(|| base_name(body, inst)).flatten() else { return };
    let Some(folded) = folded(rw.body(), inst, name, ty).filter(|_| rw.may_change()) else { return };
    let mut builder = rw.before(inst);
    let value = match folded {
        Folded::Float(bits) => builder.float_literal(ty, &*format!("0x{bits:X}")),
        Folded::Int(number) => builder.integer_literal(ty, &*number.to_string()),
    };
    rw.replace_all_uses(result, value);
}

fn folded(body: &Body, inst: Inst, name: &str, ty: SilType) -> Option<Folded> {
    let operands = body.operands(inst);
    let operand = |index: usize| operands.get(index).map(|operand| operand.value);
    let first = operand(0)?;
    match name {
        "fptrunc" => Some(Folded::Float(bits(number(body, first)?, float_width(ty)?))),
        "itofp_with_overflow" | "sitofp" => {
            let IntegerLiteral { ty: from, value } = body.def_as(first)?;
            let integer = Int::parse(value.as_str(), from)?.signed();
            Some(Folded::Float(from_integer(integer, float_width(ty)?)))
        }
        "fptosi" => {
            let rounded =
                number(body, first)?.to_i128_r(ty.integer_width()? as usize, Round::TowardZero, &mut false);
            (!rounded.status.contains(Status::INVALID_OP)).then_some(Folded::Int(rounded.value))
        }
        "fptoui" => {
            let bits = ty.integer_width()?;
            let number = number(body, first)?;
            if number.is_negative() && !number.is_zero() {
                return None;
            }
            let rounded = number.to_u128_r(bits as usize, Round::TowardZero, &mut false);
            let fits = !rounded.status.contains(Status::INVALID_OP);
            fits.then(|| Folded::Int(Int::new(rounded.value as i128, bits).signed()))
        }
        "int_rint" => {
            let rounded = number(body, first)?.round_to_integral(Round::NearestTiesToEven).value;
            Some(Folded::Float(bits(rounded, float_width(ty)?)))
        }
        "bitcast" if float_width(ty).is_some() => {
            let IntegerLiteral { ty: from, value } = body.def_as(first)?;
            let integer = Int::parse(value.as_str(), from)?;
            (from.integer_width() == float_width(ty)).then(|| Folded::Float(integer.unsigned()))
        }
        "bitcast" => {
            let FloatLiteral { ty: from, value } = body.def_as(first)?;
            let bits = u128::from_str_radix(value.as_str().strip_prefix("0x")?, 16).ok()?;
            (float_width(from)? == ty.integer_width()?)
                .then(|| Folded::Int(Int::new(bits as i128, float_width(from).unwrap_or(64)).signed()))
        }
        "fadd" | "fsub" | "fmul" | "fdiv" => {
            let (a, b) = (number(body, first)?, number(body, operand(1)?)?);
            let width = float_width(ty)?;
            Some(Folded::Float(operate(name, bits(a, width), bits(b, width), width)?))
        }
        _ => {
            let condition = name.strip_prefix("fcmp_")?;
            let order = number(body, first)?.partial_cmp(&number(body, operand(1)?)?);
            Some(Folded::Int(if holds(condition, order)? { -1 } else { 0 }))
        }
    }
}

/// Returns whether a condition holds for two numbers in this order; unordered conditions also hold if one of them is not a
/// number.
fn holds(condition: &str, order: Option<Ordering>) -> Option<bool> {
    let Some(order) = order else { return Some(condition.starts_with('u')) };
    Some(match condition {
        "olt" | "ult" => order == Ordering::Less,
        "ole" | "ule" => order != Ordering::Greater,
        "ogt" | "ugt" => order == Ordering::Greater,
        "oge" | "uge" => order != Ordering::Less,
        "oeq" | "ueq" => order == Ordering::Equal,
        "one" | "une" => order != Ordering::Equal,
        "ord" | "uno" => condition == "ord",
        _ => return None,
    })
}

/// Returns the bits of an integer converted to a floating-point format.
fn from_integer(integer: i128, width: u32) -> u128 {
    match width {
        16 => Half::from_i128(integer).value.to_bits(),
        32 => Single::from_i128(integer).value.to_bits(),
        64 => Double::from_i128(integer).value.to_bits(),
        _ => X87DoubleExtended::from_i128(integer).value.to_bits(),
    }
}

/// Returns the result of an operation in the format of its operands, with one rounding.
fn operate(name: &str, a: u128, b: u128, width: u32) -> Option<u128> {
    fn run<F: Float>(name: &str, a: F, b: F) -> u128 {
        let result = match name {
            "fadd" => a + b,
            "fsub" => a - b,
            "fmul" => a * b,
            _ => a / b,
        };
        result.value.to_bits()
    }
    match width {
        16 => Some(run(name, Half::from_bits(a), Half::from_bits(b))),
        32 => Some(run(name, Single::from_bits(a), Single::from_bits(b))),
        64 => Some(run(name, Double::from_bits(a), Double::from_bits(b))),
        _ => None,
    }
}
