//! Debug information for `-sil-print-debuginfo` besides locations: the position of each function in its file, and the
//! debug scopes in the order of their use.
//!
//! An instruction without a scope has the scope of the previous instruction. The first instruction has the scope of
//! the function itself, whose location is the first mention of the function.

use crate::options::PrintOptions;
use silkit_base::{FxHashMap, Interned};
use silkit_ir::{Body, DebugVarData, Function, FunctionId, Module, NONE, Scope, ScopeParent, SourceLoc};
use std::collections::hash_map::Entry;

/// A debug scope: a scope of the module, by number, or the scope of a function itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ScopeKey {
    Scope(u32),
    Function(FunctionId),
}

/// The scopes of a module as printed.
pub(crate) struct DebugInfo<'m> {
    options: &'m PrintOptions,
    /// The scopes of the module by number.
    scopes: FxHashMap<u32, &'m Scope>,
    /// The printed scope numbers.
    numbers: FxHashMap<ScopeKey, u32>,
    /// The scopes printed before each function.
    before: FxHashMap<FunctionId, Vec<ScopeKey>>,
}

impl<'m> DebugInfo<'m> {
    /// Computes the scopes for functions printed in this order; `None` if scopes are not printed.
    pub(crate) fn of(
        module: &'m Module,
        options: &'m PrintOptions,
        functions: &[FunctionId],
    ) -> Option<Self> {
        if !options.debug_info {
            return None;
        }
        let scopes = module.scopes.iter().map(|scope| (scope.id, scope)).collect();
        let mut info = Self { options, scopes, numbers: FxHashMap::default(), before: FxHashMap::default() };
        for &id in functions {
            let Some(body) = &module.functions[id].body else { continue };
            let mut used = inst_scopes(body, id);
            used.dedup();
            let mut new = Vec::new();
            used.into_iter().for_each(|key| info.add(key, &mut new));
            // Scopes that only variables use come last.
            let variables = variable_scopes(body);
            variables.into_iter().for_each(|key| info.add(ScopeKey::Scope(key), &mut new));
            info.before.insert(id, new);
        }
        Some(info)
    }

    /// Numbers a scope after the scopes that it references. A scope can only reference scopes that precede it in the
    /// text.
    fn add(&mut self, key: ScopeKey, new: &mut Vec<ScopeKey>) {
        let mut path = vec![key];
        while let Some(&key) = path.last() {
            let missing = self.scope(key).and_then(|scope| {
                let parent = match scope.parent {
                    Some(ScopeParent::Scope(id)) => Some(id),
                    _ => None,
                };
                let mut named = parent.into_iter().chain(scope.inlined_at).map(ScopeKey::Scope);
                // A scope that references itself, directly or not, never gets a number.
                named.find(|named| !self.numbers.contains_key(named) && !path.contains(named))
            });
            if let Some(missing) = missing {
                path.push(missing);
                continue;
            }
            path.pop();
            let next = self.numbers.len() as u32 + 1;
            if let Entry::Vacant(entry) = self.numbers.entry(key) {
                entry.insert(next);
                new.push(key);
            }
        }
    }

    /// Returns the printed number of a scope; 0 means none.
    pub(crate) fn number(&self, key: ScopeKey) -> u32 {
        self.numbers.get(&key).copied().unwrap_or(0)
    }

    /// Returns the scopes printed before a function.
    pub(crate) fn before(&self, id: FunctionId) -> &[ScopeKey] {
        self.before.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns the module's scope for a key.
    pub(crate) fn scope(&self, key: ScopeKey) -> Option<&'m Scope> {
        let ScopeKey::Scope(id) = key else { return None };
        self.scopes.get(&id).copied()
    }

    /// Returns the location of the first mention of a function.
    pub(crate) fn function_place(&self, function: &Function) -> Option<SourceLoc> {
        self.options.locations.as_ref()?.mention(function.name)
    }
}

/// Returns the scope of each instruction in layout order.
pub(crate) fn inst_scopes(body: &Body, function: FunctionId) -> Vec<ScopeKey> {
    let mut current = ScopeKey::Function(function);
    let insts = body.insts();
    insts
        .map(|inst| {
            if let Some(loc) = body.loc(body.inst(inst).loc).filter(|loc| loc.scope != NONE) {
                current = ScopeKey::Scope(loc.scope);
            }
            current
        })
        .collect()
}

fn variable_scopes(body: &Body) -> Vec<u32> {
    let variables = body.insts().filter_map(|inst| body.word(inst, "var"));
    variables.filter_map(|word| DebugVarData::of(Interned::from_u32(word)).scope).collect()
}
