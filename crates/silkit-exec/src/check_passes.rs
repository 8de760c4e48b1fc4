//! A check of passes by running programs: what can be seen of a run must be the same after every pass.

use crate::behavior::{Ending, ProgramBehavior, ProgramSetup, has_entry};
use silkit::ir::Module;
use silkit::pass::{
    BisectResult as Search, Bisection, FailingChange, LibrarySource, PassOptions, PipelineStep, Runner,
};
use silkit::types::decl::Declarations;

/// The room that a run has beyond the steps of the program before passes.
const MORE_STEPS: u64 = 1_000_000;

/// Passes that make SIL smaller for whoever looks at it, and change what it does.
const FOR_TESTS: [&str; 1] = ["simplify-unreachable-containing-blocks"];

/// Returns all passes that keep what programs do, one step each, by their tags.
pub fn optimizing_steps() -> Vec<PipelineStep<'static>> {
    let all = silkit::opt::PASSES.sorted().into_iter();
    all.filter(|pass| !FOR_TESTS.contains(&pass.tag)).map(PipelineStep::from).collect()
}

/// The first change by passes after which a program behaves otherwise.
#[derive(Clone, Debug)]
pub struct Unlike {
    /// The change, with its difference in SIL.
    pub culprit: FailingChange,
    /// The difference in behavior.
    pub behavior: String,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub enum CheckResult {
    /// The program could not be run before passes, for this reason.
    NotRun(String),
    /// It behaves the same after all passes.
    Same {
        /// The runs of passes.
        runs: usize,
        /// The number of runs that changed the SIL.
        changed: usize,
    },
    /// It behaves otherwise.
    Different(Box<Unlike>),
}

/// A program, and passes that should not change what it does.
pub struct PassCheck<'a> {
    /// The program. It stays as it is.
    pub module: &'a Module,
    /// Its declarations and those of the standard library.
    pub declarations: &'a Declarations,
    /// The setup of its runs.
    pub setup: &'a ProgramSetup,
    /// The library that passes take declarations and bodies from.
    library: Option<&'a dyn LibrarySource>,
    /// Its behavior without passes.
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
    /// Runs a program as it is, to compare with what it does after passes.
    ///
    /// # Errors
    /// Why it cannot be run.
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

    /// Returns what the program does without passes.
    pub fn before(&self) -> &ProgramBehavior {
        &self.before
    }

    /// Compares the program after passes with the program before. Where it does something else, the first run of a pass is
    /// searched after which it does.
    pub fn check(&self, steps: &[PipelineStep<'_>], options: &PassOptions) -> CheckResult {
        let mut module = self.module.clone();
        let runner = Runner::new().options(options.clone()).library(self.library);
        let outcome = runner.run(&mut module, self.declarations, steps);
        let runs = outcome.runs.len();
        let changed = outcome.runs.iter().filter(|run| run.has_changed).count();
        let difference = if changed == 0 { None } else { self.difference(&module) };
        let Some(difference) = difference else { return CheckResult::Same { runs, changed } };
        let (module, declarations) = (self.module, self.declarations);
        let bisection =
            Bisection { module, declarations, steps, options: options.clone(), library: self.library };
        let mut behavior = difference;
        let mut is_first = true;
        let search = bisection.search::<()>(|module| {
            // The program itself is known.
            if std::mem::take(&mut is_first) {
                return Ok(true);
            }
            match self.difference(module) {
                Some(difference) => {
                    behavior = difference;
                    Ok(false)
                }
                None => Ok(true),
            }
        });
        match search {
            Ok(Search::Found(culprit)) => {
                CheckResult::Different(Box::new(Unlike { culprit: *culprit, behavior }))
            }
            // The judge contradicts itself: what ran for one decision and not for another has no difference to name.
            _ => CheckResult::NotRun("the program behaves differently from run to run".to_owned()),
        }
    }

    /// Returns what a module does otherwise.
    fn difference(&self, module: &Module) -> Option<String> {
        let program = self.setup.link(module.clone());
        let is_cut = matches!(self.before.ending(), Some(Ending::Limit(_)));
        let limit = if is_cut { self.setup.limit } else { self.before.steps() * 4 + MORE_STEPS };
        self.before.difference(&self.setup.run_linked(&program, limit))
    }
}
