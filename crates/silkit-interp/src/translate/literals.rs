//! Literals.

use super::Translator;
use crate::op::Op;
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{FloatLiteral, IntegerLiteral, StringEncoding, StringLiteral};
use silkit_ir::{Body, Inst, unescape};

/// Returns the value of an integer literal as 128 bits.
pub(crate) fn integer(text: &str) -> Option<u128> {
    match text.strip_prefix('-') {
        Some(digits) => digits.parse::<u128>().ok().map(u128::wrapping_neg),
        None => text.parse().ok(),
    }
}

/// Returns the bytes of a hexadecimal literal.
pub(crate) fn hexadecimal(text: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap_or(0) as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | pair.get(1).map_or(0, |&c| digit(c))).collect()
}

impl Translator<'_, '_> {
    pub(super) fn integer_literal(&mut self, body: &Body, inst: Inst, i: IntegerLiteral) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let Some(value) = integer(i.value.as_str()) else {
            return unsupported(format!("the integer literal {}", i.value));
        };
        let Some(result) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, result, ty, false)?;
        let size = self.size(ty)?;
        let mut value = value;
        if let silkit_layout::TyKind::Builtin(silkit_layout::Builtin::Int(bits)) = ty.kind()
            && *bits < 128
        {
            value &= (1 << bits) - 1;
        }
        self.bytes_constant(to, &value.to_le_bytes()[..size as usize]);
        Ok(())
    }

    pub(super) fn float_literal(&mut self, body: &Body, inst: Inst, i: FloatLiteral) -> Run<()> {
        let text = i.value.as_str();
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let Ok(bits) = u128::from_str_radix(digits, 16) else {
            return unsupported(format!("the literal {text}"));
        };
        let to = self.result(body, inst)?;
        let ty = self.resolve(i.ty.ty())?;
        let size = self.size(ty)?;
        self.bytes_constant(to, &bits.to_le_bytes()[..size as usize]);
        Ok(())
    }

    pub(super) fn string_literal(&mut self, body: &Body, inst: Inst, i: StringLiteral) -> Run<()> {
        let (kind, bytes) = match i.encoding {
            StringEncoding::Utf8 | StringEncoding::Oslog => (0, unescape(i.value.as_str())),
            StringEncoding::Bytes => (1, hexadecimal(i.value.as_str())),
            StringEncoding::ObjcSelector => return unsupported("an Objective-C selector"),
        };
        let address = self.it.literal(kind, i.value, &bytes)?;
        let to = self.result(body, inst)?;
        self.constant(to, address);
        Ok(())
    }

    pub(super) fn has_symbol(&mut self, body: &Body, inst: Inst) -> Run<()> {
        let to = self.result(body, inst)?;
        self.emit(Op::Const1 { to, value: 1 });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_mean_bytes() {
        assert_eq!(hexadecimal("00ff1A"), [0, 255, 26]);
        assert_eq!(integer("-1"), Some(u128::MAX));
        assert_eq!(integer("18446744073709551616"), Some(1 << 64));
    }
}
