//! The source of encoded values: untrusted bytes, and the tables that have been read.

use crate::error::ReadError;
use crate::lookup::{Decoding, FileTables};
use crate::tables::Table;
use crate::varint;
use std::ops::Range;

/// The maximum nesting of recursive values, such as conformances.
const MAX_NESTING: u32 = 128;

/// The reason why a value cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// An error in the bytes.
    Damage {
        what: Box<str>,
        /// The offset in the section.
        offset: usize,
    },
    /// An error in a table entry that is referenced.
    Elsewhere(Box<ReadError>),
    /// A table entry refers to another one that must be decoded first.
    Pending(Table, u32),
}

/// A reader of bytes and table references.
pub(crate) struct Source<'a, 'l> {
    bytes: &'a [u8],
    at: usize,
    locals: &'l FileTables,
    /// The table entry that is being decoded; `None` for other values.
    entry: Option<Decoding>,
    nesting: u32,
    /// The approximate size of all references as text, in bytes.
    weight: u64,
}

impl<'a, 'l> Source<'a, 'l> {
    pub(crate) fn new(bytes: &'a [u8], locals: &'l FileTables) -> Self {
        Self { bytes, at: 0, locals, entry: None, nesting: 0, weight: 0 }
    }

    /// Returns the source of a part of a section, which positions are relative to.
    pub(crate) fn of_part(section: &'a [u8], part: Range<u32>, locals: &'l FileTables) -> Self {
        let Range { start, end } = part;
        Self { at: start as usize, ..Self::new(&section[..end as usize], locals) }
    }

    /// Returns the source of a table entry in its section.
    pub(crate) fn of_entry(
        section: &'a [u8],
        range: Range<u32>,
        locals: &'l FileTables,
        entry: Decoding,
    ) -> Self {
        Self { entry: Some(entry), ..Self::of_part(section, range, locals) }
    }

    pub(crate) fn locals(&self) -> &'l FileTables {
        self.locals
    }

    /// Returns the approximate size of all references so far as text, in bytes.
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    #[cold]
    pub(crate) fn damage(&self, what: impl Into<Box<str>>) -> DecodeError {
        DecodeError::Damage { what: what.into(), offset: self.at }
    }

    #[cold]
    pub(crate) fn unknown(&self, kind: &str, code: u32) -> DecodeError {
        self.damage(format!("{code}, expected a {kind}"))
    }

    #[cold]
    fn short(&self) -> DecodeError {
        self.damage("a truncated value")
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Result<u8, DecodeError> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(self.short()),
        }
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        match self.bytes[self.at..].split_at_checked(count) {
            Some((taken, _)) => {
                self.at += count;
                Ok(taken)
            }
            None => Err(self.short()),
        }
    }

    #[inline]
    fn long_number(&mut self) -> Result<u64, DecodeError> {
        match varint::read(&self.bytes[self.at..]) {
            Some((number, length)) => {
                self.at += length;
                Ok(number)
            }
            None => Err(self.damage("a truncated or non-canonical number")),
        }
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Result<u32, DecodeError> {
        let number = self.long_number()?;
        u32::try_from(number).map_err(|_| self.damage("a number above 4294967295"))
    }

    pub(crate) fn signed(&mut self) -> Result<i64, DecodeError> {
        let number = self.long_number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads the number of items of at least one byte each, which is at most the number of remaining bytes.
    pub(crate) fn count(&mut self) -> Result<usize, DecodeError> {
        let number = self.long_number()?;
        match usize::try_from(number) {
            Ok(count) if count <= self.remaining() => Ok(count),
            _ => {
                let remaining = self.remaining();
                Err(self.damage(format!("a count of {number} with {remaining} bytes left")))
            }
        }
    }

    #[inline]
    pub(crate) fn reference(&mut self, table: Table) -> Result<u32, DecodeError> {
        let number = self.number()?;
        self.look_up(table, number)
    }

    /// Reads an optional reference.
    pub(crate) fn reference_or_none(&mut self, table: Table) -> Result<u32, DecodeError> {
        match self.number()?.checked_sub(1) {
            Some(number) => self.look_up(table, number),
            None => Ok(silkit_ir::NONE),
        }
    }

    #[inline]
    fn look_up(&mut self, table: Table, number: u32) -> Result<u32, DecodeError> {
        let entry = match self.locals.decoded(table, number) {
            Some(entry) if self.entry.is_none() => Some(entry),
            _ => self.locals.entry(table, number, self.entry)?,
        };
        match entry {
            Some(entry) => {
                self.weight += u64::from(entry.weight);
                Ok(entry.raw)
            }
            None => {
                let (name, count) = (table.name(), self.locals.count(table));
                Err(self.damage(format!("index {number} into the {count} {name}")))
            }
        }
    }

    /// Reads the number and the lengths of entries that follow, and returns the range of each. The position is then the
    /// start of the first one.
    pub(crate) fn entry_ranges(&mut self) -> Result<Vec<Range<u32>>, DecodeError> {
        let count = self.count()?;
        let mut ranges = Vec::with_capacity(count);
        let mut end = 0u32;
        for _ in 0..count {
            let length = self.number()?;
            let start = end;
            end = start.checked_add(length).ok_or_else(|| self.damage("entries of more than 4 GiB"))?;
            ranges.push(start..end);
        }
        if end as usize > self.remaining() {
            return Err(self.damage(format!("entries of {end} bytes with {} left", self.remaining())));
        }
        let first = self.at as u32;
        ranges.iter_mut().for_each(|range| *range = range.start + first..range.end + first);
        Ok(ranges)
    }

    pub(crate) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        if self.nesting >= MAX_NESTING {
            return Err(self.damage("values that nest too deeply"));
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Returns an error unless all bytes have been read.
    pub(crate) fn end(&self) -> Result<(), DecodeError> {
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.damage(format!("{left} unexpected bytes at the end"))),
        }
    }
}
