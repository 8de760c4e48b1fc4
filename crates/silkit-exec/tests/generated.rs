//! Passes keep what generated functions do: results, calls of unknown functions, global variables.

mod properties;

use silkit_exec::on_large_stack;

#[test]
fn passes_keep_what_generated_functions_do() {
    let changing: Vec<usize> =
        on_large_stack(|| (0..30).map(properties::check_seed).collect()).expect("no check fails");
    assert!(changing.iter().all(|&number| number > 3), "{changing:?}");
}
