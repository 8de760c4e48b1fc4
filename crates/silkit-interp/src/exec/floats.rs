//! Floating-point numbers: Rust's types for 32 and 64 bits, `rustc_apfloat` for 16 and 80 bits.

use crate::interp::Interp;
use crate::op::{FloatCmp, FloatOp, FloatUnary, Slot};
use crate::violation::{Run, unsupported};
use rustc_apfloat::ieee::{Double, Half, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;

/// A floating-point number of any supported format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Half(Half),
    Single(f32),
    Double(f64),
    Extended(X87DoubleExtended),
}

impl Number {
    /// Creates a number from its bits.
    pub(crate) fn from_bits(bits: u8, value: u128) -> Self {
        match bits {
            16 => Self::Half(Half::from_bits(value)),
            32 => Self::Single(f32::from_bits(value as u32)),
            64 => Self::Double(f64::from_bits(value as u64)),
            _ => Self::Extended(X87DoubleExtended::from_bits(value & ((1 << 80) - 1))),
        }
    }

    /// Returns the bits of the number.
    pub(crate) fn to_bits(self) -> u128 {
        match self {
            Self::Half(n) => n.to_bits(),
            Self::Single(n) => n.to_bits().into(),
            Self::Double(n) => n.to_bits().into(),
            Self::Extended(n) => n.to_bits(),
        }
    }

    /// Converts the number to another format, rounding to the nearest value.
    pub(crate) fn convert(self, bits: u8) -> Self {
        let mut loses = false;
        match (self, bits) {
            (Self::Single(n), 64) => Self::Double(f64::from(n)),
            (Self::Double(n), 32) => Self::Single(n as f32),
            (n, 16) => Self::Half(match n {
                Self::Half(n) => n,
                Self::Single(n) => Single::from_bits(n.to_bits().into()).convert(&mut loses).value,
                Self::Double(n) => Double::from_bits(n.to_bits().into()).convert(&mut loses).value,
                Self::Extended(n) => n.convert(&mut loses).value,
            }),
            (n, 32) => Self::Single(match n {
                Self::Half(n) => single(n.convert(&mut loses).value),
                Self::Single(n) => n,
                Self::Double(n) => n as f32,
                Self::Extended(n) => single(n.convert(&mut loses).value),
            }),
            (n, 64) => Self::Double(match n {
                Self::Half(n) => double(n.convert(&mut loses).value),
                Self::Single(n) => f64::from(n),
                Self::Double(n) => n,
                Self::Extended(n) => double(n.convert(&mut loses).value),
            }),
            (n, _) => Self::Extended(match n {
                Self::Half(n) => n.convert(&mut loses).value,
                Self::Single(n) => Single::from_bits(n.to_bits().into()).convert(&mut loses).value,
                Self::Double(n) => Double::from_bits(n.to_bits().into()).convert(&mut loses).value,
                Self::Extended(n) => n,
            }),
        }
    }

    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Single(a), Self::Single(b)) => a.partial_cmp(&b),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(&b),
            (Self::Half(a), Self::Half(b)) => a.partial_cmp(&b),
            (Self::Extended(a), Self::Extended(b)) => a.partial_cmp(&b),
            _ => None,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.convert(64) {
            Self::Double(n) => write!(f, "{n}"),
            other => write!(f, "{other:?}"),
        }
    }
}

fn single(n: Single) -> f32 {
    f32::from_bits(n.to_bits() as u32)
}

fn double(n: Double) -> f64 {
    f64::from_bits(n.to_bits() as u64)
}

/// Returns true if a comparison predicate holds for an ordering.
pub(crate) fn holds(op: FloatCmp, order: Option<Ordering>) -> bool {
    use FloatCmp as C;
    use Ordering as O;
    match (op, order) {
        (C::Ord, order) => order.is_some(),
        (C::Uno, order) => order.is_none(),
        (C::Ueq | C::Ugt | C::Uge | C::Ult | C::Ule | C::Une, None) => true,
        (_, None) => false,
        (C::Oeq | C::Ueq, Some(o)) => o == O::Equal,
        (C::Ogt | C::Ugt, Some(o)) => o == O::Greater,
        (C::Oge | C::Uge, Some(o)) => o != O::Less,
        (C::Olt | C::Ult, Some(o)) => o == O::Less,
        (C::Ole | C::Ule, Some(o)) => o != O::Greater,
        (C::One | C::Une, Some(o)) => o != O::Equal,
    }
}

macro_rules! arithmetic {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            FloatOp::Add => $a + $b,
            FloatOp::Sub => $a - $b,
            FloatOp::Mul => $a * $b,
            FloatOp::Div => $a / $b,
            FloatOp::Rem => $a % $b,
            FloatOp::CopySign => $a.copysign($b),
            FloatOp::Minimum => $a.min($b),
            FloatOp::Maximum => $a.max($b),
            FloatOp::Power => $a.powf($b),
        }
    };
}

/// Returns the result of a binary operation, or `None` if the format does not support it.
pub(crate) fn compute(op: FloatOp, a: Number, b: Number) -> Option<Number> {
    fn soft<F: Float>(op: FloatOp, a: F, b: F) -> Option<F> {
        Some(match op {
            FloatOp::Add => (a + b).value,
            FloatOp::Sub => (a - b).value,
            FloatOp::Mul => (a * b).value,
            FloatOp::Div => (a / b).value,
            FloatOp::Rem => a.c_fmod(b).value,
            FloatOp::CopySign => a.copy_sign(b),
            FloatOp::Minimum => a.min(b),
            FloatOp::Maximum => a.max(b),
            FloatOp::Power => return None,
        })
    }
    Some(match (a, b) {
        (Number::Single(a), Number::Single(b)) => Number::Single(arithmetic!(op, a, b)),
        (Number::Double(a), Number::Double(b)) => Number::Double(arithmetic!(op, a, b)),
        (Number::Half(a), Number::Half(b)) => Number::Half(soft(op, a, b)?),
        (Number::Extended(a), Number::Extended(b)) => Number::Extended(soft(op, a, b)?),
        _ => return None,
    })
}

macro_rules! unary {
    ($op:expr, $a:expr) => {
        match $op {
            FloatUnary::Neg => -$a,
            FloatUnary::Abs => $a.abs(),
            FloatUnary::Ceil => $a.ceil(),
            FloatUnary::Floor => $a.floor(),
            FloatUnary::Trunc => $a.trunc(),
            FloatUnary::Rint => $a.round_ties_even(),
            FloatUnary::Round => $a.round(),
            FloatUnary::Sqrt => $a.sqrt(),
            FloatUnary::Sin => $a.sin(),
            FloatUnary::Cos => $a.cos(),
            FloatUnary::Exp => $a.exp(),
            FloatUnary::Exp2 => $a.exp2(),
            FloatUnary::Log => $a.ln(),
            FloatUnary::Log10 => $a.log10(),
            FloatUnary::Log2 => $a.log2(),
        }
    };
}

/// Returns the result of a unary operation, or `None` if the format does not support it.
pub(crate) fn compute_unary(op: FloatUnary, a: Number) -> Option<Number> {
    fn soft<F: Float>(op: FloatUnary, a: F) -> Option<F> {
        let round = |mode| a.round_to_integral(mode).value;
        Some(match op {
            FloatUnary::Neg => -a,
            FloatUnary::Abs => a.abs(),
            FloatUnary::Ceil => round(Round::TowardPositive),
            FloatUnary::Floor => round(Round::TowardNegative),
            FloatUnary::Trunc => round(Round::TowardZero),
            FloatUnary::Rint => round(Round::NearestTiesToEven),
            FloatUnary::Round => round(Round::NearestTiesToAway),
            _ => return None,
        })
    }
    Some(match a {
        Number::Single(a) => Number::Single(unary!(op, a)),
        Number::Double(a) => Number::Double(unary!(op, a)),
        Number::Half(a) => match soft(op, a) {
            Some(n) => Number::Half(n),
            None => compute_unary(op, Number::Half(a).convert(64))?.convert(16),
        },
        Number::Extended(a) => Number::Extended(soft(op, a)?),
    })
}

/// Returns a number truncated toward zero, as an integer with the given number of bits, and true if it fits.
pub(crate) fn to_int(value: Number, bits: u8, signed: bool) -> (u128, bool) {
    let value = match value.convert(80) {
        Number::Extended(n) => n,
        _ => return (0, false),
    };
    let mut exact = false;
    let (value, status) = if signed {
        let result = value.to_i128_r(usize::from(bits), Round::TowardZero, &mut exact);
        (result.value as u128, result.status)
    } else {
        let result = value.to_u128_r(usize::from(bits), Round::TowardZero, &mut exact);
        (result.value, result.status)
    };
    (value, !status.contains(Status::INVALID_OP))
}

/// Returns the floating-point number nearest to an integer.
pub(crate) fn from_int(value: u128, signed: bool, bits: u8) -> Number {
    match (bits, signed) {
        (32, true) => Number::Single(value as i128 as f32),
        (32, false) => Number::Single(value as f32),
        (64, true) => Number::Double(value as i128 as f64),
        (64, false) => Number::Double(value as f64),
        (16, true) => Number::Half(Half::from_i128(value as i128).value),
        (16, false) => Number::Half(Half::from_u128(value).value),
        (_, true) => Number::Extended(X87DoubleExtended::from_i128(value as i128).value),
        (_, false) => Number::Extended(X87DoubleExtended::from_u128(value).value),
    }
}

impl Interp<'_> {
    pub(crate) fn get_number(&self, slot: Slot, bits: u8) -> Number {
        let len = if bits == 80 { 16 } else { u32::from(bits / 8) };
        let mut word = [0; 16];
        word[..len as usize].copy_from_slice(self.bytes(slot, len));
        Number::from_bits(bits, u128::from_le_bytes(word))
    }

    pub(crate) fn set_number(&mut self, slot: Slot, bits: u8, value: Number) {
        let len = if bits == 80 { 16 } else { usize::from(bits / 8) };
        let bytes = value.to_bits().to_le_bytes();
        self.bytes_mut(slot, len as u32).copy_from_slice(&bytes[..len]);
    }

    pub(super) fn float(&mut self, op: FloatOp, bits: u8, to: Slot, a: Slot, b: Slot) -> Run<()> {
        let (a, b) = (self.get_number(a, bits), self.get_number(b, bits));
        let Some(value) = compute(op, a, b) else {
            return unsupported(format!("{op:?} of {bits}-bit floating-point numbers"));
        };
        self.set_number(to, bits, value);
        Ok(())
    }

    pub(super) fn float_unary(&mut self, op: FloatUnary, bits: u8, to: Slot, a: Slot) -> Run<()> {
        let Some(value) = compute_unary(op, self.get_number(a, bits)) else {
            return unsupported(format!("{op:?} of {bits}-bit floating-point numbers"));
        };
        self.set_number(to, bits, value);
        Ok(())
    }

    pub(super) fn float_cmp(&mut self, op: FloatCmp, bits: u8, to: Slot, a: Slot, b: Slot) {
        let order = self.get_number(a, bits).compare(self.get_number(b, bits));
        self.set_byte(to, u8::from(holds(op, order)));
    }

    pub(super) fn float_fma(&mut self, bits: u8, args: u32, to: Slot) -> Run<()> {
        let [a, b, c] = match &self.sites.moves[args as usize][..] {
            [a, b, c] => [a.from, b.from, c.from].map(|slot| self.get_number(slot, bits)),
            _ => return unsupported("a fused multiply-add without three operands"),
        };
        let value = match (a, b, c) {
            (Number::Single(a), Number::Single(b), Number::Single(c)) => Number::Single(a.mul_add(b, c)),
            (Number::Double(a), Number::Double(b), Number::Double(c)) => Number::Double(a.mul_add(b, c)),
            (Number::Half(a), Number::Half(b), Number::Half(c)) => Number::Half(a.mul_add(b, c).value),
            (Number::Extended(a), Number::Extended(b), Number::Extended(c)) => {
                Number::Extended(a.mul_add(b, c).value)
            }
            _ => a,
        };
        self.set_number(to, bits, value);
        Ok(())
    }

    pub(super) fn float_resize(&mut self, from_bits: u8, to_bits: u8, to: Slot, from: Slot) {
        let value = self.get_number(from, from_bits).convert(to_bits);
        self.set_number(to, to_bits, value);
    }

    pub(super) fn float_to_int(
        &mut self,
        signed: bool,
        from_bits: u8,
        to_bits: u8,
        to: Slot,
        from: Slot,
    ) -> Run<()> {
        let number = self.get_number(from, from_bits);
        let (value, fits) = to_int(number, to_bits, signed);
        self.require(fits, || {
            let kind = if signed { "a signed" } else { "an unsigned" };
            format!("converting {number} to {kind} integer of {to_bits} bits, which cannot represent it")
        })?;
        self.set_wide(to, to_bits, super::ints::truncate(value, to_bits));
        Ok(())
    }

    pub(super) fn int_to_float(&mut self, signed: bool, from_bits: u8, to_bits: u8, to: Slot, from: Slot) {
        let value = self.get_wide(from, from_bits);
        let value = if signed { super::ints::sign_extend(value, from_bits) as u128 } else { value };
        self.set_number(to, to_bits, from_int(value, signed, to_bits));
    }
}
