//! Passes that change debug information alone.

mod cleanup_debug_steps;
mod strip_debug_info;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[cleanup_debug_steps::PASS, strip_debug_info::PASS];
