//! Every pass on generated valid SIL, alone and in any order, with the verifier after it. What the fuzzer gives is the seed.
#![no_main]

#[path = "../../crates/silkit-opt/tests/properties/mod.rs"]
#[allow(dead_code)]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|seed: u64| properties::check_seed(seed));
