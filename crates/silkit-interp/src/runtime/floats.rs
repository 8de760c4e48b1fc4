//! Conversions between floating-point numbers and text.

use super::{Call, Effect, NativeFn};
use crate::exec::Number;
use crate::interp::Interp;
use crate::violation::Run;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Half, X87DoubleExtended};

pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("swift_float16ToString", |it, call| to_string(it, call, 16)),
    ("swift_float32ToString", |it, call| to_string(it, call, 32)),
    ("swift_float64ToString", |it, call| to_string(it, call, 64)),
    ("swift_float80ToString", |it, call| to_string(it, call, 80)),
    ("_swift_stdlib_strtof16_clocale", |it, call| from_string(it, call, 16)),
    ("_swift_stdlib_strtof_clocale", |it, call| from_string(it, call, 32)),
    ("_swift_stdlib_strtod_clocale", |it, call| from_string(it, call, 64)),
    ("_swift_stdlib_strtold_clocale", |it, call| from_string(it, call, 80)),
];

/// Returns the shortest digits that round to a number, and the exponent with which `0.digits` is the number. If there
/// are several shortest digit strings, returns the nearest one.
fn shortest(number: Number) -> (String, i32) {
    let text = match number {
        Number::Single(n) => {
            nearest(&format!("{:e}", n.abs()), f64::from(n.abs()), |t| t.parse() == Ok(n.abs()))
        }
        Number::Double(n) => nearest(&format!("{:e}", n.abs()), n.abs(), |t| t.parse() == Ok(n.abs())),
        Number::Half(n) => {
            // Each number of this type can be represented exactly in the wider type.
            let bits = n.abs().to_bits() as u32;
            let (fraction, exponent) = (f64::from(bits & 0x3ff), (bits >> 10 & 0x1f) as i32);
            let wide = match exponent {
                0 => fraction * 2f64.powi(-24),
                _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
            };
            let is_read = |t: &str| t.parse::<Half>().is_ok_and(|read| read.to_bits() == n.abs().to_bits());
            // Just below a power of two, the even one of two equally near digit strings can be parsed as another
            // number.
            let above = f64::from_bits(wide.to_bits() + 1);
            let texts = (0..5).flat_map(|digits| [wide, above].map(|n| format!("{n:.digits$e}")));
            { texts }.find(|t| is_read(t)).unwrap_or_else(|| format!("{wide:e}"))
        }
        Number::Extended(n) => shortest_extended(n.abs()),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = mantissa.find('.').unwrap_or(mantissa.len()) as i32;
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_start_matches('0').trim_end_matches('0');
    (digits.to_owned(), exponent + point - leading as i32)
}

/// Returns the digit string nearest to a number among those with the length of `text`. Ties are broken to even.
fn nearest(text: &str, number: f64, is_read: impl Fn(&str) -> bool) -> String {
    let mantissa = text.split_once('e').map_or(text, |(mantissa, _)| mantissa);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count().saturating_sub(1);
    let even = format!("{number:.digits$e}");
    if is_read(&even) { even } else { text.to_owned() }
}

/// Returns the shortest digits of an extended number: its exact digits are rounded to more and more places until the
/// result is parsed as the number.
fn shortest_extended(number: X87DoubleExtended) -> String {
    let bits = number.to_bits();
    let significand = bits as u64;
    let exponent = ((bits >> 64) as i32 & 0x7fff).max(1) - 16383 - 63;
    let (digits, point, is_exact) = decimal(significand, exponent);
    for count in 1..=21.min(digits.len()) {
        for is_exact in [is_exact, false] {
            let text = rounded(&digits, count, point, is_exact);
            if text.parse::<X87DoubleExtended>().is_ok_and(|read| read.to_bits() == bits) {
                return text;
            }
        }
    }
    rounded(&digits, 21.min(digits.len()), point, is_exact)
}

/// Returns the leading digits of `significand * 2^exponent` (at least 22 if there are as many), the power of ten that
/// they are multiplied by, and true if they are exact.
fn decimal(significand: u64, exponent: i32) -> (Vec<u8>, i32, bool) {
    // The number of decimal places that are kept, and the number scaled by them, in words from lowest to highest.
    let highest = exponent + 64 - significand.leading_zeros() as i32;
    let places = 24 - (f64::from(highest) * std::f64::consts::LOG10_2) as i32;
    let mut words = vec![significand as u32, (significand >> 32) as u32];
    let mut is_exact = true;
    for _ in 0..places {
        multiply(&mut words, 10);
    }
    let shift = exponent.unsigned_abs();
    for _ in 0..shift / 31 {
        if exponent > 0 {
            multiply(&mut words, 1 << 31);
        } else {
            is_exact &= divide(&mut words, 1 << 31) == 0;
        }
    }
    let rest = 1 << (shift % 31);
    if exponent > 0 {
        multiply(&mut words, rest);
    } else {
        is_exact &= divide(&mut words, rest) == 0;
    }
    for _ in places..0 {
        is_exact &= divide(&mut words, 10) == 0;
    }
    let mut digits = Vec::new();
    while words.iter().any(|&word| word != 0) {
        digits.push(divide(&mut words, 10) as u8);
    }
    digits.reverse();
    (digits, -places, is_exact)
}

fn multiply(words: &mut Vec<u32>, by: u32) {
    let mut carry = 0;
    for word in words.iter_mut() {
        let product = u64::from(*word) * u64::from(by) + carry;
        *word = product as u32;
        carry = product >> 32;
    }
    if carry != 0 {
        words.push(carry as u32);
    }
}

/// Divides a multi-word number in place and returns the remainder.
fn divide(words: &mut Vec<u32>, by: u32) -> u32 {
    let mut remainder = 0;
    for word in words.iter_mut().rev() {
        let value = remainder << 32 | u64::from(*word);
        *word = (value / u64::from(by)) as u32;
        remainder = value % u64::from(by);
    }
    while words.last() == Some(&0) {
        words.pop();
    }
    remainder as u32
}

/// Rounds digits to `count` digits. Ties are broken to even.
fn rounded(digits: &[u8], count: usize, point: i32, is_exact: bool) -> String {
    let (kept, rest) = digits.split_at(count);
    let mut kept = kept.to_vec();
    let is_half = rest.first() == Some(&5) && is_exact && rest[1..].iter().all(|&d| d == 0);
    let is_up = match is_half {
        true => kept.last().is_some_and(|d| d % 2 == 1),
        false => rest.first().is_some_and(|&d| d >= 5),
    };
    if is_up {
        let nines = kept.iter().rev().take_while(|&&d| d == 9).count();
        let at = kept.len() - nines;
        kept[at..].fill(0);
        match at.checked_sub(1) {
            Some(at) => kept[at] += 1,
            None => kept.insert(0, 1),
        }
    }
    let text: String = kept.iter().map(|d| char::from(b'0' + d)).collect();
    format!("{text}e{}", point + rest.len() as i32)
}

/// The properties of a number other than its digits: sign, NaN, infinity, zero.
struct Class {
    negative: bool,
    nan: Option<(bool, u128)>,
    infinite: bool,
    zero: bool,
}

fn classify(number: Number) -> Class {
    let bits = number.to_bits();
    let (width, mantissa, exponent) = match number {
        Number::Half(_) => (16, 10, 5),
        Number::Single(_) => (32, 23, 8),
        Number::Double(_) => (64, 52, 11),
        // The integer bit is explicit.
        Number::Extended(_) => (80, 64, 15),
    };
    let fraction_bits = if width == 80 { 63 } else { mantissa };
    let fraction = bits & ((1u128 << fraction_bits) - 1);
    let exponent_bits = (bits >> mantissa) & ((1 << exponent) - 1);
    let is_special = exponent_bits == (1 << exponent) - 1;
    let quiet = 1u128 << (fraction_bits - 1);
    Class {
        negative: bits >> (width - 1) & 1 == 1,
        nan: (is_special && fraction != 0).then_some((fraction & quiet == 0, fraction & ((quiet >> 1) - 1))),
        infinite: is_special && fraction == 0,
        zero: exponent_bits == 0 && fraction == 0 && (width != 80 || bits & (1 << 63) == 0),
    }
}

/// Returns true if a number is printed with an exponent because it is large.
fn is_large(number: Number) -> bool {
    match number {
        Number::Half(_) => false,
        Number::Single(n) => n.abs() > 16_777_216.0,
        Number::Double(n) => n.abs() > 9_007_199_254_740_992.0,
        Number::Extended(n) => n.abs() > X87DoubleExtended::from_u128(1 << 64).value,
    }
}

/// Returns the text of a number, as Swift prints it.
pub(crate) fn text(number: Number, debug: bool) -> String {
    let class = classify(number);
    let sign = if class.negative { "-" } else { "" };
    if let Some((signaling, payload)) = class.nan {
        let name = if signaling { "snan" } else { "nan" };
        return if debug && payload != 0 {
            format!("{sign}{name}({payload:#x})")
        } else {
            format!("{sign}{name}")
        };
    }
    if class.infinite {
        return format!("{sign}inf");
    }
    if class.zero {
        return format!("{sign}0.0");
    }
    let (digits, exponent) = shortest(number);
    if exponent < -3 || is_large(number) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let exponent = exponent - 1;
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{mark}{:02}", exponent.abs());
    }
    let count = digits.len() as i32;
    if exponent <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(-exponent as usize));
    }
    if let Number::Half(half) = number
        && exponent >= count
    {
        // Integers are printed exactly, although fewer digits would identify them.
        return format!("{sign}{}.0", half.abs().to_u128(64).value);
    }
    if exponent >= count {
        return format!("{sign}{digits}{}.0", "0".repeat((exponent - count) as usize));
    }
    let (whole, fraction) = digits.split_at(exponent as usize);
    format!("{sign}{whole}.{fraction}")
}

fn to_string(it: &mut Interp<'_>, call: &Call<'_>, bits: u8) -> Run<Effect> {
    let (buffer, value) = (it.arg(call, 0), it.get_number(call.args[2], bits));
    let debug = it.get_byte(call.args[3]) & 1 != 0;
    let text = text(value, debug);
    it.c_write(buffer, text.as_bytes())?;
    it.set(call.result, text.len() as u64);
    Ok(Effect::Done)
}

/// Parses the longest prefix of a text that is a number. Returns the length of the prefix and the value.
fn parse(text: &str, bits: u8) -> Option<(usize, Number)> {
    let lower = text.to_ascii_lowercase();
    let unsigned = lower.trim_start_matches(['+', '-']);
    let sign = lower.len() - unsigned.len();
    if sign > 1 {
        return None;
    }
    let negative = lower.starts_with('-');
    for (name, len) in [("infinity", 8), ("inf", 3), ("nan", 3)] {
        if unsigned.starts_with(name) {
            let value = if name == "nan" { f64::NAN } else { f64::INFINITY };
            let value = if negative { -value } else { value };
            return Some((sign + len, Number::Double(value).convert(bits)));
        }
    }
    let digits = |s: &str| s.len() - s.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if let Some(hex) = unsigned.strip_prefix("0x") {
        return parse_hexadecimal(hex, bits, negative).map(|(len, n)| (sign + 2 + len, n));
    }
    let whole = digits(unsigned);
    let mut end = whole;
    if unsigned[end..].starts_with('.') {
        let fraction = digits(&unsigned[end + 1..]);
        if whole + fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if let Some(rest) = unsigned[end..].strip_prefix('e') {
        let signed = rest.trim_start_matches(['+', '-']);
        let count = digits(signed);
        if count > 0 && rest.len() - signed.len() <= 1 {
            end += 1 + (rest.len() - signed.len()) + count;
        }
    }
    let number = &lower[..sign + end];
    let value = match bits {
        16 => Number::Half(number.parse::<Half>().ok()?),
        32 => Number::Single(number.parse().ok()?),
        64 => Number::Double(number.parse().ok()?),
        _ => Number::Extended(number.parse::<X87DoubleExtended>().ok()?),
    };
    Some((sign + end, value))
}

fn parse_hexadecimal(hex: &str, bits: u8, negative: bool) -> Option<(usize, Number)> {
    let hex_digits = |s: &str| s.len() - s.trim_start_matches(|c: char| c.is_ascii_hexdigit()).len();
    let whole = hex_digits(hex);
    let mut end = whole;
    if hex[end..].starts_with('.') {
        end += 1 + hex_digits(&hex[end + 1..]);
    }
    if end == 0 || (end == 1 && whole == 0) {
        return None;
    }
    let mut text = format!("{}0x{}", if negative { "-" } else { "" }, &hex[..end]);
    let mut len = end;
    match hex[end..].strip_prefix('p') {
        Some(rest) => {
            let signed = rest.trim_start_matches(['+', '-']);
            let count = signed.len() - signed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if count > 0 {
                len += 1 + (rest.len() - signed.len()) + count;
            }
            text.push_str(if count > 0 { &hex[end..len] } else { "p0" });
        }
        None => text.push_str("p0"),
    }
    let value = match bits {
        16 => Number::Half(text.parse().ok()?),
        32 => {
            Number::Single(f32::from_bits(text.parse::<rustc_apfloat::ieee::Single>().ok()?.to_bits() as u32))
        }
        64 => {
            Number::Double(f64::from_bits(text.parse::<rustc_apfloat::ieee::Double>().ok()?.to_bits() as u64))
        }
        _ => Number::Extended(text.parse().ok()?),
    };
    Some((len, value))
}

/// Parses a number and writes it. Returns the address after the number's text, or null if there is no number.
fn from_string(it: &mut Interp<'_>, call: &Call<'_>, bits: u8) -> Run<Effect> {
    let (from, to) = (it.arg(call, 0), it.arg(call, 1));
    let bytes = it.c_string(from)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let trimmed = text.trim_start();
    let skipped = text.len() - trimmed.len();
    let Some((len, value)) = parse(trimmed, bits).filter(|_| skipped == 0) else {
        it.set(call.result, 0);
        return Ok(Effect::Done);
    };
    let size = if bits == 80 { 10 } else { usize::from(bits / 8) };
    let mut stored = value.to_bits().to_le_bytes()[..size].to_vec();
    if bits == 80 {
        stored.resize(16, 0);
    }
    it.c_write(to, &stored)?;
    it.set(call.result, from + len as u64);
    Ok(Effect::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_swift_prints_them() {
        let double = |n: f64| text(Number::Double(n), false);
        assert_eq!(double(1.0), "1.0");
        assert_eq!(double(1e16), "1e+16");
        assert_eq!(double(1e15), "1000000000000000.0");
        assert_eq!(double(9_007_199_254_740_992.0), "9007199254740992.0");
        assert_eq!(double(9_007_199_254_740_994.0), "9.007199254740994e+15");
        assert_eq!(double(0.0001), "0.0001");
        assert_eq!(double(0.00001), "1e-05");
        assert_eq!(double(5e-324), "5e-324");
        assert_eq!(double(-0.0), "-0.0");
        assert_eq!(double(123_456_789.125), "123456789.125");
        assert_eq!(double(f64::NEG_INFINITY), "-inf");
        assert_eq!(text(Number::Double(f64::from_bits(0x7FF8_0000_0000_0005)), true), "nan(0x5)");
        assert_eq!(text(Number::Double(f64::from_bits(0x7FF0_0000_0000_0005)), true), "snan(0x5)");
        assert_eq!(
            text(Number::Double(f64::from_bits(0xFFFE_3B8F_1652_6B47)), true),
            "-nan(0x23b8f16526b47)"
        );
        // Two digit strings are equally near.
        assert_eq!(double(f64::from_bits(0x42D2_96A3_0E32_75E8)), "81752760043991.62");
        assert_eq!(text(Number::Single(f32::from_bits(0xC9A3_50E2)), false), "-1337884.2");
        assert_eq!(text(Number::Single(16_777_218.0), false), "1.6777218e+07");
        assert_eq!(text(Number::Single(0.1), false), "0.1");
    }

    #[test]
    fn half_and_extended_numbers_print_their_shortest_digits() {
        let half = |text_in: &str| text(Number::Half(text_in.parse().unwrap()), false);
        assert_eq!(half("3.14159"), "3.14");
        assert_eq!(half("65504"), "65504.0");
        assert_eq!(half("1e-7"), "1e-07");
        assert_eq!(half("6.5565e-06"), "6.56e-06");
        assert_eq!(half("7.39098e-06"), "7.4e-06");
        assert_eq!(half("0.00090027"), "0.0009003");
        assert_eq!(half("0.015625"), "0.01563");
        let extended = |text_in: &str| text(Number::Extended(text_in.parse().unwrap()), false);
        assert_eq!(extended("3.14159265358979323846"), "3.1415926535897932385");
        assert_eq!(extended("18446744073709551616"), "18446744073709551616.0");
        assert_eq!(extended("0x1.8p64"), "2.7670116110564327424e+19");
        assert_eq!(extended("1.9e19"), "1.9e+19");
        assert_eq!(extended("968475.35506519558675"), "968475.35506519558675");
        assert_eq!(extended("952571.5356068204614"), "952571.5356068204614");
        assert_eq!(extended("7.9693032446527521396e140"), "7.9693032446527521396e+140");
        assert_eq!(extended("3.6e-4951"), "4e-4951");
    }

    #[test]
    fn numbers_are_read_as_far_as_they_go() {
        let read = |text: &str| parse(text, 64).map(|(len, n)| (len, f64::from_bits(n.to_bits() as u64)));
        assert_eq!(read("1.5e3x"), Some((5, 1500.0)));
        assert_eq!(read("-inf"), Some((4, f64::NEG_INFINITY)));
        assert_eq!(read("0x1.8p1"), Some((7, 3.0)));
        assert_eq!(read("."), None);
        assert_eq!(read("1e"), Some((1, 1.0)));
    }
}
