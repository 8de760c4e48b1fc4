//! Floating-point values of 80 and 128 bits with large exponents, in decimal.
//!
//! The digits are those of LLVM's formatting with default precision: the exact value, truncated to about as many bits
//! as the precision needs, then rounded half up. Such a value always prints with an exponent. (`rustc_apfloat`
//! produces the same text in time quadratic in the exponent.)

use num_bigint::BigUint;

/// Below this exponent, in bits, the general algorithm is fast, and the form depends on the value.
const LARGE: i32 = 256;

/// Returns the text of an 80-bit value (x87); `None` if its exponent is not large or it is not finite.
pub(super) fn x87(bits: u128) -> Option<String> {
    let (exponent, significand) = ((bits >> 64) as i32 & 0x7FFF, bits & u128::from(u64::MAX));
    let is_plain = exponent != 0x7FFF && significand != 0 && (exponent == 0) == (significand >> 63 == 0);
    let text = || decimal(bits >> 79 & 1 == 1, significand, exponent.max(1) - 16383 - 63, 64);
    is_plain.then(text).flatten()
}

/// Returns the text of a 128-bit value; `None` if its exponent is not large or it is not finite.
pub(super) fn quad(bits: u128) -> Option<String> {
    let (exponent, fraction) = ((bits >> 112) as i32 & 0x7FFF, bits & ((1 << 112) - 1));
    let significand = if exponent == 0 { fraction } else { fraction | 1 << 112 };
    let is_plain = exponent != 0x7FFF && significand != 0;
    let text = || decimal(bits >> 127 == 1, significand, exponent.max(1) - 16383 - 112, 113);
    is_plain.then(text).flatten()
}

/// Returns `significand × 2^exponent` in decimal; the significand has up to `precision` bits.
fn decimal(is_negative: bool, significand: u128, exponent: i32, precision: u32) -> Option<String> {
    let zeros = significand.trailing_zeros();
    let (significand, exponent) = (significand >> zeros, exponent + zeros as i32);
    if exponent.abs() < LARGE {
        return None;
    }
    let wanted = (2 + precision * 59 / 196) as usize;
    // The value is an integer times a power of ten, of which only the first digits are computed.
    let power = exponent.unsigned_abs();
    let length = 128 - significand.leading_zeros();
    let (bits, mut ten) = if exponent > 0 {
        (length + power, 0)
    } else {
        let logarithm = (significand as f64).log2() + f64::from(power) * 5f64.log2();
        (logarithm.floor() as u32 + 1, -(power as i32))
    };
    let needed = (wanted as u32 * 196).div_ceil(59);
    let removable = bits.saturating_sub(needed) * 59 / 196;
    let other = power.checked_sub(removable)?;
    let number = if exponent > 0 {
        (BigUint::from(significand) << other) / BigUint::from(5u8).pow(removable)
    } else {
        (BigUint::from(significand) * BigUint::from(5u8).pow(other)) >> removable
    };
    let mut digits = number.to_string().into_bytes();
    ten += removable as i32;
    let mut next = None;
    if digits.len() > trimmed(&digits).min(wanted) && trimmed(&digits) > wanted {
        next = digits.get(wanted).copied();
        ten += (digits.len() - wanted) as i32;
        digits.truncate(wanted);
    }
    if next.is_some_and(|digit| digit >= b'5') {
        while digits.last() == Some(&b'9') {
            digits.pop();
            ten += 1;
        }
        match digits.last_mut() {
            Some(last) => *last += 1,
            None => digits.push(b'1'),
        }
    }
    let kept = trimmed(&digits);
    ten += (digits.len() - kept) as i32;
    digits.truncate(kept);
    let exponent = ten + kept as i32 - 1;
    let text = String::from_utf8(digits).ok()?;
    let (first, rest) = text.split_at(1);
    let rest = if rest.is_empty() { "0" } else { rest };
    let sign = if is_negative { "-" } else { "" };
    Some(format!("{sign}{first}.{rest}E{exponent:+}"))
}

/// Returns the number of digits without trailing zeros.
fn trimmed(digits: &[u8]) -> usize {
    digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_apfloat::Float;
    use rustc_apfloat::ieee::{Quad, X87DoubleExtended};

    #[test]
    fn digits_are_those_of_the_general_way() {
        let mut seed = 0x9E37_79B9_7F4A_7C15_u128;
        let mut random = || {
            seed = seed
                .wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645)
                .wrapping_add(0x1234_5678_9ABC_DEF1);
            seed ^ seed >> 67
        };
        let mut checked = 0;
        let mut values = vec![1, 0x8000_0000_0000_0000 | 1 << 64, 0x7FFE_u128 << 64 | u128::from(u64::MAX)];
        values.extend((0..120).map(|_| {
            let exponent = random() & 0xFFFF;
            let significand = random() & u128::from(u64::MAX) | 1 << 63;
            exponent << 64 | significand
        }));
        values.extend((0..60).map(|n| (0x4200 + n * 37) << 64 | 1 << 63));
        for bits in values {
            let Some(text) = x87(bits) else { continue };
            assert_eq!(text, X87DoubleExtended::from_bits(bits).to_string(), "{bits:x}");
            checked += 1;
        }
        for bits in (0..40).map(|_| random()) {
            let Some(text) = quad(bits) else { continue };
            assert_eq!(text, Quad::from_bits(bits).to_string(), "{bits:x}");
            checked += 1;
        }
        assert!(checked > 120, "{checked}");
    }
}
