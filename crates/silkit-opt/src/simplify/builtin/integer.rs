//! Fixed-width integer arithmetic on literal values.

use silkit_types::SilType;

/// An integer of up to 128 bits, sign-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Int {
    /// The number of bits.
    bits: u32,
    value: i128,
}

impl Int {
    /// Creates the integer with the lowest `bits` bits of a number.
    pub(super) fn new(value: i128, bits: u32) -> Self {
        let unused = 128 - bits;
        Self { bits, value: value << unused >> unused }
    }

    /// Parses an integer literal of a type; `None` if it has too many bits.
    pub(super) fn parse(text: &str, ty: SilType) -> Option<Self> {
        Some(Self::new(text.parse().ok()?, ty.integer_width()?))
    }

    /// Returns the signed value.
    pub(super) fn signed(self) -> i128 {
        self.value
    }

    /// Returns the unsigned value.
    pub(super) fn unsigned(self) -> u128 {
        let unused = 128 - self.bits;
        (self.value as u128) << unused >> unused
    }

    fn with(self, value: i128) -> Self {
        Self::new(value, self.bits)
    }

    /// Returns the result of a binary operation; `None` if it is undefined.
    pub(super) fn operate(self, operation: &str, other: Self) -> Option<Self> {
        let (a, b) = (self.value, other.value);
        let (ua, ub) = (self.unsigned(), other.unsigned());
        // The minimum divided by -1 overflows.
        let divides = b != 0 && !(b == -1 && self.with(a.wrapping_neg()).value == a);
        let shift = u32::try_from(ub).ok().filter(|&by| by < self.bits);
        let value = match operation {
            "add" => a.wrapping_add(b),
            "sub" => a.wrapping_sub(b),
            "mul" => a.wrapping_mul(b),
            "and" => a & b,
            "or" => a | b,
            "xor" => a ^ b,
            "shl" => a << shift?,
            "lshr" => (ua >> shift?) as i128,
            "ashr" => a >> shift?,
            "sdiv" if divides => a / b,
            "srem" if divides => a % b,
            "udiv" if ub != 0 => (ua / ub) as i128,
            "urem" if ub != 0 => (ua % ub) as i128,
            _ => return None,
        };
        Some(self.with(value))
    }

    /// Returns the result of `sadd_with_overflow` and similar operations, with the overflow flag.
    pub(super) fn operate_checked(self, operation: &str, other: Self) -> Option<(Self, bool)> {
        let (a, b) = (self.value, other.value);
        let (ua, ub) = (self.unsigned(), other.unsigned());
        let signed = |(value, overflowed): (i128, bool)| {
            let result = self.with(value);
            (result, overflowed || result.value != value)
        };
        let unsigned = |(value, overflowed): (u128, bool)| {
            let result = self.with(value as i128);
            (result, overflowed || result.unsigned() != value)
        };
        Some(match operation {
            "sadd_with_overflow" => signed(a.overflowing_add(b)),
            "ssub_with_overflow" => signed(a.overflowing_sub(b)),
            "smul_with_overflow" => signed(a.overflowing_mul(b)),
            "uadd_with_overflow" => unsigned(ua.overflowing_add(ub)),
            "usub_with_overflow" => unsigned(ua.overflowing_sub(ub)),
            "umul_with_overflow" => unsigned(ua.overflowing_mul(ub)),
            _ => return None,
        })
    }

    /// Returns the result of a comparison.
    pub(super) fn compare(self, comparison: &str, other: Self) -> Option<bool> {
        let (a, b) = (self.value, other.value);
        let (ua, ub) = (self.unsigned(), other.unsigned());
        Some(match comparison {
            "cmp_eq" => a == b,
            "cmp_ne" => a != b,
            "cmp_slt" => a < b,
            "cmp_sle" => a <= b,
            "cmp_sgt" => a > b,
            "cmp_sge" => a >= b,
            "cmp_ult" => ua < ub,
            "cmp_ule" => ua <= ub,
            "cmp_ugt" => ua > ub,
            "cmp_uge" => ua >= ub,
            _ => return None,
        })
    }

    /// Returns the integer converted to another width.
    pub(super) fn convert(self, conversion: &str, bits: u32) -> Option<Self> {
        let value = match conversion {
            "trunc" | "truncOrBitCast" | "sext" | "sextOrBitCast" => self.value,
            "zext" | "zextOrBitCast" => self.unsigned() as i128,
            _ => return None,
        };
        Some(Self::new(value, bits))
    }

    /// Returns the integer converted to a width, for `s_to_u_checked_trunc` and similar conversions; `None` if it does not
    /// fit.
    pub(super) fn convert_checked(self, conversion: &str, bits: u32) -> Option<Self> {
        let result = Self::new(self.value, bits);
        let back = match conversion {
            "s_to_s_checked_trunc" | "u_to_s_checked_trunc" => result.value,
            "s_to_u_checked_trunc" | "u_to_u_checked_trunc" => result.unsigned() as i128,
            _ => return None,
        };
        (Self::new(back, self.bits) == self).then_some(result)
    }

    /// Returns true if this is the maximum signed value of the width.
    pub(super) fn is_signed_max(self) -> bool {
        self.unsigned() == u128::MAX >> (129 - self.bits).min(127)
    }

    /// Returns the number of trailing zeros; for zero, the width.
    pub(super) fn trailing_zeros(self) -> u32 {
        self.unsigned().trailing_zeros().min(self.bits)
    }

    /// Returns the number of leading zeros.
    pub(super) fn leading_zeros(self) -> u32 {
        self.unsigned().leading_zeros() - (128 - self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int8(value: i128) -> Int {
        Int::new(value, 8)
    }

    #[test]
    fn numbers_wrap_at_their_width() {
        assert_eq!((int8(200).signed(), int8(200).unsigned()), (-56, 200));
        assert_eq!(int8(100).operate("add", int8(100)), Some(int8(-56)));
        assert_eq!(int8(-128).operate("sdiv", int8(-1)), None);
        assert_eq!(int8(1).operate("shl", int8(8)), None);
        assert_eq!(int8(-2).operate("lshr", int8(1)), Some(int8(127)));
    }

    #[test]
    fn overflow_is_seen() {
        assert_eq!(int8(127).operate_checked("sadd_with_overflow", int8(1)), Some((int8(-128), true)));
        assert_eq!(int8(127).operate_checked("uadd_with_overflow", int8(1)), Some((int8(-128), false)));
        assert_eq!(int8(0).operate_checked("usub_with_overflow", int8(1)), Some((int8(-1), true)));
        let wide = Int::new(i128::MAX, 128);
        assert_eq!(wide.operate_checked("smul_with_overflow", wide).map(|r| r.1), Some(true));
    }

    #[test]
    fn conversions_keep_the_number_or_fail() {
        let wide = |value| Int::new(value, 64);
        assert_eq!(wide(-2).convert("zext", 128), Some(Int::new(0xffff_ffff_ffff_fffe, 128)));
        assert_eq!(wide(200).convert_checked("s_to_s_checked_trunc", 8), None);
        assert_eq!(wide(200).convert_checked("s_to_u_checked_trunc", 8), Some(int8(200)));
        assert_eq!(wide(-1).convert_checked("u_to_u_checked_trunc", 8), None);
        assert_eq!(wide(5).leading_zeros(), 61);
        assert_eq!((wide(8).trailing_zeros(), wide(0).trailing_zeros()), (3, 64));
    }
}
