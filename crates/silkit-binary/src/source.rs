//! The source of encoded values: untrusted bytes, and the tables that have been read.

use crate::tables::{FileTables, Table};
use crate::varint;

/// The maximum nesting of recursive values, such as conformances.
const MAX_NESTING: u32 = 128;

/// An error in the bytes, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodeError {
    pub(crate) what: Box<str>,
    /// The offset in the section.
    pub(crate) offset: usize,
}

/// A reader of bytes and table references.
pub(crate) struct Source<'a, 'l> {
    bytes: &'a [u8],
    at: usize,
    locals: &'l FileTables,
    nesting: u32,
    /// The approximate size of all references as text, in bytes.
    weight: u64,
}

impl<'a, 'l> Source<'a, 'l> {
    pub(crate) fn new(bytes: &'a [u8], locals: &'l FileTables) -> Self {
        Self::starting(bytes, 0, locals)
    }

    pub(crate) fn starting(bytes: &'a [u8], at: usize, locals: &'l FileTables) -> Self {
        Self { bytes, at, locals, nesting: 0, weight: 0 }
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
        DecodeError { what: what.into(), offset: self.at }
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
        let entries = self.locals.table(table);
        match entries.get(number as usize) {
            Some(entry) => {
                self.weight += u64::from(entry.weight);
                Ok(entry.raw)
            }
            None => {
                let (name, count) = (table.name(), entries.len());
                Err(self.damage(format!("index {number} into the {count} {name}")))
            }
        }
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
