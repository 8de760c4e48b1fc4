//! Tools that run programs to compare them.
//!
//! A [`ProgramSetup`] configures runs: libraries, entry point and limits. The observable behavior of a run is a
//! [`ProgramBehavior`]; [`PassCheck`] compares the behavior before and after passes.

mod behavior;
mod check_passes;
pub mod mutate;
mod random;
mod raw;

pub use behavior::{Ending, EntryPoint, ProgramBehavior, ProgramSetup, on_large_stack};
pub use check_passes::{CheckResult, PassCheck, Unlike, optimizing_steps};
pub use random::RandomSequences;
