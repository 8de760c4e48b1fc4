//! Passes that change only debug information.

mod cleanup_debug_steps;
mod moveable_variables;
mod sil_debuginfo_gen;
mod sil_moved_async_var_dbginfo_propagator;
mod sil_onone_debuginfo_canonicalizer;
mod strip_debug_info;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    cleanup_debug_steps::PASS,
    sil_debuginfo_gen::PASS,
    sil_moved_async_var_dbginfo_propagator::PASS,
    sil_onone_debuginfo_canonicalizer::PASS,
    strip_debug_info::PASS,
];
