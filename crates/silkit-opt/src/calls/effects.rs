//! The effects of all functions of a module, callees first.

use rayon::prelude::*;
use silkit_analysis::FunctionEffects;
use silkit_analysis::access::{AccessFacts, GlobalInitializer, global_initializer};
use silkit_analysis::calls::{BottomUp, CalleeTables, Visibility};
use silkit_analysis::escape::{Escapes, Program};
use silkit_analysis::escape_effects::escape_effects;
use silkit_analysis::memory::MemoryFacts;
use silkit_analysis::proofs::{Proofs, Recorder};
use silkit_analysis::side_effects::{Context, NoWitness, Witness, has_computed_effects, side_effects};
use silkit_base::{IdVec, Symbol};
use silkit_ir::conventions::Addresses;
use silkit_ir::{Body, FunctionId, Functions, Module};
use silkit_pass::FunctionsByName;
use silkit_pass::interprocedural::{all_effects, memory_facts};
use silkit_types::decl::Declarations;

/// The effects of the functions of a module.
pub(crate) type AllEffects = IdVec<FunctionId, FunctionEffects>;

/// Finds the new effects of a function, where they are not what they were, and something else about it.
type Ask<'f, T> = dyn Fn(FunctionId, &Escapes<'_>, &AllEffects) -> (Option<FunctionEffects>, T) + Sync + 'f;

/// Steps with fewer functions are worked on by one thread.
const FEW: usize = 8;

/// A module whose functions are looked at.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    module: &'a Module,
    declarations: &'a Declarations,
    tables: CalleeTables<'a>,
    functions: FunctionsByName<'a>,
    addresses: Addresses,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Found<T> {
    /// The effects of all functions.
    pub(crate) effects: AllEffects,
    /// For how many they are not what they were.
    pub(crate) changed: u64,
    /// What else was found about each function.
    pub(crate) others: Vec<(FunctionId, T)>,
}

impl<'a> Work<'a> {
    /// A module, of which no other part exists where it is a whole one.
    pub(crate) fn new(module: &'a Module, declarations: &'a Declarations, is_whole_module: bool) -> Self {
        Self {
            module,
            declarations,
            tables: CalleeTables::new(module, Visibility::new(declarations, is_whole_module)),
            functions: FunctionsByName::of(module),
            addresses: Addresses::Lowered,
        }
    }

    /// The same, where values of every type are objects.
    pub(crate) fn with_opaque_values(self, is_opaque: bool) -> Self {
        let addresses = if is_opaque { Addresses::Opaque } else { Addresses::Lowered };
        Self { addresses, ..self }
    }

    /// Finds which arguments escape.
    pub(crate) fn escapes(&self) -> Found<()> {
        self.find(&|id, escapes, effects| {
            if !self.module.functions[id].is_optimized() {
                return (None, ());
            }
            let found = escape_effects(escapes, self.module.functions[id].name, &effects[id].escapes);
            let new = FunctionEffects { escapes: found, ..effects[id].clone() };
            ((new != effects[id]).then_some(new), ())
        })
    }

    /// Finds the side effects.
    pub(crate) fn sides(&self) -> Found<()> {
        self.find(&|id, escapes, effects| {
            if !has_computed_effects(&self.module.functions[id]) {
                return (None, ());
            }
            (self.side(id, escapes, effects, &mut NoWitness), ())
        })
    }

    /// Finds the side effects, and why functions do what they do.
    fn proofs(&self) -> (AllEffects, Proofs) {
        let found = self.find(&|id, escapes, effects| {
            let mut recorder = Recorder::new(id, escapes.facts, escapes.program, &self.functions);
            let new = self.side(id, escapes, effects, &mut recorder);
            (new.filter(|_| has_computed_effects(&self.module.functions[id])), recorder.finish())
        });
        (found.effects, Proofs::new(self.module, found.others))
    }

    fn side(
        &self,
        id: FunctionId,
        escapes: &Escapes<'_>,
        effects: &AllEffects,
        witness: &mut dyn Witness,
    ) -> Option<FunctionEffects> {
        let accesses = AccessFacts {
            body: escapes.facts.body,
            declarations: self.declarations,
            initializers: &|name| self.initializer(name),
        };
        let function = &self.module.functions[id];
        let context = Context { function, escapes: *escapes, functions: &self.functions, accesses };
        let side = Some(side_effects(&context, witness));
        (side != effects[id].side).then(|| FunctionEffects { side, ..effects[id].clone() })
    }

    fn initializer(&self, name: Symbol) -> GlobalInitializer {
        self.functions.function(name).map_or(GlobalInitializer::No, global_initializer)
    }

    /// Asks about all functions that have bodies, callees first, and takes the new effects of each over.
    fn find<T: Send>(&self, ask: &Ask<'_, T>) -> Found<T> {
        let mut effects = all_effects(self.module);
        let (mut changed, mut others) = (0, Vec::new());
        for step in BottomUp::new(&self.tables).steps(&self.tables) {
            let one = |&id: &FunctionId| {
                let function = &self.module.functions[id];
                let body = function.body.as_ref().filter(|body: &&Body| body.entry_block().is_some())?;
                let program = Program { tables: &self.tables, effects: &effects };
                let addresses = self.addresses;
                let facts = MemoryFacts { addresses, ..memory_facts(function, body, self.declarations) };
                Some((id, ask(id, &Escapes { facts, program }, &effects)))
            };
            let found: Vec<_> = match step.len() {
                0..FEW => step.iter().filter_map(one).collect(),
                _ => step.par_iter().filter_map(one).collect(),
            };
            for (id, (new, other)) in found {
                if let Some(new) = new {
                    effects[id] = new;
                    changed += 1;
                }
                others.push((id, other));
            }
        }
        Found { effects, changed, others }
    }
}

/// Sets the effects of the functions, where something is known.
pub(crate) fn write(module: &mut Module, effects: &AllEffects) {
    for (id, effects) in effects.iter().filter(|(_, effects)| **effects != FunctionEffects::default()) {
        module.functions[id].effects = effects.clone();
    }
}

/// Finds out what the functions of a module may do, and the calls that prove it. The effects stand behind the functions'
/// types then, as the passes `compute-escape-effects` and `compute-side-effects` write them.
pub fn prove(module: &mut Module, declarations: &Declarations, is_whole_module: bool) -> Proofs {
    let found = Work::new(module, declarations, is_whole_module).escapes();
    write(module, &found.effects);
    let (effects, proofs) = Work::new(module, declarations, is_whole_module).proofs();
    write(module, &effects);
    proofs
}
