//! A rule of the verifier: its page, and the function that checks it.

use crate::context::{FunctionContext, ModuleContext};
use crate::linked::{LinkedFinding, LinkedModule};
use silkit_diag::RuleId;
use silkit_ir::{Inst, Opcode};

/// One rule, with the page that explains it.
#[derive(Debug)]
pub struct Rule {
    /// Its published name: `SIL0412`. A published id never changes its meaning.
    pub id: RuleId,
    /// Its name in PascalCase.
    pub name: &'static str,
    /// One sentence: what the rule demands.
    pub summary: &'static str,
    /// The consequences of a violation, and the remedy.
    pub details: &'static str,
    /// A module that breaks this rule and no other; without `sil_stage` and imports unless they matter.
    pub failing: &'static str,
    /// The same module, corrected: it breaks no rule.
    pub corrected: &'static str,
    /// The function that checks it.
    pub check: Check,
}

/// The function that checks a rule and reports to its context.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// A function that looks at each instruction of these kinds; of all kinds where there are none. It may not
    /// rely on dominance or on the ends of blocks.
    Inst(&'static [Opcode], fn(&FunctionContext<'_>, Inst)),
    /// A function that looks at a body, whatever its state.
    Body(fn(&FunctionContext<'_>)),
    /// A function that looks at a body in which every block ends, all edges fit and definitions dominate uses.
    Paths(fn(&FunctionContext<'_>)),
    /// A function that looks at everything in the module but bodies.
    Module(fn(&ModuleContext<'_>)),
    /// A function that looks at several modules that are verified together.
    Linked(fn(&[LinkedModule<'_>], &mut Vec<LinkedFinding>)),
    /// The check of another rule, found by its id, finds violations of this one too.
    With(&'static str),
}

impl Rule {
    /// Returns the description for SARIF documents and lists.
    pub fn published(&self) -> silkit_diag::Rule {
        silkit_diag::Rule { id: self.id, name: self.name, summary: self.summary }
    }
}
