//! The destination of encoded values: bytes, with references to the file's tables.
//!
//! A module is written twice: the first time to count what it refers to, the second time for good,
//! when the most frequent entries have got the smallest numbers.

use crate::tables::{Census, Numbering, Table};
use crate::varint;

/// Takes bytes, and the references in them.
pub(crate) struct Sink<'t> {
    pub(crate) bytes: Vec<u8>,
    mode: Mode<'t>,
}

enum Mode<'t> {
    /// References are counted; the bytes do not matter.
    Count(&'t mut Census),
    /// References are listed; the bytes do not matter.
    List(&'t mut Vec<(Table, u32)>),
    /// References become the numbers of the file's tables.
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

    /// A number that is small in either direction.
    pub(crate) fn signed(&mut self, number: i64) {
        varint::write(&mut self.bytes, (number << 1 ^ number >> 63) as u64);
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// An entry of a table, by its number in the process.
    pub(crate) fn reference(&mut self, table: Table, raw: u32) {
        match &mut self.mode {
            Mode::Count(census) => census.count(table, raw),
            Mode::List(references) => references.push((table, raw)),
            Mode::Number(numbering) => varint::write(&mut self.bytes, numbering.get(table, raw).into()),
        }
    }

    /// The same, where there may be none.
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

    /// The kind of an instruction with all that is often the same, as its number among such shapes.
    pub(crate) fn shape(&mut self, shape: &crate::body::Shape) {
        match &mut self.mode {
            Mode::Count(census) => census.count_shape(shape),
            Mode::List(_) => {}
            Mode::Number(numbering) => varint::write(&mut self.bytes, numbering.shape(shape).into()),
        }
    }
}
