//! The test kit of Silkit: tools that the tests of all crates share.
//!
//! | module | for |
//! |---|---|
//! | [`filecheck`] | LLVM's FileCheck, with its verdicts |
//! | [`lit`] | test files with RUN lines, run inside the test process |
//! | [`cases`] | tables of input and expected output, in files that update themselves |
//! | [`shared`] | lookup of the test corpus and the reference tools, or a reason to skip |
//! | [`generate`] | a generator of valid, terminating, deterministic SIL |
//! | [`growth`] | tests that costs grow linearly |
//! | [`random`], [`mutate`] | seeded random numbers, and mutation of bytes and of SIL |
//! | [`verdict`] | the verdict of the reference on a text |
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
