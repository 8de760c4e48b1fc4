//! Entry points for fuzzers and tests of damaged files.

use crate::{ReadError, Reader, container, reader, write_module};

/// Corrects the checksums of a damaged file, as far as its directory can be read.
pub fn reseal(file: &mut [u8]) {
    container::reseal(file, reader::reseal_bodies);
}

/// Returns the same file with its sections as they are, so that damage comes to what is in them.
///
/// # Errors
/// Returns an error if the file is damaged already.
pub fn unpacked(file: &[u8]) -> Result<Vec<u8>, ReadError> {
    container::unpacked(file)
}

/// Reads bytes in all ways. What can be read must be written, and read again to the same bytes.
///
/// # Panics
/// Panics if that does not hold.
pub fn check(file: &[u8]) {
    let Ok(reader) = Reader::open(file) else { return };
    let names: Vec<&str> = match reader.functions() {
        Ok(entries) => entries.iter().map(|entry| entry.name.as_str()).take(8).collect(),
        Err(_) => return,
    };
    for name in names {
        let _ = reader.function(name);
    }
    let Ok(module) = reader.module() else { return };
    let Ok(written) = write_module(&module) else { return };
    let again = Reader::open(&written).and_then(|reader| reader.module());
    let again = again.expect("invariant: what was written can be read");
    let twice = write_module(&again).expect("invariant: what was read can be written");
    assert_eq!(written, twice, "invariant: writing what was read changes no byte");
}
