//! The store that wrote each byte of memory, and the stores whose values are read later. They are recorded while
//! instructions are counted.

use silkit_base::FxHashSet;
use std::cell::RefCell;

/// The stores that wrote the bytes of memory. Stores are numbered from 1.
#[derive(Debug, Default)]
pub(super) struct Writers {
    /// The store that wrote each byte; 0 if it was written in another way.
    of: Vec<u32>,
    /// The store that is running; 0 if none is.
    pub(super) current: u32,
    /// The stores of which a byte was read.
    read: RefCell<FxHashSet<u32>>,
}

impl Writers {
    /// Records that the running store writes a range.
    pub(super) fn write(&mut self, first: usize, len: usize) {
        let current = self.current;
        self.range(first, len).fill(current);
    }

    /// Records that a range holds nothing that a store wrote.
    pub(super) fn forget(&mut self, first: usize, len: usize) {
        self.range(first, len).fill(0);
    }

    /// Records that a range is copied. The copy belongs to the same stores, and copying is not reading.
    pub(super) fn copy(&mut self, from: usize, to: usize, len: usize) {
        self.range(from.max(to), len);
        self.of.copy_within(from..from + len, to);
    }

    /// Records that a range is read.
    pub(super) fn read(&self, first: usize, len: usize) {
        let end = (first + len).min(self.of.len());
        let written = self.of.get(first..end).unwrap_or_default();
        let stores = written.chunk_by(|a, b| a == b).map(|run| run[0]);
        self.read.borrow_mut().extend(stores.filter(|store| *store != 0));
    }

    /// Returns the stores that have written bytes that were read later.
    pub(super) fn read_so_far(&self) -> Vec<u32> {
        self.read.borrow().iter().copied().collect()
    }

    fn range(&mut self, first: usize, len: usize) -> &mut [u32] {
        if self.of.len() < first + len {
            self.of.resize(first + len, 0);
        }
        &mut self.of[first..first + len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_read_if_one_of_its_bytes_or_copies_is() {
        let mut writers = Writers { current: 1, ..Writers::default() };
        writers.write(0, 8);
        writers.current = 2;
        writers.write(8, 8);
        writers.write(0, 4);
        writers.read(0, 4);
        assert_eq!(writers.read_so_far(), [2], "the second store has overwritten these bytes");
        writers.copy(4, 100, 4);
        assert_eq!(writers.read_so_far(), [2], "copying is not reading");
        writers.read(102, 1);
        let mut read = writers.read_so_far();
        read.sort_unstable();
        assert_eq!(read, [1, 2]);
    }

    #[test]
    fn other_writes_belong_to_no_store() {
        let mut writers = Writers { current: 3, ..Writers::default() };
        writers.write(16, 8);
        writers.forget(16, 4);
        writers.current = 0;
        writers.write(20, 4);
        writers.read(0, 1000);
        assert!(writers.read_so_far().is_empty());
    }
}
