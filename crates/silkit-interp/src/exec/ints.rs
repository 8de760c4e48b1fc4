//! Integers of up to 128 bits.

use crate::interp::Interp;
use crate::op::{IntOp, IntUnary, Slot};
use crate::violation::{Run, ViolationKind};

/// Returns the size in bytes of an integer with the given number of bits.
pub(crate) fn int_size(bits: u8) -> u32 {
    match bits {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => 16,
    }
}

/// Returns the lowest bits of a word.
pub(crate) fn truncate(value: u128, bits: u8) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// Sign-extends a value that has the given number of bits.
pub(crate) fn sign_extend(value: u128, bits: u8) -> i128 {
    let shift = 128 - u32::from(bits);
    if shift == 128 { 0 } else { (value << shift) as i128 >> shift }
}

/// Returns the result of a binary operation and its overflow flag, or `None` for a division by zero.
pub(crate) fn compute(op: IntOp, bits: u8, a: u128, b: u128) -> Option<(u128, bool)> {
    use IntOp as I;
    let (sa, sb) = (sign_extend(a, bits), sign_extend(b, bits));
    let signed = |(value, wide): (i128, bool)| {
        let result = truncate(value as u128, bits);
        (result, wide || sign_extend(result, bits) != value)
    };
    let unsigned = |(value, wide): (u128, bool)| {
        let result = truncate(value, bits);
        (result, wide || result != value)
    };
    let bool = |b: bool| (u128::from(b), false);
    let shift_in_range = b < u128::from(bits);
    Some(match op {
        I::Add => (truncate(a.wrapping_add(b), bits), false),
        I::Sub => (truncate(a.wrapping_sub(b), bits), false),
        I::Mul => (truncate(a.wrapping_mul(b), bits), false),
        I::UDiv | I::UDivExact => (a.checked_div(b)?, false),
        I::URem => (a.checked_rem(b)?, false),
        I::SDiv | I::SDivExact | I::SRem if sb == 0 => return None,
        I::SDiv | I::SDivExact => (truncate(sa.wrapping_div(sb) as u128, bits), false),
        I::SRem => (truncate(sa.wrapping_rem(sb) as u128, bits), false),
        I::And => (a & b, false),
        I::Or => (a | b, false),
        I::Xor => (a ^ b, false),
        I::Shl => (if shift_in_range { truncate(a << b, bits) } else { 0 }, false),
        I::LShr => (if shift_in_range { a >> b } else { 0 }, false),
        I::AShr => {
            let by = if shift_in_range { b as u32 } else { u32::from(bits) - 1 };
            (truncate((sa >> by) as u128, bits), false)
        }
        I::SAddO => signed(sa.overflowing_add(sb)),
        I::SSubO => signed(sa.overflowing_sub(sb)),
        I::SMulO => signed(sa.overflowing_mul(sb)),
        I::UAddO => unsigned(a.overflowing_add(b)),
        I::USubO => (truncate(a.wrapping_sub(b), bits), b > a),
        I::UMulO => unsigned(a.overflowing_mul(b)),
        I::Eq => bool(a == b),
        I::Ne => bool(a != b),
        I::Slt => bool(sa < sb),
        I::Sle => bool(sa <= sb),
        I::Sgt => bool(sa > sb),
        I::Sge => bool(sa >= sb),
        I::Ult => bool(a < b),
        I::Ule => bool(a <= b),
        I::Ugt => bool(a > b),
        I::Uge => bool(a >= b),
    })
}

/// Returns the precondition of an operation that its operands violate, as the end of a message.
pub(crate) fn violated_precondition(op: IntOp, bits: u8, a: u128, b: u128) -> Option<String> {
    use IntOp as I;
    let (sa, sb) = (sign_extend(a, bits), sign_extend(b, bits));
    let smallest = sign_extend(1 << (bits.clamp(1, 128) - 1), bits);
    match op {
        I::Shl | I::LShr | I::AShr if b >= u128::from(bits) => {
            Some(format!("shifting an integer of {bits} bits by {b}"))
        }
        I::SDiv | I::SDivExact | I::SRem if sb == -1 && sa == smallest => {
            Some(format!("dividing {sa}, the smallest integer of {bits} bits, by -1"))
        }
        I::SDivExact if sb != 0 && sa.wrapping_rem(sb) != 0 => {
            Some(format!("an exact division of {sa} by {sb}, which has a remainder"))
        }
        I::UDivExact if b != 0 && !a.is_multiple_of(b) => {
            Some(format!("an exact division of {a} by {b}, which has a remainder"))
        }
        _ => None,
    }
}

/// Returns true if the result of an operation is a Boolean.
pub(crate) fn is_comparison(op: IntOp) -> bool {
    op as u8 >= IntOp::Eq as u8
}

/// Returns the result of a unary operation.
pub(crate) fn compute_unary(op: IntUnary, bits: u8, a: u128) -> u128 {
    let width = u32::from(bits);
    match op {
        IntUnary::Ctlz => u128::from(a.leading_zeros() - (128 - width)),
        IntUnary::Cttz => u128::from(a.trailing_zeros().min(width)),
        IntUnary::Ctpop => u128::from(a.count_ones()),
        IntUnary::Bswap => a.swap_bytes() >> (128 - width),
        IntUnary::BitReverse => a.reverse_bits() >> (128 - width),
    }
}

/// Returns the result of a binary operation on integers of fewer than 64 bits and its overflow flag. Returns `None` for
/// a division, which can fail, and for a shift by the width or more.
#[inline]
fn compute_small(op: IntOp, bits: u8, a: u64, b: u64) -> Option<(u64, bool)> {
    use IntOp as I;
    let mask = (1u64 << bits) - 1;
    let extend = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
    // The operands have fewer than 64 bits, so that sums and differences do not overflow here.
    let signed = |value: i64| {
        let result = value as u64 & mask;
        (result, extend(result) != value)
    };
    let bool = |b: bool| (u64::from(b), false);
    Some(match op {
        I::Add => (a.wrapping_add(b) & mask, false),
        I::Sub => (a.wrapping_sub(b) & mask, false),
        I::Mul => (a.wrapping_mul(b) & mask, false),
        I::And => (a & b, false),
        I::Or => (a | b, false),
        I::Xor => (a ^ b, false),
        I::Shl if b < u64::from(bits) => (a << b & mask, false),
        I::LShr if b < u64::from(bits) => (a >> b, false),
        I::AShr if b < u64::from(bits) => ((extend(a) >> b) as u64 & mask, false),
        I::SAddO => signed(extend(a) + extend(b)),
        I::SSubO => signed(extend(a) - extend(b)),
        I::UAddO => ((a + b) & mask, a + b > mask),
        I::USubO => (a.wrapping_sub(b) & mask, b > a),
        I::Eq => bool(a == b),
        I::Ne => bool(a != b),
        I::Slt => bool(extend(a) < extend(b)),
        I::Sle => bool(extend(a) <= extend(b)),
        I::Sgt => bool(extend(a) > extend(b)),
        I::Sge => bool(extend(a) >= extend(b)),
        I::Ult => bool(a < b),
        I::Ule => bool(a <= b),
        I::Ugt => bool(a > b),
        I::Uge => bool(a >= b),
        _ => return None,
    })
}

impl Interp<'_> {
    /// Reads an integer of fewer than 64 bits.
    #[inline]
    fn small(&self, slot: Slot, bits: u8) -> u64 {
        let word = match int_size(bits) {
            1 => u64::from(self.get_byte(slot)),
            2 => u64::from(u16::from_le_bytes([self.get_byte(slot), self.get_byte(slot + 1)])),
            4 => self.get_u32(slot),
            _ => self.get(slot),
        };
        word & ((1 << bits) - 1)
    }

    #[inline]
    fn get_u32(&self, slot: Slot) -> u64 {
        let mut word = [0; 4];
        word.copy_from_slice(self.bytes(slot, 4));
        u64::from(u32::from_le_bytes(word))
    }

    /// Writes an integer of at most 64 bits.
    #[inline]
    fn set_small(&mut self, slot: Slot, bits: u8, value: u64) {
        match int_size(bits) {
            1 => self.set_byte(slot, value as u8),
            2 => self.bytes_mut(slot, 2).copy_from_slice(&(value as u16).to_le_bytes()),
            4 => self.bytes_mut(slot, 4).copy_from_slice(&(value as u32).to_le_bytes()),
            _ => self.set(slot, value),
        }
    }

    /// Reads an integer with the given number of bits.
    pub(crate) fn get_wide(&self, slot: Slot, bits: u8) -> u128 {
        let mut word = [0; 16];
        let size = int_size(bits);
        word[..size as usize].copy_from_slice(self.bytes(slot, size));
        truncate(u128::from_le_bytes(word), bits)
    }

    pub(crate) fn set_wide(&mut self, slot: Slot, bits: u8, value: u128) {
        let size = int_size(bits);
        let bytes = value.to_le_bytes();
        self.bytes_mut(slot, size).copy_from_slice(&bytes[..size as usize]);
    }

    #[inline]
    pub(super) fn int(&mut self, op: IntOp, bits: u8, to: Slot, a: Slot, b: Slot) -> Run<()> {
        if bits == 64 {
            return self.int64(op, to, a, b);
        }
        if bits < 64
            && let Some((value, overflow)) = compute_small(op, bits, self.small(a, bits), self.small(b, bits))
        {
            if is_comparison(op) {
                self.set_byte(to, value as u8);
                return Ok(());
            }
            self.set_small(to, bits, value);
            if Self::has_overflow(op) {
                self.set_byte(to + int_size(bits), u8::from(overflow));
            }
            return Ok(());
        }
        let (a, b) = (self.get_wide(a, bits), self.get_wide(b, bits));
        let (value, overflow) = self.arithmetic(op, bits, a, b)?;
        self.set_result(op, bits, to, value, overflow);
        Ok(())
    }

    /// Returns the result of an operation and its overflow flag, or the violation of its precondition.
    pub(crate) fn arithmetic(&self, op: IntOp, bits: u8, a: u128, b: u128) -> Run<(u128, bool)> {
        if let Some(message) = violated_precondition(op, bits, a, b) {
            self.require(false, || message)?;
        }
        compute(op, bits, a, b).ok_or_else(|| self.failure(132, "Division by zero".to_owned()))
    }

    /// Returns a violation if a precondition does not hold.
    pub(crate) fn require(&self, holds: bool, message: impl FnOnce() -> String) -> Run<()> {
        if holds || !self.options.checks(ViolationKind::Precondition) {
            return Ok(());
        }
        Err(self.violation(ViolationKind::Precondition, message(), None))
    }

    fn set_result(&mut self, op: IntOp, bits: u8, to: Slot, value: u128, overflow: bool) {
        if is_comparison(op) {
            self.set_byte(to, value as u8);
            return;
        }
        self.set_wide(to, bits, value);
        if Self::has_overflow(op) {
            self.set_byte(to + int_size(bits), u8::from(overflow));
        }
    }

    fn int64(&mut self, op: IntOp, to: Slot, a: Slot, b: Slot) -> Run<()> {
        use IntOp as I;
        let (a, b) = (self.get(a), self.get(b));
        let (sa, sb) = (a as i64, b as i64);
        let value = match op {
            I::Add => a.wrapping_add(b),
            I::Sub => a.wrapping_sub(b),
            I::Mul => a.wrapping_mul(b),
            I::And => a & b,
            I::Or => a | b,
            I::Xor => a ^ b,
            I::Shl if b < 64 => a << b,
            I::LShr if b < 64 => a >> b,
            I::AShr if b < 64 => (sa >> b) as u64,
            I::Eq => return self.set_bool(to, a == b),
            I::Ne => return self.set_bool(to, a != b),
            I::Slt => return self.set_bool(to, sa < sb),
            I::Sle => return self.set_bool(to, sa <= sb),
            I::Sgt => return self.set_bool(to, sa > sb),
            I::Sge => return self.set_bool(to, sa >= sb),
            I::Ult => return self.set_bool(to, a < b),
            I::Ule => return self.set_bool(to, a <= b),
            I::Ugt => return self.set_bool(to, a > b),
            I::Uge => return self.set_bool(to, a >= b),
            _ => {
                let (value, overflow) = self.arithmetic(op, 64, a.into(), b.into())?;
                self.set_result(op, 64, to, value, overflow);
                return Ok(());
            }
        };
        self.set(to, value);
        Ok(())
    }

    fn set_bool(&mut self, to: Slot, value: bool) -> Run<()> {
        self.set_byte(to, u8::from(value));
        Ok(())
    }

    pub(super) fn int_unary(&mut self, op: IntUnary, bits: u8, to: Slot, a: Slot) {
        let value = compute_unary(op, bits, self.get_wide(a, bits));
        self.set_wide(to, bits, value);
    }

    pub(super) fn resize(&mut self, signed: bool, from_bits: u8, to_bits: u8, to: Slot, from: Slot) {
        if from_bits < 64 && to_bits <= 64 {
            let value = self.small(from, from_bits);
            let value =
                if signed { ((value << (64 - from_bits)) as i64 >> (64 - from_bits)) as u64 } else { value };
            self.set_small(to, to_bits, if to_bits == 64 { value } else { value & ((1 << to_bits) - 1) });
            return;
        }
        let value = self.get_wide(from, from_bits);
        let value = if signed { sign_extend(value, from_bits) as u128 } else { value };
        self.set_wide(to, to_bits, truncate(value, to_bits));
    }

    /// Truncates an integer. Returns true if the value does not fit. Source and result have a signedness and a width
    /// each.
    pub(super) fn checked_trunc(&mut self, source: (bool, u8), target: (bool, u8), to: Slot, from: Slot) {
        let value = self.get_wide(from, source.1);
        let result = truncate(value, target.1);
        let fits = match (source.0, target.0) {
            (true, true) => sign_extend(value, source.1) == sign_extend(result, target.1),
            (true, false) => sign_extend(value, source.1) >= 0 && value == result,
            (false, true) => result == value && sign_extend(result, target.1) >= 0,
            (false, false) => result == value,
        };
        self.set_wide(to, target.1, result);
        self.set_byte(to + int_size(target.1), u8::from(!fits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preconditions_are_those_of_the_width() {
        use IntOp as I;
        let is_violated = |op, bits, a, b| violated_precondition(op, bits, a, b).is_some();
        for (op, bits, a, b, expected) in [
            (I::Shl, 8, 1, 7, false),
            (I::Shl, 8, 1, 8, true),
            (I::LShr, 128, 1, 127, false),
            (I::AShr, 128, 1, 128, true),
            (I::SDiv, 8, 0x80, 0xFF, true),
            (I::SDiv, 8, 0x81, 0xFF, false),
            (I::SRem, 128, 1 << 127, u128::MAX, true),
            (I::SDivExact, 8, 0xFB, 2, true),
            (I::SDivExact, 8, 0xFC, 2, false),
            (I::UDivExact, 64, 9, 3, false),
            (I::UDivExact, 64, 9, 2, true),
            (I::UDiv, 64, 9, 2, false),
        ] {
            assert_eq!(is_violated(op, bits, a, b), expected, "{op:?} {bits} {a} {b}");
        }
    }

    #[test]
    fn small_operations_agree_with_wide_ones() {
        use IntOp as I;
        let all = [
            I::Add,
            I::Sub,
            I::Mul,
            I::And,
            I::Or,
            I::Xor,
            I::Shl,
            I::LShr,
            I::AShr,
            I::SAddO,
            I::SSubO,
            I::UAddO,
            I::USubO,
            I::SMulO,
            I::Eq,
            I::Ne,
            I::Slt,
            I::Sle,
            I::Sgt,
            I::Sge,
            I::Ult,
            I::Ule,
            I::Ugt,
            I::Uge,
        ];
        let mut compared = 0;
        for bits in [1, 5, 8, 16, 31, 32, 63] {
            let mask = (1u64 << bits) - 1;
            let values = [0, 1, 2, 3, 7, 30, 100, mask / 2, mask / 2 + 1, mask - 1, mask].map(|v| v & mask);
            for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
                for op in all {
                    if let Some((value, overflow)) = compute_small(op, bits, a, b) {
                        let wide = compute(op, bits, a.into(), b.into());
                        assert_eq!(wide, Some((value.into(), overflow)), "{op:?} {bits} {a} {b}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 15_000, "{compared}");
    }

    #[test]
    fn small_integers_wrap_and_overflow() {
        assert_eq!(compute(IntOp::SAddO, 8, 127, 1), Some((128, true)));
        assert_eq!(compute(IntOp::SAddO, 8, 0xFF, 1), Some((0, false)));
        assert_eq!(compute(IntOp::UAddO, 8, 0xFF, 1), Some((0, true)));
        assert_eq!(compute(IntOp::USubO, 32, 0, 1), Some((0xFFFF_FFFF, true)));
        assert_eq!(compute(IntOp::SMulO, 64, 1 << 62, 2), Some((1 << 63, true)));
        assert_eq!(compute(IntOp::SMulO, 128, (i128::MAX) as u128, 2).map(|r| r.1), Some(true));
        assert_eq!(compute(IntOp::AShr, 8, 0x80, 7), Some((0xFF, false)));
        assert_eq!(compute(IntOp::SDiv, 8, 0x80, 0xFF), Some((0x80, false)));
        assert_eq!(compute(IntOp::UDiv, 8, 1, 0), None);
        assert_eq!(compute(IntOp::SDivExact, 8, 0xFC, 2), Some((0xFE, false)));
        assert_eq!(compute_unary(IntUnary::Ctlz, 32, 1), 31);
        assert_eq!(compute_unary(IntUnary::Cttz, 32, 0), 32);
        assert_eq!(compute_unary(IntUnary::Bswap, 16, 0x1234), 0x3412);
    }
}
