//! Tests of enclosing values.

use super::{Test, TestFn};
use silkit_analysis::ossa::{Borrows, enclosed_phis};
use silkit_ir::Value;

pub(super) const TESTS: &[(&str, TestFn)] =
    &[("enclosing_values", enclosing_values), ("find_enclosing_defs", find_enclosing_defs)];

fn enclosing_values(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    let of = test.dump().value(value, "");
    test.print(format!("Enclosing values for: {of}"));
    let ownership = test.ownership();
    let enclosing = Borrows::new(test.body(), &ownership).enclosing(value);
    print_values(test, &enclosing);
    Ok(())
}

/// Does not ask what `borrowed … from` lists, but looks at the edges of phis.
fn find_enclosing_defs(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_function();
    test.print("Enclosing Defs:\n");
    let ownership = test.ownership();
    let borrows = Borrows::new(test.body(), &ownership).with_unmarked_reborrows();
    let of_phi = enclosed_phis(&borrows).into_iter().find(|phi| phi.phi == value);
    let mut enclosing = of_phi.map_or_else(|| borrows.enclosing(value), |phi| phi.enclosing);
    // The reference finds what stands in front first.
    enclosing.reverse();
    print_values(test, &enclosing);
    Ok(())
}

fn print_values(test: &mut Test<'_, '_>, values: &[Value]) {
    for &value in values {
        let text = test.dump().value(value, "");
        test.print(text);
    }
}
