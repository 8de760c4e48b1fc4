//! The tables of a file that is read. Entries are decoded and interned when they are first referenced.

use crate::body::Shape;
use crate::codec::Codec;
use crate::container::{Contents, Directory, Section};
use crate::error::ReadError;
use crate::layout::read_opcode;
use crate::source::{DecodeError, Source};
use crate::tables::{TABLES, Table};
use silkit_base::Symbol;
use silkit_ir::{DebugVarData, DeclRef, DeclRefData, KeyPathData, Opcode};
use silkit_types::{GenericSig, SigData, SilType, Type, TypeKind};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The tables of a file.
#[derive(Debug, Default)]
pub(crate) struct FileTables {
    /// The sections of the tables of [`LAZY`].
    sections: Vec<Contents<'static>>,
    tables: [Entries; TABLES],
    strings: Box<str>,
    /// The offset of the section of strings.
    strings_start: u64,
    opcodes: Vec<Opcode>,
    shapes: Vec<Shape>,
}

/// The sections whose entries are decoded on demand, in file order.
const LAZY: [Section; 5] =
    [Section::Decls, Section::Types, Section::LoweredTypes, Section::Variables, Section::KeyPaths];

/// The entries of a table.
#[derive(Debug, Default)]
struct Entries {
    /// The range of each entry in its section.
    ranges: Vec<Range<u32>>,
    slots: Vec<Slot>,
}

/// A table entry that may be undecoded.
#[derive(Debug, Default)]
struct Slot(AtomicU64);

/// A decoded table entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableEntry {
    /// Its number in the process.
    pub(crate) raw: u32,
    /// The approximate size of its text in bytes, which every reference prints.
    pub(crate) weight: u32,
}

impl TableEntry {
    /// Returns an entry whose parts have this total weight.
    fn new(raw: u32, parts: u64) -> Self {
        Self { raw, weight: u32::try_from(parts + 1).unwrap_or(u32::MAX) }
    }
}

impl Slot {
    /// Returns the entry if it has been decoded. The weight of a decoded entry is not 0.
    #[inline]
    fn get(&self) -> Option<TableEntry> {
        let bits = self.0.load(Ordering::Relaxed);
        (bits != 0).then_some(TableEntry { raw: bits as u32, weight: (bits >> 32) as u32 })
    }

    /// Stores the entry. All threads that decode it store the same bits, which refer to no other memory.
    fn set(&self, entry: TableEntry) {
        self.0.store(u64::from(entry.weight) << 32 | u64::from(entry.raw), Ordering::Relaxed);
    }
}

impl Entries {
    fn new(ranges: Vec<Range<u32>>) -> Self {
        let slots = ranges.iter().map(|_| Slot::default()).collect();
        Self { ranges, slots }
    }
}

/// The table entry that is being decoded. It may only refer to preceding tables, and a type or a generic signature also
/// to the ones that precede it.
#[derive(Clone, Copy)]
pub(crate) struct Decoding {
    table: Table,
    start: u32,
}

impl FileTables {
    /// Reads the strings, the instructions and the shapes of a file, and finds the entries of the other tables.
    pub(crate) fn read(file: &[u8], directory: &Directory) -> Result<Self, ReadError> {
        let mut tables = Self::default();
        let section = |section| directory.section(file, section);
        let strings = section(Section::Strings)?;
        let (text, ranges) = read_strings(&mut Source::new(&strings.bytes, &tables))
            .map_err(|damage| strings.error(&damage))?;
        tables.strings = text;
        tables.strings_start = directory.range(Section::Strings).start as u64;
        tables.tables[Table::Symbols as usize] = Entries::new(ranges);
        for which in LAZY {
            let contents = section(which)?.into_owned();
            let ranges = Source::new(&contents.bytes, &tables).entry_ranges();
            let ranges = ranges.map_err(|damage| contents.error(&damage))?;
            tables.add(which, &contents, ranges);
            tables.sections.push(contents);
        }
        let instructions = section(Section::Instructions)?;
        let opcodes = read_list(&mut Source::new(&instructions.bytes, &tables), read_opcode);
        tables.opcodes = opcodes.map_err(|damage| instructions.error(&damage))?;
        let shapes = section(Section::Shapes)?;
        let read = read_list(&mut Source::new(&shapes.bytes, &tables), read_shape);
        tables.shapes = read.map_err(|damage| shapes.error(&damage))?;
        Ok(tables)
    }

    /// Adds the tables of a section, given the ranges of its entries.
    fn add(&mut self, section: Section, contents: &Contents<'_>, ranges: Vec<Range<u32>>) {
        let one = match section {
            Section::Decls => Table::Decls,
            Section::LoweredTypes => Table::LoweredTypes,
            Section::Variables => Table::Variables,
            Section::KeyPaths => Table::KeyPaths,
            // Types and generic signatures share a section. An entry begins with whether it is a signature.
            _ => {
                let is_signature = |range: &Range<u32>| contents.bytes.get(range.start as usize) == Some(&1);
                let (signatures, types) = ranges.into_iter().partition(is_signature);
                self.tables[Table::Signatures as usize] = Entries::new(signatures);
                self.tables[Table::Types as usize] = Entries::new(types);
                return;
            }
        };
        self.tables[one as usize] = Entries::new(ranges);
    }

    pub(crate) fn shape(&self, number: u32) -> Option<&Shape> {
        self.shapes.get(number as usize)
    }

    pub(crate) fn opcode(&self, number: u32) -> Option<Opcode> {
        self.opcodes.get(number as usize).copied()
    }

    /// Returns a string without interning it.
    pub(crate) fn string(&self, number: u32) -> Option<&str> {
        let range = self.tables[Table::Symbols as usize].ranges.get(number as usize)?;
        self.strings.get(range.start as usize..range.end as usize)
    }

    /// Returns the number of entries of a table.
    pub(crate) fn count(&self, table: Table) -> usize {
        self.tables[table as usize].slots.len()
    }

    /// Returns an entry that has been decoded.
    #[inline]
    pub(crate) fn decoded(&self, table: Table, number: u32) -> Option<TableEntry> {
        self.tables[table as usize].slots.get(number as usize)?.get()
    }

    /// Returns an entry, which is decoded first if it has not been. `by` is the entry that refers to it.
    ///
    /// # Errors
    /// Returns [`DecodeError::Pending`] if `by` has to wait for the entry. Returns `None` if there is no entry with
    /// this number that `by` may refer to.
    pub(crate) fn entry(
        &self,
        table: Table,
        number: u32,
        by: Option<Decoding>,
    ) -> Result<Option<TableEntry>, DecodeError> {
        let Some(range) = self.tables[table as usize].ranges.get(number as usize) else { return Ok(None) };
        if by.is_some_and(|by| !by.may_refer_to(table, range.start)) {
            return Ok(None);
        }
        match self.decoded(table, number) {
            Some(entry) => Ok(Some(entry)),
            None if by.is_some() && table != Table::Symbols => Err(DecodeError::Pending(table, number)),
            None => self.decode_all(table, number).map(Some),
        }
    }

    /// Decodes an entry after all its parts. Each part interrupts the decoding of one entry at most, and begins before
    /// it, so that this ends and is linear.
    fn decode_all(&self, table: Table, number: u32) -> Result<TableEntry, DecodeError> {
        let mut pending = vec![(table, number)];
        loop {
            let Some(&(table, number)) = pending.last() else {
                unreachable!("invariant: the first entry is returned when it has been decoded")
            };
            match self.decode(table, number) {
                Ok(entry) => {
                    self.tables[table as usize].slots[number as usize].set(entry);
                    pending.pop();
                    if pending.is_empty() {
                        return Ok(entry);
                    }
                }
                Err(DecodeError::Pending(table, number)) => pending.push((table, number)),
                Err(damage) => return Err(damage),
            }
        }
    }

    fn broken_string(&self, number: u32) -> DecodeError {
        let name = Section::Strings.name();
        let message = format!("{name}: string {number} begins or ends in the middle of a character");
        DecodeError::Elsewhere(Box::new(ReadError::malformed(message, self.strings_start)))
    }

    fn decode(&self, table: Table, number: u32) -> Result<TableEntry, DecodeError> {
        let range = self.tables[table as usize].ranges[number as usize].clone();
        let Some(section) = section_of(table) else {
            let text = self.string(number).ok_or_else(|| self.broken_string(number))?;
            return Ok(TableEntry::new(Symbol::new(text).as_u32(), text.len() as u64));
        };
        let contents = &self.sections[section];
        let by = Decoding { table, start: range.start };
        let mut source = Source::of_entry(&contents.bytes, range, self, by);
        let read = read_entry(table, &mut source).and_then(|raw| source.end().map(|()| raw));
        match read {
            Ok(raw) => Ok(TableEntry::new(raw, source.weight())),
            Err(pending @ DecodeError::Pending(..)) => Err(pending),
            Err(damage) => Err(DecodeError::Elsewhere(Box::new(contents.error(&damage)))),
        }
    }
}

impl Decoding {
    fn may_refer_to(self, table: Table, start: u32) -> bool {
        match (section_of(table), section_of(self.table)) {
            (Some(of), Some(by)) if of == by => LAZY[of] == Section::Types && start < self.start,
            (of, by) => of < by,
        }
    }
}

/// Returns the index in [`LAZY`] of the section of a table; `None` for strings.
fn section_of(table: Table) -> Option<usize> {
    match table {
        Table::Symbols | Table::Opcodes => None,
        Table::Decls => Some(0),
        Table::Types | Table::Signatures => Some(1),
        Table::LoweredTypes => Some(2),
        Table::Variables => Some(3),
        Table::KeyPaths => Some(4),
    }
}

/// Reads an entry, and returns its number in the process.
fn read_entry(table: Table, source: &mut Source<'_, '_>) -> Result<u32, DecodeError> {
    Ok(match table {
        Table::Decls => DeclRef::new(DeclRefData::read(source)?).as_u32(),
        Table::Types => {
            bool::read(source)?;
            let kind = TypeKind::read(source)?;
            let is_unknown = kind == TypeKind::Unknown;
            let ty = Type::new(kind);
            if ty.is_unknown() != is_unknown {
                return Err(source.damage("a type that nests too deeply or is too large"));
            }
            ty.as_u32()
        }
        Table::Signatures => {
            bool::read(source)?;
            GenericSig::new(SigData::read(source)?).as_u32()
        }
        Table::LoweredTypes => {
            let is_address = bool::read(source)?;
            SilType::new(Type::read(source)?, is_address).as_u32()
        }
        Table::Variables => DebugVarData::read(source)?.intern().as_u32(),
        Table::KeyPaths => KeyPathData::read(source)?.intern().as_u32(),
        Table::Symbols | Table::Opcodes => unreachable!("invariant: these tables have no lazy section"),
    })
}

fn read_strings(source: &mut Source<'_, '_>) -> Result<(Box<str>, Vec<Range<u32>>), DecodeError> {
    let ranges = source.entry_ranges()?;
    let start = ranges.first().map_or(0, |first| first.start);
    let bytes = source.take(source.remaining())?;
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(source.damage("strings that are not UTF-8"));
    };
    Ok((text.into(), ranges.into_iter().map(|r| r.start - start..r.end - start).collect()))
}

fn read_list<T>(
    source: &mut Source<'_, '_>,
    item: impl Fn(&mut Source<'_, '_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let count = source.count()?;
    let mut items = Vec::with_capacity(count);
    for _ in 0..count {
        items.push(item(source)?);
    }
    source.end()?;
    Ok(items)
}

fn read_shape(source: &mut Source<'_, '_>) -> Result<Shape, DecodeError> {
    let shape = Shape::read(source)?;
    shape.check().map_err(|what| source.damage(what))?;
    Ok(shape)
}
