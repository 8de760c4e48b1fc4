//! Test helpers: [`silkit_pass::testing`] with the passes of this crate.

use crate::PASSES;
use silkit_ir::Module;
use silkit_pass::{PassOutcome, Stream, testing};

/// Runs a pipeline on a file.
pub(crate) fn run(pipeline: &str, switches: &[&str], text: &str) -> (Module, PassOutcome) {
    testing::run(|tag| PASSES.find(tag), pipeline, switches, text)
}

/// Returns the output of a printer to one stream.
pub(crate) fn printed(pipeline: &str, stream: Stream, text: &str) -> String {
    testing::printed(|tag| PASSES.find(tag), pipeline, stream, text)
}
