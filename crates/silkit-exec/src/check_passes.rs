//! Checks passes by running programs: the observable behavior of a program must be the same after every pass.

use crate::behavior::{Ending, ProgramBehavior, ProgramSetup, has_entry, name_of};
use crate::raw::copies_consumed;
use silkit::ir::Module;
use silkit::link::LibrarySource;
use silkit::pass::{
    BisectResult as Search, Bisection, FailingChange, OpenDecision, PassOptions, PipelineStep, Runner,
};
use silkit::types::decl::Declarations;

/// The number of steps that a run after passes may take in addition to a multiple of the steps before passes.
const MORE_STEPS: u64 = 1_000_000;

/// Passes that reduce SIL for tests and debugging and change the behavior of the program.
const FOR_TESTS: [&str; 1] = ["simplify-unreachable-containing-blocks"];

/// Returns one step for each pass that preserves the behavior of programs, sorted by tag.
pub fn optimizing_steps() -> Vec<PipelineStep<'static>> {
    let all = silkit::opt::PASSES.sorted().into_iter();
    all.filter(|pass| !FOR_TESTS.contains(&pass.tag)).map(PipelineStep::from).collect()
}

/// The first change by a pass that alters the behavior of a program.
#[derive(Clone, Debug)]
pub struct Unlike {
    /// The change and its SIL diff; `None` if the pass failed without a change, for example if it panicked.
    pub culprit: Option<FailingChange>,
    /// The tags of the passes that were run. Of a random sequence, the shortest that fails.
    pub steps: Vec<String>,
    /// The difference in behavior, or the error.
    pub behavior: String,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub enum CheckResult {
    /// The check has no result, for this reason.
    NotRun(String),
    /// The program behaves the same after all passes.
    Same {
        /// The number of pass runs.
        runs: usize,
        /// The number of pass runs that changed the SIL.
        changed: usize,
    },
    /// The program behaves differently after a pass.
    Different(Box<Unlike>),
}

/// Returns the result for a program that behaves differently after some steps.
pub(crate) fn different(
    culprit: Option<FailingChange>,
    steps: &[PipelineStep<'_>],
    behavior: String,
) -> CheckResult {
    let steps = steps.iter().map(|step| step.pass.tag.to_owned()).collect();
    CheckResult::Different(Box::new(Unlike { culprit, steps, behavior }))
}

/// A program to check passes with: the passes must not change its behavior.
pub struct PassCheck<'a> {
    /// The program. It is not modified.
    pub module: &'a Module,
    /// The declarations of the program and of the standard library.
    pub declarations: &'a Declarations,
    /// The setup of the runs.
    pub setup: &'a ProgramSetup,
    /// The library that passes take declarations and bodies from.
    pub(crate) library: Option<&'a dyn LibrarySource>,
    /// The behavior of the program without passes.
    before: ProgramBehavior,
}

impl std::fmt::Debug for PassCheck<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PassCheck")
            .field("setup", &self.setup)
            .field("before", &self.before)
            .finish_non_exhaustive()
    }
}

impl<'a> PassCheck<'a> {
    /// Runs a program without passes, as the reference for later comparisons.
    ///
    /// # Errors
    /// Returns an error with the reason if the program cannot be run.
    pub fn new(
        module: &'a Module,
        declarations: &'a Declarations,
        setup: &'a ProgramSetup,
    ) -> Result<Self, String> {
        if !has_entry(module, &setup.entry) {
            return Err("the entry function has no body".to_owned());
        }
        let before = setup.run(module);
        match before.inconclusive() {
            Some(reason) => Err(reason),
            None => Ok(Self { module, declarations, setup, library: None, before }),
        }
    }

    /// Sets the library that passes take declarations and bodies from.
    pub fn library(self, library: Option<&'a dyn LibrarySource>) -> Self {
        Self { library, ..self }
    }

    /// Returns the behavior of the program without passes.
    pub fn before(&self) -> &ProgramBehavior {
        &self.before
    }

    /// Compares the behavior of the program after passes with its behavior before. If it differs, searches for the
    /// first pass run that causes the difference.
    ///
    /// If the program is raw SIL that consumes copyable values and a pass treats that as a copy, it is a copy in all
    /// compared runs. There is no result if a pass is not valid on the program.
    pub fn check(&self, steps: &[PipelineStep<'_>], options: &PassOptions) -> CheckResult {
        if let Some(result) = self.with_copies(steps, |check| check.check(steps, options)) {
            return result;
        }
        let mut module = self.module.clone();
        let runner = Runner::new().options(options.clone()).library(self.library);
        let outcome = runner.run(&mut module, self.declarations, steps);
        let runs = outcome.runs.len();
        let changed = outcome.runs.iter().filter(|run| run.has_changed).count();
        let difference = if changed == 0 { None } else { self.difference(&module) };
        let Some(difference) = difference else { return CheckResult::Same { runs, changed } };
        match self.search(steps, options, |module| self.difference(module)) {
            Some((culprit, last)) => different(Some(culprit), steps, last.unwrap_or(difference)),
            // The comparison is not deterministic: the search found no pass run that causes the difference.
            None => CheckResult::NotRun("the program behaves differently from run to run".to_owned()),
        }
    }

    /// Searches for the first change after which `failure` returns a failure, and returns it with the last failure that was
    /// seen. The program without changes does not fail.
    pub(crate) fn search(
        &self,
        steps: &[PipelineStep<'_>],
        options: &PassOptions,
        failure: impl Fn(&Module) -> Option<String>,
    ) -> Option<(FailingChange, Option<String>)> {
        let (module, declarations) = (self.module, self.declarations);
        let bisection =
            Bisection { module, declarations, steps, options: options.clone(), library: self.library };
        let mut last = None;
        let mut is_first = true;
        let search = bisection.search::<()>(|module| {
            // The first query is for the unchanged program.
            let found = if std::mem::take(&mut is_first) { None } else { failure(module) };
            let is_good = found.is_none();
            last = found.or(last.take());
            Ok(is_good)
        });
        match search {
            Ok(Search::Found(culprit)) => Some((*culprit, last)),
            _ => None,
        }
    }

    /// Returns the result of `check` on a program whose `consume`s copy, if one of the steps treats them as copies, or the
    /// reason if one of the steps is not valid on the program.
    pub(crate) fn with_copies(
        &self,
        steps: &[PipelineStep<'_>],
        check: impl FnOnce(&PassCheck<'_>) -> CheckResult,
    ) -> Option<CheckResult> {
        if let Some(open) = OpenDecision::find(self.module, steps) {
            return Some(CheckResult::NotRun(open.to_string()));
        }
        if self.setup.consume_copies || !copies_consumed(self.module, steps) {
            return None;
        }
        let setup = ProgramSetup { consume_copies: true, ..self.setup.clone() };
        Some(match PassCheck::new(self.module, self.declarations, &setup) {
            Ok(copying) => check(&copying.library(self.library)),
            Err(reason) => CheckResult::NotRun(reason),
        })
    }

    /// Returns a description of the difference between the behavior of `module` and the reference, if any.
    pub(crate) fn difference(&self, module: &Module) -> Option<String> {
        // Passes link functions of other modules, so the name comes from the module without passes.
        let program = self.setup.link_as(&name_of(self.module), module.clone());
        let is_cut = matches!(self.before.ending(), Some(Ending::Limit(_)));
        let limit = if is_cut { self.setup.limit } else { self.before.steps() * 4 + MORE_STEPS };
        self.before.difference_after_passes(&self.setup.run_linked(&program, limit))
    }
}
