//! Debug scopes of copies: those of another module, or inlined ones.

use crate::NONE;
use crate::module::{Scope, ScopeParent};
use silkit_base::FxHashMap;

/// Which scope stands for each one of the source.
#[derive(Clone, Debug, Default)]
pub struct ScopeMap {
    scopes: FxHashMap<u32, u32>,
    /// What stands for no scope.
    outside: u32,
}

impl ScopeMap {
    /// Copies the scopes of a module to the end of those of another one.
    ///
    /// Only those are copied that instructions with these scopes need.
    pub fn import(into: &mut Vec<Scope>, from: &[Scope], used: impl IntoIterator<Item = u32>) -> Self {
        Self::copy(into, from, used, NONE)
    }

    /// Copies scopes of a function that is inlined: each copy says where it was inlined, which is the scope
    /// of the call, or for a scope that was inlined before, the copy of that place. Instructions without a
    /// scope get that of the call.
    pub fn inline(
        into: &mut Vec<Scope>,
        from: &[Scope],
        used: impl IntoIterator<Item = u32>,
        call: u32,
    ) -> Self {
        Self::copy(into, from, used, call)
    }

    fn copy(into: &mut Vec<Scope>, from: &[Scope], used: impl IntoIterator<Item = u32>, call: u32) -> Self {
        let by_id: FxHashMap<u32, &Scope> = from.iter().map(|s| (s.id, s)).collect();
        let mut next = into.iter().map(|s| s.id).max().map_or(1, |id| id.saturating_add(1));
        let mut map = Self { scopes: FxHashMap::default(), outside: call };
        for id in used {
            // A scope comes after those that it names.
            let mut path = vec![id];
            while let Some(&id) = path.last() {
                let Some(scope) = by_id.get(&id).filter(|_| !map.scopes.contains_key(&id)) else {
                    path.pop();
                    continue;
                };
                let parent = match &scope.parent {
                    Some(ScopeParent::Scope(parent)) => Some(*parent),
                    _ => None,
                };
                // Scopes that name each other are wrong; each is copied once all the same.
                let missing = parent.into_iter().chain(scope.inlined_at).find(|needed| {
                    by_id.contains_key(needed) && !map.scopes.contains_key(needed) && !path.contains(needed)
                });
                if let Some(missing) = missing {
                    path.push(missing);
                    continue;
                }
                path.pop();
                let inlined_at = scope.inlined_at.map_or(call, |place| map.get(place));
                into.push(Scope {
                    id: next,
                    loc: scope.loc,
                    parent: match &scope.parent {
                        Some(ScopeParent::Scope(parent)) => Some(ScopeParent::Scope(map.get(*parent))),
                        other => other.clone(),
                    },
                    inlined_at: Some(inlined_at).filter(|&id| id != NONE),
                });
                map.scopes.insert(id, next);
                next = next.saturating_add(1);
            }
        }
        map
    }

    /// What stands for a scope, or for none ([`NONE`]).
    pub fn get(&self, scope: u32) -> u32 {
        self.scopes.get(&scope).copied().unwrap_or(self.outside)
    }
}
