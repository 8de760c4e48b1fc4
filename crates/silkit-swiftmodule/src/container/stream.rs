//! Blocks and records, one after the other or from a position that a table gave.

use super::bits::Bits;
use super::names::Names;
use crate::error::{Damage, Result};
use std::ops::Range;
use std::sync::Arc;

/// The maximum nesting of blocks. Swift nests three.
const MAX_DEPTH: usize = 16;
/// The maximum number of operands of an abbreviation, and of abbreviations of a block.
const MAX_ABBREVIATIONS: u64 = 1 << 12;
/// The id of the block with names and abbreviations for other blocks.
const BLOCK_INFO: u32 = 0;

/// One operand of an abbreviation: how a field is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    Literal(u64),
    Fixed(u32),
    Variable(u32),
    Array,
    Char6,
    Blob,
}

type Abbreviation = Arc<[Operand]>;

/// What a stream read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The begin of a block. `width` is the number of bits of abbreviation ids in it, `words` its length in units of
    /// 32 bits.
    Enter {
        /// The id of the block.
        block: u32,
        /// The bits of an abbreviation id.
        width: u32,
        /// The length.
        words: u32,
    },
    /// The end of a block.
    Leave,
    /// A record; its contents are in the [`Record`].
    Record,
    /// The end of the file.
    End,
}

/// A record. It is filled again by each read, so that reading allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The number of the record's kind in its block.
    pub code: u32,
    /// The id of its abbreviation; 3 is none.
    pub abbreviation: u32,
    /// The fields, an array at the end included.
    pub fields: Vec<u64>,
    /// The blob at the end, as a range of bytes of the file.
    pub blob: Option<Range<usize>>,
}

#[derive(Clone)]
struct Scope {
    block: u32,
    width: u32,
    abbreviations: Vec<Abbreviation>,
    /// The position after the block.
    end: u64,
}

/// A block to read later from any position in it: its abbreviations stand at its begin.
#[derive(Clone)]
pub struct Place {
    scope: Scope,
    /// The position of the first record, in bits from the begin of the file.
    pub start: u64,
}

impl Place {
    /// Returns the position after the block, in bits.
    pub fn end(&self) -> u64 {
        self.scope.end
    }
}

/// A bitstream reader over the bytes of a file.
pub struct Stream<'a> {
    bytes: &'a [u8],
    bits: Bits,
    scopes: Vec<Scope>,
    /// The abbreviations that the info block defines for other blocks.
    shared: Vec<(u32, Vec<Abbreviation>)>,
    /// The names that the info block gives.
    names: Names,
    /// The block that the current records of the info block refer to.
    about: u32,
}

impl<'a> Stream<'a> {
    /// Reads a file from its begin, after a magic number of four bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        let end = bytes.len() as u64 * 8;
        let outer = Scope { block: u32::MAX, width: 2, abbreviations: Vec::new(), end };
        Self {
            bytes,
            bits: Bits { at: 32 },
            scopes: vec![outer],
            shared: Vec::new(),
            names: Names::default(),
            about: u32::MAX,
        }
    }

    /// Reads the records of a block from a position in it.
    pub fn at(bytes: &'a [u8], place: &Place, at: u64) -> Result<Self> {
        if at < place.start || at >= place.scope.end {
            return Err(Damage::new("a position outside of its block", at));
        }
        Ok(Self {
            bytes,
            bits: Bits { at },
            scopes: vec![place.scope.clone()],
            shared: Vec::new(),
            names: Names::default(),
            about: u32::MAX,
        })
    }

    /// Moves to another position of the same block.
    pub fn seek(&mut self, place: &Place, at: u64) -> Result<()> {
        if self.scopes.len() != 1 || at < place.start || at >= place.scope.end {
            return Err(Damage::new("a position outside of its block", at));
        }
        self.bits.at = at;
        Ok(())
    }

    /// Returns the names that were read so far.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the position in bits.
    pub fn position(&self) -> u64 {
        self.bits.at
    }

    /// Returns the id of the current block.
    pub fn block(&self) -> Option<u32> {
        self.scopes.last().map(|s| s.block)
    }

    /// Reads the next item.
    pub fn next(&mut self, record: &mut Record) -> Result<Event> {
        loop {
            let Some(scope) = self.scopes.last() else { return Ok(Event::End) };
            if self.scopes.len() == 1 && scope.end - self.bits.at.min(scope.end) < 32 {
                // The rest of the file is padding.
                return Ok(Event::End);
            }
            let width = scope.width;
            match self.bits.fixed(self.bytes, width)? as u32 {
                0 => {
                    self.bits.align(self.bytes)?;
                    self.scopes.pop();
                    return Ok(if self.scopes.is_empty() { Event::End } else { Event::Leave });
                }
                1 => return self.enter(),
                2 => self.define()?,
                3 => {
                    self.unabbreviated(record)?;
                    self.note(record);
                    return Ok(Event::Record);
                }
                id => {
                    let scope = self.scopes.last().map(|s| s.abbreviations.get((id - 4) as usize));
                    let Some(Some(abbreviation)) = scope else {
                        return Err(self.bits.damage(format!("abbreviation {id} is not defined")));
                    };
                    let abbreviation = abbreviation.clone();
                    record.abbreviation = id;
                    self.abbreviated(&abbreviation, record)?;
                    self.note(record);
                    return Ok(Event::Record);
                }
            }
        }
    }

    /// Skips the rest of the current block, and returns how to read it later. To be called right after
    /// [`Event::Enter`].
    pub fn skip_block(&mut self) -> Result<Place> {
        while let Some(scope) = self.scopes.last() {
            let before = self.bits;
            if self.bits.fixed(self.bytes, scope.width)? != 2 {
                self.bits = before;
                break;
            }
            self.define()?;
        }
        let start = self.bits.at;
        let Some(scope) = self.scopes.pop() else { return Err(self.bits.damage("no block")) };
        self.bits.at = scope.end;
        Ok(Place { scope, start })
    }

    fn note(&mut self, record: &Record) {
        if self.scopes.last().is_some_and(|s| s.block == BLOCK_INFO) {
            if record.code == 1 {
                self.about = record.fields.first().map_or(u32::MAX, |&id| id as u32);
            }
            self.names.note(self.about, record);
        }
    }

    fn enter(&mut self) -> Result<Event> {
        let block = self.bits.variable(self.bytes, 8)?;
        let width = self.bits.variable(self.bytes, 4)?;
        self.bits.align(self.bytes)?;
        let words = self.bits.fixed(self.bytes, 32)?;
        let end = self.bits.at + words * 32;
        let limit = self.scopes.last().map_or(0, |s| s.end);
        if !(2..=32).contains(&width) || block > u64::from(u32::MAX) {
            return Err(self.bits.damage("the head of a block is not valid"));
        }
        if end > limit {
            return Err(self.bits.damage("a block is longer than what contains it"));
        }
        if self.scopes.len() > MAX_DEPTH {
            return Err(self.bits.damage("blocks are nested too deeply"));
        }
        let (block, width) = (block as u32, width as u32);
        let abbreviations =
            self.shared.iter().find(|s| s.0 == block).map(|s| s.1.clone()).unwrap_or_default();
        self.scopes.push(Scope { block, width, abbreviations, end });
        Ok(Event::Enter { block, width, words: words as u32 })
    }

    fn define(&mut self) -> Result<()> {
        let count = self.bits.variable(self.bytes, 5)?;
        if count > MAX_ABBREVIATIONS {
            return Err(self.bits.damage("an abbreviation has too many operands"));
        }
        let mut abbreviation = Vec::new();
        for _ in 0..count {
            if self.bits.fixed(self.bytes, 1)? == 1 {
                abbreviation.push(Operand::Literal(self.bits.variable(self.bytes, 8)?));
                continue;
            }
            abbreviation.push(match self.bits.fixed(self.bytes, 3)? {
                1 => Operand::Fixed(self.bits.variable(self.bytes, 5)?.min(65) as u32),
                2 => Operand::Variable(self.bits.variable(self.bytes, 5)?.min(65) as u32),
                3 => Operand::Array,
                4 => Operand::Char6,
                5 => Operand::Blob,
                other => return Err(self.bits.damage(format!("an encoding of number {other}"))),
            });
        }
        if abbreviation.is_empty() {
            return Err(self.bits.damage("an empty abbreviation"));
        }
        let damage = self.bits.damage("too many abbreviations");
        let Some(scope) = self.scopes.last_mut() else { return Err(damage) };
        let list = if scope.block == BLOCK_INFO {
            let at = self.shared.iter().position(|s| s.0 == self.about).unwrap_or_else(|| {
                self.shared.push((self.about, Vec::new()));
                self.shared.len() - 1
            });
            &mut self.shared[at].1
        } else {
            &mut scope.abbreviations
        };
        if list.len() as u64 >= MAX_ABBREVIATIONS {
            return Err(damage);
        }
        list.push(abbreviation.into());
        Ok(())
    }

    /// Checks that `count` items of at least one bit fit into the rest of the file, so that memory stays proportional
    /// to its length.
    fn check_count(&self, count: u64) -> Result<()> {
        let left = (self.bytes.len() as u64 * 8).saturating_sub(self.bits.at);
        if count > left {
            return Err(self.bits.damage(format!("{count} fields in the {left} bits that are left")));
        }
        Ok(())
    }

    fn unabbreviated(&mut self, record: &mut Record) -> Result<()> {
        record.abbreviation = 3;
        record.blob = None;
        record.fields.clear();
        record.code = self.bits.variable(self.bytes, 6)? as u32;
        let count = self.bits.variable(self.bytes, 6)?;
        self.check_count(count)?;
        for _ in 0..count {
            record.fields.push(self.bits.variable(self.bytes, 6)?);
        }
        Ok(())
    }

    fn abbreviated(&mut self, abbreviation: &[Operand], record: &mut Record) -> Result<()> {
        record.blob = None;
        record.fields.clear();
        let mut operands = abbreviation.iter();
        record.code = match operands.next() {
            Some(&first) => self.scalar(first)? as u32,
            None => 0,
        };
        while let Some(&operand) = operands.next() {
            match operand {
                Operand::Array => {
                    let Some(&element) = operands.next() else {
                        return Err(self.bits.damage("an array without an element"));
                    };
                    let count = self.bits.variable(self.bytes, 6)?;
                    if matches!(element, Operand::Literal(_) | Operand::Fixed(0)) && count > 0 {
                        return Err(self.bits.damage("an array of elements without size"));
                    }
                    self.check_count(count)?;
                    for _ in 0..count {
                        let value = self.scalar(element)?;
                        record.fields.push(value);
                    }
                }
                Operand::Blob => {
                    let count = self.bits.variable(self.bytes, 6)?;
                    self.bits.align(self.bytes)?;
                    let start = self.bits.at / 8;
                    if count > self.bytes.len() as u64 - start {
                        return Err(self.bits.damage(format!("a blob of {count} bytes")));
                    }
                    record.blob = Some(start as usize..(start + count) as usize);
                    self.bits.at += count * 8;
                    self.bits.align(self.bytes)?;
                }
                scalar => {
                    let value = self.scalar(scalar)?;
                    record.fields.push(value);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, operand: Operand) -> Result<u64> {
        match operand {
            Operand::Literal(value) => Ok(value),
            Operand::Fixed(width) => self.bits.fixed(self.bytes, width),
            Operand::Variable(width) => self.bits.variable(self.bytes, width),
            Operand::Char6 => {
                const CHARS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
                let index = self.bits.fixed(self.bytes, 6)? as usize;
                Ok(CHARS.get(index).map_or(0, |&c| u64::from(c)))
            }
            Operand::Array | Operand::Blob => Err(self.bits.damage("an array in a place of a number")),
        }
    }
}
