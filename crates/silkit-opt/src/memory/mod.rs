//! Passes that promote memory to values, or change how memory is allocated.

mod allocbox_to_stack;
mod function_stack_protection;
mod mem2reg;
mod sroa;
mod stack_nesting;
mod stack_protection;
mod stack_sources;
mod temporaries;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[
    allocbox_to_stack::LEGACY,
    allocbox_to_stack::MANDATORY,
    allocbox_to_stack::PASS,
    function_stack_protection::PASS,
    mem2reg::PASS,
    sroa::EARLY,
    sroa::PASS,
    stack_nesting::PASS,
    stack_protection::PASS,
];
