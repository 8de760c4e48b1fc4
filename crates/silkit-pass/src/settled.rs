//! Passes without work left on a function, which the runner skips.
//!
//! A pass has settled if its last run changed nothing and nothing that it can read has changed since: neither the function,
//! nor the program. The program changes only between the parts in which the runner processes a function (other
//! functions of the same step are busy meanwhile), so passes settle within one part.

use crate::pass::{Pass, Run};
use crate::pipeline::PipelineStep;

/// The passes that have settled on a function, by the numbers of [`pass_numbers`].
#[derive(Debug, Default)]
pub(crate) struct SettledPasses {
    passes: Vec<bool>,
}

impl SettledPasses {
    /// Returns true if a pass has settled.
    pub(crate) fn contains(&self, pass: usize) -> bool {
        self.passes.get(pass).copied().unwrap_or(false)
    }

    /// Records that a pass ran and left everything as it was.
    pub(crate) fn insert(&mut self, pass: usize) {
        if self.passes.len() <= pass {
            self.passes.resize(pass + 1, false);
        }
        self.passes[pass] = true;
    }

    /// Records that the function or the program changed.
    pub(crate) fn clear(&mut self) {
        self.passes.clear();
    }
}

/// Returns a number for the pass of each step; steps of the same pass have the same number.
pub(crate) fn pass_numbers(steps: &[PipelineStep<'_>]) -> Vec<usize> {
    let first = |step: &PipelineStep<'_>| steps.iter().position(|other| is_same(&other.pass, &step.pass));
    steps.iter().enumerate().map(|(at, step)| first(step).unwrap_or(at)).collect()
}

/// Returns true if two passes have the same tag and the same implementation.
fn is_same(a: &Pass<'_>, b: &Pass<'_>) -> bool {
    let is_same_code = match (a.run, b.run) {
        (Run::Function(a), Run::Function(b)) => std::ptr::addr_eq(a, b),
        (Run::Module(a), Run::Module(b)) => std::ptr::addr_eq(a, b),
        _ => false,
    };
    is_same_code && a.tag == b.tag
}
