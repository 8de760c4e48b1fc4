//! Mandatory passes: they diagnose errors in the program, or prepare diagnostic passes.

mod boolean_literal_folding;
mod definite_init;
mod mandatory_inlining;
mod noreturn_folding;
mod optimize_hop_to_executor;
mod silgen_cleanup;
mod yield_once_check;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    boolean_literal_folding::PASS,
    definite_init::PASS,
    mandatory_inlining::PASS,
    mandatory_inlining::ALWAYS,
    noreturn_folding::PASS,
    optimize_hop_to_executor::PASS,
    silgen_cleanup::PASS,
    yield_once_check::PASS,
];
