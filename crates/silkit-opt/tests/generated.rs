//! Every pass keeps generated programs valid.
//!
//! `SILKIT_SEEDS=500` runs on so many programs; the default keeps the test short.

mod properties;

use properties::{all_tags, check_seed, keep_valid};
use silkit_testkit::generate::Profile;

fn seeds(default: u64) -> std::ops::Range<u64> {
    0..std::env::var("SILKIT_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn passes_keep_programs_valid_alone_and_in_any_order() {
    seeds(15).for_each(check_seed);
}

#[test]
fn passes_keep_programs_valid_in_the_usual_order() {
    let before = vec!["mem2reg", "dce", "split-critical-edges", "loop-canonicalizer", "update-borrowed-from"];
    let behind = vec!["ownership-model-eliminator", "stack-nesting", "mem2reg", "merge-cond_fails", "dce"];
    let all = [before.clone(), behind].concat();
    for seed in seeds(4) {
        keep_valid(seed, &Profile::new(), &before);
        keep_valid(seed, &Profile::new(), &all);
        keep_valid(seed, &Profile::ownership(), &["mem2reg", "dce", "ownership-model-eliminator", "dce"]);
    }
    assert!(all.iter().all(|tag| all_tags().contains(tag)));
}
