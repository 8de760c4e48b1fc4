//! The test of what values are called.

use super::{Test, TestFn};
use silkit_pass::FunctionsByName;
use silkit_transform::variable_names::VariableNames;

pub(super) const TESTS: &[(&str, TestFn)] = &[("variable_name_inference", variable_name_inference)];

fn variable_name_inference(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    let named = {
        let functions = FunctionsByName::of(test.cx.module);
        let names = VariableNames {
            body: test.body(),
            declarations: test.cx.declarations,
            functions: &functions,
            names_calls: true,
        };
        names.of(value)
    };
    test.say_value("Input Value: ", value);
    match named {
        Some(named) => {
            test.say(format!("Name: '{}'\n", named.name));
            test.say_value("Root: ", named.root);
        }
        None => test.say("Name: 'unknown'\nRoot: 'unknown'\n"),
    }
    Ok(())
}
