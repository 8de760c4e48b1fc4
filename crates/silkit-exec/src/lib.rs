//! Tools that run programs to compare them.
//!
//! A [`Setup`] says how programs run: libraries, the function to begin with, limits. What can be seen of a run is its
//! [`Behavior`]. [`PassCheck`] compares it before and after passes.

mod behavior;
mod check_passes;
pub mod mutate;

pub use behavior::{Behavior, Ending, Entry, Setup, on_large_stack};
pub use check_passes::{PassCheck, Unlike, Verdict, optimizing_steps};
