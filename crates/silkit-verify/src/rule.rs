//! A rule of the verifier: its documentation and its check function.

use crate::context::{FunctionVerifier, ModuleVerifier};
use crate::linked::{LinkedFinding, LinkedModule};
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode};

/// A rule with its documentation.
#[derive(Debug)]
pub struct Rule {
    /// The published id: `SIL0412`. A published id never changes its meaning.
    pub id: RuleId,
    /// The name in PascalCase.
    pub name: &'static str,
    /// The severity of violations. A warning for what only Swift declarations violate, which the type checker has
    /// accepted knowing more than the text says: the SIL is right nevertheless. A check may also lower it, to a warning for
    /// what the reference accepts.
    pub severity: Severity,
    /// A one-sentence summary of the requirement.
    pub summary: &'static str,
    /// The consequences of a violation, and the remedy.
    pub details: &'static str,
    /// A module that violates this rule and no other; without `sil_stage` and imports unless they matter.
    pub failing: &'static str,
    /// The corrected module, which violates no rule.
    pub corrected: &'static str,
    /// The check function.
    pub check: Check,
}

/// The function that checks a rule and reports to its context.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Checks each instruction with these opcodes; all instructions if the list is empty. The function must not rely
    /// on dominance or on complete blocks.
    Inst(&'static [Opcode], fn(&FunctionVerifier<'_>, Inst)),
    /// Checks a body in any state.
    Body(fn(&FunctionVerifier<'_>)),
    /// Checks a body in which every block has a terminator, all edges match and definitions dominate uses.
    Paths(fn(&FunctionVerifier<'_>)),
    /// Checks a module without its bodies.
    Module(fn(&ModuleVerifier<'_>)),
    /// Checks several modules that are verified together.
    Linked(fn(&[LinkedModule<'_>], &mut Vec<LinkedFinding>)),
    /// The checks of other rules, given by ids, also report violations of this one.
    With(&'static [&'static str]),
}

impl Rule {
    /// Returns the description for SARIF documents and lists.
    pub fn published(&self) -> silkit_diag::RuleInfo {
        silkit_diag::RuleInfo { id: self.id, name: self.name, summary: self.summary }
    }
}
