//! Mutators: of bytes, for readers that must survive any input, and of SIL, for a parser and a verifier that must
//! report what is wrong.
//!
//! All of it depends on a seed alone, so that a failure is reported as a seed.

mod bytes;
mod sil;
mod spoil;

pub use bytes::mutate_bytes;
pub use sil::mutate;
pub use spoil::{SPOILER, spoil, token_starts};

/// A damaged text, and what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation<T = String> {
    /// The text.
    pub text: T,
    /// A description for humans: `line 3: deleted`.
    pub description: String,
}
