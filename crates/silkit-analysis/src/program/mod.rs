//! Program analyses: the call graph, function effects, and proofs of effects.

pub mod calls;
pub mod escape_effects;
pub mod proofs;
pub mod side_effects;
