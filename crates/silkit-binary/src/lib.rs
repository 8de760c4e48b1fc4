//! The binary form of SIL: compact module files that are fast to read as a whole or in parts.
//!
//! [`write_module`] creates a file; [`Reader`] reads it as a whole, or one function at a time. The format is
//! specified in `docs/binary.md`. Files are not trusted: for any bytes, reading returns a module or a [`ReadError`],
//! in memory proportional to the length of the file.
//!
//! # Encoding and reading
//!
//! The encoding of each type is declared once for both directions (`codec.rs`: `record!`, `variants!`); the parts of an
//! instruction follow from the table. A field added to the IR does not compile until the binary form encodes it. A file
//! contains the checksum of each instruction's row, so a file written with another table is rejected. Entries of tables
//! are decoded when they are first referenced (`lookup.rs`), without recursion: an entry that needs another one waits on
//! a stack. Functions, global variables, vtables and witness tables are found by name (`keyed.rs`) and decoded one at a
//! time, since a library is used in small parts. The reader trusts nothing: indices are checked against the table that
//! they refer to, counts against the remaining bytes, and the size of the text that a file represents against the length
//! of the file, because types share their parts.

mod body;
mod codec;
mod container;
mod entities;
mod error;
mod foreign;
#[doc(hidden)]
pub mod fuzzing;
mod headers;
mod keyed;
mod layout;
mod lookup;
mod pack;
mod reader;
mod sink;
mod source;
mod tables;
mod types;
mod varint;
mod writer;

pub use error::{ReadError, ReadErrorKind, WriteError};
pub use reader::{FunctionEntry, Reader};
pub use writer::{write_module, write_module_of};

/// Returns true if a file is binary SIL, by its first bytes, or another binary format that [`Reader::open`]
/// identifies: in any case it is not text.
pub fn is_binary(file: &[u8]) -> bool {
    file.starts_with(container::MAGIC) || foreign::identify(file).is_some()
}
