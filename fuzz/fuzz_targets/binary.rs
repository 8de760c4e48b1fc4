//! Reads any bytes: the result is an error, or a module that prints and that is written and read again as the same
//! bytes. Checksums are corrected first, so that damage reaches the code after them; the seeds are not packed
//! (`silkit::binary::fuzzing::unpacked`), for the same reason.

#![no_main]

use libfuzzer_sys::fuzz_target;
use silkit::binary::{Reader, fuzzing};
use silkit::text::{PrintOptions, print_module};

fuzz_target!(|bytes: &[u8]| {
    let mut file = bytes.to_vec();
    fuzzing::reseal(&mut file);
    fuzzing::check(&file);
    let Ok(module) = Reader::open(&file).and_then(|reader| reader.module()) else { return };
    for types in [false, true] {
        let options = PrintOptions { types, debug_info: true, ..PrintOptions::default() };
        let _ = print_module(&module, &options, &silkit::comment_name);
    }
});
