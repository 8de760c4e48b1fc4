//! A thread-safe cache of query results by type, for results that fit into few bits.

use crate::kind::Type;
use silkit_base::Symbol;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of types of a page.
const PAGE: usize = 1 << 9;
/// The number of lists of pages that have room for all 2^32 types.
const LISTS: usize = 24;

/// The packed results of successive types; 0 if there is none.
type Page = Box<[AtomicU64]>;

/// A query result that a [`TypeCache`] can store.
pub(super) trait Packed: Copy {
    /// Returns the bits of this result.
    fn pack(self) -> u32;
    /// Returns the result with these bits.
    fn unpack(bits: u32) -> Self;
}

/// A cache of query results by type. A lookup takes no lock and computes no hash, since types are numbered. Memory is used
/// for pages with a result only, because all modules of a process share the numbers.
#[derive(Debug)]
pub(super) struct TypeCache<V> {
    /// Lists of pages in the order of types. Each list is twice as long as the one before.
    lists: [OnceLock<Box<[OnceLock<Page>]>>; LISTS],
    of: PhantomData<fn() -> V>,
}

impl<V> Default for TypeCache<V> {
    fn default() -> Self {
        Self { lists: [const { OnceLock::new() }; LISTS], of: PhantomData }
    }
}

impl<V: Packed> TypeCache<V> {
    /// Returns the value for a type, computing it with `find` on the first request, which may use the cache; if two
    /// threads compute a value at once, both compute the same.
    #[inline]
    pub(super) fn get_or_compute(&self, ty: Type, find: impl FnOnce() -> V) -> V {
        let (list, page, at) = place(ty);
        let known = self.lists[list].get().and_then(|pages| pages[page].get());
        let known = known.map_or(0, |page| page[at].load(Ordering::Relaxed));
        if known != 0 {
            return V::unpack(known as u32);
        }
        let found = find();
        let pages = self.lists[list]
            .get_or_init(|| std::iter::repeat_with(OnceLock::default).take(1 << list).collect());
        let page =
            pages[page].get_or_init(|| std::iter::repeat_with(AtomicU64::default).take(PAGE).collect());
        page[at].store(1 << 32 | u64::from(found.pack()), Ordering::Relaxed);
        found
    }
}

/// Returns the list of pages for a type, the page in this list and the place in the page.
#[inline]
fn place(ty: Type) -> (usize, usize, usize) {
    let raw = ty.as_u32() as usize;
    let number = raw / PAGE + 1;
    let list = number.ilog2() as usize;
    (list, number - (1 << list), raw % PAGE)
}

impl Packed for Type {
    fn pack(self) -> u32 {
        self.as_u32()
    }
    fn unpack(bits: u32) -> Self {
        Self::from_u32(bits)
    }
}

impl Packed for Option<bool> {
    fn pack(self) -> u32 {
        self.map_or(2, u32::from)
    }
    fn unpack(bits: u32) -> Self {
        (bits != 2).then_some(bits == 1)
    }
}

impl Packed for Option<Symbol> {
    fn pack(self) -> u32 {
        self.map_or(u32::MAX, Symbol::as_u32)
    }
    fn unpack(bits: u32) -> Self {
        (bits != u32::MAX).then(|| Symbol::from_u32(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_place_of_its_own() {
        let mut next = (0, 0, 0);
        for raw in 0..20_000 {
            assert_eq!(place(Type::from_u32(raw)), next);
            next.2 += 1;
            if next.2 == PAGE {
                next = (next.0, next.1 + 1, 0);
            }
            if next.1 == 1 << next.0 {
                next = (next.0 + 1, 0, 0);
            }
        }
        assert!(place(Type::from_u32(u32::MAX)).0 < LISTS);
    }

    #[test]
    fn an_answer_is_found_once_for_each_type() {
        let known: TypeCache<Option<bool>> = TypeCache::default();
        let types: Vec<_> = (0..3000).map(Type::from_u32).collect();
        let answer = |i: usize| [None, Some(false), Some(true)][i % 3];
        for (i, &ty) in types.iter().enumerate() {
            assert_eq!(known.get_or_compute(ty, || answer(i)), answer(i));
        }
        for (i, &ty) in types.iter().enumerate() {
            assert_eq!(known.get_or_compute(ty, || unreachable!()), answer(i));
        }
    }

    #[test]
    fn packed_results_are_read_back() {
        for symbol in [None, Some(Symbol::new("a")), Some(Symbol::from_u32(0))] {
            assert_eq!(Option::<Symbol>::unpack(symbol.pack()), symbol);
        }
        for ty in [Type::unknown(), Type::from_u32(0), Type::nominal("A")] {
            assert_eq!(Type::unpack(ty.pack()), ty);
        }
    }
}
