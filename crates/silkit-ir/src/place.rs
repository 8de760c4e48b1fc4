//! The order of the functions of a module.

use crate::module::{Function, FunctionId, Module};
use silkit_base::{Entity, EntitySet, FxHashMap};

impl Module {
    /// Moves functions in front of others, given as pairs of a function and the one that follows it. Of several with the
    /// same one, the last is next to it. Ids change: returns the former ids in the new order.
    pub fn place_before(&mut self, placed: &[(FunctionId, FunctionId)]) -> Vec<FunctionId> {
        let mut before: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        let mut is_placed = EntitySet::default();
        for &(function, other) in placed {
            before.entry(other).or_default().push(function);
            is_placed.insert(function);
        }
        let ids: Vec<FunctionId> = self.functions.keys().collect();
        let mut order = Vec::with_capacity(ids.len());
        for id in ids.into_iter().filter(|&id| !is_placed.contains(id)) {
            // A function in front of a placed function goes with it.
            let mut work = vec![(id, false)];
            while let Some((id, is_ready)) = work.pop() {
                match before.get(&id).filter(|_| !is_ready) {
                    None => order.push(id),
                    Some(first) => {
                        work.push((id, true));
                        work.extend(first.iter().rev().map(|&first| (first, false)));
                    }
                }
            }
        }
        let mut functions: Vec<Option<Function>> = self.functions.take().into_values().map(Some).collect();
        for &id in &order {
            if let Some(function) = functions[id.index()].take() {
                self.functions.push(function);
            }
        }
        order
    }
}
