//! A group of function passes: the module without the functions on which passes run.

use crate::context::Ledger;
use crate::options::PassOptions;
use crate::pipeline::PipelineStep;
use crate::runner::PassRun;
use crate::settled::SettledPasses;
use silkit_analysis::{AnalysisCache, ProgramFacts, ProgramView};
use silkit_base::{Entity, FxHashMap};
use silkit_ir::{Function, FunctionId, Module, shift_scopes, shifted_scope};
use silkit_link::{LibrarySource, linker};
use silkit_types::decl::Declarations;
use std::collections::BTreeMap;
use std::time::Duration;

/// The maximum length of a chain of added functions on which passes run, since specializations of specializations
/// need not end. Functions beyond it are added without running passes on them.
const MOST_LEVELS: u32 = 10;

/// The counters of passes, by tag and name.
pub(crate) type Counts = BTreeMap<(String, &'static str), u64>;

/// A function with its progress through a group of passes.
pub(crate) struct FunctionWork {
    pub(crate) id: FunctionId,
    pub(crate) function: Function,
    pub(crate) cache: AnalysisCache,
    /// The index of the next pass.
    pub(crate) next: usize,
    /// The number of the next run.
    pub(crate) number: usize,
    /// The length of the chain of added functions that leads to this one.
    pub(crate) level: u32,
    /// The number of restarts of the function in this group.
    pub(crate) restarts: u32,
    /// True if a pass requested the next restart.
    pub(crate) is_restarting: bool,
    /// The run that waits for the library.
    pub(crate) paused: Option<Paused>,
    /// The passes that have nothing to do until something changes.
    pub(crate) settled: SettledPasses,
    pub(crate) ledger: Ledger,
    pub(crate) runs: Vec<PassRun>,
    pub(crate) counts: Counts,
}

impl FunctionWork {
    /// Returns a fingerprint of what passes leave behind besides the function: output, problems, debug scopes and
    /// counts. They only grow, so equal fingerprints mean that nothing was added.
    pub(crate) fn traces(&self) -> (usize, usize, usize, u64) {
        let ledger = &self.ledger;
        let counts = self.counts.values().sum();
        (ledger.output.size(), ledger.problems.len(), ledger.new_scopes.len(), counts)
    }
}

/// A run that continues when the library has been read.
#[derive(Clone, Copy)]
pub(crate) struct Paused {
    /// The index of the pass.
    pub(crate) step: usize,
    pub(crate) number: usize,
    pub(crate) has_changed: bool,
    pub(crate) time: Duration,
    /// The number of times that the pass was run.
    pub(crate) parts: usize,
}

/// A group of function passes running on a module.
pub(crate) struct Group<'s> {
    pub(crate) module: &'s mut Module,
    pub(crate) declarations: &'s Declarations,
    pub(crate) facts: &'s mut ProgramFacts,
    pub(crate) caches: &'s mut Vec<AnalysisCache>,
    pub(crate) steps: &'s [PipelineStep<'s>],
    /// The numbers of the passes of the steps: see [`crate::settled::pass_numbers`].
    pub(crate) passes: Vec<usize>,
    pub(crate) options: &'s PassOptions,
    /// The number of the next unassigned run.
    pub(crate) next_number: usize,
    /// The functions that have completed the group.
    pub(crate) done: Vec<FunctionWork>,
    /// The added functions that will stand in front of others.
    pub(crate) placed: Vec<(FunctionId, FunctionId)>,
}

impl Group<'_> {
    /// Takes a function out of the module to run passes on it.
    pub(crate) fn start(&mut self, id: FunctionId, number: usize, level: u32, restarts: u32) -> FunctionWork {
        FunctionWork {
            id,
            function: self.take(id),
            cache: std::mem::take(&mut self.caches[id.index()]),
            next: 0,
            number,
            level,
            restarts,
            is_restarting: false,
            paused: None,
            settled: SettledPasses::default(),
            ledger: Ledger::default(),
            runs: Vec::new(),
            counts: Counts::new(),
        }
    }

    /// Takes a function out of the module. Its header stays, with an unreadable body.
    pub(crate) fn take(&mut self, id: FunctionId) -> Function {
        let header = self.module.functions[id].header();
        std::mem::replace(&mut self.module.functions[id], header)
    }

    /// Puts a function back into the module.
    pub(crate) fn put(&mut self, work: &mut FunctionWork) {
        std::mem::swap(&mut self.module.functions[work.id], &mut work.function);
    }

    /// Adds the debug scopes that passes created, in the order of the functions.
    pub(crate) fn add_scopes(&mut self, works: &mut [FunctionWork]) {
        if works.iter().all(|work| work.ledger.new_scopes.is_empty()) {
            return;
        }
        let first = ProgramView::new(self.module, self.declarations, self.facts).scope_index().next();
        let mut shift = 0;
        for work in works {
            let mut new = std::mem::take(&mut work.ledger.new_scopes);
            if shift > 0 && !new.is_empty() {
                let added = work.ledger.new_functions.iter_mut().map(|(function, _)| function);
                for function in added.chain([&mut self.module.functions[work.id]]) {
                    function
                        .body
                        .iter_mut()
                        .for_each(|body| body.map_scopes(|id| shifted_scope(id, first, shift)));
                }
                shift_scopes(&mut new, first, shift);
            }
            shift += new.len() as u32;
            self.module.scopes.append(&mut new);
        }
        self.facts.scopes_changed();
    }

    /// Assigns numbers to the runs on some functions, in order, and returns the first number of each.
    pub(crate) fn number(&mut self, functions: &[FunctionId]) -> FxHashMap<FunctionId, usize> {
        let mut first = FxHashMap::default();
        for &id in functions {
            first.insert(id, self.next_number);
            let function = &self.module.functions[id];
            self.next_number +=
                self.steps.iter().filter(|step| runs_on(step, function, self.options)).count();
        }
        first
    }

    /// Returns the remaining work on a function that was put back: the rest of its passes, or all of them after a
    /// restart. The runs get numbers after the assigned ones.
    pub(crate) fn next_part(&mut self, mut work: FunctionWork) -> Option<FunctionWork> {
        if work.paused.is_some() || !work.is_restarting && work.next < self.steps.len() {
            work.function = self.take(work.id);
            return Some(work);
        }
        let (id, level, restarts, is_restarting) = (work.id, work.level, work.restarts, work.is_restarting);
        self.caches[id.index()] = std::mem::take(&mut work.cache);
        self.done.push(work);
        is_restarting.then(|| {
            let number = self.number(&[id])[&id];
            self.start(id, number, level, restarts + 1)
        })
    }

    /// Adds the functions that passes created, and returns those to run passes on, with their levels. If several have
    /// the same name, the first is kept.
    pub(crate) fn add_functions(&mut self, works: &mut [FunctionWork]) -> Vec<(FunctionId, u32)> {
        let mut added = Vec::new();
        for work in works {
            for (function, other) in std::mem::take(&mut work.ledger.new_functions) {
                if self.module.functions.find(&function.name).is_none() {
                    let id = self.module.functions.push(function);
                    added.push((id, work.level + 1));
                    self.placed.extend(other.map(|other| (id, other)));
                }
            }
        }
        if !added.is_empty() {
            self.facts.functions_changed();
            self.caches.resize_with(self.module.functions.len(), AnalysisCache::default);
        }
        added.retain(|&(_, level)| level <= MOST_LEVELS);
        added
    }

    /// Moves added functions to their places, after all functions have completed the group, and updates the ids in
    /// problems.
    pub(crate) fn place_functions(&mut self) {
        if self.placed.is_empty() {
            return;
        }
        let order = self.module.place_before(&self.placed);
        let mut new_ids = vec![None; order.len()];
        let mut old_caches = std::mem::take(self.caches);
        for (at, old) in order.iter().enumerate() {
            new_ids[old.index()] = Some(FunctionId::from_index(at));
            self.caches.push(std::mem::take(&mut old_caches[old.index()]));
        }
        self.facts.functions_changed();
    }

    /// Loads the witnesses that calls may call from the library.
    pub(crate) fn link_witnesses(&mut self, library: &dyn LibrarySource) {
        if linker::link_witnesses(self.module, self.declarations, library) {
            self.facts.functions_changed();
            self.caches.resize_with(self.module.functions.len(), AnalysisCache::default);
        }
    }

    /// Takes what passes requested from the library into the module, in the order of the functions.
    pub(crate) fn take_requested(&mut self, works: &mut [FunctionWork], library: Option<&dyn LibrarySource>) {
        let Some(library) = library else { return };
        let mut has_changed = false;
        for request in works.iter_mut().flat_map(|work| std::mem::take(&mut work.ledger.requests)) {
            (request.take)(self.module, self.declarations, library, request.names);
            has_changed = true;
        }
        if has_changed {
            self.facts.functions_changed();
            self.caches.resize_with(self.module.functions.len(), AnalysisCache::default);
        }
    }
}

/// Returns true if a pass runs on a function.
pub(crate) fn runs_on(step: &PipelineStep<'_>, function: &Function, options: &PassOptions) -> bool {
    // If the optimization mode is `none`, the requested passes are mandatory.
    step.pass.is_mandatory || function.is_optimized() || options.is_unoptimized()
}
