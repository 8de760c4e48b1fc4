//! Random sequences of passes, as a test of all of them: valid SIL and the same behavior after each, in any order that
//! stage and ownership allow.

use crate::behavior::next_random;
use crate::check_passes::{CheckResult, PassCheck, different, optimizing_steps};
use silkit::ir::Module;
use silkit::pass::{Observer, OpenDecision, Output, Pass, PassOptions, PipelineStep, Runner};
use silkit::types::decl::Declarations;
use silkit::verify::{Renderer, VerifyOptions, verify};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// The largest number of passes in a random sequence.
const MOST_PASSES: u64 = 12;

/// A source of random sequences of passes. Equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub struct RandomSequences {
    state: u64,
}

impl RandomSequences {
    /// Creates the source for a seed.
    pub fn new(seed: u64) -> Self {
        let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
        next_random(&mut state);
        Self { state }
    }

    /// Returns the next sequence of passes that is valid on a module.
    pub fn next_for(&mut self, module: &Module) -> Vec<PipelineStep<'static>> {
        let all = optimizing_steps();
        let length = 1 + next_random(&mut self.state) % MOST_PASSES;
        let mut steps = Vec::new();
        for _ in 0..length {
            steps.push(all[next_random(&mut self.state) as usize % all.len()]);
            if OpenDecision::find(module, &steps).is_some() {
                steps.pop();
            }
        }
        steps
    }
}

/// The first failure in a run of a sequence.
struct Failure {
    /// The number of steps up to the one that fails.
    steps: usize,
    /// The error of the verifier, the message of the pass or the difference in behavior.
    what: String,
}

impl PassCheck<'_> {
    /// Runs a sequence of passes, verifies the module after each, and compares the behavior at the end. A failing
    /// sequence is shortened as far as it still fails; [`Unlike::steps`](crate::Unlike::steps) is the shortest.
    pub fn check_sequence(&self, steps: &[PipelineStep<'_>], options: &PassOptions) -> CheckResult {
        if let Some(result) = self.with_copies(steps, |check| check.check_sequence(steps, options)) {
            return result;
        }
        let mut changed = 0;
        let Some(mut failure) = self.failure(steps, options, &mut changed) else {
            return CheckResult::Same { runs: steps.len(), changed };
        };
        let mut shortest = steps[..failure.steps].to_vec();
        let mut at = 0;
        while at < shortest.len() && shortest.len() > 1 {
            let mut shorter = shortest.clone();
            shorter.remove(at);
            match self.failure(&shorter, options, &mut 0) {
                Some(next) => {
                    shorter.truncate(next.steps);
                    (shortest, failure) = (shorter, next);
                }
                None => at += 1,
            }
        }
        let fails =
            |module: &Module| first_error(module, self.declarations).or_else(|| self.difference(module));
        // A pass may panic again.
        let culprit = catch_unwind(AssertUnwindSafe(|| self.search(&shortest, options, fails)));
        let culprit = culprit.ok().flatten().map(|(culprit, _)| culprit);
        different(culprit, &shortest, failure.what)
    }

    /// Returns the first failure of a sequence, and counts the pass runs that changed something.
    fn failure(
        &self,
        steps: &[PipelineStep<'_>],
        options: &PassOptions,
        changed: &mut usize,
    ) -> Option<Failure> {
        let mut module = self.module.clone();
        let verifier = Verifier { declarations: self.declarations, state: Mutex::new((0, None)) };
        let runner = Runner::new().options(options.clone()).library(self.library).observe(&verifier);
        let run = AssertUnwindSafe(|| runner.run(&mut module, self.declarations, steps));
        let outcome = catch_unwind(run);
        let (done, error) = verifier.state.into_inner().unwrap_or_default();
        let Ok(outcome) = outcome else {
            let what = format!("`{}` panics", steps.get(done).map_or("", |step| step.pass.tag));
            return Some(Failure { steps: (done + 1).min(steps.len()), what });
        };
        *changed = outcome.runs.iter().filter(|run| run.has_changed).count();
        if let Some(what) = error {
            return Some(Failure { steps: done, what });
        }
        if let Some(problem) = outcome.problems.iter().find(|problem| problem.is_error()) {
            let what = format!("the pass reports an error: {}", problem.message);
            return Some(Failure { steps: (done + 1).min(steps.len()), what });
        }
        if *changed == 0 {
            return None;
        }
        Some(Failure { steps: steps.len(), what: self.difference(&module)? })
    }
}

/// Verifies the module after each pass and stops at the first error.
struct Verifier<'a> {
    declarations: &'a Declarations,
    /// The number of passes that have run, and the first error.
    state: Mutex<(usize, Option<String>)>,
}

impl Observer for Verifier<'_> {
    fn needs_module(&self) -> bool {
        true
    }

    fn after_pass(&self, _: &Pass<'_>, module: &Module, _: &mut Output) -> bool {
        let Ok(mut state) = self.state.lock() else { return false };
        state.0 += 1;
        state.1 = first_error(module, self.declarations);
        state.1.is_none()
    }
}

/// Returns the first error that the verifier finds.
fn first_error(module: &Module, declarations: &Declarations) -> Option<String> {
    let report = verify(module, declarations, None, &VerifyOptions::default());
    let finding = report.findings.iter().find(|finding| finding.is_error())?;
    let diagnostic = Renderer::new(module, None).finding(finding);
    let owner = diagnostic.entity.map_or(String::new(), |entity| format!(" in `{}`", entity.name));
    Some(format!("the SIL is invalid: {} [{}]{owner}", finding.message, finding.rule.id))
}
