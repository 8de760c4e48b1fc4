//! Utilities for instructions and the values that they define.

pub mod counting;
pub mod delete;
pub mod destroy;
pub mod inst_simplify;
pub mod scalar_casts;
mod sets;
pub mod ssa_updater;
pub mod stack_nesting;
