//! Prints text that was read without errors: the output reads and prints as the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use silkit::text::{PrintOptions, parse_module, print_module};

fuzz_target!(|text: &str| {
    for types in [false, true] {
        let options = PrintOptions { types, ..PrintOptions::default() };
        let first = parse_module(text);
        if !first.errors.is_empty() {
            return;
        }
        let once = print_module(&first.module, &options, &|_| None);
        let second = parse_module(&once);
        assert!(second.errors.is_empty(), "{:?} in\n{once}", second.errors[0].message);
        let twice = print_module(&second.module, &options, &|_| None);
        assert_eq!(once, twice);
    }
});
