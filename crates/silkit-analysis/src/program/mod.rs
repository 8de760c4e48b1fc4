//! Programs: which calls reach which functions, what functions do, and why.

pub mod calls;
pub mod escape_effects;
pub mod proofs;
pub mod side_effects;
