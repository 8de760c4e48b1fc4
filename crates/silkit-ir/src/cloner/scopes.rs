//! Debug scopes of clones: those of another module, or inlined scopes.

use crate::NONE;
use crate::module::{Scope, ScopeParent};
use silkit_base::{FxHashMap, Symbol};
use silkit_types::SilType;

/// An index of the scopes of a module by number.
#[derive(Clone, Debug)]
pub struct ScopeIndex {
    at: FxHashMap<u32, usize>,
    /// The number after the highest scope number.
    next: u32,
}

impl ScopeIndex {
    /// Creates an index of a module's scopes.
    pub fn new(scopes: &[Scope]) -> Self {
        let next = scopes.iter().map(|s| s.id).max().map_or(1, |id| id.saturating_add(1));
        Self { at: scopes.iter().enumerate().map(|(at, scope)| (scope.id, at)).collect(), next }
    }

    /// Adds the scopes from index `first` on, which were appended to the module.
    pub fn append(&mut self, scopes: &[Scope], first: usize) {
        for (at, scope) in scopes.iter().enumerate().skip(first) {
            self.at.insert(scope.id, at);
            self.next = self.next.max(scope.id.saturating_add(1));
        }
    }

    /// Returns the position of a scope in the list of the module.
    pub fn position(&self, id: u32) -> Option<usize> {
        self.at.get(&id).copied()
    }

    /// Returns the number of the next new scope.
    pub fn next(&self) -> u32 {
        self.next
    }
}

/// The scopes of a module that is only read, and new scopes that will be added to it.
#[derive(Debug)]
pub struct ScopeOverlay<'a> {
    /// The scopes of the module.
    pub module: &'a [Scope],
    /// The positions of the scopes.
    pub index: &'a ScopeIndex,
    /// The new scopes, numbered in order after those of the module.
    pub new: &'a mut Vec<Scope>,
}

impl ScopeOverlay<'_> {
    fn get(&self, id: u32) -> Option<&Scope> {
        match id.checked_sub(self.index.next) {
            Some(at) => self.new.get(at as usize),
            None => self.index.at.get(&id).map(|&at| &self.module[at]),
        }
    }

    /// Adds a scope and returns its number.
    pub fn add(&mut self, scope: Scope) -> u32 {
        let id = self.index.next.saturating_add(self.new.len() as u32);
        self.new.push(Scope { id, ..scope });
        id
    }
}

/// Returns the number of a scope after the scopes from `from` on were moved up by `by`; [`NONE`] is unchanged.
pub fn shifted_scope(id: u32, from: u32, by: u32) -> u32 {
    if id >= from && id != NONE { id.saturating_add(by) } else { id }
}

/// Moves the numbers of new scopes up after other scopes were added to the module.
pub fn shift_scopes(new: &mut [Scope], from: u32, by: u32) {
    let shifted = |id: u32| shifted_scope(id, from, by);
    for scope in new {
        scope.id = shifted(scope.id);
        scope.inlined_at = scope.inlined_at.map(shifted);
        if let Some(ScopeParent::Scope(parent)) = &mut scope.parent {
            *parent = shifted(*parent);
        }
    }
}

/// A map from the scopes of the source to those of the copies.
#[derive(Clone, Debug, Default)]
pub struct ScopeMap {
    scopes: FxHashMap<u32, u32>,
    /// The scope of copies of instructions without a scope.
    outside: u32,
}

impl ScopeMap {
    /// Appends the scopes of a module to those of another module.
    ///
    /// Only the scopes that `used` depends on are copied.
    pub fn import(into: &mut Vec<Scope>, from: &[Scope], used: impl IntoIterator<Item = u32>) -> Self {
        let by_id: FxHashMap<u32, &Scope> = from.iter().map(|s| (s.id, s)).collect();
        let mut next = ScopeIndex::new(into).next;
        let get = |_: &mut Vec<Scope>, id| by_id.get(&id).map(|&scope| scope.clone());
        Self::copy(into, used, NONE, get, |into, scope| {
            let id = next;
            into.push(Scope { id, ..scope });
            next = next.saturating_add(1);
            id
        })
    }

    /// Copies the scopes of an inlined function. The copy of a scope records where it was inlined: the scope of the
    /// call, or, for a scope that had been inlined before, the copy of its call site. Instructions without a scope
    /// get the scope of the call.
    pub fn inline(scopes: &mut ScopeOverlay<'_>, used: impl IntoIterator<Item = u32>, call: u32) -> Self {
        Self::copy(
            scopes,
            used,
            call,
            |scopes, id| scopes.get(id).cloned(),
            |scopes, scope| scopes.add(scope),
        )
    }

    /// Copies scopes of a function for a copy of it with another name and type.
    pub fn copied_function(
        scopes: &mut ScopeOverlay<'_>,
        used: impl IntoIterator<Item = u32>,
        function: Symbol,
        (copy, ty): (Symbol, SilType),
    ) -> Self {
        let get = |scopes: &mut ScopeOverlay<'_>, id| scopes.get(id).cloned();
        Self::copy(scopes, used, NONE, get, |scopes, mut scope| {
            if let Some(ScopeParent::Function(parent, parent_ty)) = &mut scope.parent
                && *parent == function
            {
                (*parent, *parent_ty) = (copy, ty);
            }
            scopes.add(scope)
        })
    }

    fn copy<T>(
        table: &mut T,
        used: impl IntoIterator<Item = u32>,
        call: u32,
        get: impl Fn(&mut T, u32) -> Option<Scope>,
        mut add: impl FnMut(&mut T, Scope) -> u32,
    ) -> Self {
        let mut map = Self { scopes: FxHashMap::default(), outside: call };
        for id in used {
            // A scope comes after the scopes that it references.
            let mut path = vec![id];
            while let Some(&id) = path.last() {
                let Some(scope) = get(table, id).filter(|_| !map.scopes.contains_key(&id)) else {
                    path.pop();
                    continue;
                };
                let parent = match &scope.parent {
                    Some(ScopeParent::Scope(parent)) => Some(*parent),
                    _ => None,
                };
                // Scopes that reference each other are invalid, but each is copied only once.
                let missing = parent.into_iter().chain(scope.inlined_at).find(|&needed| {
                    get(table, needed).is_some()
                        && !map.scopes.contains_key(&needed)
                        && !path.contains(&needed)
                });
                if let Some(missing) = missing {
                    path.push(missing);
                    continue;
                }
                path.pop();
                let inlined_at = scope.inlined_at.map_or(call, |place| map.get(place));
                let copy = Scope {
                    id,
                    loc: scope.loc,
                    parent: match &scope.parent {
                        Some(ScopeParent::Scope(parent)) => Some(ScopeParent::Scope(map.get(*parent))),
                        other => other.clone(),
                    },
                    inlined_at: Some(inlined_at).filter(|&id| id != NONE),
                };
                map.scopes.insert(id, add(table, copy));
            }
        }
        map
    }

    /// Returns the scope that a scope, or [`NONE`], is mapped to.
    pub fn get(&self, scope: u32) -> u32 {
        self.scopes.get(&scope).copied().unwrap_or(self.outside)
    }
}
