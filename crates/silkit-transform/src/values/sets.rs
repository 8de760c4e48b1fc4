//! Hash-consed sets of small numbers: sets share common parts, and equal sets have equal ids.

use silkit_base::FxHashMap;

/// A set, by its id in [`Sets`]. Equal sets have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Set(u32);

impl Set {
    /// The empty set.
    pub(crate) const EMPTY: Set = Set(0);
    /// The full set of a leaf, which contains a single number.
    const FULL: Set = Set(1);
}

/// The number of bits per trie level: fewer levels need fewer lookups in the node table.
const STEP: u32 = 3;

/// The children of a node.
type Parts = [Set; 1 << STEP];

/// Returns the index of the child for a number, `above` bits from the lowest.
fn side(number: usize, above: u32) -> usize {
    number >> above & ((1 << STEP) - 1)
}

/// Sets of numbers below a bound, as tries with shared nodes. Each operation takes time logarithmic in the bound; an
/// intersection is also at most linear in the size of the smaller set.
#[derive(Debug)]
pub(crate) struct Sets {
    nodes: Vec<Parts>,
    by_parts: FxHashMap<Parts, Set>,
    /// The number of levels of the tries.
    levels: u32,
}

impl Sets {
    /// Creates sets of numbers below a bound.
    pub(crate) fn below(bound: usize) -> Self {
        let levels = bound.next_power_of_two().trailing_zeros().div_ceil(STEP);
        Self { nodes: vec![[Set::EMPTY; 1 << STEP]; 2], by_parts: FxHashMap::default(), levels }
    }

    /// Returns true if a number is in a set.
    pub(crate) fn contains(&self, set: Set, number: usize) -> bool {
        let mut at = set;
        for level in (0..self.levels).rev() {
            at = self.nodes[at.0 as usize][side(number, level * STEP)];
        }
        at != Set::EMPTY
    }

    /// Returns the set with a number.
    pub(crate) fn with(&mut self, set: Set, number: usize) -> Set {
        self.replaced(set, number, Set::FULL)
    }

    /// Returns the set without a number.
    pub(crate) fn without(&mut self, set: Set, number: usize) -> Set {
        self.replaced(set, number, Set::EMPTY)
    }

    fn replaced(&mut self, set: Set, number: usize, leaf: Set) -> Set {
        let mut above = Vec::with_capacity(self.levels as usize);
        let mut at = set;
        for level in (0..self.levels).rev() {
            let parts = self.nodes[at.0 as usize];
            let side = side(number, level * STEP);
            above.push((parts, side));
            at = parts[side];
        }
        above.into_iter().rev().fold(leaf, |part, (mut parts, side)| {
            parts[side] = part;
            self.node(parts)
        })
    }

    /// Returns the intersection of both sets.
    pub(crate) fn intersection(&mut self, a: Set, b: Set) -> Set {
        if a == b || a == Set::EMPTY {
            return a;
        }
        if b == Set::EMPTY {
            return b;
        }
        let (mut parts, others) = (self.nodes[a.0 as usize], self.nodes[b.0 as usize]);
        for (part, other) in parts.iter_mut().zip(others) {
            *part = self.intersection(*part, other);
        }
        self.node(parts)
    }

    fn node(&mut self, parts: Parts) -> Set {
        if parts == [Set::EMPTY; 1 << STEP] {
            return Set::EMPTY;
        }
        let next = Set(self.nodes.len() as u32);
        let node = *self.by_parts.entry(parts).or_insert(next);
        if node == next {
            self.nodes.push(parts);
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_one() {
        let mut sets = Sets::below(1000);
        let of =
            |sets: &mut Sets, numbers: &[usize]| numbers.iter().fold(Set::EMPTY, |set, &n| sets.with(set, n));
        let a = of(&mut sets, &[3, 999, 512]);
        let b = of(&mut sets, &[512, 3, 7]);
        assert_eq!(a, of(&mut sets, &[512, 3, 999]));
        assert!(sets.contains(a, 999) && !sets.contains(a, 998));
        let both = sets.intersection(a, b);
        assert_eq!(both, of(&mut sets, &[3, 512]));
        let none = sets.without(both, 3);
        assert_eq!(sets.without(none, 512), Set::EMPTY);
    }

    #[test]
    fn one_number() {
        let mut sets = Sets::below(1);
        let set = sets.with(Set::EMPTY, 0);
        assert!(sets.contains(set, 0) && !sets.contains(Set::EMPTY, 0));
        assert_eq!(sets.without(set, 0), Set::EMPTY);
    }
}
