//! The test kit of Silkit.
//!
//! | module | for |
//! |---|---|
//! | [`filecheck`] | LLVM's FileCheck, with its verdicts |
//! | [`lit`] | test files with RUN lines, run inside the test process |
//! | [`cases`] | tables of input and expected output, in files that update themselves |
//! | [`shared`] | finding the shared material and the reference tools, or a reason to skip |
//! | [`generate`] | valid SIL that ends and is deterministic, from a seed |
//! | [`growth`] | whether costs grow as inputs do |
//! | [`random`], [`mutate`] | seeded random numbers, and damage to bytes and to SIL |
//! | [`verdict`] | what the reference says of a text |
//!
//! ```
//! use silkit_testkit::mutate::mutate;
//! let sil = "sil @f : $() -> () {\nbb0:\n  %0 = tuple ()\n  return %0 : $()\n}\n";
//! let broken = mutate(sil, 7);
//! assert_ne!(broken.text, sil, "{}", broken.description);
//! assert_eq!(mutate(sil, 7), broken);
//! ```

pub mod cases;
mod difference;
pub mod filecheck;
pub mod generate;
pub mod growth;
pub mod lit;
pub mod mutate;
pub mod random;
pub mod shared;
pub mod verdict;

pub use difference::difference;
