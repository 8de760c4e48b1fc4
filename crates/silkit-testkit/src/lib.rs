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
//!
//! # FileCheck and lit
//!
//! FileCheck (`silkit-testkit/src/filecheck`, with POSIX regular expressions) and the runner of `RUN:` lines (`lit`) are
//! our own, 3,900 lines, because the reference's tests must get the verdicts of LLVM's tools, and no published crate
//! gives them (compared with FileCheck of LLVM 19):
//!
//! | crate | what it lacks |
//! |---|---|
//! | `litcheck` 0.5.0, 18,000 lines and 131 crates | Its expressions are those of `regex`: alternatives match leftmost-first, where POSIX takes the longest (`[[X:%[0-9]\|%[0-9]+]]`); no back references (`{{^(a+)b\1$}}`); expressions that LLVM rejects are accepted (`a+?`, empty alternatives). Options with one dash are refused (23 `RUN:` lines of the suite use `-check-prefix`), and wrong directives have exit status 1, not 2. |
//! | `filecheck` 0.5.0 (2020) | Other directives (`check:`, `nextln:`, `unordered:`) and variables (`$X`); no labels, prefixes, numbers. |
//! | `lit` 1.0.4 | Only `CHECK` and `CHECK-NEXT`, one prefix. |
//! | `goldentests` 1.4.4 | Compares whole outputs; no patterns. |
//!
//! The suite uses `-NEXT`, `-LABEL`, `-NOT`, `-DAG`, `-SAME`, `-EMPTY`, prefixes and variables throughout. Passes run in
//! process, without a shell or a subprocess for each line.

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
