//! The names of blocks and records, which a file gives in its info block.

use super::stream::Record;
use std::collections::BTreeMap;

/// The names of blocks and records of one file.
#[derive(Debug, Clone, Default)]
pub struct Names {
    blocks: BTreeMap<u32, String>,
    records: BTreeMap<(u32, u32), String>,
}

impl Names {
    /// Takes a record of the info block: the name of block `about`, or of a record in it.
    pub(super) fn note(&mut self, about: u32, record: &Record) {
        let text = |fields: &[u64]| fields.iter().map(|&c| char::from(c as u8)).collect::<String>();
        match (record.code, record.fields.as_slice()) {
            (2, fields) => {
                self.blocks.insert(about, text(fields));
            }
            (3, [code, fields @ ..]) => {
                self.records.insert((about, *code as u32), text(fields));
            }
            _ => {}
        }
    }

    /// Returns the name of a block.
    pub fn block(&self, id: u32) -> Option<&str> {
        self.blocks.get(&id).map(String::as_str)
    }

    /// Returns the name of a record in a block.
    pub fn record(&self, block: u32, code: u32) -> Option<&str> {
        self.records.get(&(block, code)).map(String::as_str)
    }

    /// Returns the records of a block with their numbers.
    pub fn records_of(&self, block: u32) -> impl Iterator<Item = (u32, &str)> {
        self.records.range((block, 0)..=(block, u32::MAX)).map(|(&(_, code), name)| (code, name.as_str()))
    }
}
