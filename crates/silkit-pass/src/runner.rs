//! Runs passes in order, functions in parallel.

use crate::context::{FunctionContext, Ledger, ModuleContext, Options, Printing, Problem, World};
use crate::order::bottom_up;
use crate::output::Output;
use crate::pass::{ModulePass, Pass, Run};
use crate::pipeline::Step;
use rayon::prelude::*;
use silkit_analysis::AnalysisCache;
use silkit_analysis::calls::functions_by_name;
use silkit_base::{Entity, FxHashMap, Symbol};
use silkit_ir::{Body, Epoch, Function, FunctionAttributes, FunctionEffects, FunctionId, Module};
use silkit_types::decl::Declarations;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// One run of a pass: on a function, or on the module. Runs are numbered from 1 in their order on one thread,
/// whatever the number of threads.
#[derive(Clone, Debug)]
pub struct PassRun {
    /// The number.
    pub number: usize,
    /// The tag of the pass.
    pub tag: String,
    /// The function, for a pass of functions.
    pub function: Option<Symbol>,
    /// Whether it changed anything.
    pub has_changed: bool,
    /// How many single transformations it did, where the pass counts them.
    pub changes: usize,
    /// How long it took.
    pub time: Duration,
}

/// Where the runner is, as observers see it.
pub struct At<'a> {
    /// The number of the run, from 1.
    pub number: usize,
    /// The pass.
    pub pass: &'a Pass<'a>,
    /// The module; see [`World::module`] for the bodies.
    pub module: &'a Module,
    /// The function that is worked on, with its body; `None` for a pass of modules.
    pub function: Option<&'a Function>,
    /// How code is shown.
    pub printing: &'a Printing<'a>,
}

/// Sees every run. Several threads call at once; what it prints comes in order.
pub trait Observer: Sync {
    /// A run begins.
    fn before(&self, at: &At<'_>, output: &mut Output) {
        let _ = (at, output);
    }

    /// A run has ended.
    fn after(&self, at: &At<'_>, has_changed: bool, output: &mut Output) {
        let _ = (at, has_changed, output);
    }

    /// Whether it wants to see the whole module after every pass. Passes of functions then run one after the other
    /// over all functions.
    fn wants_module(&self) -> bool {
        false
    }

    /// A pass has run on all functions, or on the module. Whether to go on.
    fn after_pass(&self, pass: &Pass<'_>, module: &Module, output: &mut Output) -> bool {
        let _ = (pass, module, output);
        true
    }
}

/// How far to go: `-sil-opt-pass-count n.m`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The number of the last run.
    pub runs: usize,
    /// How many single transformations that run may do; `None` for all.
    pub changes: Option<usize>,
}

impl Limit {
    /// Reads `n` or `n.m`.
    pub fn parse(text: &str) -> Option<Self> {
        let (runs, changes) = text.split_once('.').map_or((text, None), |(n, m)| (n, Some(m)));
        let changes = changes.map(str::parse).transpose().ok()?;
        Some(Self { runs: runs.parse().ok()?, changes })
    }
}

/// What passes did.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What they and the observers printed.
    pub output: Output,
    /// What they found wrong with their input.
    pub problems: Vec<Problem>,
    /// The runs in order.
    pub runs: Vec<PassRun>,
    /// The counters of the passes, by tag and name.
    pub counts: BTreeMap<(String, &'static str), u64>,
    /// Whether an observer or a problem stopped the passes before the end.
    pub was_stopped: bool,
}

/// A pass that says that its result is to be computed again runs at most so often: one that goes on for ever has an error.
const MOST_REPETITIONS: usize = 100;

/// Runs passes.
#[derive(Default)]
pub struct Runner<'a> {
    observers: Vec<&'a dyn Observer>,
    options: Options,
    printing: Printing<'a>,
    limit: Option<Limit>,
}

/// What is done to one function in one group of passes.
struct Work<'m> {
    id: FunctionId,
    function: &'m mut Function,
    cache: &'m mut AnalysisCache,
    first_number: usize,
    ledger: Ledger,
    runs: Vec<PassRun>,
    counts: BTreeMap<(String, &'static str), u64>,
}

impl<'a> Runner<'a> {
    /// Runs passes, seen by nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets an observer see each run.
    pub fn observe(mut self, observer: &'a dyn Observer) -> Self {
        self.observers.push(observer);
        self
    }

    /// Gives options to passes.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Says how passes show code.
    pub fn printing(mut self, printing: Printing<'a>) -> Self {
        self.printing = printing;
        self
    }

    /// Stops early.
    pub fn limit(mut self, limit: Option<Limit>) -> Self {
        self.limit = limit;
        self
    }

    /// Runs passes on a module, in order. Passes of functions that stand together run one after the other on each function,
    /// callees first.
    pub fn run(&self, module: &mut Module, declarations: &Declarations, steps: &[Step<'_>]) -> Outcome {
        let mut outcome = Outcome::default();
        let mut caches: Vec<AnalysisCache> = Vec::new();
        let wants_module = self.observers.iter().any(|o| o.wants_module());
        let mut rest = steps;
        while let [first, ..] = rest {
            let group = match first.pass.run {
                Run::Module(_) => 1,
                Run::Function(_) if wants_module => 1,
                Run::Function(_) => {
                    rest.iter().take_while(|s| matches!(s.pass.run, Run::Function(_))).count()
                }
            };
            let (now, later) = rest.split_at(group);
            rest = later;
            match first.pass.run {
                Run::Module(pass) => {
                    self.run_module_pass(module, declarations, first, pass, &mut outcome);
                    caches.clear();
                }
                Run::Function(_) => self.run_group(module, declarations, now, &mut caches, &mut outcome),
            }
            let go_on = |o: &&dyn Observer| o.after_pass(&first.pass, module, &mut outcome.output);
            if !self.observers.iter().all(go_on) || !outcome.problems.is_empty() {
                outcome.was_stopped = true;
                break;
            }
        }
        outcome
    }

    fn run_module_pass(
        &self,
        module: &mut Module,
        declarations: &Declarations,
        step: &Step<'_>,
        pass: &dyn ModulePass,
        outcome: &mut Outcome,
    ) {
        let number = outcome.runs.len() + 1;
        let Some(allowance) = self.allowance(number) else { return };
        let mut ledger = Ledger { allowance, ..Ledger::default() };
        let before = At { number, pass: &step.pass, module, function: None, printing: &self.printing };
        self.observers.iter().for_each(|o| o.before(&before, &mut ledger.output));
        let start = Instant::now();
        let before: Vec<Option<Epoch>> =
            module.functions.values().map(|f| f.body.as_ref().map(Body::epoch)).collect();
        pass.run(&mut ModuleContext {
            module,
            declarations,
            options: &self.options,
            printing: &self.printing,
            ledger: &mut ledger,
        });
        let time = start.elapsed();
        let after = module.functions.values().map(|f| f.body.as_ref().map(Body::epoch));
        let has_changed = !before.into_iter().eq(after);
        let at = At { number, pass: &step.pass, module, function: None, printing: &self.printing };
        self.observers.iter().for_each(|o| o.after(&at, has_changed, &mut ledger.output));
        let tag = step.pass.tag.to_owned();
        for (name, number) in ledger.counts {
            *outcome.counts.entry((tag.clone(), name)).or_default() += number;
        }
        outcome.output.append(ledger.output);
        outcome.problems.extend(ledger.problems);
        outcome.runs.push(PassRun {
            number,
            tag,
            function: None,
            has_changed,
            changes: ledger.changes,
            time,
        });
    }

    fn run_group(
        &self,
        module: &mut Module,
        declarations: &Declarations,
        steps: &[Step<'_>],
        caches: &mut Vec<AnalysisCache>,
        outcome: &mut Outcome,
    ) {
        let mut order = bottom_up(module, declarations);
        while !order.is_empty() {
            let names = functions_by_name(module);
            caches.resize_with(module.functions.len(), AnalysisCache::default);
            let new = self.run_on(module, declarations, steps, &order, &names, caches, outcome);
            // Functions that passes made are worked on as those that were there.
            order = new.into_iter().map(|function| module.functions.push(function)).collect();
        }
    }

    /// Runs passes on functions, in parallel, and gives the functions that they made.
    #[allow(clippy::too_many_arguments)]
    fn run_on(
        &self,
        module: &mut Module,
        declarations: &Declarations,
        steps: &[Step<'_>],
        order: &[FunctionId],
        names: &FxHashMap<Symbol, FunctionId>,
        caches: &mut [AnalysisCache],
        outcome: &mut Outcome,
    ) -> Vec<Function> {
        let first = outcome.runs.len() + 1;
        // The functions are taken out, so that each can be changed while all see what stands before the bodies.
        let mut taken: Vec<(Function, AnalysisCache)> = order
            .iter()
            .map(|&id| {
                let header = module.functions[id].header();
                let function = std::mem::replace(&mut module.functions[id], header);
                (function, std::mem::take(&mut caches[id.index()]))
            })
            .collect();
        let world = World::new(module, declarations, &self.options, &self.printing, names);
        let mut works: Vec<Work<'_>> = order
            .iter()
            .zip(&mut taken)
            .enumerate()
            .map(|(index, (&id, (function, cache)))| Work {
                id,
                function,
                cache,
                first_number: first + index * steps.len(),
                ledger: Ledger::default(),
                runs: Vec::new(),
                counts: BTreeMap::new(),
            })
            .collect();
        works.par_iter_mut().for_each(|work| self.run_steps(work, &world, steps));
        let mut new = Vec::new();
        for work in works {
            outcome.output.append(work.ledger.output);
            outcome.problems.extend(work.ledger.problems);
            outcome.runs.extend(work.runs);
            work.counts
                .into_iter()
                .for_each(|(key, number)| *outcome.counts.entry(key).or_default() += number);
            new.extend(work.ledger.new_functions);
        }
        for (&id, (function, cache)) in order.iter().zip(taken) {
            module.functions[id] = function;
            caches[id.index()] = cache;
        }
        new
    }

    fn run_steps(&self, work: &mut Work<'_>, world: &World<'_>, steps: &[Step<'_>]) {
        for (index, step) in steps.iter().enumerate() {
            let number = work.first_number + index;
            if !step.pass.is_mandatory && !work.function.is_optimized() {
                continue;
            }
            let (Run::Function(pass), Some(allowance)) = (step.pass.run, self.allowance(number)) else {
                continue;
            };
            work.ledger.allowance = allowance;
            work.ledger.changes = 0;
            let has_changed = |function: &Function, before: &State| state(function) != *before;
            let (module, printing) = (world.module, world.printing);
            let at = At { number, pass: &step.pass, module, function: Some(work.function), printing };
            self.observers.iter().for_each(|o| o.before(&at, &mut work.ledger.output));
            let before = state(work.function);
            let start = Instant::now();
            for _ in 0..if step.repeats { MOST_REPETITIONS } else { 1 } {
                let before = state(work.function);
                let (function, cache) = (&mut *work.function, &mut *work.cache);
                pass.run(&mut FunctionContext {
                    world,
                    id: work.id,
                    function,
                    cache,
                    ledger: &mut work.ledger,
                });
                if !has_changed(work.function, &before) {
                    break;
                }
            }
            let time = start.elapsed();
            let has_changed = has_changed(work.function, &before);
            let (module, printing) = (world.module, world.printing);
            let at = At { number, pass: &step.pass, module, function: Some(work.function), printing };
            self.observers.iter().for_each(|o| o.after(&at, has_changed, &mut work.ledger.output));
            let (tag, changes) = (step.pass.tag.to_owned(), work.ledger.changes);
            for (name, number) in std::mem::take(&mut work.ledger.counts) {
                *work.counts.entry((tag.clone(), name)).or_default() += number;
            }
            let function = Some(work.function.name);
            work.runs.push(PassRun { number, tag, function, has_changed, changes, time });
            if !work.ledger.problems.is_empty() {
                break;
            }
        }
    }

    /// How many transformations a run may do, `None` inside for any number; `None` where it may not be at all.
    fn allowance(&self, number: usize) -> Option<Option<usize>> {
        match self.limit {
            None => Some(None),
            Some(limit) if number < limit.runs => Some(None),
            Some(limit) if number == limit.runs => Some(limit.changes),
            Some(_) => None,
        }
    }
}

/// What tells whether a pass changed a function.
type State = (Epoch, FunctionEffects, FunctionAttributes);

/// Returns the present state of a function.
fn state(function: &Function) -> State {
    let epoch = function.body.as_ref().map(Body::epoch).unwrap_or_default();
    (epoch, function.effects.clone(), function.attributes.clone())
}

impl std::fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Runner({} observers, limit {:?})", self.observers.len(), self.limit)
    }
}
