//! LLVM's bitstream: bits, abbreviations, blocks and records, and the hash tables in blobs. Nothing here depends on
//! what the records mean.

mod bits;
mod names;
mod stream;
mod table;

pub use names::Names;
pub use stream::{Event, Place, Record, Stream};
pub use table::HashTable;
