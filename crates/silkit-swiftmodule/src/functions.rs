//! The SIL entities of a file, by name.

use crate::error::Result;
use crate::file::SwiftModule;

/// Where a function is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionPlace {
    /// The mangled name.
    pub name: String,
    /// The position of its first record, in bits from the begin of the file.
    pub at: u64,
    /// Its length in bits: up to the next function, or the end of the block.
    pub bits: u64,
}

impl SwiftModule {
    /// Returns all functions in the order of the file.
    pub fn functions(&self) -> Result<Vec<FunctionPlace>> {
        let offsets = self.offsets("SIL_FUNC_OFFSETS");
        let mut found = Vec::new();
        for (name, id) in self.pairs("SIL_FUNC_NAMES")? {
            let Some(&at) = id.checked_sub(1).and_then(|index| offsets.get(index as usize)) else { continue };
            found.push(FunctionPlace { name: self.identifier(u64::from(name))?.to_owned(), at, bits: 0 });
        }
        found.sort_by_key(|f| f.at);
        let mut end = self.sil.as_ref().map_or(0, |place| place.end());
        for function in found.iter_mut().rev() {
            function.bits = end.saturating_sub(function.at);
            end = function.at;
        }
        Ok(found)
    }

    /// Returns the names of the entities of a kind in the SIL block, by the name of the table: `SIL_GLOBALVAR_NAMES`,
    /// `SIL_VTABLE_NAMES`, …
    pub fn names_in(&self, table: &str) -> Result<Vec<String>> {
        let pairs = self.pairs(table)?;
        pairs.iter().map(|&(name, _)| Ok(self.identifier(u64::from(name))?.to_owned())).collect()
    }
}
