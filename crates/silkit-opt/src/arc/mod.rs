//! Passes that remove copies, moves and borrows.

mod mandatory_arc_opts;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[mandatory_arc_opts::PASS];
