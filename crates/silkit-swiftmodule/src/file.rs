//! A file that was opened: its control block and tables, and where the rest is.

use crate::container::{Event, HashTable, Names, Place, Record, Stream};
use crate::control::{Control, Dependency, Import, block, inputs};
use crate::error::{Damage, Result};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A module file of the Swift compiler.
#[derive(Clone)]
pub struct SwiftModule {
    bytes: Arc<[u8]>,
    /// What the file says about itself.
    pub control: Control,
    /// The imported modules.
    pub imports: Vec<Import>,
    /// Libraries to link, files that the module was made from, search paths.
    pub dependencies: Vec<Dependency>,
    pub(crate) names: Names,
    pub(crate) decls: Option<Place>,
    pub(crate) sil: Option<Place>,
    /// The identifiers, each with a zero byte at its end.
    identifiers: Range<usize>,
    /// Tables of positions by the names of their records.
    offsets: BTreeMap<String, Arc<[u64]>>,
    /// Hash tables by the names of their records.
    tables: BTreeMap<String, HashTable>,
}

impl SwiftModule {
    /// Opens a file: reads what it says about itself, and its tables of positions.
    pub fn open(bytes: impl Into<Arc<[u8]>>) -> Result<Self> {
        let bytes: Arc<[u8]> = bytes.into();
        if !crate::is_swift_module(&bytes) {
            return Err(Damage::new("not a module file of the Swift compiler", 0));
        }
        let mut file = Self {
            bytes: bytes.clone(),
            control: Control::default(),
            imports: Vec::new(),
            dependencies: Vec::new(),
            names: Names::default(),
            decls: None,
            sil: None,
            identifiers: 0..0,
            offsets: BTreeMap::new(),
            tables: BTreeMap::new(),
        };
        let mut stream = Stream::new(&bytes);
        let mut record = Record::default();
        loop {
            match stream.next(&mut record)? {
                Event::End => break,
                Event::Leave => {}
                Event::Enter { block, .. } => match block {
                    block::INPUT => {
                        inputs(&mut stream, &bytes, &mut file.imports, &mut file.dependencies)?;
                    }
                    block::SIL => file.sil = Some(stream.skip_block()?),
                    block::DECLS_AND_TYPES => file.decls = Some(stream.skip_block()?),
                    0
                    | block::MODULE
                    | block::CONTROL
                    | block::OPTIONS
                    | block::IDENTIFIER_DATA
                    | block::INDEX
                    | block::SIL_INDEX => {}
                    _ => {
                        stream.skip_block()?;
                    }
                },
                Event::Record => match stream.block() {
                    Some(block::CONTROL | block::OPTIONS) => file.control.note(&stream, &bytes, &record),
                    Some(block::IDENTIFIER_DATA) => {
                        file.identifiers = record.blob.clone().unwrap_or_default();
                    }
                    Some(of @ (block::INDEX | block::SIL_INDEX)) => {
                        let Some(name) = stream.names().record(of, record.code) else { continue };
                        match record.blob.clone() {
                            Some(blob) => {
                                let head = record.fields.first().copied().unwrap_or(0);
                                file.tables.insert(name.to_owned(), HashTable::new(blob, head));
                            }
                            None => {
                                file.offsets.insert(name.to_owned(), record.fields.as_slice().into());
                            }
                        }
                    }
                    _ => {}
                },
            }
        }
        file.names = stream.names().clone();
        Ok(file)
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the names of the file's blocks and records.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Returns an identifier by its id. The format gives the first ids itself; 0 is none.
    pub fn identifier(&self, id: u64) -> Result<&str> {
        let at = self.identifiers.start as u64 * 8;
        let damage = || Damage::new(format!("identifier {id} is not in the table"), at);
        match id {
            0 => return Ok(""),
            1 => return Ok(&self.control.name),
            2 => return Ok("__ObjC"),
            3 => return Ok("subscript"),
            4 => return Ok("init"),
            5 => return Ok("deinit"),
            _ => {}
        }
        let start = *self.offsets("IDENTIFIER_OFFSETS").get((id - 6) as usize).ok_or_else(damage)?;
        let text = self.bytes.get(self.identifiers.clone()).unwrap_or_default();
        let text = usize::try_from(start).ok().and_then(|start| text.get(start..)).ok_or_else(damage)?;
        let end = text.iter().position(|&b| b == 0).ok_or_else(damage)?;
        std::str::from_utf8(&text[..end]).map_err(|_| Damage::new("an identifier is not UTF-8", at))
    }

    /// Returns a table of positions, which is empty if the file has none of this name.
    pub fn offsets(&self, name: &str) -> &[u64] {
        self.offsets.get(name).map_or(&[], |table| table)
    }

    /// Returns the entries of a hash table with keys and data of 32 bits, by rising key; none if the file has no
    /// table of this name.
    pub fn pairs(&self, name: &str) -> Result<Vec<(u32, u32)>> {
        self.tables.get(name).map_or(Ok(Vec::new()), |table| table.pairs(&self.bytes))
    }

    /// Returns the names and sizes in entries of all tables of positions.
    pub fn tables(&self) -> impl Iterator<Item = (&str, usize)> {
        self.offsets.iter().map(|(name, table)| (name.as_str(), table.len()))
    }
}
