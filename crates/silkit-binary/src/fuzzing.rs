//! Entry points for fuzzers and tests of damaged files.

use crate::{ReadError, Reader, container, reader, write_module};
use silkit_ir::ClassRef;

/// Corrects the checksums of a damaged file, as far as its directory is readable.
pub fn reseal(file: &mut [u8]) {
    container::reseal(file, reader::reseal_bodies);
}

/// Returns the same file with uncompressed sections, so that damage reaches their contents.
///
/// # Errors
/// Returns an error if the file is already damaged.
pub fn unpacked(file: &[u8]) -> Result<Vec<u8>, ReadError> {
    container::unpacked(file)
}

/// Reads a file in all ways. A module that can be read must be writable, and reading it again must yield the same
/// bytes.
///
/// # Panics
/// Panics if this property is violated.
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
    for global in module.globals.values().take(8) {
        let _ = reader.global(global.name.as_str());
    }
    for table in module.vtables.values().take(8) {
        if let ClassRef::Name(class) = table.class {
            let _ = reader.vtable(class.as_str());
        }
    }
    for (ty, protocol) in module.witness_tables.values().filter_map(|table| table.lookup_paths()).take(8) {
        let _ = reader.witness_table(ty.as_str(), protocol.as_str());
    }
    let Ok(written) = write_module(&module) else { return };
    let again = Reader::open(&written).and_then(|reader| reader.module());
    let again = again.expect("invariant: what was written can be read");
    let twice = write_module(&again).expect("invariant: what was read can be written");
    assert_eq!(written, twice, "invariant: writing what was read changes no byte");
}
