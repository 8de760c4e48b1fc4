//! Passes and printers about effects, on files of cases. The first line of an input names the passes: `// dce mem2reg`.
//! The expected output is what they print, then the effects of the functions that have some.

use silkit_pass::testing::printed_and_effects;

fn run(input: &str) -> String {
    printed_and_effects(
        |tag| silkit_debug_passes::PASSES.find(tag).or_else(|| silkit_opt::PASSES.find(tag)),
        input,
    )
}

silkit_testkit::case_files! { "tests/effects", run: escape instruction_properties memory_behavior side_effects }
