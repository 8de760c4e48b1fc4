//! Hash-consing: equal values get equal ids, for the life of the process.
//!
//! Tables only grow, and all threads share them. Ids depend on the order of insertion, which differs between runs
//! with several threads: never order or print by id.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

const SHARDS: usize = 16;

fn hash_of<Q: Hash + ?Sized>(value: &Q) -> u64 {
    BuildHasherDefault::<rustc_hash::FxHasher>::default().hash_one(value)
}

/// A table of distinct values of one type.
pub struct Interner<T> {
    values: boxcar::Vec<T>,
    shards: [Mutex<HashTable<Slot>>; SHARDS],
}

/// The id of a value with its hash folded to 32 bits, which spares most looks at values that differ, and all of them when
/// a table grows.
struct Slot {
    hash: u32,
    raw: u32,
}

impl Slot {
    /// Returns the hash by which a table is ordered: it takes the place from the low bits and a tag from the high ones.
    fn spread(hash: u32) -> u64 {
        u64::from(hash) << 32 | u64::from(hash)
    }
}

impl<T> Interner<T> {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self { values: boxcar::Vec::new(), shards: [const { Mutex::new(HashTable::new()) }; SHARDS] }
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
        self.find_or_insert(hash_of(key), |have| have.borrow() == key, make)
    }

    /// Returns the id of the value equal to `key`; `make` converts `key` to the value if it is new.
    ///
    /// `Q` must hash as `T` does.
    pub fn intern_with<Q>(&self, key: Q, make: impl FnOnce(Q) -> T) -> Interned<T>
    where
        Q: Hash + Eq,
        T: std::borrow::Borrow<Q>,
    {
        let hash = hash_of(&key);
        let mut key = Some(key);
        let cell = std::cell::RefCell::new(&mut key);
        self.find_or_insert(
            hash,
            |have| cell.borrow().as_ref() == Some(have.borrow()),
            || make(cell.borrow_mut().take().expect("invariant: a value is inserted once")),
        )
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
        self.find_or_insert(hash_of(key), is_same, make)
    }

    fn find_or_insert(&self, hash: u64, eq: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> Interned<T> {
        let shard = (hash >> 32) as usize % SHARDS;
        let hash = (hash ^ hash >> 32) as u32;
        let mut table = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let entry = table.entry(
            Slot::spread(hash),
            |slot| slot.hash == hash && eq(&self.values[slot.raw as usize]),
            |slot| Slot::spread(slot.hash),
        );
        let raw = match entry {
            Entry::Occupied(slot) => slot.get().raw,
            Entry::Vacant(slot) => {
                let index = self.values.push(make());
                let raw = u32::try_from(index).expect("invariant: fewer than 2^32 interned values");
                slot.insert(Slot { hash, raw });
                raw
            }
        };
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
}
