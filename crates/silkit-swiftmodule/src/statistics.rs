//! How many records of each kind a file has, and how many bits they take.

use crate::container::{Event, Record, Stream};
use crate::error::Damage;
use crate::file::SwiftModule;
use std::collections::BTreeMap;

/// The records of a file by kind.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// The kinds, those with most bits first.
    pub kinds: Vec<KindCount>,
    /// The damage at which reading stopped.
    pub damage: Option<Damage>,
}

/// The records of one kind.
#[derive(Debug, Clone)]
pub struct KindCount {
    /// The name of the block, or its number.
    pub block: String,
    /// The name of the record, or its number.
    pub record: String,
    /// How many there are.
    pub count: u64,
    /// The bits that all of them take.
    pub bits: u64,
}

impl SwiftModule {
    /// Counts all records of the file.
    pub fn statistics(&self) -> Statistics {
        let mut stream = Stream::new(self.bytes());
        let mut record = Record::default();
        let mut counts: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
        let damage = loop {
            let before = stream.position();
            match stream.next(&mut record) {
                Ok(Event::Record) => {
                    let block = stream.block().unwrap_or(u32::MAX);
                    if block == 0 {
                        continue;
                    }
                    let entry = counts.entry((block, record.code)).or_default();
                    entry.0 += 1;
                    entry.1 += stream.position() - before;
                }
                Ok(Event::End) => break None,
                Ok(_) => {}
                Err(damage) => break Some(damage),
            }
        };
        let name = |name: Option<&str>, id: u32| name.map_or_else(|| id.to_string(), str::to_owned);
        let mut kinds: Vec<KindCount> = counts
            .iter()
            .map(|(&(block, code), &(count, bits))| KindCount {
                block: name(self.names.block(block), block),
                record: name(self.names.record(block, code), code),
                count,
                bits,
            })
            .collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.bits));
        Statistics { kinds, damage }
    }
}
