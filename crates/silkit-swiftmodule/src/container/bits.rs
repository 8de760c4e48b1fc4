//! A cursor over the bits of a file. Every read checks the end.

use crate::error::{Damage, Result};

/// A position in a file, which counts bits from the lowest of each byte.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    /// The next bit to read.
    pub(super) at: u64,
}

impl Bits {
    /// Reads an unsigned number of at most 64 bits.
    #[inline]
    pub(super) fn fixed(&mut self, bytes: &[u8], width: u32) -> Result<u64> {
        if width == 0 {
            return Ok(0);
        }
        let (start, shift) = ((self.at / 8) as usize, (self.at % 8) as u32);
        let (Some(window), true) = (bytes.get(start..start.saturating_add(8)), width + shift <= 64) else {
            return self.slow(bytes, width);
        };
        let mut word = [0; 8];
        word.copy_from_slice(window);
        self.at += u64::from(width);
        Ok(u64::from_le_bytes(word) >> shift & (u64::MAX >> (64 - width)))
    }

    /// Reads bit by bit: near the end of the file, and numbers that span nine bytes.
    #[cold]
    fn slow(&mut self, bytes: &[u8], width: u32) -> Result<u64> {
        if width > 64 {
            return Err(self.damage(format!("a field of {width} bits")));
        }
        let mut value = 0;
        for bit in 0..width {
            let at = self.at + u64::from(bit);
            let Some(&byte) = bytes.get((at / 8) as usize) else {
                return Err(self.damage("the file ends in the middle of a number"));
            };
            value |= u64::from(byte >> (at % 8) & 1) << bit;
        }
        self.at += u64::from(width);
        Ok(value)
    }

    /// Reads a number in pieces of `width` bits, of which the highest says that another piece follows.
    #[inline]
    pub(super) fn variable(&mut self, bytes: &[u8], width: u32) -> Result<u64> {
        if !(2..=32).contains(&width) {
            return Err(self.damage(format!("a variable field with pieces of {width} bits")));
        }
        let more = 1 << (width - 1);
        let (mut value, mut shift) = (0, 0);
        loop {
            let piece = self.fixed(bytes, width)?;
            if shift >= 64 {
                return Err(self.damage("a number of more than 64 bits"));
            }
            value |= (piece & (more - 1)) << shift;
            if piece & more == 0 {
                return Ok(value);
            }
            shift += width - 1;
        }
    }

    /// Advances to the next multiple of 32 bits.
    pub(super) fn align(&mut self, bytes: &[u8]) -> Result<()> {
        let at = self.at.next_multiple_of(32);
        if at / 8 > bytes.len() as u64 {
            return Err(self.damage("the file ends in the middle of a block"));
        }
        self.at = at;
        Ok(())
    }

    pub(super) fn damage(&self, message: impl Into<String>) -> Damage {
        Damage::new(message, self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn numbers_cross_bytes_and_end_with_the_file() {
        let bytes = [0b1010_0101, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0b11];
        let mut bits = Bits { at: 0 };
        assert_eq!(bits.fixed(&bytes, 3).unwrap(), 0b101);
        assert_eq!(bits.fixed(&bytes, 7).unwrap(), 0b111_0100);
        let mut bits = Bits { at: 10 };
        assert_eq!(bits.fixed(&bytes, 64).unwrap(), 0x3F | 0b11 << 62);
        assert_eq!(bits.fixed(&bytes, 6).unwrap(), 0);
        assert!(bits.fixed(&bytes, 1).is_err());
        let mut bits = Bits { at: 76 };
        assert!(bits.fixed(&bytes, 5).is_err());
    }

    #[test]
    fn endless_variable_numbers_are_refused() {
        let bytes = [0xFF; 32];
        assert!(Bits { at: 0 }.variable(&bytes, 6).is_err());
        assert!(Bits { at: 0 }.variable(&bytes, 1).is_err());
        assert_eq!(Bits { at: 0 }.variable(&[0b0000_0101], 4).unwrap(), 5);
    }
}
