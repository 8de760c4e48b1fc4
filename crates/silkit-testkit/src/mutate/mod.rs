//! Mutators of bytes, for readers that must not panic on any input, and of SIL, for parsers and verifiers that must
//! report errors.
//!
//! All mutations depend only on a seed, so that a failure is reproduced from its seed.

mod bytes;
mod sil;
mod spoil;

pub use bytes::mutate_bytes;
pub use sil::mutate;
pub use spoil::{SPOILER, spoil, token_starts};

/// A mutated text, with a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation<T = String> {
    /// The text.
    pub text: T,
    /// A description, such as `line 3: deleted`.
    pub description: String,
}
