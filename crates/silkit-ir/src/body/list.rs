//! Doubly linked lists of entities with order numbers, so that the order of two members is compared in constant time.
//!
//! The blocks of a body and the instructions of a block are such lists. Numbers increase along a list and have gaps,
//! so that an insertion usually takes a number from the gap between its neighbors. If there is no gap, the smallest
//! sufficiently sparse range of numbers around it is renumbered, leaving the largest gap at the insertion point,
//! where the next insertion is most likely. Insertions at one point take amortized constant time, arbitrary
//! insertions amortized logarithmic time (compare "Two Simplified Algorithms for Maintaining Order in a List", Bender
//! et al., 2002).

use silkit_base::{Entity, IdVec};

#[cfg(test)]
mod tests;

/// The distance between the numbers of members that are appended one after the other.
const STRIDE: u32 = 1 << 8;

/// The distance from the more recently inserted neighbor, if there is room.
const NEAR: u32 = 8;

/// The minimum distance between renumbered members.
const LEAST_GAP: u64 = 4 * NEAR as u64;

/// The number of the first member of an empty list, which leaves room on both sides.
const MIDDLE: u32 = 1 << 31;

/// The neighbors of a member and its order number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Links<K> {
    pub(crate) prev: K,
    pub(crate) next: K,
    /// Larger than the number of `prev`. A removed member keeps its number.
    pub(crate) number: u32,
}

impl<K: Entity> Links<K> {
    /// The links of an entity that is not in a list.
    pub(crate) const NONE: Self = Self { prev: K::NONE, next: K::NONE, number: 0 };
}

/// The data of an entity that can be a member of a list.
pub(crate) trait Member<K> {
    fn links(&self) -> &Links<K>;
    fn links_mut(&mut self) -> &mut Links<K>;
}

/// The ends of a list; both are `NONE` if the list is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct List<K> {
    pub(crate) first: K,
    pub(crate) last: K,
}

impl<K: Entity> Default for List<K> {
    fn default() -> Self {
        Self { first: K::NONE, last: K::NONE }
    }
}

impl<K: Entity> List<K> {
    /// Appends an entity that is not in a list.
    #[inline]
    pub(crate) fn push_back<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, key: K) {
        self.insert_between(table, key, self.last, K::NONE);
    }

    /// Inserts an entity that is not in a list before a member.
    pub(crate) fn insert_before<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, key: K, next: K) {
        self.insert_between(table, key, table[next].links().prev, next);
    }

    /// Inserts an entity that is not in a list after a member.
    pub(crate) fn insert_after<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, key: K, prev: K) {
        self.insert_between(table, key, prev, table[prev].links().next);
    }

    fn insert_between<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, key: K, prev: K, next: K) {
        let number = match number_between(table, prev, next) {
            Some(number) => number,
            None => {
                make_room(table, prev, next);
                number_between(table, prev, next).expect("invariant: renumbering leaves gaps")
            }
        };
        *table[key].links_mut() = Links { prev, next, number };
        self.join(table, prev, key);
        self.join(table, key, next);
    }

    /// Removes a member.
    pub(crate) fn remove<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, key: K) {
        let Links { prev, next, number } = *table[key].links();
        self.join(table, prev, next);
        *table[key].links_mut() = Links { number, ..Links::NONE };
    }

    /// Links two neighbors; `NONE` on one side makes the other one an end of the list.
    fn join<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, prev: K, next: K) {
        match prev == K::NONE {
            true => self.first = next,
            false => table[prev].links_mut().next = next,
        }
        match next == K::NONE {
            true => self.last = prev,
            false => table[next].links_mut().prev = prev,
        }
    }

    /// Removes a member and all members after it and returns them as a list.
    pub(crate) fn split_off<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, first: K) -> Self {
        let rest = Self { first, last: self.last };
        self.last = std::mem::replace(&mut table[first].links_mut().prev, K::NONE);
        match self.last == K::NONE {
            true => self.first = K::NONE,
            false => table[self.last].links_mut().next = K::NONE,
        }
        rest
    }

    /// Appends all members of another list, in time proportional to the length of the shorter one.
    pub(crate) fn append<D: Member<K>>(&mut self, table: &mut IdVec<K, D>, other: Self) {
        if self.first == K::NONE || other.first == K::NONE {
            if self.first == K::NONE {
                *self = other;
            }
            return;
        }
        let is_ordered = table[self.last].links().number < table[other.first].links().number;
        let is_renumbered = is_ordered
            || match self.is_shorter(table, other) {
                true => number_down(table, self.last, table[other.first].links().number),
                false => number_up(table, other.first, table[self.last].links().number),
            };
        table[self.last].links_mut().next = other.first;
        table[other.first].links_mut().prev = self.last;
        self.last = other.last;
        if !is_renumbered {
            self.renumber(table);
        }
    }

    /// Returns true if this list is shorter than `other`, in time proportional to the length of the shorter one.
    pub(crate) fn is_shorter<D: Member<K>>(&self, table: &IdVec<K, D>, other: Self) -> bool {
        let (mut here, mut there) = (self.first, other.first);
        while here != K::NONE && there != K::NONE {
            here = table[here].links().next;
            there = table[there].links().next;
        }
        here == K::NONE && there != K::NONE
    }

    /// Returns the members in order.
    pub(crate) fn members<D: Member<K>>(self, table: &IdVec<K, D>) -> Members<'_, K, D> {
        Members { table, rest: self }
    }

    /// Creates a list of entities, overwriting their links.
    pub(crate) fn of<D: Member<K>>(table: &mut IdVec<K, D>, keys: &[K]) -> Self {
        let mut list = Self::default();
        keys.iter().for_each(|&key| list.push_back(table, key));
        list
    }

    /// Renumbers all members with equal gaps, centered in the number range.
    fn renumber<D: Member<K>>(&self, table: &mut IdVec<K, D>) {
        let count = self.members(table).count() as u64;
        let gap = (u64::from(MIDDLE) / count.max(1)).min(u64::from(STRIDE));
        let mut number = u64::from(MIDDLE) - count * gap / 2;
        let mut key = self.first;
        while key != K::NONE {
            let links = table[key].links_mut();
            links.number = number as u32;
            number += gap;
            key = links.next;
        }
    }
}

/// An iterator over the members of a list in order.
pub(crate) struct Members<'t, K, D> {
    table: &'t IdVec<K, D>,
    rest: List<K>,
}

impl<K: Entity, D> Clone for Members<'_, K, D> {
    fn clone(&self) -> Self {
        Self { table: self.table, rest: self.rest }
    }
}

impl<K: Entity, D: Member<K>> Iterator for Members<'_, K, D> {
    type Item = K;

    #[inline]
    fn next(&mut self) -> Option<K> {
        let key = self.rest.first;
        if key == K::NONE {
            return None;
        }
        match key == self.rest.last {
            true => self.rest = List::default(),
            false => self.rest.first = self.table[key].links().next,
        }
        Some(key)
    }
}

impl<K: Entity, D: Member<K>> DoubleEndedIterator for Members<'_, K, D> {
    fn next_back(&mut self) -> Option<K> {
        let key = self.rest.last;
        if key == K::NONE {
            return None;
        }
        match key == self.rest.first {
            true => self.rest = List::default(),
            false => self.rest.last = self.table[key].links().prev,
        }
        Some(key)
    }
}

/// Returns a number between those of two neighbors, either of which may be `NONE`; `None` if there is no gap.
#[inline]
fn number_between<K: Entity, D: Member<K>>(table: &IdVec<K, D>, prev: K, next: K) -> Option<u32> {
    // The numbers are in this range.
    let number =
        |key: K, outside: i64| if key == K::NONE { outside } else { table[key].links().number.into() };
    let (low, high) = (number(prev, -1), number(next, 1 << u32::BITS));
    let gap = high - low;
    if gap < 2 {
        return None;
    }
    let number = match (prev == K::NONE, next == K::NONE) {
        (true, true) => i64::from(MIDDLE),
        (false, true) => low + i64::from(STRIDE).min(gap / 2),
        (true, false) => high - i64::from(STRIDE).min(gap / 2),
        // Successive insertions at one point are in order, each before the same member, or in reverse order. The
        // newer neighbor tells which. The rest of the gap is left for the next insertions.
        (false, false) if prev.index() > next.index() => low + i64::from(NEAR).min(gap / 2),
        (false, false) => high - i64::from(NEAR).min(gap / 2),
    };
    Some(number as u32)
}

/// Renumbers the members around two neighbors so that there is a gap between them. Either neighbor may be `NONE`.
///
/// The range to renumber consists of the members that share the high bits of their number with a neighbor. The number
/// of low bits is increased until the range is sparse enough. The density limit decreases with the size of the range,
/// so that many insertions are needed before the same range is renumbered.
#[cold]
fn make_room<K: Entity, D: Member<K>>(table: &mut IdVec<K, D>, prev: K, next: K) {
    let at = if prev == K::NONE { next } else { prev };
    let center = u64::from(table[at].links().number);
    let (mut first, mut last, mut count) = (at, at, 1);
    // The density limit in units of 1/256: a range of twice the size may have 1.6 times as many members.
    let mut few: u64 = 256;
    for bits in 1..=u32::BITS {
        few = few * 8 / 5;
        let size = 1u64 << bits;
        let low = center & !(size - 1);
        let is_inside =
            |key: K| key != K::NONE && (low..low + size).contains(&u64::from(table[key].links().number));
        while is_inside(table[first].links().prev) {
            first = table[first].links().prev;
            count += 1;
        }
        while is_inside(table[last].links().next) {
            last = table[last].links().next;
            count += 1;
        }
        let hot_gap = size / 8;
        let gap = (size - hot_gap) / count;
        if bits < u32::BITS && (gap < LEAST_GAP || count * 256 > few) {
            continue;
        }
        let mut number = low + gap / 2;
        let mut key = first;
        for _ in 0..count {
            number += if key == next { hot_gap } else { 0 };
            let links = table[key].links_mut();
            links.number = number as u32;
            number += gap;
            key = links.next;
        }
        return;
    }
}

/// Renumbers a whole list upwards from `first`, with numbers above a limit. Returns false if there are too few
/// numbers.
fn number_up<K: Entity, D: Member<K>>(table: &mut IdVec<K, D>, first: K, limit: u32) -> bool {
    let (mut key, mut number) = (first, limit);
    while key != K::NONE {
        let Some(next) = number.checked_add(STRIDE) else { return false };
        number = next;
        let links = table[key].links_mut();
        links.number = number;
        key = links.next;
    }
    true
}

/// Renumbers a whole list downwards from `last`, with numbers below a limit. Returns false if there are too few
/// numbers.
fn number_down<K: Entity, D: Member<K>>(table: &mut IdVec<K, D>, last: K, limit: u32) -> bool {
    let (mut key, mut number) = (last, limit);
    while key != K::NONE {
        let Some(next) = number.checked_sub(STRIDE) else { return false };
        number = next;
        let links = table[key].links_mut();
        links.number = number;
        key = links.prev;
    }
    true
}
