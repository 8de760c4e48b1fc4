//! The binary form of SIL: compact module files that are fast to read as a whole or in parts.
//!
//! [`write_module`] creates a file; [`Reader`] reads it as a whole, or one function at a time. The format is
//! specified in `docs/binary.md`. Files are not trusted: for any bytes, reading returns a module or a [`ReadError`],
//! in memory proportional to the length of the file.

mod bitstream;
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
