//! Import of functions from another module.

use super::{Cloner, ScopeMap};
use crate::body::Body;
use crate::debug::DebugVarData;
use crate::info::AttrKind;
use crate::linkage::Linkage;
use crate::module::{Function, FunctionId, GlobalId, Module};
use crate::{NONE, semantics::references};
use silkit_base::{FxHashSet, Interned, Symbol};

impl Module {
    /// Copies a function of another module into this one, with declarations of the functions and global variables
    /// that it references, and the debug scopes that it needs. The caller is responsible for the Swift declarations
    /// of its types.
    ///
    /// A declaration of the function becomes a definition; an existing definition is kept.
    pub fn import_function(&mut self, from: &Module, id: FunctionId) -> FunctionId {
        let function = &from.functions[id];
        let known = self.functions.find(&function.name);
        if let Some(known) = known
            && (self.functions[known].body.is_some() || function.body.is_none())
        {
            return known;
        }
        let mut copy = Function { body: None, ..function.clone() };
        if let Some(body) = &function.body {
            let scopes = ScopeMap::import(&mut self.scopes, &from.scopes, body.used_scopes());
            copy.body = Some(Cloner::of(body).with_scopes(&scopes).body());
        }
        let place = match known {
            Some(known) => {
                self.functions[known] = copy;
                known
            }
            None => self.functions.push(copy),
        };
        if let Some(body) = &function.body {
            self.declare_named(from, body);
        }
        place
    }

    /// Declares the functions and globals that a body references and this module does not have.
    fn declare_named(&mut self, from: &Module, body: &Body) {
        let mut named: FxHashSet<Symbol> = FxHashSet::default();
        references::of_body(body, &mut |name| _ = named.insert(name));
        named.retain(|name| self.functions.find(name).is_none() && self.globals.find(name).is_none());
        // In the order of the other module, since the iteration order of a hash table is not deterministic.
        let mut functions: Vec<FunctionId> =
            named.iter().filter_map(|name| from.functions.find(name)).collect();
        functions.sort_unstable();
        for function in functions.into_iter().map(|id| &from.functions[id]) {
            let mut declaration = Function { body: None, ..function.clone() };
            if function.body.is_some() {
                declaration.remove_body();
            }
            self.functions.push(declaration);
        }
        let mut globals: Vec<GlobalId> = named.iter().filter_map(|name| from.globals.find(name)).collect();
        globals.sort_unstable();
        for global in globals.into_iter().map(|id| &from.globals[id]) {
            let mut declaration = global.clone();
            if declaration.initializer.take().is_some() {
                declaration.linkage = Linkage::Default;
            }
            self.globals.push(declaration);
        }
    }
}

impl Body {
    /// Returns the debug scopes of instructions and their variables, without duplicates.
    pub fn used_scopes(&self) -> Vec<u32> {
        let mut seen = FxHashSet::default();
        let mut used = Vec::new();
        let mut add = |scope: u32| {
            if scope != NONE && seen.insert(scope) {
                used.push(scope);
            }
        };
        for inst in self.insts() {
            self.loc(self.inst(inst).loc).map(|loc| loc.scope).into_iter().for_each(&mut add);
            for (attr, &word) in self.info(inst).attrs.iter().zip(self.words(inst)) {
                if attr.kind == AttrKind::DebugVar && word != NONE {
                    DebugVarData::of(Interned::from_u32(word)).scope.into_iter().for_each(&mut add);
                }
            }
        }
        used
    }

    /// Replaces the debug scopes of instructions and variables.
    pub fn map_scopes(&mut self, map: impl Fn(u32) -> u32) {
        for loc in self.locs.values_mut().filter(|loc| loc.scope != NONE) {
            loc.scope = map(loc.scope);
        }
        for inst in self.insts().collect::<Vec<_>>() {
            let attrs = self.info(inst).attrs;
            for (index, _) in attrs.iter().enumerate().filter(|(_, attr)| attr.kind == AttrKind::DebugVar) {
                let word = self.words(inst)[index];
                if word == NONE {
                    continue;
                }
                let var = DebugVarData::of(Interned::from_u32(word));
                if let Some(scope) = var.scope {
                    let var = DebugVarData { scope: Some(map(scope)), ..var.clone() };
                    self.edit().set_word(inst, index, var.intern().as_u32());
                }
            }
        }
    }
}
