//! Passes that change debug information alone.

mod strip_debug_info;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[strip_debug_info::PASS];
