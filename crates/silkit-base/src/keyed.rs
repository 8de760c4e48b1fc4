//! Dense tables whose values are looked up by a key that each value holds, such as its name.

use crate::entity::{Entity, IdVec};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, Index, IndexMut};

/// A value that holds its own lookup key.
pub trait Keyed {
    /// The type of the key.
    type Key: Hash + Eq;

    /// Returns the key of this value.
    fn key(&self) -> &Self::Key;
}

/// An [`IdVec`] with constant-time lookup of values by key.
///
/// If several values have the same key, lookup returns the first. The index stores positions, not keys; it is updated
/// by [`push`](Self::push), [`retain`](Self::retain) and [`rekey`](Self::rekey). Values may be changed in place,
/// except for their keys.
#[derive(Clone)]
pub struct KeyedVec<K, V> {
    values: IdVec<K, V>,
    /// Hash index: the position of the first value of each key.
    index: HashTable<u32>,
}

fn hash(key: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}

impl<K: Entity, V: Keyed> KeyedVec<K, V> {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self { values: IdVec::new(), index: HashTable::new() }
    }

    /// Returns the id of the first value with this key.
    pub fn find(&self, key: &V::Key) -> Option<K> {
        let values = self.values.as_slice();
        let found = self.index.find(hash(key), |&at| values[at as usize].key() == key)?;
        Some(K::from_index(*found as usize))
    }

    /// Returns the first value with this key.
    pub fn by_key(&self, key: &V::Key) -> Option<&V> {
        self.find(key).map(|id| &self.values[id])
    }

    /// Returns a mutable reference to the first value with this key.
    pub fn by_key_mut(&mut self, key: &V::Key) -> Option<&mut V> {
        let id = self.find(key)?;
        Some(&mut self.values[id])
    }

    /// Appends a value and returns its id.
    pub fn push(&mut self, value: V) -> K {
        let id = self.values.push(value);
        self.enter(id);
        id
    }

    /// Applies `change` to a value and updates the index if its key changed. Constant time if keys are unique.
    pub fn rekey<R>(&mut self, id: K, change: impl FnOnce(&mut V) -> R) -> R {
        let values = self.values.as_slice();
        let old = hash(values[id.index()].key());
        let has_same_key = |&at: &u32| values[at as usize].key() == values[id.index()].key();
        // The next value with the old key, which this value shadowed.
        let mut next = None;
        if let Ok(entry) = self.index.find_entry(old, |&at| at as usize == id.index()) {
            entry.remove();
            if self.index.len() + 1 < values.len() {
                next = (id.index() as u32 + 1..values.len() as u32).find(has_same_key);
            }
        }
        let result = change(&mut self.values[id]);
        if let Some(next) = next {
            self.enter(K::from_index(next as usize));
        }
        // An earlier value shadows a later one with the same new key.
        let (values, new) = (self.values.as_slice(), hash(self.values[id].key()));
        let key = values[id.index()].key();
        match self.index.find_mut(new, |&at| values[at as usize].key() == key) {
            Some(at) => *at = (*at).min(id.index() as u32),
            None => self.enter(id),
        }
        result
    }

    /// Removes the values for which `condition` returns false. The remaining values get new ids.
    pub fn retain(&mut self, condition: impl FnMut(&V) -> bool) {
        self.values.retain(condition);
        self.index.clear();
        self.values.keys().for_each(|id| self.enter(id));
    }

    /// Removes all values and returns them.
    pub fn take(&mut self) -> IdVec<K, V> {
        self.index.clear();
        std::mem::take(&mut self.values)
    }

    /// Returns all ids and mutable values in order. The keys must not be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> + ExactSizeIterator {
        self.values.iter_mut()
    }

    /// Returns all values mutably, in order of their ids. The keys must not be changed.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.values_mut()
    }

    /// Makes room for more values, so that the table grows once.
    pub fn reserve(&mut self, additional: usize) {
        self.values.reserve(additional);
        let values = self.values.as_slice();
        self.index.reserve(additional, |&at| hash(values[at as usize].key()));
    }

    /// Releases unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.values.shrink_to_fit();
    }

    /// Returns true if the index is consistent: every value is found by its key, or the first value with that key is.
    /// Linear in the number of values.
    pub fn is_index_right(&self) -> bool {
        let is_found =
            |id: K| self.find(self.values[id].key()).is_some_and(|first| first.index() <= id.index());
        self.index.len() <= self.values.len() && self.values.keys().all(is_found)
    }

    /// Adds a value to the index unless an earlier value has the same key.
    fn enter(&mut self, id: K) {
        let values = self.values.as_slice();
        let key = values[id.index()].key();
        let (is_same, rehash) =
            (|&at: &u32| values[at as usize].key() == key, |&at: &u32| hash(values[at as usize].key()));
        self.index.entry(hash(key), is_same, rehash).or_insert(id.index() as u32);
    }
}

/// Gives read access to the values as a plain [`IdVec`].
impl<K, V> Deref for KeyedVec<K, V> {
    type Target = IdVec<K, V>;

    fn deref(&self) -> &IdVec<K, V> {
        &self.values
    }
}

impl<K: Entity, V> Index<K> for KeyedVec<K, V> {
    type Output = V;

    fn index(&self, id: K) -> &V {
        &self.values[id]
    }
}

impl<K: Entity, V> IndexMut<K> for KeyedVec<K, V> {
    fn index_mut(&mut self, id: K) -> &mut V {
        &mut self.values[id]
    }
}

/// Tables are equal if their values are equal, in order.
impl<K: Entity, V: PartialEq> PartialEq for KeyedVec<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.values.as_slice() == other.values.as_slice()
    }
}

impl<K: Entity, V> Default for KeyedVec<K, V> {
    fn default() -> Self {
        Self { values: IdVec::default(), index: HashTable::new() }
    }
}

impl<K: Entity, V: Keyed> FromIterator<V> for KeyedVec<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(iter: I) -> Self {
        let mut this = Self::new();
        iter.into_iter().for_each(|value| _ = this.push(value));
        this
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for KeyedVec<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::entity!(/// A word.
        Word, "w");

    #[derive(Clone, Debug, PartialEq)]
    struct Entry(&'static str, u32);

    impl Keyed for Entry {
        type Key = &'static str;
        fn key(&self) -> &&'static str {
            &self.0
        }
    }

    fn words(names: &[&'static str]) -> KeyedVec<Word, Entry> {
        names.iter().enumerate().map(|(i, name)| Entry(name, i as u32)).collect()
    }

    fn found(words: &KeyedVec<Word, Entry>, name: &'static str) -> Option<u32> {
        words.by_key(&name).map(|entry| entry.1)
    }

    #[test]
    fn the_first_value_of_a_key_is_found() {
        let mut table = words(&["a", "b", "a"]);
        assert_eq!((found(&table, "a"), found(&table, "b"), found(&table, "c")), (Some(0), Some(1), None));
        table.reserve(100);
        table.push(Entry("c", 7));
        assert_eq!((found(&table, "a"), found(&table, "c")), (Some(0), Some(7)));
        assert!(table.is_index_right());
    }

    #[test]
    fn renamed_values_are_found_by_the_new_key() {
        let mut table = words(&["a", "b", "a", "d"]);
        let id = |index| Word::from_index(index);
        table.rekey(id(0), |entry| entry.0 = "d");
        assert_eq!((found(&table, "d"), found(&table, "a")), (Some(0), Some(2)));
        table.rekey(id(2), |entry| entry.0 = "d");
        assert_eq!((found(&table, "d"), found(&table, "a")), (Some(0), None));
        table.rekey(id(0), |entry| entry.0 = "x");
        assert_eq!((found(&table, "d"), found(&table, "x")), (Some(2), Some(0)));
        table.rekey(id(1), |entry| entry.1 = 9);
        assert_eq!(found(&table, "b"), Some(9));
        assert!(table.is_index_right());
    }

    #[test]
    fn a_key_that_is_changed_in_place_is_noticed() {
        let mut table = words(&["a", "b"]);
        table[Word::from_index(0)].0 = "z";
        assert_eq!((found(&table, "a"), found(&table, "z")), (None, None));
        assert!(!table.is_index_right());
    }

    #[test]
    fn values_are_removed() {
        let mut table = words(&["a", "b", "a", "c"]);
        table.retain(|entry| entry.1 > 0);
        assert_eq!((found(&table, "a"), found(&table, "b"), table.len()), (Some(2), Some(1), 3));
        assert!(table.is_index_right());
        assert_eq!(table.take().len(), 3);
        assert_eq!((found(&table, "a"), table.len()), (None, 0));
    }

    #[test]
    fn many_values_are_renamed_in_linear_time() {
        const COUNT: usize = 50_000;
        let names: Vec<&'static str> =
            (0..2 * COUNT).map(|i| &*Box::leak(i.to_string().into_boxed_str())).collect();
        let mut table = words(&names[..COUNT]);
        for index in 0..COUNT {
            table.rekey(Word::from_index(index), |entry| entry.0 = names[COUNT + index]);
        }
        assert!(table.is_index_right());
        assert_eq!((found(&table, names[0]), found(&table, names[COUNT])), (None, Some(0)));
    }
}
