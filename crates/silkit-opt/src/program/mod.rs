//! Whole-program passes for functions, global variables and tables and their visibility.

mod dead_functions;
mod diagnostic_dead_functions;
mod linker;
mod prune_vtables;
mod serialize_sil;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    dead_functions::EARLY,
    dead_functions::LATE,
    diagnostic_dead_functions::PASS,
    linker::MANDATORY,
    linker::PERFORMANCE,
    prune_vtables::PASS,
    serialize_sil::PASS,
];
