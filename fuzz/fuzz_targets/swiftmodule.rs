//! Reads any bytes as a module file of the Swift compiler: the result is an error, or a module that prints.

#![no_main]

use libfuzzer_sys::fuzz_target;
use silkit::swiftmodule::SwiftModule;
use silkit::text::{PrintOptions, print_module};

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = SwiftModule::open(bytes) else { return };
    let _ = file.statistics();
    let Ok(read) = file.module() else { return };
    let _ = print_module(&read.module, &PrintOptions::default(), &silkit::comment_name);
});
