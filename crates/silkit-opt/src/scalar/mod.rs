//! Passes that eliminate or merge computations.

mod cse;
mod dce;
mod merge_cond_fails;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[cse::HIGH_LEVEL, cse::PASS, dce::PASS, merge_cond_fails::PASS];
