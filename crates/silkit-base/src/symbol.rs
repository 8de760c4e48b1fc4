//! Interned strings: names of functions, types, fields, and literal texts.

use crate::{Interned, Interner};
use std::fmt;

static STRINGS: Interner<Box<str>> = Interner::new();

/// An interned string. Copying and comparing cost as much as a `u32`.
///
/// Strings live as long as the process. `Ord` is not implemented on purpose: the order of ids is not the order of
/// their texts; sort by [`Symbol::as_str`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(Interned<Box<str>>);

impl Symbol {
    /// Returns the symbol of `text`, interning it if it is new.
    pub fn new(text: &str) -> Self {
        Self(STRINGS.intern_ref(text, || text.into()))
    }

    /// Returns the number of symbols interned so far; every raw number is less than it.
    pub fn count() -> usize {
        STRINGS.len()
    }

    /// Returns the text of this symbol.
    #[inline]
    pub fn as_str(self) -> &'static str {
        STRINGS.get(self.0)
    }

    /// Returns the raw number, for packed tables.
    #[inline]
    pub fn as_u32(self) -> u32 {
        self.0.as_u32()
    }

    /// Creates the symbol with this raw number, which must come from [`Self::as_u32`].
    #[inline]
    pub fn from_u32(raw: u32) -> Self {
        Self(Interned::from_u32(raw))
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl PartialEq<str> for Symbol {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Symbol {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}
