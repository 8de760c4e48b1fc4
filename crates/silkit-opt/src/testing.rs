//! Test helpers: [`silkit_pass::testing`] with the passes of this crate.

use crate::PASSES;
use silkit_pass::testing;

/// Returns the code of a module after a pipeline.
pub(crate) fn changed(pipeline: &str, switches: &[&str], text: &str) -> String {
    testing::changed(|tag| PASSES.find(tag), pipeline, switches, text)
}
