//! The hash tables that blobs of a file contain. A table begins with the numbers of its buckets and entries and the
//! positions of the buckets; a bucket is a count and entries with hash, key and data.

use crate::error::{Damage, Result};
use std::ops::Range;

/// A hash table in a blob.
#[derive(Debug, Clone)]
pub struct HashTable {
    /// The blob, in bytes of the file.
    blob: Range<usize>,
    /// The position of the table's head in the blob.
    head: usize,
}

impl HashTable {
    pub(crate) fn new(blob: Range<usize>, head: u64) -> Self {
        Self { blob, head: usize::try_from(head).unwrap_or(usize::MAX) }
    }

    /// Returns all entries of a table whose keys and data are numbers of 32 bits, by rising key.
    pub(crate) fn pairs(&self, file: &[u8]) -> Result<Vec<(u32, u32)>> {
        let at = self.blob.start as u64 * 8;
        let damage = || Damage::new("a hash table is damaged", at);
        let blob = file.get(self.blob.clone()).ok_or_else(damage)?;
        let u32_at = |at: usize| -> Option<u32> {
            let bytes = blob.get(at..at.checked_add(4)?)?;
            Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        };
        let buckets = u32_at(self.head).ok_or_else(damage)? as usize;
        let entries = u32_at(self.head.saturating_add(4)).ok_or_else(damage)? as usize;
        if buckets > blob.len() / 4 || entries > blob.len() / 12 {
            return Err(damage());
        }
        let mut pairs = Vec::new();
        for bucket in 0..buckets {
            let start = u32_at(self.head + 8 + bucket * 4).ok_or_else(damage)? as usize;
            if start == 0 {
                continue;
            }
            let count = blob.get(start..start.saturating_add(2)).ok_or_else(damage)?;
            let count = usize::from(u16::from_le_bytes([count[0], count[1]]));
            for entry in 0..count {
                let at = start + 2 + entry * 12;
                let key = u32_at(at + 4).ok_or_else(damage)?;
                pairs.push((key, u32_at(at + 8).ok_or_else(damage)?));
            }
            // Buckets of a damaged table can overlap.
            if pairs.len() > entries {
                return Err(damage());
            }
        }
        pairs.sort_unstable();
        Ok(pairs)
    }
}
