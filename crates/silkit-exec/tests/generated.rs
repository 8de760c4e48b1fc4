//! Passes keep what generated functions do: results, calls of unknown functions, global variables.

mod properties;

use silkit::pass::PassOptions;
use silkit_exec::{CheckResult, PassCheck, RandomSequences, on_large_stack};

#[test]
fn passes_keep_what_generated_functions_do() {
    let changing: Vec<usize> =
        on_large_stack(|| (0..30).map(properties::check_seed).collect()).expect("no check fails");
    assert!(changing.iter().all(|&number| number > 3), "{changing:?}");
}

/// The number of random sequences that each program runs through.
const SEQUENCES: usize = 4;

#[test]
fn random_sequences_keep_what_generated_functions_do() {
    let changing = on_large_stack(|| {
        let mut changing = 0;
        for seed in 1_000..1_025 {
            let (module, setup) = properties::program(seed);
            let declarations = silkit::declarations(&module);
            let check = PassCheck::new(&module, &declarations, &setup).expect("the program runs");
            let mut sequences = RandomSequences::new(seed);
            for _ in 0..SEQUENCES {
                let steps = sequences.next_for(&module);
                match check.check_sequence(&steps, &PassOptions::default()) {
                    CheckResult::Same { changed, .. } => changing += usize::from(changed > 0),
                    other => panic!("seed {seed}: {other:?}"),
                }
            }
        }
        changing
    });
    assert!(changing.expect("no check fails") > 50, "{changing:?}");
}

#[test]
fn equal_seeds_give_equal_sequences() {
    let (module, _) = properties::program(3);
    let tags = |seed| {
        let mut sequences = RandomSequences::new(seed);
        let steps = (0..3).flat_map(|_| sequences.next_for(&module)).map(|step| step.pass.tag);
        steps.collect::<Vec<_>>()
    };
    assert_eq!(tags(7), tags(7));
    assert_ne!(tags(7), tags(8));
}
