//! Validation of candidates: a candidate must be valid and still fail.

use silkit_base::FxHashSet;
use silkit_diag::{RuleId, Severity};
use silkit_ir::Module;
use silkit_text::{MappedText, parse_module};
use silkit_verify::{Finding, VerifyOptions, verify};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Validates candidates, from several threads.
pub(super) struct CandidateChecker<'a, F> {
    fails: &'a F,
    /// The rules that a candidate may violate; `None` if candidates are not verified.
    allowed: Option<FxHashSet<RuleId>>,
    checks: AtomicUsize,
    invalid: AtomicUsize,
}

/// The numbers of candidates.
pub(super) struct CandidateCounts {
    /// The number of calls of the caller's check.
    pub(super) checks: usize,
    /// The number of invalid candidates.
    pub(super) invalid: usize,
}

impl<'a, E, F: Fn(&str) -> Result<bool, E>> CandidateChecker<'a, F> {
    /// Creates a checker. If `allowed` is `None`, candidates are not verified.
    pub(super) fn new(fails: &'a F, allowed: Option<FxHashSet<RuleId>>) -> Self {
        Self { fails, allowed, checks: AtomicUsize::new(0), invalid: AtomicUsize::new(0) }
    }

    /// Calls the caller's check on a text.
    pub(super) fn check(&self, text: &str) -> Result<bool, E> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        (self.fails)(text)
    }

    /// Returns the text of a candidate if it is valid and still fails.
    pub(super) fn accept(&self, candidate: &Module) -> Result<Option<String>, E> {
        let text = crate::print(candidate);
        if !self.is_valid(&text) {
            self.invalid.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        }
        Ok(self.check(&text)?.then_some(text))
    }

    /// Returns true if a text parses without errors and violates only allowed rules.
    fn is_valid(&self, text: &str) -> bool {
        let Some(allowed) = &self.allowed else { return true };
        let parsed = parse_module(text);
        parsed.errors.is_empty() && violated(&parsed.module, Some(parsed.source(text))).is_subset(allowed)
    }

    /// Returns the numbers of candidates so far.
    pub(super) fn counts(&self) -> CandidateCounts {
        CandidateCounts {
            checks: self.checks.load(Ordering::Relaxed),
            invalid: self.invalid.load(Ordering::Relaxed),
        }
    }
}

/// Returns the rules that a module violates: those of SIL, and those of Swift declarations, whose violations are only
/// warnings, so that what the rest needs of the declarations stays.
pub(super) fn violated(module: &Module, source: Option<MappedText<'_>>) -> FxHashSet<RuleId> {
    let declarations = silkit_text::decl::declarations(module);
    let report = verify(module, &declarations, source, &VerifyOptions::default());
    let counts = |finding: &&Finding| finding.is_error() || finding.rule.severity != Severity::Error;
    report.findings.iter().filter(counts).map(|finding| finding.rule.id).collect()
}
