//! Any text ends in a module and errors, never in a panic or a hang.

#![no_main]

use libfuzzer_sys::fuzz_target;
use silkit::text::{PrintOptions, parse_module, print_module};

fuzz_target!(|text: &str| {
    let parsed = parse_module(text);
    // What was understood of a bad file can be printed as well.
    let _ = print_module(&parsed.module, &PrintOptions::default(), &|_| None);
});
