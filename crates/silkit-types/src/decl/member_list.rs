//! Members of a declaration, in order and by name.

use silkit_base::{FxHashMap, Symbol};
use std::ops::Deref;
use std::sync::OnceLock;

/// The length from which a list is searched through an index.
const INDEXED: usize = 16;

/// A member that has a name.
pub trait NamedMember {
    /// Returns the name.
    fn name(&self) -> Symbol;
}

/// A list of members in the order of their declaration. Finding a member by its name takes constant time.
#[derive(Clone, Debug)]
pub struct MemberList<M> {
    members: Vec<M>,
    /// Computed on first use. Only long lists have it.
    positions: OnceLock<Positions>,
}

/// The positions of the members by name.
#[derive(Clone, Debug)]
struct Positions {
    /// The position of the first member with each name.
    first: FxHashMap<Symbol, usize>,
    /// For each member the position of the next member with its name.
    next: Box<[Option<usize>]>,
}

impl Positions {
    fn of<M: NamedMember>(members: &[M]) -> Self {
        let (mut first, mut next) = (FxHashMap::default(), vec![None; members.len()]);
        for (position, member) in members.iter().enumerate().rev() {
            next[position] = first.insert(member.name(), position);
        }
        Self { first, next: next.into() }
    }
}

impl<M: NamedMember> MemberList<M> {
    /// Appends a member.
    pub fn push(&mut self, member: M) {
        self.positions.take();
        self.members.push(member);
    }

    /// Returns the position of the first member with a name.
    pub fn position(&self, name: Symbol) -> Option<usize> {
        if self.members.len() < INDEXED {
            return self.members.iter().position(|member| member.name() == name);
        }
        self.indexed().first.get(&name).copied()
    }

    fn indexed(&self) -> &Positions {
        self.positions.get_or_init(|| Positions::of(&self.members))
    }

    /// Returns the position of the next member with the name of the member at this position.
    fn next(&self, position: usize) -> Option<usize> {
        if self.members.len() < INDEXED {
            let name = self.members[position].name();
            let later = self.members[position + 1..].iter().position(|member| member.name() == name);
            return later.map(|distance| position + 1 + distance);
        }
        self.indexed().next[position]
    }

    /// Returns the first member with a name.
    pub fn named(&self, name: Symbol) -> Option<&M> {
        self.members.get(self.position(name)?)
    }

    /// Returns all members with a name, in order: overloads.
    pub fn all_named(&self, name: Symbol) -> impl Iterator<Item = &M> {
        std::iter::successors(self.position(name), |&position| self.next(position))
            .map(|position| &self.members[position])
    }

    /// Returns the members, in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, M> {
        self.positions.take();
        self.members.iter_mut()
    }
}

impl<M> Default for MemberList<M> {
    fn default() -> Self {
        Self { members: Vec::new(), positions: OnceLock::new() }
    }
}

impl<M> Deref for MemberList<M> {
    type Target = [M];

    fn deref(&self) -> &[M] {
        &self.members
    }
}

impl<M> IntoIterator for MemberList<M> {
    type Item = M;
    type IntoIter = std::vec::IntoIter<M>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<'a, M> IntoIterator for &'a MemberList<M> {
    type Item = &'a M;
    type IntoIter = std::slice::Iter<'a, M>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl NamedMember for (Symbol, u32) {
        fn name(&self) -> Symbol {
            self.0
        }
    }

    /// Returns a list of `count` members with a second `a0` at its end.
    fn list(count: usize) -> MemberList<(Symbol, u32)> {
        let mut list = MemberList::default();
        (0..count).for_each(|i| list.push((Symbol::new(&format!("a{i}")), 0)));
        list.push((Symbol::new("a0"), 1));
        list
    }

    #[test]
    fn short_and_long_lists_find_the_first_of_a_name() {
        for count in [1, INDEXED - 1, INDEXED, 100] {
            let list = list(count);
            let last = Symbol::new(&format!("a{}", count - 1));
            assert_eq!(list.named(Symbol::new("a0")).map(|m| m.1), Some(0));
            assert_eq!(list.position(last), Some(count - 1));
            assert_eq!(list.position(Symbol::new("none")), None);
        }
    }

    #[test]
    fn short_and_long_lists_find_all_of_a_name() {
        for count in [1, INDEXED - 2, INDEXED - 1, INDEXED, 100] {
            let list = list(count);
            let all = |name: &str| list.all_named(Symbol::new(name)).map(|m| m.1).collect::<Vec<_>>();
            assert_eq!(all("a0"), [0, 1], "{count}");
            assert_eq!(all(&format!("a{}", count - 1)).len(), if count == 1 { 2 } else { 1 });
            assert_eq!(all("none"), []);
        }
    }

    #[test]
    fn changes_are_found_after_a_search() {
        let mut list = list(INDEXED);
        let (renamed, pushed) = (Symbol::new("renamed"), Symbol::new("pushed"));
        assert_eq!(list.position(renamed), None);
        list.iter_mut().nth(3).unwrap().0 = renamed;
        assert_eq!((list.position(renamed), list.position(Symbol::new("a3"))), (Some(3), None));
        list.push((pushed, 0));
        assert_eq!(list.position(pushed), Some(INDEXED + 1));
    }
}
