//! What a file says about itself: versions, target, options, imports and files that it was made from.

use crate::container::{Event, Record, Stream};
use crate::error::Result;

/// The ids of blocks. They have been the same in all known versions.
pub(crate) mod block {
    pub(crate) const MODULE: u32 = 8;
    pub(crate) const CONTROL: u32 = 9;
    pub(crate) const INPUT: u32 = 10;
    pub(crate) const DECLS_AND_TYPES: u32 = 11;
    pub(crate) const IDENTIFIER_DATA: u32 = 12;
    pub(crate) const INDEX: u32 = 13;
    pub(crate) const SIL: u32 = 14;
    pub(crate) const SIL_INDEX: u32 = 15;
    pub(crate) const OPTIONS: u32 = 16;
}

/// The contents of the control block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Control {
    /// The major and minor version of the format.
    pub format: (u32, u32),
    /// The short version of the compiler, such as `6.2.3`.
    pub swift: String,
    /// The long version of the compiler.
    pub compiler: String,
    /// The name of the module.
    pub name: String,
    /// The target triple.
    pub target: String,
    /// The options by the names of their records, with their fields and text.
    pub options: Vec<(String, Vec<u64>, String)>,
}

impl Control {
    /// Returns true for a `.sib` file, which has all SIL of a module.
    pub fn is_sib(&self) -> bool {
        self.options.iter().any(|o| o.0 == "IS_SIB" && o.1.first().is_some_and(|&v| v != 0))
    }

    /// Reads the control block of a module file, or of a file beside one (`.swiftdoc`). Stops at damage, and returns
    /// what was read until then.
    pub fn read(file: &[u8]) -> Self {
        let mut stream = Stream::new(file);
        let (mut record, mut control) = (Record::default(), Self::default());
        loop {
            match stream.next(&mut record) {
                Ok(Event::Enter { .. }) => {}
                Ok(Event::Record) if stream.block().is_some_and(|b| b != 0) => {
                    control.note(&stream, file, &record);
                }
                Ok(Event::Record) => {}
                Ok(Event::Leave) if stream.block() == Some(block::MODULE) => return control,
                Ok(Event::Leave) => {}
                Ok(Event::End) | Err(_) => return control,
            }
        }
    }

    /// Takes a record of the control block or of the block of options in it.
    pub(crate) fn note(&mut self, stream: &Stream<'_>, file: &[u8], record: &Record) {
        let Some(of) = stream.block() else { return };
        let text = text_of(file, record);
        if of == block::OPTIONS {
            let name = stream
                .names()
                .record(of, record.code)
                .map_or_else(|| format!("option {}", record.code), str::to_owned);
            self.options.push((name, record.fields.clone(), text));
            return;
        }
        // The numbers of the first three records are those of all versions, and files beside modules have no names.
        match record.code {
            1 => {
                if let [major, minor, ..] = record.fields[..] {
                    self.format = (major as u32, minor as u32);
                }
                // The text is `6.1.2(5.8)/Swift version …`; the third field is the length of its first part.
                let short = record.fields.get(2).and_then(|&n| text.get(..usize::try_from(n).ok()?));
                let short = short.filter(|s| !s.is_empty());
                self.swift = short.or_else(|| text.split(['/', '(']).next()).unwrap_or_default().to_owned();
                self.compiler = text.split_once('/').map_or("", |(_, long)| long).to_owned();
            }
            2 => self.name = text,
            3 => self.target = text,
            _ => {}
        }
    }
}

/// An imported module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module, or a declaration in it: `Module.decl`.
    pub path: String,
    /// How it is imported: `normal`, `exported`, `implementation only`, …
    pub kind: &'static str,
}

/// A record of the input block that is not an import: a library to link, a file, a search path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The name of the record.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// Its numbers.
    pub fields: Vec<u64>,
}

/// Reads the records of the input block until its end.
pub(crate) fn inputs(
    stream: &mut Stream<'_>,
    file: &[u8],
    imports: &mut Vec<Import>,
    dependencies: &mut Vec<Dependency>,
) -> Result<()> {
    let mut record = Record::default();
    loop {
        match stream.next(&mut record)? {
            Event::Record => {}
            Event::Enter { .. } => {
                stream.skip_block()?;
                continue;
            }
            Event::Leave | Event::End => return Ok(()),
        }
        let name = stream.names().record(block::INPUT, record.code).unwrap_or("unknown").to_owned();
        let text = text_of(file, &record);
        if name == "IMPORTED_MODULE" {
            const KINDS: [&str; 5] = ["normal", "exported", "implementation only", "SPI only", "package"];
            let kind = record.fields.first().and_then(|&k| KINDS.get(k as usize));
            imports.push(Import { path: text.replace('\0', "."), kind: kind.copied().unwrap_or("unknown") });
        } else {
            dependencies.push(Dependency { kind: name, text, fields: record.fields.clone() });
        }
    }
}

/// Returns the blob of a record as text.
fn text_of(file: &[u8], record: &Record) -> String {
    let blob = record.blob.clone().and_then(|range| file.get(range)).unwrap_or_default();
    String::from_utf8_lossy(blob).into_owned()
}
