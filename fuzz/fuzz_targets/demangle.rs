//! Demangles any bytes: terminates in every style, with output within its limit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use silkit::demangle::{Style, demangle};

fuzz_target!(|data: &[u8]| {
    let Ok(symbol) = std::str::from_utf8(data) else { return };
    let full = demangle(symbol, Style::Full);
    let simplified = demangle(symbol, Style::Simplified);
    // The simplified form leaves modules out: of the symbol of a module nothing stays.
    assert!(full.is_some() || simplified.is_none(), "the styles do not agree whether this is a symbol");
});
