//! Test-case reduction: the smallest module that still fails.
//!
//! A [`Reducer`] leaves out one kind of thing after another (bodies, tables, Swift declarations, blocks, instructions,
//! operands, attributes), many at a time as long as that works, then fewer, until nothing more can be removed. Each
//! candidate is printed, must read back, and must have no finding of the verifier that the input does not have; what
//! holds then is asked of the caller.

mod candidate;
mod control;
mod insts;
mod module;
mod search;

use candidate::{Asked, Judge, violated};
use module::Item;
use silkit_ir::Module;
use std::time::Instant;

/// A way to make modules smaller: a list of items, each of which may be left out.
struct Shrink {
    /// The name of the items, in the plural.
    items: &'static str,
    /// Lists the items of a module, in the order in which to try them.
    list: fn(&Module) -> Vec<Item>,
    /// Leaves items out. Returns false if the module did not change.
    drop: fn(&mut Module, &[Item]) -> bool,
}

/// All ways, the coarse ones first.
const SHRINKS: &[&[Shrink]] = &[module::SHRINKS, control::SHRINKS, insts::SHRINKS];

/// The input and options of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Reducer {
    /// The number of candidates that are tried at the same time, at least one. The result does not depend on it.
    pub threads: usize,
    /// Only candidates without new findings of the verifier are tried.
    pub verify: bool,
    /// When to stop; what was reached by then is the result, which then may depend on the number of threads.
    pub deadline: Option<Instant>,
}

/// The next step of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The items that are left out, in the plural.
    pub items: &'static str,
    /// The number of items that are left.
    pub left: usize,
    /// The number of calls of the check so far.
    pub asked: usize,
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The module.
    pub module: Module,
    /// Its text, about which the caller was asked last with success.
    pub text: String,
    /// The number of calls of the check.
    pub asked: usize,
    /// The number of invalid candidates, for which the check was not called.
    pub invalid: usize,
    /// True if nothing more can be removed; false if the deadline came first.
    pub is_complete: bool,
}

/// The reason why a reduction did not begin, or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotReduce<E> {
    /// The input itself does not fail.
    Succeeds,
    /// The caller could not answer.
    Unanswered(E),
}

impl Reducer {
    /// Reduces a module. `fails` says of a text whether it still fails; it is asked from several threads.
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
    /// Returns an error if the input does not fail, or `fails` cannot say.
    pub fn reduce<E: Send>(
        &self,
        module: Module,
        fails: impl Fn(&str) -> Result<bool, E> + Sync,
        progress: impl Fn(Progress),
    ) -> Result<Reduction, CannotReduce<E>> {
        let judge = Judge::new(&fails, self.verify.then(|| violated(&module, None)));
        // The input is believed to be valid: it may have findings, and things that its text alone does not tell.
        let mut text = crate::print(&module);
        if !judge.ask(&text).map_err(CannotReduce::Unanswered)? {
            return Err(CannotReduce::Succeeds);
        }
        let mut module = module;
        loop {
            let mut is_smaller = false;
            for shrink in SHRINKS.iter().copied().flatten() {
                if let Some(smaller) = self.shrink(&module, shrink, &judge, &progress)? {
                    (module, text) = smaller;
                    is_smaller = true;
                }
            }
            let is_late = self.is_late();
            if is_late || !is_smaller {
                let Asked { asked, invalid } = judge.asked();
                return Ok(Reduction { module, text, asked, invalid, is_complete: !is_late });
            }
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
