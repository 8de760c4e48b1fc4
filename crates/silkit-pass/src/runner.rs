//! The pass runner: passes in order, functions in parallel.

use crate::context::{FunctionContext, Ledger, ModuleContext, Printing};
use crate::group::{FunctionWork, Group, Paused, runs_on};
use crate::options::{DeclaredOptions, PassOptions};
use crate::order::Schedule;
use crate::output::Output;
use crate::pass::{FunctionPass, ModulePass, Pass, Run};
use crate::pipeline::PipelineStep;
use crate::problem::Problem;
use crate::settled::pass_numbers;
use rayon::prelude::*;
use silkit_analysis::{AnalysisCache, ProgramView};
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::{Body, Function, FunctionId, Module};
use silkit_link::LibrarySource;
use silkit_text::ModuleSourceMap;
use silkit_types::decl::Declarations;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// One run of a pass on a function or on the module. Runs are numbered from 1 in sequential order, regardless of the
/// number of threads.
#[derive(Clone, Debug)]
pub struct PassRun {
    /// The number.
    pub number: usize,
    /// The tag of the pass.
    pub tag: String,
    /// The function, for a function pass.
    pub function: Option<Symbol>,
    /// True if it changed anything.
    pub has_changed: bool,
    /// True if the runner skipped it, because the last run of the pass changed nothing and nothing changed since.
    pub is_skipped: bool,
    /// The number of transformations, if the pass counts them.
    pub changes: usize,
    /// The name of the last transformation, if the pass names them.
    pub last_change: Option<&'static str>,
    /// Its run time.
    pub time: Duration,
}

/// The position of the runner, for observers.
pub struct RunPosition<'a> {
    /// The number of the run, starting at 1.
    pub number: usize,
    /// The pass.
    pub pass: &'a Pass<'a>,
    /// The module. The bodies of functions that are being worked on are not readable there.
    pub module: &'a Module,
    /// The function with its body; `None` for a module pass.
    pub function: Option<&'a Function>,
    /// The options for printing code.
    pub printing: &'a Printing<'a>,
}

/// An observer of all runs. It is called from several threads; its output is printed in sequential order.
pub trait Observer: Sync {
    /// Called before a run.
    fn before(&self, at: &RunPosition<'_>, output: &mut Output) {
        let _ = (at, output);
    }

    /// Called after a run.
    fn after(&self, at: &RunPosition<'_>, has_changed: bool, output: &mut Output) {
        let _ = (at, has_changed, output);
    }

    /// Returns true if the observer needs the whole module after every pass. Then each function pass runs over all
    /// functions before the next one starts, and a restart repeats the same pass.
    fn needs_module(&self) -> bool {
        false
    }

    /// Called after a pass has run on all functions, or on the module. Returns true to continue.
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
    /// The maximum number of transformations in that run; `None` for any number.
    pub changes: Option<usize>,
}

impl Limit {
    /// Parses `n` or `n.m`.
    pub fn parse(text: &str) -> Option<Self> {
        let (runs, changes) = text.split_once('.').map_or((text, None), |(n, m)| (n, Some(m)));
        let changes = changes.map(str::parse).transpose().ok()?;
        Some(Self { runs: runs.parse().ok()?, changes })
    }
}

/// The result of a sequence of passes.
#[derive(Debug, Default)]
pub struct PassOutcome {
    /// The output of passes and observers.
    pub output: Output,
    /// The errors and warnings that passes reported.
    pub problems: Vec<Problem>,
    /// The runs in order.
    pub runs: Vec<PassRun>,
    /// The counters of the passes, by tag and name.
    pub counts: BTreeMap<(String, &'static str), u64>,
    /// True if an observer or a problem stopped the sequence.
    pub was_stopped: bool,
}

/// The maximum number of repetitions of a pass with `repeats`; a pass that needs more does not terminate.
const MOST_REPETITIONS: usize = 100;

/// The maximum number of restarts of a function in its group, since inlining of mutually recursive functions need not
/// end.
const MOST_RESTARTS: u32 = 20;

/// Runs sequences of passes.
#[derive(Clone, Default)]
pub struct Runner<'a> {
    observers: Vec<&'a dyn Observer>,
    options: PassOptions,
    printing: Printing<'a>,
    source_map: Option<&'a ModuleSourceMap>,
    library: Option<&'a dyn LibrarySource>,
    limit: Option<Limit>,
    continues_after_errors: bool,
    repeats_settled: bool,
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
    pub fn options(mut self, options: PassOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the printing options.
    pub fn printing(mut self, printing: Printing<'a>) -> Self {
        self.printing = printing;
        self
    }

    /// Sets the source map of the module.
    pub fn source_map(mut self, map: Option<&'a ModuleSourceMap>) -> Self {
        self.source_map = map;
        self
    }

    /// Sets the library from which passes load declarations and bodies.
    pub fn library(mut self, library: Option<&'a dyn LibrarySource>) -> Self {
        self.library = library;
        self
    }

    /// Sets the limit on runs.
    pub fn limit(mut self, limit: Option<Limit>) -> Self {
        self.limit = limit;
        self
    }

    /// Sets whether further passes run after a pass has reported an error.
    pub fn continues_after_errors(mut self, continues_after_errors: bool) -> Self {
        self.continues_after_errors = continues_after_errors;
        self
    }

    /// Sets whether a pass also runs on functions where it has nothing to do, because its last run changed nothing and
    /// nothing changed since. By default these runs are skipped; they are still numbered, counted and observed.
    pub fn repeats_settled(mut self, repeats_settled: bool) -> Self {
        self.repeats_settled = repeats_settled;
        self
    }

    /// Runs passes on a module, in order.
    ///
    /// Consecutive function passes form a group, which runs on each function in turn, callees before callers.
    /// Functions that do not depend on each other are processed in parallel. The results, run numbers and output do
    /// not depend on the number of threads.
    pub fn run(
        &self,
        module: &mut Module,
        declarations: &Declarations,
        steps: &[PipelineStep<'_>],
    ) -> PassOutcome {
        let mut runner = self.clone();
        let release = self.options.release(module);
        runner.options.follow(release);
        let steps: Vec<PipelineStep<'_>> =
            steps.iter().filter(|step| step.releases.contains(release)).copied().collect();
        runner.run_steps(module, declarations, &steps)
    }

    fn run_steps(
        &self,
        module: &mut Module,
        declarations: &Declarations,
        steps: &[PipelineStep<'_>],
    ) -> PassOutcome {
        let mut outcome = PassOutcome::default();
        let mut caches: Vec<AnalysisCache> = Vec::new();
        let mut facts = self.options.program_facts();
        let mut number = 1;
        let needs_module = self.observers.iter().any(|o| o.needs_module());
        let is_raw = module.is_raw();
        let steps: Vec<PipelineStep<'_>> =
            steps.iter().filter(|step| is_raw || !step.is_for_raw).copied().collect();
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
                    let has_changed =
                        self.run_module_pass(module, declarations, first, pass, number, &mut outcome);
                    number += 1;
                    if has_changed {
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
                        passes: pass_numbers(now),
                        options: &self.options,
                        next_number: number,
                        done: Vec::new(),
                        placed: Vec::new(),
                    };
                    number = self.run_group(group, &mut outcome);
                }
            }
            let go_on = |o: &&dyn Observer| o.after_pass(&first.pass, module, &mut outcome.output);
            if !self.observers.iter().all(go_on) || self.stops_after(&outcome.problems) {
                outcome.was_stopped = true;
                break;
            }
        }
        debug_assert!(module.is_index_right(), "names are changed by `KeyedVec::rekey` alone");
        outcome
    }

    /// Runs a pass on the module. Returns true if it changed the module, so that cached analyses and facts may be stale.
    fn run_module_pass(
        &self,
        module: &mut Module,
        declarations: &Declarations,
        step: &PipelineStep<'_>,
        pass: &dyn ModulePass,
        number: usize,
        outcome: &mut PassOutcome,
    ) -> bool {
        let Some(allowance) = self.allowance(number) else { return false };
        let mut ledger = Ledger { allowance, ..Ledger::default() };
        let before =
            RunPosition { number, pass: &step.pass, module, function: None, printing: &self.printing };
        self.observers.iter().for_each(|o| o.before(&before, &mut ledger.output));
        let start = Instant::now();
        let (options, printing) = (self.declared(&step.pass), &self.printing);
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
            is_skipped: false,
            changes: ledger.changes,
            last_change: ledger.last_change,
            time,
        });
        has_changed
    }

    /// Runs function passes on all functions, and returns the number of the next run.
    fn run_group(&self, mut group: Group<'_>, outcome: &mut PassOutcome) -> usize {
        if let Some(library) = self.library {
            group.link_witnesses(library);
        }
        let program = ProgramView::new(group.module, group.declarations, group.facts);
        let schedule = Schedule::new(&program, None);
        let numbers = group.number(&schedule.order);
        for step in schedule.steps {
            let works = step.into_iter().map(|id| group.start(id, numbers[&id], 0, 0)).collect();
            self.run_step(&mut group, works);
        }
        let mut done = std::mem::take(&mut group.done);
        done.sort_by_key(|work| (work.runs.first().map_or(work.number, |run| run.number), work.number));
        for work in done {
            outcome.output.append(work.ledger.output);
            outcome.problems.extend(work.ledger.problems);
            outcome.runs.extend(work.runs);
            for (key, number) in work.counts {
                *outcome.counts.entry(key).or_default() += number;
            }
        }
        group.place_functions();
        group.next_number
    }

    /// Processes functions that do not depend on each other. If a pass adds functions, they are processed first; then
    /// the function continues or restarts.
    fn run_step(&self, group: &mut Group<'_>, mut works: Vec<FunctionWork>) {
        while !works.is_empty() {
            group.facts.begin_step(works.iter().map(|work| work.id));
            let program = ProgramView::new(group.module, group.declarations, group.facts);
            works.par_iter_mut().for_each(|work| self.run_on(work, &program, group.steps, &group.passes));
            works.iter_mut().for_each(|work| group.put(work));
            group.facts.end_step(works.iter().map(|work| work.id));
            group.add_scopes(&mut works);
            group.take_requested(&mut works, self.library);
            let added = group.add_functions(&mut works);
            if !added.is_empty() {
                self.run_on_new(group, &added);
            }
            works = works.into_iter().filter_map(|work| group.next_part(work)).collect();
        }
    }

    /// Processes functions that passes added, callees before callers.
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

    /// Runs the next passes on one function, up to the first pass that adds functions, requests a restart or waits for
    /// the library.
    fn run_on(
        &self,
        work: &mut FunctionWork,
        program: &ProgramView<'_>,
        steps: &[PipelineStep<'_>],
        passes: &[usize],
    ) {
        work.settled.clear();
        if let Some(paused) = work.paused.take() {
            self.run_step_on(work, program, &steps[paused.step], paused);
            if self.is_halted(work, steps) {
                return;
            }
        }
        while let Some(step) = steps.get(work.next) {
            work.next += 1;
            if !runs_on(step, &work.function, &self.options) {
                continue;
            }
            let number = work.number;
            work.number += 1;
            let Some(allowance) = self.allowance(number) else { continue };
            work.ledger.allowance = allowance;
            (work.ledger.changes, work.ledger.last_change) = (0, None);
            let module = program.module;
            let at = RunPosition {
                number,
                pass: &step.pass,
                module,
                function: Some(&work.function),
                printing: &self.printing,
            };
            self.observers.iter().for_each(|o| o.before(&at, &mut work.ledger.output));
            let step_index = work.next - 1;
            let run = Paused { step: step_index, number, has_changed: false, time: Duration::ZERO, parts: 0 };
            if work.settled.contains(passes[step_index]) {
                self.end_run(work, program, step, run);
                continue;
            }
            let traces = work.traces();
            self.run_step_on(work, program, step, run);
            match work.runs.last() {
                Some(run) if run.has_changed => work.settled.clear(),
                Some(run) if run.changes == 0 && work.traces() == traces && !self.repeats_settled => {
                    work.settled.insert(passes[step_index]);
                }
                _ => {}
            }
            if self.is_halted(work, steps) {
                return;
            }
        }
    }

    /// Returns true if no further passes run after these problems.
    fn stops_after(&self, problems: &[Problem]) -> bool {
        !self.continues_after_errors && problems.iter().any(Problem::is_error)
    }

    /// Returns true if the function has to wait for added functions or for the library, or restarts.
    fn is_halted(&self, work: &mut FunctionWork, steps: &[PipelineStep<'_>]) -> bool {
        if work.paused.is_some() {
            return true;
        }
        let is_restart_requested = std::mem::take(&mut work.ledger.is_restart_requested);
        if self.stops_after(&work.ledger.problems) {
            work.next = steps.len();
        } else {
            work.is_restarting = is_restart_requested && work.restarts < MOST_RESTARTS;
        }
        work.is_restarting || !work.ledger.new_functions.is_empty()
    }

    /// Starts or continues a run of a pass.
    fn run_step_on(
        &self,
        work: &mut FunctionWork,
        program: &ProgramView<'_>,
        step: &PipelineStep<'_>,
        mut run: Paused,
    ) {
        let Run::Function(pass) = step.pass.run else { return };
        let start = Instant::now();
        for _ in 0..if step.repeats { MOST_REPETITIONS } else { 1 } {
            let has_just_changed = self.run_once(work, program, &step.pass, pass);
            run.has_changed |= has_just_changed;
            if !has_just_changed || !work.ledger.requests.is_empty() {
                break;
            }
        }
        run.time += start.elapsed();
        run.parts += 1;
        if !work.ledger.requests.is_empty() {
            if self.library.is_some() && run.parts < MOST_REPETITIONS {
                work.paused = Some(run);
                return;
            }
            work.ledger.requests.clear();
        }
        self.end_run(work, program, step, run);
    }

    /// Tells observers about the end of a run, and records it.
    fn end_run(
        &self,
        work: &mut FunctionWork,
        program: &ProgramView<'_>,
        step: &PipelineStep<'_>,
        run: Paused,
    ) {
        let Paused { number, has_changed, time, parts, .. } = run;
        let at = RunPosition {
            number,
            pass: &step.pass,
            module: program.module,
            function: Some(&work.function),
            printing: &self.printing,
        };
        self.observers.iter().for_each(|o| o.after(&at, has_changed, &mut work.ledger.output));
        let tag = step.pass.tag.to_owned();
        let (changes, last_change) = (work.ledger.changes, work.ledger.last_change);
        for (name, number) in std::mem::take(&mut work.ledger.counts) {
            *work.counts.entry((tag.clone(), name)).or_default() += number;
        }
        let function = Some(work.function.name);
        work.runs.push(PassRun {
            number,
            tag,
            function,
            has_changed,
            is_skipped: parts == 0,
            changes,
            last_change,
            time,
        });
    }

    /// Runs a pass once. Returns true if it changed the function's body or header.
    fn run_once(
        &self,
        work: &mut FunctionWork,
        program: &ProgramView<'_>,
        declaration: &Pass<'_>,
        pass: &dyn FunctionPass,
    ) -> bool {
        let epoch = |function: &Function| function.body.as_ref().map(Body::epoch);
        let before = epoch(&work.function);
        let mut cx = FunctionContext {
            program,
            options: self.declared(declaration),
            printing: &self.printing,
            id: work.id,
            function: &mut work.function,
            cache: &mut work.cache,
            library: self.library,
            ledger: &mut work.ledger,
        };
        pass.run(&mut cx);
        if Some(cx.body().epoch()) != before {
            cx.restate_conversions();
        }
        let header = work.ledger.header.take();
        epoch(&work.function) != before
            || header.is_some_and(|header| !header.has_same_header(&work.function))
    }

    /// Returns the options that a pass may read.
    fn declared<'o>(&'o self, pass: &Pass<'o>) -> DeclaredOptions<'o> {
        DeclaredOptions { values: &self.options, declared: pass.options }
    }

    /// Returns the number of transformations allowed in a run, with an inner `None` for any number; the outer `None`
    /// means that the run is not allowed.
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
