//! Program analyses: the call graph, the effects of functions, and proofs of them.

pub mod calls;
pub mod escape_effects;
pub mod proofs;
pub mod side_effects;
