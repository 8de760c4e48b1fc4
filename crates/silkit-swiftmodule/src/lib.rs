//! Reader of the Swift compiler's own module files: `.swiftmodule`, `.sib` and `.sibgen`, which are one format.
//!
//! [`SwiftModule::open`] reads the control block, the names and the tables of positions, and leaves everything else
//! for later: opening costs milliseconds, and a function costs only itself.
//!
//! # The format
//!
//! A file is an LLVM bitstream after a magic number of four bytes (`container/`). It describes itself in part: it has
//! the names of its blocks and records, and each block begins with the abbreviations that give the widths of fields.
//! It does not say what fields mean, nor which number an instruction has. Both depend on the version: records are
//! matched by name (`data/records.txt`), instructions by a list per version (`data/opcodes-*.txt`). The major version
//! has been 0 for long; the minor version rises with each change of the format.
//!
//! Every id is an index from 1 into a table of positions in bits. Nothing is trusted: positions are checked against
//! their block, counts against the bits that are left.

mod bodies;
pub mod container;
mod control;
mod decls;
mod error;
mod file;
mod functions;
mod headers;
mod opcodes;
mod records;
mod shapes;
mod signatures;
mod statistics;
mod types;

pub use control::{Control, Dependency, Import};
pub use decls::Decoder;
pub use error::{Damage, Result};
pub use file::SwiftModule;
pub use functions::FunctionPlace;
pub use headers::ReadModule;
pub use opcodes::Opcodes;
pub use statistics::{KindCount, Statistics};

/// The first bytes of a module file.
pub const MAGIC: [u8; 4] = [0xE2, 0x9C, 0xA8, 0x0E];

/// Returns true if a file is a module of the Swift compiler, by its first bytes.
pub fn is_swift_module(file: &[u8]) -> bool {
    file.starts_with(&MAGIC)
}
