//! The destination of encoded values: bytes, with references to the file's tables.
//!
//! A module is encoded twice: first to count references, then for output, after the most frequent entries have been
//! assigned the smallest numbers.

use crate::tables::{Census, Numbering, Table};
use crate::varint;

/// A destination of bytes and table references.
pub(crate) struct Sink<'t> {
    pub(crate) bytes: Vec<u8>,
    mode: Mode<'t>,
}

enum Mode<'t> {
    /// Counts references; the bytes are discarded.
    Count(&'t mut Census),
    /// Lists references; the bytes are discarded.
    List(&'t mut Vec<(Table, u32)>),
    /// Writes references as indices of the file's tables.
    Number(&'t Numbering),
}

impl<'t> Sink<'t> {
    pub(crate) fn count(census: &'t mut Census) -> Self {
        Self { bytes: Vec::new(), mode: Mode::Count(census) }
    }

    pub(crate) fn list(references: &'t mut Vec<(Table, u32)>) -> Self {
        Self { bytes: Vec::new(), mode: Mode::List(references) }
    }

    pub(crate) fn number_by(numbering: &'t Numbering) -> Self {
        Self { bytes: Vec::new(), mode: Mode::Number(numbering) }
    }

    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    #[inline]
    pub(crate) fn number(&mut self, number: u32) {
        varint::write(&mut self.bytes, u64::from(number));
    }

    pub(crate) fn length(&mut self, length: usize) {
        varint::write(&mut self.bytes, length as u64);
    }

    /// Writes a signed number.
    pub(crate) fn signed(&mut self, number: i64) {
        varint::write(&mut self.bytes, (number << 1 ^ number >> 63) as u64);
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes the number of items, the length of each in bytes, and the items.
    pub(crate) fn entries<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let before = std::mem::take(&mut self.bytes);
        let mut ends = Vec::new();
        for item in items {
            write(self, item);
            ends.push(self.bytes.len());
        }
        let items = std::mem::replace(&mut self.bytes, before);
        self.length(ends.len());
        let mut start = 0;
        for end in ends {
            self.length(end - start);
            start = end;
        }
        self.raw(&items);
    }

    /// Writes a reference to a table entry, given by its number in the process.
    pub(crate) fn reference(&mut self, table: Table, raw: u32) {
        match &mut self.mode {
            Mode::Count(census) => census.count(table, raw),
            Mode::List(references) => references.push((table, raw)),
            Mode::Number(numbering) => varint::write(&mut self.bytes, numbering.get(table, raw).into()),
        }
    }

    /// Writes an optional reference.
    pub(crate) fn reference_or_none(&mut self, table: Table, raw: u32) {
        let is_some = raw != silkit_ir::NONE;
        match &mut self.mode {
            Mode::Number(numbering) => {
                let number = if is_some { u64::from(numbering.get(table, raw)) + 1 } else { 0 };
                varint::write(&mut self.bytes, number);
            }
            _ if is_some => self.reference(table, raw),
            _ => {}
        }
    }

    /// Writes a shape as its index in the shape table.
    pub(crate) fn shape(&mut self, shape: &crate::body::Shape) {
        match &mut self.mode {
            Mode::Count(census) => census.count_shape(shape),
            Mode::List(_) => {}
            Mode::Number(numbering) => varint::write(&mut self.bytes, numbering.shape(shape).into()),
        }
    }
}
