//! Byte ranges in a text.

use std::fmt;
use std::ops::Range;

/// A half-open range of byte offsets in one text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct TextRange {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl TextRange {
    /// Creates the range from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end.max(start)) }
    }

    /// Returns the range as a `Range<usize>`, for slicing.
    pub fn as_usize(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the range in a text that begins `offset` bytes later.
    #[must_use]
    pub fn moved_back(self, offset: usize) -> Self {
        let moved = |at: u32| (at as usize).saturating_sub(offset);
        Self::new(moved(self.start), moved(self.end))
    }

    /// Returns the number of bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns true if the range is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl fmt::Debug for TextRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
