//! A minimal reader of LLVM's bitstream container, which extracts the version from files of the Swift compiler.

use std::collections::HashMap;

/// The maximum nesting of blocks, and the maximum size of a record.
const MAX_DEPTH: usize = 16;
const MAX_FIELDS: u64 = 1 << 16;
/// The block with abbreviations for other blocks.
const BLOCK_INFO: u64 = 0;

/// The next item of a stream.
pub(crate) enum Item<'a> {
    /// The begin of a block with this id.
    Enter(u64),
    /// The end of a block.
    Leave,
    /// A record.
    Record {
        code: u64,
        /// The fields, without the code.
        fields: Vec<u64>,
        /// The blob at the end.
        blob: &'a [u8],
    },
}

#[derive(Clone, Copy)]
enum Operand {
    Literal(u64),
    Fixed(u64),
    Vbr(u64),
    Array,
    Char6,
    Blob,
}

type Abbreviation = Vec<Operand>;

struct Scope {
    id: u64,
    width: u64,
    abbreviations: Vec<Abbreviation>,
}

/// A bitstream reader, positioned after the magic number.
pub(crate) struct Bitstream<'a> {
    bytes: &'a [u8],
    /// The position in bits.
    at: usize,
    scopes: Vec<Scope>,
    /// The abbreviations that the info block defines for other blocks.
    shared: HashMap<u64, Vec<Abbreviation>>,
    /// The block that the current records of the info block refer to.
    about: u64,
}

impl<'a> Bitstream<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let outer = Scope { id: u64::MAX, width: 2, abbreviations: Vec::new() };
        Self { bytes, at: 0, scopes: vec![outer], shared: HashMap::new(), about: u64::MAX }
    }

    /// Returns the next item; `None` at the end and if the stream is invalid.
    pub(crate) fn next(&mut self) -> Option<Item<'a>> {
        loop {
            let scope = self.scopes.last()?;
            match self.fixed(scope.width)? {
                0 => {
                    self.align()?;
                    self.scopes.pop();
                    return (!self.scopes.is_empty()).then_some(Item::Leave);
                }
                1 => return self.enter(),
                2 => self.define()?,
                3 => {
                    let code = self.vbr(6)?;
                    let count = self.vbr(6).filter(|&n| n <= MAX_FIELDS)?;
                    let mut fields = Vec::new();
                    for _ in 0..count {
                        fields.push(self.vbr(6)?);
                    }
                    return self.record(code, fields, &[]);
                }
                id => {
                    let index = usize::try_from(id - 4).ok()?;
                    let abbreviation = self.scopes.last()?.abbreviations.get(index)?.clone();
                    let (mut fields, blob) = self.abbreviated(&abbreviation)?;
                    if fields.is_empty() {
                        return None;
                    }
                    let code = fields.remove(0);
                    return self.record(code, fields, blob);
                }
            }
        }
    }

    fn record(&mut self, code: u64, fields: Vec<u64>, blob: &'a [u8]) -> Option<Item<'a>> {
        if self.scopes.last()?.id == BLOCK_INFO && code == 1 {
            self.about = *fields.first()?;
        }
        Some(Item::Record { code, fields, blob })
    }

    fn enter(&mut self) -> Option<Item<'a>> {
        let id = self.vbr(8)?;
        let width = self.vbr(4).filter(|n| (2..=32).contains(n))?;
        self.align()?;
        self.fixed(32)?;
        if self.scopes.len() > MAX_DEPTH {
            return None;
        }
        let abbreviations = self.shared.get(&id).cloned().unwrap_or_default();
        self.scopes.push(Scope { id, width, abbreviations });
        Some(Item::Enter(id))
    }

    fn define(&mut self) -> Option<()> {
        let count = self.vbr(5).filter(|&n| n <= MAX_FIELDS)?;
        let mut abbreviation = Vec::new();
        for _ in 0..count {
            if self.fixed(1)? == 1 {
                abbreviation.push(Operand::Literal(self.vbr(8)?));
                continue;
            }
            abbreviation.push(match self.fixed(3)? {
                1 => Operand::Fixed(self.vbr(5)?),
                2 => Operand::Vbr(self.vbr(5)?),
                3 => Operand::Array,
                4 => Operand::Char6,
                5 => Operand::Blob,
                _ => return None,
            });
        }
        let scope = self.scopes.last_mut()?;
        if scope.id == BLOCK_INFO {
            self.shared.entry(self.about).or_default().push(abbreviation);
        } else {
            scope.abbreviations.push(abbreviation);
        }
        Some(())
    }

    fn abbreviated(&mut self, abbreviation: &[Operand]) -> Option<(Vec<u64>, &'a [u8])> {
        let mut fields = Vec::new();
        let mut blob: &[u8] = &[];
        let mut operands = abbreviation.iter();
        while let Some(&operand) = operands.next() {
            match operand {
                Operand::Array => {
                    let element = *operands.next()?;
                    let count = self.vbr(6).filter(|&n| n <= MAX_FIELDS)?;
                    for _ in 0..count {
                        fields.push(self.scalar(element)?);
                    }
                }
                Operand::Blob => {
                    let count = usize::try_from(self.vbr(6)?).ok()?;
                    self.align()?;
                    let start = self.at / 8;
                    blob = self.bytes.get(start..start.checked_add(count)?)?;
                    self.at += count * 8;
                    self.align()?;
                }
                scalar => fields.push(self.scalar(scalar)?),
            }
        }
        Some((fields, blob))
    }

    fn scalar(&mut self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Literal(value) => Some(value),
            Operand::Fixed(width) => self.fixed(width),
            Operand::Vbr(width) => self.vbr(width),
            Operand::Char6 => self.fixed(6),
            Operand::Array | Operand::Blob => None,
        }
    }

    fn fixed(&mut self, width: u64) -> Option<u64> {
        if width > 64 {
            return None;
        }
        let mut value = 0;
        for bit in 0..width {
            let byte = *self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Some(value)
    }

    fn vbr(&mut self, width: u64) -> Option<u64> {
        if !(2..=32).contains(&width) {
            return None;
        }
        let more = 1 << (width - 1);
        let mut value = 0u64;
        let mut shift = 0;
        loop {
            let piece = self.fixed(width)?;
            value |= (piece & (more - 1)).checked_shl(shift)?;
            if piece & more == 0 {
                return Some(value);
            }
            shift += width as u32 - 1;
        }
    }

    /// Advances to the next multiple of 32 bits.
    fn align(&mut self) -> Option<()> {
        self.at = self.at.next_multiple_of(32);
        (self.at / 8 <= self.bytes.len()).then_some(())
    }
}
