//! Passes that promote memory to values, or change when memory is allocated.

mod mem2reg;
mod stack_nesting;

use silkit_pass::Pass;

/// The passes of this family.
pub(crate) const PASSES: &[Pass<'static>] = &[mem2reg::PASS, stack_nesting::PASS];
