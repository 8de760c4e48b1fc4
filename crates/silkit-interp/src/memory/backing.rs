//! The backing store of allocations: bytes, and one initialization bit for each byte.

use super::writers::Writers;

/// The bytes of all allocations, in units of 16. Freed ranges are reused by size class.
#[derive(Debug, Default)]
pub(super) struct Backing {
    bytes: Vec<u8>,
    /// One initialization bit for each byte.
    initialized: Vec<u8>,
    /// The free ranges of each size class.
    free: Vec<Vec<u32>>,
    /// The store that wrote each byte, if recorded.
    writers: Option<Box<Writers>>,
    /// The maximum number of bytes.
    limit: usize,
}

/// The least number of bytes for which space is reserved.
const LEAST: usize = 1 << 16;

/// Returns the size class of a number of units, and the units of the class. Classes are exact up to 64 units; larger
/// sizes have eight classes for each power of two.
fn class_of(units: u64) -> (usize, u64) {
    if units <= 64 {
        return (units as usize, units);
    }
    let doubling = u64::from(63 - units.leading_zeros());
    let step = 1 << (doubling - 3);
    let rounded = units.next_multiple_of(step);
    let doubling = u64::from(63 - rounded.leading_zeros());
    let eighth = (rounded >> (doubling - 3)) & 7;
    (65 + ((doubling - 6) * 8 + eighth) as usize, rounded)
}

impl Backing {
    /// Creates a store that takes at most `limit` bytes from the system, with the initialization bits.
    pub(super) fn with_limit(limit: u64) -> Self {
        let limit = usize::try_from(limit / 9 * 8).unwrap_or(usize::MAX / 2);
        Self { limit, ..Self::default() }
    }

    /// Returns the number of bytes that the store takes.
    pub(super) fn taken(&self) -> u64 {
        (self.bytes.len() + self.initialized.len()) as u64
    }

    /// Returns the number of bytes by which the store grows for an allocation.
    pub(super) fn growth(&self, size: u64) -> u64 {
        let (class, units) = class_of(size.div_ceil(16));
        if self.free.get(class).is_some_and(|ranges| !ranges.is_empty()) { 0 } else { units * 18 }
    }

    /// Reserves space for more bytes. Space is a half, a quarter and so on of the limit: a vector that moves to more
    /// space exists twice for a moment, and both together stay below the limit.
    fn reserve(&mut self, len: usize) {
        if len <= self.bytes.capacity() {
            return;
        }
        let mut space = self.limit;
        while space / 2 >= len.max(LEAST) {
            space /= 2;
        }
        let space = space.max(len);
        self.bytes.reserve_exact(space - self.bytes.len());
        self.initialized.reserve_exact(space.div_ceil(8) - self.initialized.len());
    }

    /// Allocates uninitialized bytes, and returns their position in units of 16.
    pub(super) fn take(&mut self, size: u64) -> u32 {
        let (class, units) = class_of(size.div_ceil(16));
        if let Some(at) = self.free.get_mut(class).and_then(Vec::pop) {
            let first = at as usize * 2;
            self.initialized[first..first + units as usize * 2].fill(0);
            if let Some(writers) = &mut self.writers {
                writers.forget(at as usize * 16, units as usize * 16);
            }
            return at;
        }
        let at = self.bytes.len() / 16;
        let len = self.bytes.len() + units as usize * 16;
        self.reserve(len);
        self.bytes.resize(len, 0);
        self.initialized.resize(self.bytes.len() / 8, 0);
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    pub(super) fn give_back(&mut self, at: u32, size: u64) {
        let (class, _) = class_of(size.div_ceil(16));
        if class >= self.free.len() {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].push(at);
    }

    /// Starts to record which stores write values that are read later.
    pub(super) fn record_writers(&mut self) -> &mut Writers {
        self.writers.get_or_insert_default()
    }

    /// Returns the stores that have written bytes that were read later.
    pub(super) fn read_writers(&self) -> Vec<u32> {
        self.writers.as_ref().map_or(Vec::new(), |writers| writers.read_so_far())
    }

    #[inline]
    pub(super) fn bytes(&self, first: usize, len: usize) -> &[u8] {
        if let Some(writers) = &self.writers {
            writers.read(first, len);
        }
        &self.bytes[first..first + len]
    }

    /// Returns bytes without recording that they are read.
    pub(super) fn peek(&self, first: usize, len: usize) -> &[u8] {
        &self.bytes[first..first + len]
    }

    #[inline]
    pub(super) fn bytes_mut(&mut self, first: usize, len: usize) -> &mut [u8] {
        if let Some(writers) = &mut self.writers {
            writers.write(first, len);
        }
        &mut self.bytes[first..first + len]
    }

    /// Returns true if all bytes of a range are initialized.
    #[inline]
    pub(super) fn is_initialized(&self, first: usize, len: usize) -> bool {
        if first.is_multiple_of(8) && len == 8 {
            return self.initialized[first / 8] == 0xFF;
        }
        self.all(first, len)
    }

    fn all(&self, first: usize, len: usize) -> bool {
        for_each_mask(first, len, |byte, mask| self.initialized[byte] & mask == mask)
    }

    /// Returns true if at least one byte of a range is initialized.
    pub(super) fn is_touched(&self, first: usize, len: usize) -> bool {
        !for_each_mask(first, len, |byte, mask| self.initialized[byte] & mask == 0)
    }

    #[inline]
    pub(super) fn initialize(&mut self, first: usize, len: usize) {
        if first.is_multiple_of(8) && len == 8 {
            self.initialized[first / 8] = 0xFF;
            return;
        }
        for_each_mask(first, len, |byte, mask| {
            self.initialized[byte] |= mask;
            true
        });
    }

    #[inline]
    pub(super) fn deinitialize(&mut self, first: usize, len: usize) {
        if first.is_multiple_of(8) && len == 8 {
            self.initialized[first / 8] = 0;
            return;
        }
        for_each_mask(first, len, |byte, mask| {
            self.initialized[byte] &= !mask;
            true
        });
    }

    /// Copies bytes together with their initialization state; the ranges may overlap.
    pub(super) fn copy(&mut self, from: usize, to: usize, len: usize) {
        self.bytes.copy_within(from..from + len, to);
        if let Some(writers) = &mut self.writers {
            writers.copy(from, to, len);
        }
        if from.is_multiple_of(8) && to.is_multiple_of(8) && len.is_multiple_of(8) {
            self.initialized.copy_within(from / 8..(from + len) / 8, to / 8);
            return;
        }
        // Ranges that overlap are copied from the end that is not overwritten before it is read.
        let chunks = (0..len).step_by(56);
        let copy = |this: &mut Self, at: usize| {
            let count = (len - at).min(56);
            let bits = this.mask(from + at, count);
            this.set_mask(to + at, count, bits);
        };
        if to > from {
            chunks.rev().for_each(|at| copy(self, at))
        } else {
            chunks.for_each(|at| copy(self, at))
        }
    }

    /// Returns the initialization bits of up to 56 bytes, the first in the lowest bit.
    fn mask(&self, first: usize, len: usize) -> u64 {
        let mut word = [0; 8];
        let bytes = &self.initialized[first / 8..(first + len).div_ceil(8)];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word) >> (first % 8) & ((1 << len) - 1)
    }

    /// Sets the initialization bits of up to 56 bytes.
    fn set_mask(&mut self, first: usize, len: usize, bits: u64) {
        let bytes = &mut self.initialized[first / 8..(first + len).div_ceil(8)];
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let all = ((1 << len) - 1) << (first % 8);
        let word = u64::from_le_bytes(word) & !all | bits << (first % 8);
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

/// Calls `each` with the mask bytes of a range until `each` returns false. Returns false if it did.
#[inline]
fn for_each_mask(first: usize, len: usize, mut each: impl FnMut(usize, u8) -> bool) -> bool {
    let end = first + len;
    let mut at = first;
    while at < end {
        let until = (at / 8 + 1) * 8;
        let until = until.min(end);
        let count = until - at;
        let mask = if count == 8 { 0xFF } else { ((1u16 << count) - 1) as u8 } << (at % 8);
        if !each(at / 8, mask) {
            return false;
        }
        at = until;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_keep_which_bytes_are_initialized() {
        for (from, to, len) in [(3, 5, 1), (0, 9, 200), (9, 0, 200), (1, 2, 130), (70, 3, 57), (7, 8, 56)] {
            let mut backing = Backing::default();
            backing.take(512);
            for i in (0..512).filter(|i| i % 3 == 0 || i % 7 == 1) {
                backing.initialize(i, 1);
            }
            let before: Vec<bool> = (0..512).map(|i| backing.is_initialized(i, 1)).collect();
            backing.copy(from, to, len);
            for i in 0..512 {
                let source = if (to..to + len).contains(&i) { i - to + from } else { i };
                assert_eq!(backing.is_initialized(i, 1), before[source], "{from} {to} {len}: {i}");
            }
        }
    }

    #[test]
    fn classes_hold_what_they_promise() {
        let mut last = (0, 0);
        for units in 1..5000 {
            let (class, rounded) = class_of(units);
            assert!(rounded >= units && rounded <= units + units / 8 + 1, "{units}");
            assert!(
                class >= last.0 && (class > last.0 || rounded == last.1),
                "{units}: {class} {rounded} {last:?}"
            );
            last = (class, rounded);
        }
    }
}
