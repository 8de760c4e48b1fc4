//! Analyses of generated valid SIL against their definitions: dominance, loops and liveness by search, aliases by paths with
//! concrete addresses. What the fuzzer gives is the seed.
#![no_main]

#[path = "../../crates/silkit-analysis/tests/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|seed: u64| properties::check_seed(seed));
