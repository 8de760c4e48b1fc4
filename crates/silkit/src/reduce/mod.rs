//! Test-case reduction: the smallest module that still fails.
//!
//! A [`Reducer`] removes one kind of item after another (bodies, tables, Swift declarations, blocks, instructions,
//! operands, attributes), many at a time while that succeeds, then fewer, until nothing more can be removed. Each
//! candidate is printed and parsed again, and must not violate rules that the input does not violate; then the
//! caller's check is called.

mod candidate;
mod control;
mod insts;
mod module;
mod search;

use candidate::{CandidateChecker, CandidateCounts, violated};
use module::Item;
use silkit_ir::{Module, SilStage};
use std::time::Instant;

/// A kind of reduction: a list of items, each of which may be removed.
struct Shrink {
    /// The name of the items, in the plural.
    items: &'static str,
    /// Lists the items of a module, in the order in which to remove them.
    list: fn(&Module) -> Vec<Item>,
    /// Removes items. Returns false if the module did not change.
    drop: fn(&mut Module, &[Item]) -> bool,
}

/// All reductions, coarse ones first.
const SHRINKS: &[&[Shrink]] = &[module::SHRINKS, control::SHRINKS, insts::SHRINKS];

/// The input and options of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Reducer {
    /// The number of candidates that are checked in parallel, at least one. The result does not depend on it.
    pub threads: usize,
    /// True to skip candidates with new findings of the verifier.
    pub verify: bool,
    /// When to stop. The result is then the smallest module so far, which may depend on the number of threads.
    pub deadline: Option<Instant>,
}

/// The progress of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current kind of items, in the plural.
    pub items: &'static str,
    /// The number of remaining items.
    pub left: usize,
    /// The number of calls of the check so far.
    pub checks: usize,
    /// The number of invalid candidates so far.
    pub invalid: usize,
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The module.
    pub module: Module,
    /// Its text, which the caller's check was last called on successfully.
    pub text: String,
    /// The number of calls of the check.
    pub checks: usize,
    /// The number of invalid candidates, for which the check was not called.
    pub invalid: usize,
    /// True if nothing more can be removed; false if the deadline was reached first.
    pub is_complete: bool,
}

/// The reason why a reduction did not begin or was ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotReduce<E> {
    /// The input itself does not fail.
    Succeeds,
    /// The caller's check returned an error.
    Unanswered(E),
}

impl Reducer {
    /// Reduces a module. `fails` returns true if a text still fails; it is called from several threads.
    ///
    /// ```
    /// let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = integer_literal $Builtin.Int1, -1\n  cond_fail %0, \"boom\"\n  %2 = tuple ()\n  return %2\n}\nsil @g : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
    /// let module = silkit::read("f.sil", text.as_bytes())?;
    /// let reducer = silkit::reduce::Reducer { threads: 1, verify: true, deadline: None };
    /// let fails = |text: &str| Ok::<bool, ()>(text.contains("cond_fail"));
    /// let reduction = reducer.reduce(module, fails, |_| {}).unwrap();
    /// assert!(!reduction.text.contains("@g") && !reduction.text.contains("return"));
    /// # Ok::<(), silkit::Unreadable>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the input does not fail, or if `fails` returns an error.
    pub fn reduce<E: Send>(
        &self,
        mut module: Module,
        fails: impl Fn(&str) -> Result<bool, E> + Sync,
        progress: impl Fn(Progress),
    ) -> Result<Reduction, CannotReduce<E>> {
        // Candidates are printed with a stage, and a file with a stage has to import what it uses.
        module.stage.get_or_insert(SilStage::Raw);
        let checker = CandidateChecker::new(&fails, self.verify.then(|| violated(&module, None)));
        // The input is assumed to be valid: it may have findings, and properties that its text does not contain.
        let mut text = crate::print(&module);
        if !checker.check(&text).map_err(CannotReduce::Unanswered)? {
            return Err(CannotReduce::Succeeds);
        }
        loop {
            let mut is_smaller = false;
            for shrink in SHRINKS.iter().copied().flatten() {
                if let Some(smaller) = self.shrink(&module, shrink, &checker, &progress)? {
                    (module, text) = smaller;
                    is_smaller = true;
                }
            }
            let is_late = self.is_late();
            if is_late || !is_smaller {
                let CandidateCounts { checks, invalid } = checker.counts();
                return Ok(Reduction { module, text, checks, invalid, is_complete: !is_late });
            }
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
