//! Access paths: the memory that an address belongs to, and the uses of that memory (SILMemoryAccess.md).
//!
//! [`step`] returns the value that another value is derived from. All walks here are built on it:
//!
//! - [`find`] walks up to the storage, which identifies memory independently of the address (an allocation, a global
//!   variable, a property of an object), and computes the access path from the storage to the address.
//! - [`uses`] walks down from a storage to all uses whose memory overlaps a path.
//! - [`function_accesses`] and [`argument_accesses`] summarize the accesses of functions, including their callees.
//! - [`accessed_addresses`] returns the address operands whose memory an instruction accesses.

mod accessed;
mod captures;
mod formal;
mod path;
mod reference;
mod step;
mod storage;
mod storage_uses;

pub use accessed::{accessed_addresses, closures_of};
pub use captures::{ArgumentAccesses, argument_accesses};
pub use formal::{FormalAccess, FunctionAccesses, function_accesses};
pub use path::{AccessPath, AccessPathWithBase, AccessScopes, Offset, find};
pub use reference::{allocation_root, is_identity_cast, reference_root};
pub(crate) use step::global_initializer;
pub use step::{AccessPart, AccessRoot, AccessStep, GlobalInitializer, step};
pub use storage::{AccessStorage, StorageKind};
pub use storage_uses::{AccessUse, Overlap, uses};
