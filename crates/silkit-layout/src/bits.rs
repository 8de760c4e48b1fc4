//! Bit masks of values in memory.

/// A bit mask of a value; bit `i` of the mask is bit `i % 8` of byte `i / 8`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mask {
    bytes: Vec<u8>,
}

/// The maximum size of a value, in bytes, for which spare bits are tracked.
const MAX_BYTES: u64 = 1 << 16;

impl Mask {
    /// Creates an empty mask of `size` bytes.
    pub fn none(bytes: u64) -> Self {
        Self { bytes: vec![0; bytes.min(MAX_BYTES) as usize] }
    }

    /// Creates a mask of `size` bytes with all bits set.
    pub fn all(bytes: u64) -> Self {
        Self { bytes: vec![0xFF; bytes.min(MAX_BYTES) as usize] }
    }

    /// Creates a mask from the bits of a word.
    pub fn of_word(word: u64) -> Self {
        Self { bytes: word.to_le_bytes().to_vec() }
    }

    /// Creates a mask from bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec() }
    }

    /// Returns the bytes of the mask.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of set bits.
    pub fn count(&self) -> u32 {
        self.bytes.iter().map(|b| b.count_ones()).sum()
    }

    /// Appends a mask; the result is a mask of a value of `size` bytes.
    pub(crate) fn append(&mut self, other: &Mask, size: u64) {
        self.bytes.extend_from_slice(&other.bytes);
        self.bytes.resize(size.min(MAX_BYTES) as usize, 0);
    }

    /// Sets all bits starting at `first`.
    pub(crate) fn set_from(&mut self, first: u64) {
        for (i, byte) in self.bytes.iter_mut().enumerate() {
            let start = i as u64 * 8;
            *byte |= match first.saturating_sub(start) {
                0 => 0xFF,
                n if n < 8 => 0xFF << n,
                _ => 0,
            };
        }
    }

    /// Returns the mask of an array of `size` bytes whose elements, one per stride, have this mask.
    pub(crate) fn repeated(&self, stride: u64, size: u64) -> Self {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < size.min(MAX_BYTES) {
            bytes.extend_from_slice(&self.bytes);
            let end = (bytes.len() as u64).next_multiple_of(stride) as usize;
            bytes.resize(end, 0);
        }
        bytes.truncate(size.min(MAX_BYTES) as usize);
        Self { bytes }
    }

    /// Keeps the bits that are set in `other` or are after its end, where no data is stored.
    pub(crate) fn intersect(&mut self, other: &Mask) {
        for (byte, theirs) in self.bytes.iter_mut().zip(&other.bytes) {
            *byte &= theirs;
        }
    }

    /// Returns the `count` most significant set bits.
    pub(crate) fn highest(&self, count: u32) -> Self {
        let mut bytes = vec![0; self.bytes.len()];
        let mut left = count;
        for (at, &byte) in self.bytes.iter().enumerate().rev() {
            for bit in (0..8).rev() {
                if left > 0 && byte & 1 << bit != 0 {
                    bytes[at] |= 1 << bit;
                    left -= 1;
                }
            }
        }
        Self { bytes }
    }

    /// Returns the bits of this mask that are not set in `other`.
    pub(crate) fn without(&self, other: &Mask) -> Self {
        let mut bytes = self.bytes.clone();
        for (byte, theirs) in bytes.iter_mut().zip(&other.bytes) {
            *byte &= !theirs;
        }
        Self { bytes }
    }

    /// Gathers the masked bits of a value, lowest bit first.
    pub(crate) fn gather(&self, value: &[u8]) -> u64 {
        let mut result = 0;
        let mut next = 0;
        for (byte, mask) in value.iter().zip(&self.bytes) {
            let mut left = *mask;
            while left != 0 {
                let bit = left.trailing_zeros();
                if next < 64 && byte & 1 << bit != 0 {
                    result |= 1 << next;
                }
                next += 1;
                left &= left - 1;
            }
        }
        result
    }

    /// Scatters `bits` to the masked bits of a value, lowest bit first. Masked bits after the first 64 are set to
    /// `fill`.
    pub(crate) fn scatter(&self, value: &mut [u8], bits: u64, fill: bool) {
        let mut next = 0;
        for (byte, mask) in value.iter_mut().zip(&self.bytes) {
            let mut left = *mask;
            while left != 0 {
                let bit = left.trailing_zeros();
                let is_set = if next < 64 { bits & 1 << next != 0 } else { fill };
                *byte = *byte & !(1 << bit) | u8::from(is_set) << bit;
                next += 1;
                left &= left - 1;
            }
        }
    }

    /// Clears the masked bits of a value.
    pub(crate) fn clear(&self, value: &mut [u8]) {
        for (byte, mask) in value.iter_mut().zip(&self.bytes) {
            *byte &= !mask;
        }
    }

    /// Returns the complement of the mask.
    pub(crate) fn complement(&self) -> Self {
        Self { bytes: self.bytes.iter().map(|b| !b).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_gathered_as_they_were_scattered() {
        let mask = Mask::of_bytes(&[0b1010_0000, 0xFF, 0x01]);
        let mut value = [0x0F, 0, 0xF0];
        mask.scatter(&mut value, 0b101_0110_0111, false);
        assert_eq!(mask.gather(&value), 0b101_0110_0111);
        assert_eq!(value[0] & 0x0F, 0x0F);
        mask.clear(&mut value);
        assert_eq!(value, [0x0F, 0, 0xF0]);
        assert_eq!(mask.highest(2).bytes(), [0, 0x80, 0x01]);
        assert_eq!(mask.count(), 11);
    }
}
