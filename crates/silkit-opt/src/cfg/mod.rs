//! Passes that change the control flow graph.

mod phi_expansion;
mod redundant_phi_elimination;
mod simplify_unreachable_containing_blocks;
mod split_critical_edges;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    phi_expansion::PASS,
    redundant_phi_elimination::PASS,
    simplify_unreachable_containing_blocks::PASS,
    split_critical_edges::PASS,
    split_critical_edges::NON_COND_BR,
];
