//! Functions of the C math library.

use super::{Call, Effect, NativeFn};
use crate::exec::Number;
use crate::interp::Interp;
use crate::violation::{Run, unsupported};
use rustc_apfloat::Float;

macro_rules! unary {
    ($($name:literal, $single:literal => $function:expr;)*) => {
        &[$(
            ($name, |it, call| {
                let x = f64::from_bits(it.arg(call, 0));
                let f: fn(f64) -> f64 = $function;
                it.set(call.result, f(x).to_bits());
                Ok(Effect::Done)
            }),
            ($single, |it, call| {
                let x = f32::from_bits(it.arg32(call, 0));
                let f: fn(f64) -> f64 = $function;
                it.set_int(call.result, 4, u64::from((f(f64::from(x)) as f32).to_bits()));
                Ok(Effect::Done)
            }),
        )*]
    };
}

pub(super) const UNARY: &[(&str, NativeFn)] = unary! {
    "sqrt", "sqrtf" => f64::sqrt;
    "sin", "sinf" => f64::sin;
    "cos", "cosf" => f64::cos;
    "tan", "tanf" => f64::tan;
    "asin", "asinf" => f64::asin;
    "acos", "acosf" => f64::acos;
    "atan", "atanf" => f64::atan;
    "sinh", "sinhf" => f64::sinh;
    "cosh", "coshf" => f64::cosh;
    "tanh", "tanhf" => f64::tanh;
    "exp", "expf" => f64::exp;
    "exp2", "exp2f" => f64::exp2;
    "log", "logf" => f64::ln;
    "log2", "log2f" => f64::log2;
    "log10", "log10f" => f64::log10;
    "floor", "floorf" => f64::floor;
    "ceil", "ceilf" => f64::ceil;
    "round", "roundf" => f64::round;
    "trunc", "truncf" => f64::trunc;
    "fabs", "fabsf" => f64::abs;
    "cbrt", "cbrtf" => f64::cbrt;
    "asinh", "asinhf" => f64::asinh;
    "acosh", "acoshf" => f64::acosh;
    "atanh", "atanhf" => f64::atanh;
    "expm1", "expm1f" => f64::exp_m1;
    "log1p", "log1pf" => f64::ln_1p;
    "rint", "rintf" => f64::round_ties_even;
    "nearbyint", "nearbyintf" => f64::round_ties_even;
    "_stdlib_squareRoot", "_stdlib_squareRootf" => f64::sqrt;
};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("pow", pow),
    ("powf", powf),
    ("fmod", fmod),
    ("fmodf", fmodf),
    ("atan2", atan2),
    ("atan2f", atan2f),
    ("hypot", hypot),
    ("hypotf", hypotf),
    ("_stdlib_remainder", remainder),
    ("_stdlib_remainderf", remainder_single),
    ("_stdlib_remainderl", remainder_extended),
    ("_stdlib_squareRootl", square_root_extended),
];

/// Returns the C function that an overload for `Float` in the module of the C library calls: `sinf` for
/// `Glibc.sin(_: Float) -> Float`.
pub(super) fn float_overload(symbol: &str) -> Option<String> {
    let rest = symbol.strip_prefix("$s5Glibc")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (name, ty) = rest[digits..].split_at_checked(rest[..digits].parse().ok()?)?;
    matches!(ty, "yS2fF" | "yS2f_SftF").then(|| format!("{name}f"))
}

fn binary(it: &mut Interp<'_>, call: &Call<'_>, f: fn(f64, f64) -> f64) -> Run<Effect> {
    let (a, b) = (f64::from_bits(it.arg(call, 0)), f64::from_bits(it.arg(call, 1)));
    it.set(call.result, f(a, b).to_bits());
    Ok(Effect::Done)
}

fn pow(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary(it, call, f64::powf)
}

fn binary_single(it: &mut Interp<'_>, call: &Call<'_>, f: fn(f32, f32) -> f32) -> Run<Effect> {
    let (a, b) = (f32::from_bits(it.arg32(call, 0)), f32::from_bits(it.arg32(call, 1)));
    it.set_int(call.result, 4, u64::from(f(a, b).to_bits()));
    Ok(Effect::Done)
}

fn powf(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary_single(it, call, f32::powf)
}

fn fmod(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary(it, call, |a, b| a % b)
}

fn fmodf(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary_single(it, call, |a, b| a % b)
}

fn atan2(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary(it, call, f64::atan2)
}

fn atan2f(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary_single(it, call, f32::atan2)
}

fn hypot(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary(it, call, f64::hypot)
}

fn hypotf(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    binary_single(it, call, f32::hypot)
}

fn ieee_remainder(bits: u8, a: Number, b: Number) -> Option<Number> {
    Some(match (a.convert(80), b.convert(80)) {
        (Number::Extended(a), Number::Extended(b)) => {
            let value = a.ieee_rem(b).value;
            // The NaN that an x86 processor makes for an invalid operation is negative.
            let is_made = value.is_nan() && !a.is_nan() && !b.is_nan();
            Number::Extended(if is_made { -value.abs() } else { value }).convert(bits)
        }
        _ => return None,
    })
}

fn remainder_of(it: &mut Interp<'_>, call: &Call<'_>, bits: u8) -> Run<Effect> {
    let (a, b) = (it.get_number(call.args[0], bits), it.get_number(call.args[1], bits));
    let Some(value) = ieee_remainder(bits, a, b) else { return unsupported("this remainder") };
    it.set_number(call.result, bits, value);
    Ok(Effect::Done)
}

fn remainder(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    remainder_of(it, call, 64)
}

fn remainder_single(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    remainder_of(it, call, 32)
}

fn remainder_extended(it: &mut Interp<'_>, call: &Call<'_>) -> Run<Effect> {
    remainder_of(it, call, 80)
}

fn square_root_extended(_: &mut Interp<'_>, _: &Call<'_>) -> Run<Effect> {
    unsupported("the square root of an 80-bit floating-point number")
}
