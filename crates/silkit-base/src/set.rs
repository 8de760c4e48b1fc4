//! Entity sets and worklists that are cleared in constant time, and bit sets.

use crate::Entity;
use std::marker::PhantomData;
use std::ops::Range;

/// A set of entities with constant-time insert, remove, lookup and clear.
///
/// Each slot holds the epoch in which its entity was inserted; clearing starts a new epoch.
#[derive(Clone, Debug)]
pub struct EntitySet<K> {
    stamps: Vec<u32>,
    epoch: u32,
    key: PhantomData<K>,
}

impl<K: Entity> EntitySet<K> {
    /// Creates an empty set.
    pub const fn new() -> Self {
        Self { stamps: Vec::new(), epoch: 1, key: PhantomData }
    }

    /// Makes room for the entities whose index is less than `bound`.
    pub fn reserve(&mut self, bound: usize) {
        if bound > self.stamps.len() {
            self.stamps.resize(bound, 0);
        }
    }

    /// Removes all entities, in constant time.
    pub fn clear(&mut self) {
        if self.epoch == u32::MAX {
            self.stamps.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// Adds an entity. Returns true if it was absent.
    pub fn insert(&mut self, key: K) -> bool {
        let i = key.index();
        if i >= self.stamps.len() {
            self.stamps.resize(i + 1, 0);
        }
        let was = std::mem::replace(&mut self.stamps[i], self.epoch);
        was != self.epoch
    }

    /// Removes an entity. Returns true if it was present.
    pub fn remove(&mut self, key: K) -> bool {
        match self.stamps.get_mut(key.index()) {
            Some(stamp) if *stamp == self.epoch => {
                *stamp = 0;
                true
            }
            _ => false,
        }
    }

    /// Returns true if the entity is in the set.
    pub fn contains(&self, key: K) -> bool {
        self.stamps.get(key.index()) == Some(&self.epoch)
    }
}

impl<K: Entity> Default for EntitySet<K> {
    fn default() -> Self {
        Self::new()
    }
}

/// A set of entities with one bit for each index. Unlike [`EntitySet`], it allocates no memory for indices less than
/// 64, which suffices for most bodies' blocks; it is meant for one computation and cannot be cleared.
#[derive(Clone, Debug)]
pub struct BitSet<K> {
    /// The entities with an index less than 64.
    first: u64,
    /// The other entities.
    rest: Vec<u64>,
    key: PhantomData<K>,
}

impl<K: Entity> BitSet<K> {
    /// Creates an empty set with room for the entities whose index is less than `bound`.
    pub fn with_bound(bound: usize) -> Self {
        let rest = vec![0; bound.div_ceil(64).saturating_sub(1)];
        Self { first: 0, rest, key: PhantomData }
    }

    /// Adds an entity. Returns true if it was absent.
    pub fn insert(&mut self, key: K) -> bool {
        let (word, bit) = (key.index() / 64, 1 << (key.index() % 64));
        if word > self.rest.len() {
            self.rest.resize(word, 0);
        }
        let bits = if word == 0 { &mut self.first } else { &mut self.rest[word - 1] };
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// Adds the entities with these indices.
    pub fn insert_range(&mut self, indices: Range<usize>) {
        self.rest.resize(self.rest.len().max(indices.end.div_ceil(64).saturating_sub(1)), 0);
        self.in_range(indices, |bits, mask| *bits |= mask);
    }

    /// Removes the entities with these indices.
    pub fn remove_range(&mut self, indices: Range<usize>) {
        self.in_range(indices, |bits, mask| *bits &= !mask);
    }

    /// Calls a function for each word of a range of indices, with the bits of the range in this word.
    fn in_range(&mut self, indices: Range<usize>, mut change: impl FnMut(&mut u64, u64)) {
        if indices.is_empty() {
            return;
        }
        for word in indices.start / 64..=(indices.end - 1) / 64 {
            let bits = if word == 0 { Some(&mut self.first) } else { self.rest.get_mut(word - 1) };
            let from = indices.start.saturating_sub(word * 64);
            let to = (indices.end - word * 64).min(64);
            let Some(bits) = bits else { return };
            change(bits, u64::MAX >> (64 - (to - from)) << from);
        }
    }

    /// Adds the entities of another set.
    pub fn unite(&mut self, other: &Self) {
        self.rest.resize(self.rest.len().max(other.rest.len()), 0);
        self.first |= other.first;
        self.rest.iter_mut().zip(&other.rest).for_each(|(bits, more)| *bits |= more);
    }

    /// Returns true if the entity is in the set.
    pub fn contains(&self, key: K) -> bool {
        let (word, bit) = (key.index() / 64, 1 << (key.index() % 64));
        let bits = if word == 0 { Some(&self.first) } else { self.rest.get(word - 1) };
        bits.is_some_and(|bits| bits & bit != 0)
    }
}

impl<K> PartialEq for BitSet<K> {
    fn eq(&self, other: &Self) -> bool {
        let common = self.rest.len().min(other.rest.len());
        let mut more = self.rest[common..].iter().chain(&other.rest[common..]);
        self.first == other.first
            && self.rest[..common] == other.rest[..common]
            && more.all(|&bits| bits == 0)
    }
}

impl<K> Eq for BitSet<K> {}

impl<K: Entity> Default for BitSet<K> {
    fn default() -> Self {
        Self::with_bound(0)
    }
}

/// A last-in, first-out worklist that accepts each entity once.
#[derive(Clone, Debug)]
pub struct Worklist<K> {
    stack: Vec<K>,
    seen: EntitySet<K>,
}

impl<K: Entity> Worklist<K> {
    /// Creates an empty worklist.
    pub const fn new() -> Self {
        Self { stack: Vec::new(), seen: EntitySet::new() }
    }

    /// Pushes an entity unless it was pushed before. Returns true if it was pushed.
    pub fn push(&mut self, key: K) -> bool {
        let new = self.seen.insert(key);
        if new {
            self.stack.push(key);
        }
        new
    }

    /// Removes and returns the entity that was pushed last.
    pub fn pop(&mut self) -> Option<K> {
        self.stack.pop()
    }

    /// Returns true if the entity was ever pushed.
    pub fn has_seen(&self, key: K) -> bool {
        self.seen.contains(key)
    }
}

impl<K: Entity> Default for Worklist<K> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity;
    entity!(/// Test entity.
        E, "e");

    #[test]
    fn set_clears_in_constant_time() {
        let mut set = EntitySet::new();
        assert!(set.insert(E::from_index(3)));
        assert!(!set.insert(E::from_index(3)));
        set.clear();
        assert!(!set.contains(E::from_index(3)));
        assert!(set.insert(E::from_index(3)));
        assert!(set.remove(E::from_index(3)) && !set.remove(E::from_index(3)));
    }

    #[test]
    fn room_is_no_member() {
        let mut set = EntitySet::new();
        set.insert(E::from_index(2));
        set.reserve(1);
        set.reserve(9);
        assert!(set.contains(E::from_index(2)) && !set.contains(E::from_index(8)));
        assert!(set.insert(E::from_index(8)));
    }

    #[test]
    fn bits_are_kept_in_words() {
        for bound in [0, 64, 65, 200] {
            let mut set = BitSet::with_bound(bound);
            let members = [0, 5, 63, 64, 127, 128, 300].map(E::from_index);
            assert!(members.iter().all(|&key| !set.contains(key)));
            assert!(members.iter().all(|&key| set.insert(key)));
            assert!(members.iter().all(|&key| set.contains(key) && !set.insert(key)));
            let others = [1, 62, 65, 129, 301, 9999].map(E::from_index);
            assert!(others.iter().all(|&key| !set.contains(key)) && !set.contains(E::NONE));
        }
    }

    #[test]
    fn ranges_of_bits_cross_words() {
        for range in [0..0, 0..64, 3..5, 60..70, 63..64, 64..65, 10..200, 128..192, 199..200] {
            let mut set: BitSet<E> = BitSet::default();
            set.insert_range(range.clone());
            assert!(
                (0..300).all(|index| set.contains(E::from_index(index)) == range.contains(&index)),
                "{range:?}"
            );
            let mut rest = BitSet::with_bound(10);
            rest.insert_range(0..250);
            rest.remove_range(range.clone());
            let is_left = |index| index < 250 && !range.contains(&index);
            assert!((0..300).all(|index| rest.contains(E::from_index(index)) == is_left(index)), "{range:?}");
            rest.unite(&set);
            let mut all = BitSet::with_bound(1000);
            all.insert_range(0..250);
            assert!(rest == all && (set == all) == (range == (0..250)), "{range:?}");
        }
    }

    #[test]
    fn worklist_takes_each_once() {
        let mut w = Worklist::new();
        assert!(w.push(E::from_index(1)) && !w.push(E::from_index(1)));
        assert_eq!(w.pop(), Some(E::from_index(1)));
        assert!(!w.push(E::from_index(1)));
        assert_eq!(w.pop(), None);
    }
}
