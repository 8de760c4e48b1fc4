//! The runner: passes in order, functions in parallel.

use crate::context::{FunctionContext, Ledger, ModuleContext, Options, Printing};
use crate::library::Library;
use crate::order::Schedule;
use crate::output::Output;
use crate::pass::{FunctionPass, ModulePass, Pass, Run};
use crate::pipeline::Step;
use crate::problem::Problem;
use rayon::prelude::*;
use silkit_analysis::{AnalysisCache, ProgramFacts, ProgramView};
use silkit_base::{Entity, FxHashMap, Symbol};
use silkit_ir::{Body, Function, FunctionId, Module, SilStage, shift_scopes, shifted_scope};
use silkit_text::ModuleSourceMap;
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
    /// True if it changed anything.
    pub has_changed: bool,
    /// The number of its single transformations, if the pass counts them.
    pub changes: usize,
    /// Its run time.
    pub time: Duration,
}

/// The position of the runner, for observers.
pub struct RunPosition<'a> {
    /// The number of the run, from 1.
    pub number: usize,
    /// The pass.
    pub pass: &'a Pass<'a>,
    /// The module. The bodies of functions that are worked on are not known there.
    pub module: &'a Module,
    /// The function that is worked on, with its body; `None` for a pass of modules.
    pub function: Option<&'a Function>,
    /// The options for printing code.
    pub printing: &'a Printing<'a>,
}

/// Sees every run. Several threads call at once; what it prints comes in order.
pub trait Observer: Sync {
    /// A run begins.
    fn before(&self, at: &RunPosition<'_>, output: &mut Output) {
        let _ = (at, output);
    }

    /// A run has ended.
    fn after(&self, at: &RunPosition<'_>, has_changed: bool, output: &mut Output) {
        let _ = (at, has_changed, output);
    }

    /// Returns true if it wants to see the whole module after every pass. Passes of functions then run one after the
    /// other over all functions, and a restart runs the same pass again.
    fn needs_module(&self) -> bool {
        false
    }

    /// Called when a pass has run on all functions, or on the module. Returns true if the runner continues.
    fn after_pass(&self, pass: &Pass<'_>, module: &Module, output: &mut Output) -> bool {
        let _ = (pass, module, output);
        true
    }
}

/// A limit on runs: `-sil-opt-pass-count n.m`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The number of the last run.
    pub runs: usize,
    /// The number of single transformations of that run; `None` for all.
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

/// The result of running passes.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The output of passes and observers.
    pub output: Output,
    /// The errors and warnings of passes about their input.
    pub problems: Vec<Problem>,
    /// The runs in order.
    pub runs: Vec<PassRun>,
    /// The counters of the passes, by tag and name.
    pub counts: BTreeMap<(String, &'static str), u64>,
    /// True if an observer or a problem stopped the passes before the end.
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
    source_map: Option<&'a ModuleSourceMap>,
    library: Option<&'a dyn Library>,
    limit: Option<Limit>,
}

/// Functions that a pass adds are worked on, and so are those that they add in turn, up to this depth: specializations of
/// specializations need not end. Deeper ones are added and left as they are.
const MOST_LEVELS: u32 = 10;

/// A function starts its group of passes again at most so often: inlining in functions that call each other need not end.
const MOST_RESTARTS: u32 = 20;

/// The counters of passes, by tag and name.
type Counts = BTreeMap<(String, &'static str), u64>;

/// One function on its way through a group of passes.
struct Work {
    id: FunctionId,
    function: Function,
    cache: AnalysisCache,
    /// The pass that is next.
    next: usize,
    /// The number of the next run.
    number: usize,
    /// The number of passes in the chain of created functions that leads to this one.
    level: u32,
    /// The number of times that the function started the group again.
    restarts: u32,
    /// True if a pass requested the next restart.
    is_restarting: bool,
    ledger: Ledger,
    runs: Vec<PassRun>,
    counts: Counts,
}

/// The module on its way through a group of passes.
struct Group<'s> {
    module: &'s mut Module,
    declarations: &'s Declarations,
    facts: &'s mut ProgramFacts,
    caches: &'s mut Vec<AnalysisCache>,
    steps: &'s [Step<'s>],
    options: &'s Options,
    /// The number of the run after the last.
    next_number: usize,
    /// The functions that are through.
    done: Vec<Work>,
}

impl Group<'_> {
    /// Takes a function out of the module, to be worked on.
    fn start(&mut self, id: FunctionId, number: usize, level: u32, restarts: u32) -> Work {
        Work {
            id,
            function: self.take(id),
            cache: std::mem::take(&mut self.caches[id.index()]),
            next: 0,
            number,
            level,
            restarts,
            is_restarting: false,
            ledger: Ledger::default(),
            runs: Vec::new(),
            counts: Counts::new(),
        }
    }

    /// Takes a function out of the module. Its header stays, with a body of which nothing is known.
    fn take(&mut self, id: FunctionId) -> Function {
        let header = self.module.functions[id].header();
        std::mem::replace(&mut self.module.functions[id], header)
    }

    /// Returns a function to the module.
    fn put(&mut self, work: &mut Work) {
        std::mem::swap(&mut self.module.functions[work.id], &mut work.function);
    }

    /// Adds the debug scopes that passes added, in the order of the functions.
    fn add_scopes(&mut self, works: &mut [Work]) {
        if works.iter().all(|work| work.ledger.new_scopes.is_empty()) {
            return;
        }
        let first = ProgramView::new(self.module, self.declarations, self.facts).scope_index().next();
        let mut shift = 0;
        for work in works {
            let mut new = std::mem::take(&mut work.ledger.new_scopes);
            if shift > 0 && !new.is_empty() {
                let added = work.ledger.new_functions.iter_mut();
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

    /// Assigns numbers to the runs of some functions, in order, and returns the first of each.
    fn number(&mut self, functions: &[FunctionId]) -> FxHashMap<FunctionId, usize> {
        let mut first = FxHashMap::default();
        for &id in functions {
            first.insert(id, self.next_number);
            let function = &self.module.functions[id];
            self.next_number +=
                self.steps.iter().filter(|step| runs_on(step, function, self.options)).count();
        }
        first
    }

    /// Returns the work that is left on a function that was put back: the rest of its passes, or all of them again, as runs
    /// with numbers behind those that are assigned.
    fn next_part(&mut self, mut work: Work) -> Option<Work> {
        if !work.is_restarting && work.next < self.steps.len() {
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

    /// Adds the functions that passes made, and returns those that are to be worked on, each with its level. Of several
    /// with one name the first is kept.
    fn add_functions(&mut self, works: &mut [Work]) -> Vec<(FunctionId, u32)> {
        let mut added = Vec::new();
        for work in works {
            for function in std::mem::take(&mut work.ledger.new_functions) {
                if self.module.functions.find(&function.name).is_none() {
                    added.push((self.module.functions.push(function), work.level + 1));
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
}

/// Returns true if a pass runs on a function.
fn runs_on(step: &Step<'_>, function: &Function, options: &Options) -> bool {
    // Where nothing is optimized, the passes that are asked for are mandatory ones.
    step.pass.is_mandatory || function.is_optimized() || options.get("opt-mode") == Some("none")
}

impl<'a> Runner<'a> {
    /// Creates a runner without observers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an observer of each run.
    pub fn observe(mut self, observer: &'a dyn Observer) -> Self {
        self.observers.push(observer);
        self
    }

    /// Sets the options of the passes.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the options for printing code.
    pub fn printing(mut self, printing: Printing<'a>) -> Self {
        self.printing = printing;
        self
    }

    /// Sets the positions of the module's entities in its text.
    pub fn source_map(mut self, map: Option<&'a ModuleSourceMap>) -> Self {
        self.source_map = map;
        self
    }

    /// Sets the library that passes take declarations and bodies from.
    pub fn library(mut self, library: Option<&'a dyn Library>) -> Self {
        self.library = library;
        self
    }

    /// Stops early.
    pub fn limit(mut self, limit: Option<Limit>) -> Self {
        self.limit = limit;
        self
    }

    /// Runs passes on a module, in order.
    ///
    /// Function passes that stand together run one after the other on each function, callees before their callers. Several
    /// functions are worked on at once where none of them sees another; what they see, the numbers of the runs and the
    /// output do not depend on the number of threads.
    pub fn run(&self, module: &mut Module, declarations: &Declarations, steps: &[Step<'_>]) -> Outcome {
        let mut outcome = Outcome::default();
        let mut caches: Vec<AnalysisCache> = Vec::new();
        let mut facts = self.options.program_facts();
        let mut number = 1;
        let needs_module = self.observers.iter().any(|o| o.needs_module());
        let is_raw = !matches!(module.stage, Some(SilStage::Canonical | SilStage::Lowered));
        let steps: Vec<Step<'_>> = steps.iter().filter(|step| is_raw || !step.is_for_raw).copied().collect();
        let mut rest = &steps[..];
        while let [first, ..] = rest {
            let group = match first.pass.run {
                Run::Module(_) => 1,
                Run::Function(_) if needs_module => 1,
                Run::Function(_) => {
                    rest.iter().take_while(|s| matches!(s.pass.run, Run::Function(_))).count()
                }
            };
            let (now, later) = rest.split_at(group);
            rest = later;
            match first.pass.run {
                Run::Module(pass) => {
                    let may_differ =
                        self.run_module_pass(module, declarations, first, pass, number, &mut outcome);
                    number += 1;
                    if may_differ {
                        caches.clear();
                        facts.functions_changed();
                    }
                }
                Run::Function(_) => {
                    caches.resize_with(module.functions.len(), AnalysisCache::default);
                    let group = Group {
                        module,
                        declarations,
                        facts: &mut facts,
                        caches: &mut caches,
                        steps: now,
                        options: &self.options,
                        next_number: number,
                        done: Vec::new(),
                    };
                    number = self.run_group(group, &mut outcome);
                }
            }
            let go_on = |o: &&dyn Observer| o.after_pass(&first.pass, module, &mut outcome.output);
            if !self.observers.iter().all(go_on) || outcome.problems.iter().any(Problem::is_error) {
                outcome.was_stopped = true;
                break;
            }
        }
        debug_assert!(module.is_index_right(), "names are changed by `KeyedVec::rekey` alone");
        outcome
    }

    /// Runs a pass on the module. Returns true if it asked to change the module, so that what is known of it may be wrong.
    fn run_module_pass(
        &self,
        module: &mut Module,
        declarations: &Declarations,
        step: &Step<'_>,
        pass: &dyn ModulePass,
        number: usize,
        outcome: &mut Outcome,
    ) -> bool {
        let Some(allowance) = self.allowance(number) else { return false };
        let mut ledger = Ledger { allowance, ..Ledger::default() };
        let before =
            RunPosition { number, pass: &step.pass, module, function: None, printing: &self.printing };
        self.observers.iter().for_each(|o| o.before(&before, &mut ledger.output));
        let start = Instant::now();
        let (options, printing) = (&self.options, &self.printing);
        let mut cx = ModuleContext::new(module, declarations, options, printing, &mut ledger);
        cx.source_map = self.source_map;
        cx.library = self.library;
        pass.run(&mut cx);
        let time = start.elapsed();
        let before = ledger.module.take();
        let has_changed = before.as_ref().is_some_and(|before| before.differs(module));
        let at = RunPosition { number, pass: &step.pass, module, function: None, printing: &self.printing };
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
        before.is_some()
    }

    /// Runs function passes on all functions, and returns the number of the run after the last.
    fn run_group(&self, mut group: Group<'_>, outcome: &mut Outcome) -> usize {
        let program = ProgramView::new(group.module, group.declarations, group.facts);
        let schedule = Schedule::new(&program, None);
        let numbers = group.number(&schedule.order);
        for step in schedule.steps {
            let works = step.into_iter().map(|id| group.start(id, numbers[&id], 0, 0)).collect();
            self.run_step(&mut group, works);
        }
        let mut done = group.done;
        done.sort_by_key(|work| (work.runs.first().map_or(work.number, |run| run.number), work.number));
        for work in done {
            outcome.output.append(work.ledger.output);
            outcome.problems.extend(work.ledger.problems);
            outcome.runs.extend(work.runs);
            for (key, number) in work.counts {
                *outcome.counts.entry(key).or_default() += number;
            }
        }
        group.next_number
    }

    /// Works on functions that do not see each other. Where a pass adds functions, these are worked on first, and then the
    /// function goes on, or starts again.
    fn run_step(&self, group: &mut Group<'_>, mut works: Vec<Work>) {
        while !works.is_empty() {
            group.facts.begin_step(works.iter().map(|work| work.id));
            let program = ProgramView::new(group.module, group.declarations, group.facts);
            works.par_iter_mut().for_each(|work| self.run_on(work, &program, group.steps));
            works.iter_mut().for_each(|work| group.put(work));
            group.facts.end_step(works.iter().map(|work| work.id));
            group.add_scopes(&mut works);
            let added = group.add_functions(&mut works);
            if !added.is_empty() {
                self.run_on_new(group, &added);
            }
            works = works.into_iter().filter_map(|work| group.next_part(work)).collect();
        }
    }

    /// Works on functions that passes made, callees before their callers.
    fn run_on_new(&self, group: &mut Group<'_>, added: &[(FunctionId, u32)]) {
        let ids: Vec<FunctionId> = added.iter().map(|&(id, _)| id).collect();
        let program = ProgramView::new(group.module, group.declarations, group.facts);
        let schedule = Schedule::new(&program, Some(&ids));
        let numbers = group.number(&schedule.order);
        let levels: FxHashMap<FunctionId, u32> = added.iter().copied().collect();
        for step in schedule.steps {
            let works = step.into_iter().map(|id| group.start(id, numbers[&id], levels[&id], 0)).collect();
            self.run_step(group, works);
        }
    }

    /// Runs the passes that are next on one function, up to the first that adds functions or requests a restart.
    fn run_on(&self, work: &mut Work, program: &ProgramView<'_>, steps: &[Step<'_>]) {
        while let Some(step) = steps.get(work.next) {
            work.next += 1;
            if !runs_on(step, &work.function, &self.options) {
                continue;
            }
            let number = work.number;
            work.number += 1;
            let (Run::Function(pass), Some(allowance)) = (step.pass.run, self.allowance(number)) else {
                continue;
            };
            work.ledger.allowance = allowance;
            work.ledger.changes = 0;
            let module = program.module;
            let at = RunPosition {
                number,
                pass: &step.pass,
                module,
                function: Some(&work.function),
                printing: &self.printing,
            };
            self.observers.iter().for_each(|o| o.before(&at, &mut work.ledger.output));
            let start = Instant::now();
            let mut has_changed = false;
            for _ in 0..if step.repeats { MOST_REPETITIONS } else { 1 } {
                let has_just_changed = self.run_once(work, program, pass);
                has_changed |= has_just_changed;
                if !has_just_changed {
                    break;
                }
            }
            let time = start.elapsed();
            let at = RunPosition {
                number,
                pass: &step.pass,
                module,
                function: Some(&work.function),
                printing: &self.printing,
            };
            self.observers.iter().for_each(|o| o.after(&at, has_changed, &mut work.ledger.output));
            let (tag, changes) = (step.pass.tag.to_owned(), work.ledger.changes);
            for (name, number) in std::mem::take(&mut work.ledger.counts) {
                *work.counts.entry((tag.clone(), name)).or_default() += number;
            }
            let function = Some(work.function.name);
            work.runs.push(PassRun { number, tag, function, has_changed, changes, time });
            let is_restart_requested = std::mem::take(&mut work.ledger.is_restart_requested);
            if work.ledger.problems.iter().any(Problem::is_error) {
                work.next = steps.len();
            } else {
                work.is_restarting = is_restart_requested && work.restarts < MOST_RESTARTS;
            }
            if work.is_restarting || !work.ledger.new_functions.is_empty() {
                return;
            }
        }
    }

    /// Runs a pass once, and returns true if it changed the function: its body or its header.
    fn run_once(&self, work: &mut Work, program: &ProgramView<'_>, pass: &dyn FunctionPass) -> bool {
        let epoch = |function: &Function| function.body.as_ref().map(Body::epoch);
        let before = epoch(&work.function);
        pass.run(&mut FunctionContext {
            program,
            options: &self.options,
            printing: &self.printing,
            id: work.id,
            function: &mut work.function,
            cache: &mut work.cache,
            ledger: &mut work.ledger,
        });
        let header = work.ledger.header.take();
        epoch(&work.function) != before
            || header.is_some_and(|header| !header.has_same_header(&work.function))
    }

    /// Returns the number of transformations of a run, `None` inside for any number; `None` if it may not run at all.
    fn allowance(&self, number: usize) -> Option<Option<usize>> {
        match self.limit {
            None => Some(None),
            Some(limit) if number < limit.runs => Some(None),
            Some(limit) if number == limit.runs => Some(limit.changes),
            Some(_) => None,
        }
    }
}

impl std::fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Runner({} observers, limit {:?})", self.observers.len(), self.limit)
    }
}
