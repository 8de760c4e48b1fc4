//! Mutation testing: makes small changes to a program and checks that its tests detect them.
//!
//! All mutants run in one process: the program is linked once, and each mutant replaces one function. The original
//! program runs first and counts the instructions that it executes. Mutants of instructions that it does not execute
//! cannot be detected and do not run.

mod generated;
mod operators;

pub use generated::is_compiler_generated;
pub use operators::{Change, Operator, changes};

use crate::behavior::{Ending, EntryPoint, ProgramBehavior, ProgramSetup, next_random};
use silkit::base::{FxHashMap, FxHashSet, Symbol};
use silkit::ir::{FunctionId, InlineStacks, Inst, Module};
use silkit_interp::{FunctionRef, Program, Runs};
use std::rc::Rc;

/// The step limit of a mutant: this multiple of the steps of the original program, plus `MORE_STEPS`.
const MOST_TIMES: u64 = 8;
const MORE_STEPS: u64 = 100_000;

/// A test of a program: its entry point and its expected behavior.
#[derive(Clone, Debug)]
pub struct Test {
    /// The entry point.
    pub entry: EntryPoint,
    /// The expected output; if `None`, the output of the original program.
    pub output: Option<Vec<u8>>,
    /// The expected exit code; if `None`, the exit code of the original program.
    pub exit_code: Option<i32>,
}

/// The outcome of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MutantStatus {
    /// A check reported the mutant: undefined behavior or a leak.
    Reported(String),
    /// The output, the exit code or the result differs.
    Noticed(String),
    /// The mutant behaves like the original program.
    Survives,
    /// The program does not execute the instruction, so the change cannot be detected. The mutant did not run.
    NotExecuted,
    /// The change makes no difference to this program: the instruction counts no reference or does not change memory, so
    /// that the mutant did not run, or it stores values that the program never loads, and the mutant would survive.
    ChangesNothing,
    /// The mutant needs an unsupported feature.
    NotSupported(String),
}

impl MutantStatus {
    /// Returns the name of the outcome in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Reported(_) => "reported",
            Self::Noticed(_) => "noticed",
            Self::Survives => "survives",
            Self::NotExecuted => "not executed",
            Self::ChangesNothing => "changes nothing",
            Self::NotSupported(_) => "not supported",
        }
    }

    /// Returns the reason for the outcome: the report, the difference or the unsupported feature.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Reported(reason) | Self::Noticed(reason) | Self::NotSupported(reason) => Some(reason),
            Self::Survives | Self::NotExecuted | Self::ChangesNothing => None,
        }
    }
}

/// A mutant and its outcome.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The mutated function.
    pub function: FunctionId,
    /// The change of the function.
    pub change: Change,
    /// The outcome.
    pub status: MutantStatus,
}

/// The result of mutation testing.
#[derive(Clone, Debug, Default)]
pub struct MutationReport {
    /// The mutants, in function and instruction order.
    pub mutants: Vec<Mutant>,
    /// The number of instructions that the original program executes.
    pub steps: u64,
    /// The number of changes that were left out because the compiler made what they change.
    pub generated: usize,
}

impl MutationReport {
    /// Returns the number of mutants whose outcome has this name.
    pub fn count(&self, name: &str) -> usize {
        self.mutants.iter().filter(|mutant| mutant.status.name() == name).count()
    }

    /// Returns the number of detected mutants, and the number of detected and surviving mutants together.
    pub fn score(&self) -> (usize, usize) {
        let found = self.count("reported") + self.count("noticed");
        (found, found + self.count("survives"))
    }
}

/// A mutation run: the program, its tests and the operators.
#[derive(Clone, Debug)]
pub struct MutationTest<'a> {
    /// The program.
    pub module: &'a Module,
    /// The setup of runs. Its entry point is ignored.
    pub setup: &'a ProgramSetup,
    /// The tests.
    pub tests: &'a [Test],
    /// The mutation operators to apply.
    pub operators: &'a [Operator],
    /// The functions to mutate; all functions if empty.
    pub functions: &'a [FunctionId],
    /// The number of mutants to run, selected at random; all if `None`. The report contains no other executed mutants.
    pub sample: Option<usize>,
    /// The seed of the selection.
    pub seed: u64,
    /// True if what the compiler made is changed too: see [`is_compiler_generated`].
    pub changes_generated: bool,
}

/// A test and the behavior of the original program in it.
struct Baseline<'a> {
    test: &'a Test,
    setup: ProgramSetup,
    before: ProgramBehavior,
    /// The execution count of each instruction.
    runs: FxHashMap<(FunctionRef, Inst), Runs>,
}

impl MutationTest<'_> {
    /// Creates the mutants and runs them.
    ///
    /// # Errors
    /// Returns an error if the original program cannot be run or fails its tests.
    pub fn run(&self) -> Result<MutationReport, String> {
        let mut program = self.setup.link(self.module.clone());
        let baselines: Vec<Baseline<'_>> =
            self.tests.iter().map(|test| self.baseline(&program, test)).collect::<Result<_, _>>()?;
        let steps = baselines.iter().map(|baseline| baseline.before.steps()).sum();
        let mut report = MutationReport { steps, ..MutationReport::default() };
        let stacks = InlineStacks::new(&self.module.scopes);
        for (function, of) in self.module.functions.iter() {
            let Some(body) = &of.body else { continue };
            if self.functions.is_empty() || self.functions.contains(&function) {
                let mut all = changes(body, self.operators);
                let before = all.len();
                all.retain(|change| {
                    self.changes_generated || !is_compiler_generated(body, &stacks, change.inst)
                });
                report.generated += before - all.len();
                let mutant = |change| Mutant { function, change, status: MutantStatus::NotExecuted };
                report.mutants.extend(all.into_iter().map(mutant));
            }
        }
        // The mutants that must run to know their outcome.
        let mut to_run = Vec::new();
        for (number, mutant) in report.mutants.iter_mut().enumerate() {
            match self.status_without_run(&program, mutant, &baselines) {
                Some(status) => mutant.status = status,
                None => to_run.push(number),
            }
        }
        let unselected = self.unselected(&mut to_run);
        for number in to_run {
            let status = self.status(&mut program, &report.mutants[number], &baselines);
            report.mutants[number].status = status;
        }
        let mut number = 0..;
        report.mutants.retain(|_| number.next().is_none_or(|number| !unselected.contains(&number)));
        Ok(report)
    }

    fn baseline<'t>(&self, program: &Rc<Program>, test: &'t Test) -> Result<Baseline<'t>, String> {
        let setup = ProgramSetup { entry: test.entry.clone(), ..self.setup.clone() };
        let (before, coverage) = setup.run_counted(program);
        if let Some(ending) = before.ending() {
            let Some(code) = ending.exit_code() else { return Err(ending.to_string()) };
            if let Some(expected) = test.exit_code.filter(|expected| *expected != code) {
                return Err(format!("the original program exits with code {code}, expected {expected}"));
            }
        }
        if test.output.as_ref().is_some_and(|expected| *expected != before.output()) {
            return Err("the original program does not print the expected output".to_owned());
        }
        Ok(Baseline { test, setup, before, runs: coverage.runs })
    }

    /// Selects mutants at random: moves those beyond the size of the sample out of `to_run`, and returns them.
    fn unselected(&self, to_run: &mut Vec<usize>) -> FxHashSet<usize> {
        let Some(size) = self.sample.filter(|size| *size < to_run.len()) else { return FxHashSet::default() };
        let mut state = self.seed;
        for at in 0..size {
            let other = next_random(&mut state) as usize % (to_run.len() - at);
            to_run.swap(at, at + other);
        }
        let unselected = to_run.split_off(size).into_iter().collect();
        to_run.sort_unstable();
        unselected
    }

    /// Returns the outcome of a mutant that the runs of the original program determine.
    fn status_without_run(
        &self,
        program: &Program,
        mutant: &Mutant,
        baselines: &[Baseline<'_>],
    ) -> Option<MutantStatus> {
        let function = &self.module.functions[mutant.function];
        let at = program.find(Symbol::new(function.name.as_str()))?;
        let body = function.body.as_ref()?;
        let runs = runs_of(baselines, at, mutant.change.inst);
        if runs.count == 0 {
            return Some(MutantStatus::NotExecuted);
        }
        let is_idle = runs.effects == 0 && mutant.change.is_idle_without_effects(body);
        (is_idle || mutant.change.is_idle(body)).then_some(MutantStatus::ChangesNothing)
    }

    /// Runs a mutant and returns its outcome.
    fn status(&self, program: &mut Rc<Program>, mutant: &Mutant, baselines: &[Baseline<'_>]) -> MutantStatus {
        let function = &self.module.functions[mutant.function];
        let (Some(at), Some(body)) = (program.find(Symbol::new(function.name.as_str())), &function.body)
        else {
            return MutantStatus::NotExecuted;
        };
        let inst = mutant.change.inst;
        // If nothing loads the value, the original program does not need the store.
        let is_dead = mutant.change.removes_store(body) && !runs_of(baselines, at, inst).is_loaded;
        let mut changed = function.clone();
        if let Some(body) = &mut changed.body {
            mutant.change.apply(body);
        }
        let Some(patched) = Rc::get_mut(program) else { return MutantStatus::NotExecuted };
        patched.patch(at, changed);
        let statuses = baselines.iter().filter(|baseline| baseline.runs.contains_key(&(at, inst)));
        let status = { statuses }
            .map(|baseline| baseline.status(program, mutant.change.operator))
            .find(|status| *status != MutantStatus::Survives);
        if let Some(patched) = Rc::get_mut(program) {
            patched.remove_patches();
        }
        status.unwrap_or(if is_dead { MutantStatus::ChangesNothing } else { MutantStatus::Survives })
    }
}

/// Returns how often all tests together execute an instruction.
fn runs_of(baselines: &[Baseline<'_>], at: FunctionRef, inst: Inst) -> Runs {
    let runs = baselines.iter().filter_map(|baseline| baseline.runs.get(&(at, inst)));
    runs.fold(Runs::default(), |mut sum, runs| {
        sum.add(*runs);
        sum
    })
}

impl Baseline<'_> {
    /// Runs a mutant and returns its outcome.
    fn status(&self, program: &Rc<Program>, operator: Operator) -> MutantStatus {
        let counts_references = matches!(operator, Operator::Removed | Operator::Doubled);
        let limit = self.before.steps() * MOST_TIMES + MORE_STEPS;
        let after = self.setup.run_linked(program, limit);
        if let Some(reason) = after.inconclusive() {
            return MutantStatus::NotSupported(reason);
        }
        if let Some(report) = after.violation() {
            return MutantStatus::Reported(report.to_owned());
        }
        if after.leaks() > self.before.leaks() {
            return MutantStatus::Reported(after.first_leak().unwrap_or_default().to_owned());
        }
        // The reference counts at the end of the run show changes that do not affect the output: references to objects
        // of global variables, or references that are alive when the program traps.
        let (before, now) = (self.before.references(), after.references());
        if before != now && self.before.ending() == after.ending() && counts_references {
            return MutantStatus::Reported(format!("references at the end: {before}, now {now}"));
        }
        // If the test states its expectations, other differences are allowed.
        let expects = self.test.output.is_some() || self.test.exit_code.is_some();
        let is_expected = expects
            && self.test.output.as_ref().is_none_or(|expected| *expected == after.output())
            && self
                .test
                .exit_code
                .is_none_or(|code| after.ending().and_then(Ending::exit_code) == Some(code));
        let (before, now) = (self.before.open_lifetimes(), after.open_lifetimes());
        if before != now && self.before.ending() == after.ending() && counts_references {
            return MutantStatus::Reported(format!(
                "lifetimes that are open at the end: {before}, now {now}"
            ));
        }
        match self.before.difference(&after) {
            Some(difference) if !is_expected => MutantStatus::Noticed(difference),
            _ => MutantStatus::Survives,
        }
    }
}
