//! A collection of diagnostics that counts all and keeps the first ones in source order.
//!
//! ```
//! use silkit_diag::{Diagnostic, Diagnostics, FileId, RuleId, Span};
//! const R: RuleId = RuleId::new("SIL0001");
//! let mut found = Diagnostics::new().with_max_errors(2);
//! for offset in [30, 10, 20] {
//!     found.push(Diagnostic::error(R, "no").at(Span::at(FileId::new(0), offset)));
//! }
//! let kept: Vec<_> = found.sorted().iter().map(|d| d.labels[0].span.start).collect();
//! assert_eq!(kept, [10, 20]);
//! assert_eq!((found.error_count(), found.suppressed_count()), (3, 1));
//! ```

use std::cmp::Ordering;

use crate::{Diagnostic, Severity};

/// The diagnostics of a run.
///
/// The diagnostics are returned in source order, independent of the order in which they were pushed, so that the output
/// is the same for any number of threads. Diagnostics without a span are first. Above a limit, only the first in source
/// order are kept; the rest is counted.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    errors: Bounded,
    others: Bounded,
    warning_count: usize,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Diagnostics::new()
    }
}

impl Diagnostics {
    /// Creates an empty collection without limits.
    pub fn new() -> Self {
        Diagnostics { errors: Bounded::new(), others: Bounded::new(), warning_count: 0 }
    }

    /// Limits the number of kept errors to `max`.
    #[must_use]
    pub fn with_max_errors(mut self, max: usize) -> Self {
        self.errors.max = max;
        self.errors.prune(false);
        self
    }

    /// Limits the number of kept diagnostics that are not errors to `max`.
    #[must_use]
    pub fn with_max_others(mut self, max: usize) -> Self {
        self.others.max = max;
        self.others.prune(false);
        self
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.errors.push(diagnostic),
            severity => {
                self.warning_count += usize::from(severity == Severity::Warning);
                self.others.push(diagnostic);
            }
        }
    }

    /// Adds the diagnostics and counts of another collection; the limits of `self` are unchanged.
    pub fn append(&mut self, other: Diagnostics) {
        self.warning_count += other.warning_count;
        self.errors.append(other.errors);
        self.others.append(other.others);
    }

    /// Returns the number of pushed errors, kept or not.
    pub fn error_count(&self) -> usize {
        self.errors.pushed
    }

    /// Returns the number of pushed warnings, kept or not.
    pub fn warning_count(&self) -> usize {
        self.warning_count
    }

    /// Returns true if an error was pushed.
    pub fn has_errors(&self) -> bool {
        self.errors.pushed > 0
    }

    /// Returns true if the limit of errors is reached. A traversal of the input in source order can stop then.
    pub fn is_full(&self) -> bool {
        self.errors.pushed >= self.errors.max
    }

    /// Returns the number of pushed diagnostics of all kinds.
    pub fn len(&self) -> usize {
        self.errors.pushed + self.others.pushed
    }

    /// Returns true if nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of diagnostics that were dropped because of the limits.
    pub fn suppressed_count(&self) -> usize {
        self.errors.suppressed() + self.others.suppressed()
    }

    /// Returns the kept diagnostics in source order.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut all: Vec<&Diagnostic> = self.errors.first().into_iter().chain(self.others.first()).collect();
        all.sort_by(|a, b| source_order(a, b));
        all
    }

    /// Returns the kept diagnostics in source order, by value.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.errors.prune(false);
        self.others.prune(false);
        let mut all = self.errors.kept;
        all.append(&mut self.others.kept);
        all.sort_by(source_order);
        all
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, iter: T) {
        iter.into_iter().for_each(|d| self.push(d));
    }
}

/// A buffer that keeps the first `max` diagnostics in source order. It is pruned when it holds twice as many, so that a
/// push has an amortized cost of O(log `max`) comparisons.
#[derive(Clone, Debug)]
struct Bounded {
    kept: Vec<Diagnostic>,
    pushed: usize,
    max: usize,
}

impl Bounded {
    fn new() -> Self {
        Bounded { kept: Vec::new(), pushed: 0, max: usize::MAX }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        self.pushed += 1;
        self.kept.push(diagnostic);
        self.prune(true);
    }

    fn append(&mut self, mut other: Bounded) {
        self.pushed += other.pushed;
        self.kept.append(&mut other.kept);
        self.prune(false);
    }

    fn prune(&mut self, lazily: bool) {
        let slack = if lazily { self.max.saturating_add(64) } else { 0 };
        if self.kept.len() > self.max.saturating_add(slack) {
            self.kept.sort_by(source_order);
            self.kept.truncate(self.max);
        }
    }

    fn first(&self) -> Vec<&Diagnostic> {
        let mut all: Vec<&Diagnostic> = self.kept.iter().collect();
        if all.len() > self.max {
            all.sort_by(|a, b| source_order(a, b));
            all.truncate(self.max);
        }
        all
    }

    fn suppressed(&self) -> usize {
        self.pushed - self.kept.len().min(self.max)
    }
}

/// Compares by position, then by severity; rule and message make the order independent of the insertion order.
fn source_order(a: &Diagnostic, b: &Diagnostic) -> Ordering {
    fn key(d: &Diagnostic) -> impl Ord + '_ {
        (d.primary().map(|l| l.span), d.severity, d.rule, &d.message)
    }
    key(a).cmp(&key(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, RuleId, Span};

    const R: RuleId = RuleId::new("SIL0001");

    fn error(offset: u32) -> Diagnostic {
        Diagnostic::error(R, format!("e{offset}")).at(Span::at(FileId::new(0), offset))
    }

    #[test]
    fn order_of_pushing_does_not_matter() {
        let offsets: Vec<u32> = (0..1000).map(|i| i * 7919 % 1000).collect();
        let mut found = Diagnostics::new().with_max_errors(10);
        found.extend(offsets.iter().map(|&o| error(o)));
        let kept: Vec<u32> = found.sorted().iter().map(|d| d.labels[0].span.start).collect();
        assert_eq!(kept, (0..10).collect::<Vec<_>>());
        assert!(found.is_full());
        assert_eq!(found.error_count(), 1000);
        assert_eq!(found.suppressed_count(), 990);
        assert!(found.errors.kept.len() < 100);
        assert_eq!(found.into_sorted().len(), 10);
    }

    #[test]
    fn append_adds_counts() {
        let mut a = Diagnostics::new().with_max_errors(2);
        let mut b = Diagnostics::new();
        b.extend((0..5).map(error));
        b.push(Diagnostic::warning(R, "w"));
        b.push(Diagnostic::new(Severity::Note, "n"));
        a.append(b);
        assert_eq!((a.error_count(), a.warning_count(), a.len()), (5, 1, 7));
        assert_eq!(a.suppressed_count(), 3);
        let order: Vec<&str> = a.sorted().iter().map(|d| &*d.message).collect();
        assert_eq!(order, ["w", "n", "e0", "e1"]);
    }

    #[test]
    fn zero_is_a_limit() {
        let mut found = Diagnostics::new().with_max_errors(0);
        found.push(error(1));
        assert!(found.has_errors());
        assert!(found.sorted().is_empty());
        assert_eq!(found.suppressed_count(), 1);
    }
}
