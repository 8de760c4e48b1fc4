//! Hash-consing: equal values get equal ids, for the life of the process.
//!
//! Tables only grow, and all threads share them. Ids depend on the order of insertion, which differs between runs
//! with several threads: never order or print by id.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

const SHARDS: usize = 16;

/// The number of values that a table finds without a lock.
const RECENT: usize = 1 << 12;

fn hash_of<Q: Hash + ?Sized>(value: &Q) -> u64 {
    BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(value)
}

/// A table of distinct values of one type.
pub struct Interner<T> {
    values: boxcar::Vec<T>,
    shards: [Mutex<HashTable<Slot>>; SHARDS],
    /// The packed slots of values that were requested last, by hash. A slot is a hint: its value is compared.
    recent: [AtomicU64; RECENT],
}

/// The id of a value with its hash folded to 32 bits, which spares most looks at values that differ, and all of them when
/// a table grows.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    raw: u32,
}

impl Slot {
    /// Returns the hash by which a table is ordered: it takes the place from the low bits and a tag from the high ones.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }

    fn packed(self) -> u64 {
        u64::from(self.hash) << 32 | u64::from(self.raw)
    }

    fn unpacked(packed: u64) -> Self {
        Self { hash: (packed >> 32) as u32, raw: packed as u32 }
    }
}

impl<T> Interner<T> {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self {
            values: boxcar::Vec::new(),
            shards: [const { Mutex::new(HashTable::new()) }; SHARDS],
            recent: [const { AtomicU64::new(0) }; RECENT],
        }
    }

    /// Returns the value with this id.
    ///
    /// # Panics
    /// Panics if the id came from another table.
    #[inline]
    pub fn get(&self, id: Interned<T>) -> &T {
        &self.values[id.raw as usize]
    }

    /// Returns the number of distinct values.
    pub fn len(&self) -> usize {
        self.values.count()
    }

    /// Returns true if nothing has been interned.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// Returns the id of `value`.
    pub fn intern(&self, value: T) -> Interned<T> {
        self.intern_with(value, |value| value)
    }

    /// Returns the id of the value equal to the borrowed `key`; `make` creates the value if it is new.
    ///
    /// `Q` must hash as `T` does.
    pub fn intern_ref<Q>(&self, key: &Q, make: impl FnOnce() -> T) -> Interned<T>
    where
        Q: Hash + ?Sized,
        T: std::borrow::Borrow<Q>,
        Q: Eq,
    {
        self.find_or_insert(hash_of(key), (), |have, ()| have.borrow() == key, |()| make())
    }

    /// Returns the id of the value equal to `key`; `make` converts `key` to the value if it is new.
    ///
    /// `Q` must hash as `T` does.
    pub fn intern_with<Q>(&self, key: Q, make: impl FnOnce(Q) -> T) -> Interned<T>
    where
        Q: Hash + Eq,
        T: std::borrow::Borrow<Q>,
    {
        self.find_or_insert(hash_of(&key), key, |have, key| have.borrow() == key, make)
    }

    /// Returns the id of the value for which `is_same` returns true; `make` creates the value if it is new.
    ///
    /// `key` must hash as that value does.
    pub fn intern_like<Q>(
        &self,
        key: &Q,
        is_same: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> Interned<T>
    where
        Q: Hash + ?Sized,
    {
        self.find_or_insert(hash_of(key), (), |have, ()| is_same(have), |()| make())
    }

    fn find_or_insert<K>(
        &self,
        hash: u64,
        key: K,
        eq: impl Fn(&T, &K) -> bool,
        make: impl FnOnce(K) -> T,
    ) -> Interned<T> {
        let shard = (hash >> 32) as usize % SHARDS;
        let hash = (hash ^ hash >> 32) as u32;
        let recent = &self.recent[hash as usize % RECENT];
        let slot = Slot::unpacked(recent.load(Ordering::Relaxed));
        if slot.hash == hash && self.values.get(slot.raw as usize).is_some_and(|have| eq(have, &key)) {
            return Interned { raw: slot.raw, of: PhantomData };
        }
        let mut table = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let entry = table.entry(
            Slot::spread(hash),
            |slot| slot.hash == hash && eq(&self.values[slot.raw as usize], &key),
            |slot| Slot::spread(slot.hash),
        );
        let raw = match entry {
            Entry::Occupied(slot) => slot.get().raw,
            Entry::Vacant(slot) => {
                let index = self.values.push(make(key));
                let raw = u32::try_from(index).expect("invariant: fewer than 2^32 interned values");
                slot.insert(Slot { hash, raw });
                raw
            }
        };
        recent.store(Slot { hash, raw }.packed(), Ordering::Relaxed);
        Interned { raw, of: PhantomData }
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The id of an interned value. Equal ids denote equal values.
pub struct Interned<T> {
    raw: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Interned<T> {
    /// Returns the raw number, for packed tables.
    #[inline]
    pub fn as_u32(self) -> u32 {
        self.raw
    }

    /// Creates the id with this raw number, which must come from [`Self::as_u32`].
    #[inline]
    pub fn from_u32(raw: u32) -> Self {
        Self { raw, of: PhantomData }
    }
}

impl<T> Clone for Interned<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Interned<T> {}
impl<T> PartialEq for Interned<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl<T> Eq for Interned<T> {}
impl<T> Hash for Interned<T> {
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}
impl<T> fmt::Debug for Interned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_an_id_across_threads() {
        static TABLE: Interner<Box<str>> = Interner::new();
        let ids: Vec<_> = std::thread::scope(|s| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    s.spawn(|| (0..500).map(|i| TABLE.intern(format!("v{i}").into())).collect::<Vec<_>>())
                })
                .collect();
            threads.into_iter().map(|t| t.join().expect("thread")).collect()
        });
        assert!(ids.windows(2).all(|w| w[0] == w[1]));
        assert_eq!(TABLE.len(), 500);
        assert_eq!(TABLE.intern_ref("v7", || unreachable!()), ids[0][7]);
        assert_eq!(&**TABLE.get(ids[0][7]), "v7");
    }

    /// A value with a hash of its own choice, so that different values share a place among the recent ones.
    #[derive(PartialEq, Eq)]
    struct Hashed {
        hash: u64,
        value: u32,
    }

    impl Hash for Hashed {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.hash.hash(state);
        }
    }

    #[test]
    fn values_that_share_a_place_among_the_recent_ones_are_told_apart() {
        static TABLE: Interner<Hashed> = Interner::new();
        // The hash 0 is the one of an empty place.
        for hash in [0, 1] {
            let id = |value| TABLE.intern(Hashed { hash, value });
            let (first, second) = (id(1), id(2));
            assert_ne!(first, second);
            assert_eq!((id(1), id(1), id(2), id(2), id(1)), (first, first, second, second, first));
        }
        // More values than places: each place is used by several.
        let ids = |hash: u64| TABLE.intern(Hashed { hash, value: 0 }).as_u32();
        let first: Vec<_> = (2..20_000).map(ids).collect();
        assert_eq!((2..20_000).map(ids).collect::<Vec<_>>(), first);
        assert_eq!(TABLE.len(), 4 + first.len());
    }
}
