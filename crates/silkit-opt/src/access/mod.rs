//! Passes that select or remove the enforcement of exclusive access to memory.

mod access_enforcement_selection;
mod access_marker_elim;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[access_enforcement_selection::PASS, access_marker_elim::PASS];
