//! Tools that run programs to compare them.
//!
//! A [`ProgramSetup`] says how programs run: libraries, the function to begin with, limits. What can be seen of a run is its
//! [`ProgramBehavior`]. [`PassCheck`] compares it before and after passes.

mod behavior;
mod check_passes;
pub mod mutate;

pub use behavior::{Ending, EntryPoint, ProgramBehavior, ProgramSetup, on_large_stack};
pub use check_passes::{CheckResult, PassCheck, Unlike, optimizing_steps};
