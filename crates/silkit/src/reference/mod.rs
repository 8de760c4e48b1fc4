//! The verifier's findings in the format of the reference's tools, and its ownership dumps, for tests that compare
//! the output of these tools.

mod dumper;
mod failures;
mod memory;
mod ownership;

pub use dumper::dump_ownership;

use crate::comment_name;
use silkit_ir::{Body, FunctionId, Module};
use silkit_text::Dump;
use silkit_verify::{Finding, Owner, ReferenceMessage};

/// Renders findings in the reference's format.
#[derive(Clone, Copy, Debug)]
pub struct ReferenceRenderer<'a> {
    module: &'a Module,
}

/// The parts of a verifier whose errors can be ignored or distinguished.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VerifierPart {
    /// The ownership verifier.
    Ownership,
    /// The part of the verifier that is implemented in Swift.
    Swift,
    /// The memory lifetime verifier.
    Memory,
    /// All other checks.
    Main,
}

/// Returns the part of the reference's verifier that reports a finding.
pub fn part(finding: &Finding) -> VerifierPart {
    match finding.reference_messages.first() {
        Some(ReferenceMessage::Ownership(..)) => VerifierPart::Ownership,
        Some(ReferenceMessage::SwiftFailure(_)) => VerifierPart::Swift,
        Some(ReferenceMessage::Memory(_)) => VerifierPart::Memory,
        _ => VerifierPart::Main,
    }
}

impl<'a> ReferenceRenderer<'a> {
    /// Creates a renderer for findings in this module.
    pub fn new(module: &'a Module) -> Self {
        Self { module }
    }

    /// Returns the reference's messages about each finding, as with `-verify-continue-on-failure`.
    pub fn failures(&self, findings: &[Finding]) -> String {
        let mut out = String::new();
        for found in findings.chunk_by(|a, b| a.owner == b.owner) {
            self.failures_of(found, &mut out);
        }
        let errors = self.by_function(findings, |id, findings| {
            ownership::errors(self.module, id, findings, ownership::Layout::Plain)
        });
        out + &errors
    }

    /// Returns only the ownership errors, numbered (`-ownership-verifier-textual-error-dumper`).
    pub fn ownership_errors(&self, findings: &[Finding]) -> String {
        self.by_function(findings, |id, findings| {
            ownership::errors(self.module, id, findings, ownership::Layout::Numbered)
        })
    }

    /// Returns the first line of the reference's message for a finding, if the reference reports it.
    pub fn headline(&self, finding: &Finding) -> Option<String> {
        match finding.reference_messages.first()? {
            ReferenceMessage::Failure(failure) | ReferenceMessage::SwiftFailure(failure) => {
                Some(failures::headline(failure.message))
            }
            ReferenceMessage::Memory(fault) => Some(self.memory_headline(finding, fault)),
            ReferenceMessage::Ownership(..) => {
                let Owner::Function(id) = finding.owner else { return None };
                let found = std::slice::from_ref(finding);
                let text = ownership::errors(self.module, id, found, ownership::Layout::Plain);
                let is_frame =
                    |line: &&str| line.starts_with("Begin Error") || line.starts_with("Function: ");
                text.lines().find(|line| !is_frame(line)).map(str::to_owned)
            }
        }
    }

    /// Concatenates the output for consecutive findings of each function.
    fn by_function(&self, findings: &[Finding], tell: impl Fn(FunctionId, &[Finding]) -> String) -> String {
        let of_one = findings.chunk_by(|a, b| a.owner == b.owner);
        of_one
            .map(
                |found| {
                    if let Owner::Function(id) = found[0].owner { tell(id, found) } else { String::new() }
                },
            )
            .collect()
    }

    fn dump(&self, body: &'a Body) -> Dump<'a> {
        Dump::new(self.module, body, &comment_name)
    }
}
