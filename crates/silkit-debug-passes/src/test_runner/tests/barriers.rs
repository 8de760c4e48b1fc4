//! Tests of deinitializer barriers.

use super::{Test, TestFn};

pub(super) const TESTS: &[(&str, TestFn)] = &[("is_deinit_barrier", is_deinit_barrier)];

/// Shows an instruction, and whether a deinitializer that runs after it must not run before it.
fn is_deinit_barrier(test: &mut Test<'_, '_>) -> Result<(), String> {
    let inst = test.instruction()?;
    let text = test.dump().inst(inst, "");
    let is_barrier = test.with_view(|view| view.is_deinit_barrier(inst));
    test.print(format!("{text}{is_barrier}\n"));
    Ok(())
}
