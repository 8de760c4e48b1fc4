//! Search of a text in the steps of a log.

use crate::store::{BodyId, code_of};
use crate::timeline::{StepId, Timeline, Version};
use rayon::prelude::*;
use silkit::base::Entity as _;

/// A step whose code has a text that the code before has not, or has not a text that the code before has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The step.
    pub step: StepId,
    /// The function and its texts.
    pub version: Version,
    /// The number of lines with the text before the step.
    pub before: usize,
    /// The number of lines with the text at the step.
    pub after: usize,
}

/// Returns the steps at which the number of lines of code with a text changes, in the order of the log. A function that is
/// printed for the first time counts as one without the text before.
pub fn occurrences(timeline: &Timeline, text: &str) -> Vec<Occurrence> {
    let bodies: Vec<BodyId> = timeline.bodies().collect();
    let counts: Vec<usize> = bodies
        .par_iter()
        .map(|&body| {
            let lines = timeline.text(body);
            // Most texts have it nowhere.
            if memchr::memmem::find(lines.as_bytes(), text.as_bytes()).is_none() {
                return 0;
            }
            lines.lines().filter(|line| code_of(line).contains(text)).count()
        })
        .collect();
    let lines = |body: Option<BodyId>| body.and_then(|body| counts.get(body.index())).copied().unwrap_or(0);
    let mut found = Vec::new();
    for (step, printed) in timeline.steps() {
        for &version in timeline.versions(printed) {
            let (before, after) = (lines(version.before), lines(version.after));
            if before != after {
                found.push(Occurrence { step, version, before, after });
            }
        }
    }
    found
}
