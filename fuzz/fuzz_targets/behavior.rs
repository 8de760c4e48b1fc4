//! Generated functions do the same before and after every pass, alone and in any order. What the fuzzer gives is the seed.
#![no_main]

#[path = "../../crates/silkit-exec/tests/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|seed: u64| {
    // A panic on the thread that interprets is a finding.
    silkit_exec::on_large_stack(|| properties::check_seed(seed)).expect("passes keep what the program does");
});
