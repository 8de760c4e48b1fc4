//! Passes that make values of memory and change the control flow, on files of cases. The first line of an input names
//! the passes: `// mem2reg`. The expected output is the functions as the reference prints them, without comments.

use silkit_opt::PASSES;
use silkit_pass::testing::changed_by_named;

/// Returns the functions with bodies.
fn run(input: &str) -> String {
    let changed = changed_by_named(|tag| PASSES.find(tag), input);
    let is_body = |line: &&str| !line.starts_with("sil") || line.ends_with('{');
    changed.lines().filter(is_body).collect::<Vec<_>>().join("\n")
}

silkit_testkit::case_files! { "tests/ssa", run:
    control_flow
    cse
    dce
    definite_init
    deinit_devirtualizer
    devirtualizer
    lower_aggregate_instrs
    lower_hop_to_actor
    mem2reg
    ownership_model_eliminator
    phis
    simplify_builtins
    simplify_calls
    simplify_control
    simplify_enums
    simplify_key_paths
    simplify_memory
    simplify_negation
    simplify_numbers
    simplify_references
    simplify_opened
    simplify_types
    simplify_values
    sil_thunk_lowering
    single_passes
    sroa
    stack_protection
    use_prespecialized
}
