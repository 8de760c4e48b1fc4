//! The binary form of SIL: a module in a compact file that can be read quickly, and in parts.
//!
//! [`write_module`] makes a file, [`Reader`] reads it: everything, or one function's body. What the
//! bytes mean is said in `docs/binary.md`. Files are not trusted: whatever their bytes are, reading
//! ends with a module or a [`ReadError`], and takes memory in proportion to their length.

mod bitstream;
mod body;
mod codec;
mod container;
mod entities;
mod error;
mod foreign;
#[doc(hidden)]
pub mod fuzzing;
mod layout;
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

/// Returns true if a file is binary SIL of Silkit, by its first bytes, or of a kind that [`Reader::open`]
/// knows by name: a file that is no text in any case.
pub fn is_binary(file: &[u8]) -> bool {
    file.starts_with(container::MAGIC) || foreign::identify(file).is_some()
}
