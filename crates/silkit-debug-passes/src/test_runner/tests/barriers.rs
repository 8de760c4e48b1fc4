//! Tests of deinit barriers.

use super::{Test, TestFn};

pub(super) const TESTS: &[(&str, TestFn)] = &[("is_deinit_barrier", is_deinit_barrier)];

/// Prints an instruction and whether it is a deinit barrier.
fn is_deinit_barrier(test: &mut Test<'_, '_>) -> Result<(), String> {
    let inst = test.instruction()?;
    let text = test.dump().inst(inst, "");
    let is_barrier = test.with_view(|view| view.is_deinit_barrier(inst));
    test.print(format!("{text}{is_barrier}\n"));
    Ok(())
}
