//! Passes that change loops.

mod loop_canonicalizer;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[loop_canonicalizer::PASS];
