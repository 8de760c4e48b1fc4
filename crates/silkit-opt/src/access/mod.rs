//! Passes that choose or remove the enforcement of exclusive access to memory.

mod access_marker_elim;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[access_marker_elim::PASS];
