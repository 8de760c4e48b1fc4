//! A thread-safe cache of query results.

use super::table::FxMap;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

/// A cache of query results by key.
#[derive(Debug)]
pub(super) struct QueryCache<K, V>(RwLock<FxMap<K, V>>);

impl<K, V> Default for QueryCache<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Eq + Hash, V: Clone> QueryCache<K, V> {
    /// Returns the value for a key, computing it with `find` on the first request. No lock is held while `find` runs,
    /// so that `find` may use the cache; if two threads compute a value at once, both compute the same.
    pub(super) fn get_or_compute(&self, key: K, find: impl FnOnce() -> V) -> V {
        if let Some(found) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return found.clone();
        }
        let found = find();
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::QueryCache;

    #[test]
    fn an_answer_is_found_once_for_each_key() {
        let known: QueryCache<u32, u32> = QueryCache::default();
        assert_eq!(known.get_or_compute(1, || 10), 10);
        assert_eq!(known.get_or_compute(1, || 11), 10);
        // `find` may request other keys.
        assert_eq!(known.get_or_compute(2, || known.get_or_compute(1, || 12) + 1), 11);
    }
}
