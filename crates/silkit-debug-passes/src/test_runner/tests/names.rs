//! A test of variable names.

use super::{Test, TestFn};
use silkit_transform::variable_names::VariableNames;

pub(super) const TESTS: &[(&str, TestFn)] = &[("variable_name_inference", variable_name_inference)];

fn variable_name_inference(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let named = test.with_view(|&view| VariableNames { view, names_calls: true }.of(value));
    test.print_value("Input Value: ", value);
    match named {
        Some(named) => {
            test.print(format!("Name: '{}'\n", named.name));
            test.print_value("Root: ", named.root);
        }
        None => test.print("Name: 'unknown'\nRoot: 'unknown'\n"),
    }
    Ok(())
}
