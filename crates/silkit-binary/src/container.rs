//! The container format: magic number, version, section directory, checksums.

use crate::error::{ReadError, ReadErrorKind};
use crate::foreign;
use crate::pack::{pack, plain, unpack};
use crate::source::DecodeError;
use std::borrow::Cow;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// The magic number. Its first byte is not valid UTF-8, and its last byte detects line ending conversion.
pub(crate) const MAGIC: &[u8; 8] = b"\x89SILKIT\n";
/// The format version that is written and read.
pub(crate) const VERSION: u32 = 4;

/// The sections, in file order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Section {
    Strings,
    Decls,
    Types,
    LoweredTypes,
    Variables,
    KeyPaths,
    Instructions,
    Shapes,
    Functions,
    Globals,
    VTables,
    WitnessTables,
    Rest,
    Index,
    Bodies,
}

impl Section {
    pub(crate) const ALL: [Section; 15] = [
        Section::Strings,
        Section::Decls,
        Section::Types,
        Section::LoweredTypes,
        Section::Variables,
        Section::KeyPaths,
        Section::Instructions,
        Section::Shapes,
        Section::Functions,
        Section::Globals,
        Section::VTables,
        Section::WitnessTables,
        Section::Rest,
        Section::Index,
        Section::Bodies,
    ];

    /// Returns true if the section may be compressed. The index is not, since it does not get smaller, nor are the
    /// bodies, since they are read individually.
    fn is_packed(self) -> bool {
        !matches!(self, Section::Index | Section::Bodies)
    }

    /// Returns the stored bytes of a section, compressed if possible.
    pub(crate) fn store(self, contents: Vec<u8>, small: bool) -> Vec<u8> {
        match (self.is_packed(), small) {
            (false, _) => contents,
            (true, true) => pack(&contents),
            (true, false) => plain(&contents),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Section::Strings => "the table of strings",
            Section::Decls => "the table of declaration references",
            Section::Types => "the table of types",
            Section::LoweredTypes => "the table of lowered types",
            Section::Variables => "the table of debug variables",
            Section::KeyPaths => "the table of key path patterns",
            Section::Instructions => "the table of instructions",
            Section::Shapes => "the table of shapes",
            Section::Functions => "the list of functions",
            Section::Globals => "the list of global variables",
            Section::VTables => "the list of vtables",
            Section::WitnessTables => "the list of witness tables",
            Section::Rest => "the list of other entities",
            Section::Index => "the index of bodies",
            Section::Bodies => "the bodies",
        }
    }
}

const SECTIONS: usize = Section::ALL.len();
/// The size of the length field and of the checksum of a section, in bytes.
const FIELD: usize = 4;
const ENTRY: usize = 2 * FIELD;
const DIRECTORY: usize = SECTIONS * ENTRY;

/// Returns the checksum of a byte range.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}

/// Returns the checksum of a section. Each body has its own checksum in the index, so that it is read without the
/// others.
fn section_checksum(section: Section, bytes: &[u8]) -> u32 {
    if section == Section::Bodies { 0 } else { checksum(bytes) }
}

/// Assembles a file. Returns `None` if a section is longer than 4 GiB or the source name longer than 64 KiB.
pub(crate) fn assemble(producer: &str, source: &str, sections: &[Vec<u8>; SECTIONS]) -> Option<Vec<u8>> {
    let producer = &producer[..producer.floor_char_boundary(usize::from(u8::MAX))];
    let total: usize = sections.iter().map(Vec::len).sum();
    let mut file = Vec::with_capacity(total + 64 + DIRECTORY);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.push(producer.len() as u8);
    file.extend_from_slice(producer.as_bytes());
    file.extend_from_slice(&u16::try_from(source.len()).ok()?.to_le_bytes());
    file.extend_from_slice(source.as_bytes());
    for (section, bytes) in Section::ALL.into_iter().zip(sections) {
        file.extend_from_slice(&u32::try_from(bytes.len()).ok()?.to_le_bytes());
        file.extend_from_slice(&section_checksum(section, bytes).to_le_bytes());
    }
    let sum = checksum(&file);
    file.extend_from_slice(&sum.to_le_bytes());
    sections.iter().for_each(|bytes| file.extend_from_slice(bytes));
    Some(file)
}

/// The section directory of a file.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub(crate) producer: Box<str>,
    pub(crate) source: Box<str>,
    entries: [(Range<usize>, u32); SECTIONS],
}

impl Directory {
    /// Reads the header of a file, without the contents of the sections.
    pub(crate) fn read(file: &[u8]) -> Result<Directory, ReadError> {
        let (producer, start) = preamble(file)?;
        let (source, start) = source_name(file, start)?;
        let end = start + DIRECTORY;
        let Some(sum) = file.get(end..end + FIELD) else {
            return Err(ReadError::truncated("its directory", file.len() as u64));
        };
        if number(sum) != checksum(&file[..end]) {
            return Err(ReadError::checksum("the directory", start as u64));
        }
        let mut at = end + FIELD;
        let mut entries = std::array::from_fn(|_| (0..0, 0));
        for ((section, entry), field) in
            Section::ALL.iter().zip(&mut entries).zip(file[start..end].chunks_exact(ENTRY))
        {
            let next = at.checked_add(number(&field[..FIELD]) as usize);
            match next.filter(|&next| next <= file.len()) {
                Some(next) => *entry = (at..next, number(&field[FIELD..])),
                None => return Err(ReadError::truncated(section.name(), file.len() as u64)),
            }
            at = entry.0.end;
        }
        if at != file.len() {
            let left = file.len() - at;
            let message = format!("{left} bytes follow the end of the last section");
            return Err(ReadError::malformed(message, at as u64));
        }
        Ok(Directory { producer, source, entries })
    }

    pub(crate) fn range(&self, section: Section) -> Range<usize> {
        self.entries[section as usize].0.clone()
    }

    /// Returns the contents of a section after verifying its checksum.
    pub(crate) fn section<'a>(&self, file: &'a [u8], section: Section) -> Result<Contents<'a>, ReadError> {
        let (range, sum) = &self.entries[section as usize];
        let bytes = &file[range.clone()];
        let start = range.start as u64;
        if section_checksum(section, bytes) != *sum {
            return Err(ReadError::checksum(section.name(), start));
        }
        let bytes = match section.is_packed() {
            false => Cow::Borrowed(bytes),
            true => unpack(bytes)
                .map_err(|what| ReadError::malformed(format!("{}: found {what}", section.name()), start))?,
        };
        Ok(Contents { bytes, section, start })
    }
}

/// The contents of a section.
#[derive(Clone, Debug)]
pub(crate) struct Contents<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    section: Section,
    start: u64,
}

impl Contents<'_> {
    /// Returns the same contents without a reference to the file. Compressed contents, which almost all are, are not
    /// copied.
    pub(crate) fn into_owned(self) -> Contents<'static> {
        Contents { bytes: Cow::Owned(self.bytes.into_owned()), section: self.section, start: self.start }
    }

    /// Returns the error for damage in the contents.
    pub(crate) fn error(&self, damage: &DecodeError) -> ReadError {
        let name = self.section.name();
        match damage {
            DecodeError::Damage { what, offset } if self.section.is_packed() => ReadError::malformed(
                format!("{name}: found {what}, at byte {offset} of what it holds"),
                self.start,
            ),
            _ => ReadError::damage(name, self.start, damage),
        }
    }
}

/// Checks magic number and version. Returns the producer and the offset after it.
fn preamble(file: &[u8]) -> Result<(Box<str>, usize), ReadError> {
    let known = file.len().min(MAGIC.len());
    if file[..known] != MAGIC[..known] || file.is_empty() {
        return Err(foreign::identify(file).unwrap_or_else(not_silkit));
    }
    let [_, _, _, _, _, _, _, _, v0, v1, v2, v3, length, rest @ ..] = file else {
        return Err(ReadError::truncated("its magic number", file.len() as u64));
    };
    let version = u32::from_le_bytes([*v0, *v1, *v2, *v3]);
    let length = usize::from(*length);
    let producer = rest.get(..length).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if version == 0 {
        return Err(ReadError::malformed("version 0 of the format was never written", MAGIC.len() as u64));
    }
    if version != VERSION {
        let is_newer = version > VERSION;
        let producer = producer.map_or(String::new(), |p| format!(" by {}", p.escape_debug()));
        let age = if is_newer { "a newer" } else { "an older" };
        return Err(ReadError::new(
            if is_newer { ReadErrorKind::Newer } else { ReadErrorKind::Older },
            format!(
                "the file was written{producer} in version {version} of the format; this Silkit reads version {VERSION}"
            ),
            Some(MAGIC.len() as u64),
            format!("read it with {age} Silkit, which can also print it as text for this one: `silkit opt`"),
        ));
    }
    match producer {
        Some(producer) => Ok((producer.into(), MAGIC.len() + 5 + length)),
        None => Err(ReadError::truncated("the name of the program that wrote it", file.len() as u64)),
    }
}

/// Returns the name of the source text and the offset of the directory.
fn source_name(file: &[u8], start: usize) -> Result<(Box<str>, usize), ReadError> {
    let truncated = || ReadError::truncated("the path of its source text", file.len() as u64);
    let [low, high, rest @ ..] = &file[start..] else { return Err(truncated()) };
    let length = usize::from(u16::from_le_bytes([*low, *high]));
    let name = rest.get(..length).ok_or_else(truncated)?;
    Ok((String::from_utf8_lossy(name).into(), start + 2 + length))
}

fn not_silkit() -> ReadError {
    ReadError::new(
        ReadErrorKind::NotSilkit,
        "the file is not binary SIL written by Silkit",
        Some(0),
        "binary SIL begins with the bytes 89 53 49 4C 4B 49 54 0A; `silkit opt -emit-sib` writes one",
    )
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Returns the same file with uncompressed sections.
pub(crate) fn unpacked(file: &[u8]) -> Result<Vec<u8>, ReadError> {
    let directory = Directory::read(file)?;
    let mut sections = [const { Vec::new() }; SECTIONS];
    for section in Section::ALL {
        let contents = directory.section(file, section)?.bytes.into_owned();
        sections[section as usize] = section.store(contents, false);
    }
    let large = || ReadError::malformed("a section of more than 4 GiB", 0);
    assemble(&directory.producer, &directory.source, &sections).ok_or_else(large)
}

/// Corrects the checksums of a damaged file, as far as its directory is readable, so that tests and fuzzers reach the
/// code after the checks.
pub(crate) fn reseal(file: &mut [u8], bodies: impl FnOnce(&mut [u8], &Directory)) {
    let Ok((_, start)) = preamble(file).and_then(|(_, start)| source_name(file, start)) else { return };
    let end = start + DIRECTORY;
    if file.len() < end + FIELD {
        return;
    }
    let sum = checksum(&file[..end]).to_le_bytes();
    file[end..end + FIELD].copy_from_slice(&sum);
    let Ok(directory) = Directory::read(file) else { return };
    bodies(file, &directory);
    for section in Section::ALL {
        let sum = section_checksum(section, &file[directory.range(section)]).to_le_bytes();
        let at = start + section as usize * ENTRY + FIELD;
        file[at..at + FIELD].copy_from_slice(&sum);
    }
    let sum = checksum(&file[..end]).to_le_bytes();
    file[end..end + FIELD].copy_from_slice(&sum);
}
