//! What a rule is, and the table of all.

use crate::context::{FunctionContext, ModuleContext};
use crate::families;
use crate::families::{LinkedFinding, LinkedModule};
use silkit_diag::RuleId;
use silkit_ir::{Inst, Opcode};
use std::sync::OnceLock;

/// One rule, with the page that explains it.
#[derive(Debug)]
pub struct Rule {
    /// Its published name: `SIL0412`. A published id never changes its meaning.
    pub id: RuleId,
    /// Its name in PascalCase.
    pub name: &'static str,
    /// One sentence: what the rule demands.
    pub summary: &'static str,
    /// What goes wrong otherwise, and what to do.
    pub details: &'static str,
    /// A module that breaks this rule and no other; without `sil_stage` and imports unless they matter.
    pub failing: &'static str,
    /// The same module, corrected: it breaks no rule.
    pub corrected: &'static str,
    /// What checks it.
    pub check: Check,
}

/// What checks a rule. A check reports to its context.
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
    /// The check of another rule, found by its id, finds breaches of this one too.
    With(&'static str),
}

impl Rule {
    /// Returns what SARIF documents and lists say of it.
    pub fn published(&self) -> silkit_diag::Rule {
        silkit_diag::Rule { id: self.id, name: self.name, summary: self.summary }
    }

    /// Returns the name of its family.
    pub fn family(&self) -> &'static str {
        let of = |f: &&families::Family| f.rules.iter().flat_map(|r| r.iter()).any(|r| r.id == self.id);
        families::ALL.iter().find(of).map_or("", |f| f.name)
    }
}

/// Returns all rules, by id, and so by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    static ALL: OnceLock<Vec<&'static Rule>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let mut all: Vec<_> =
            families::ALL.iter().flat_map(|f| f.rules.iter()).flat_map(|r| r.iter().copied()).collect();
        all.sort_by_key(|r| r.id.as_str());
        all
    });
    all.iter().copied()
}

/// Returns the rule with this id or name, whatever the case of its letters.
pub fn find_rule(id: &str) -> Option<&'static Rule> {
    rules().find(|r| r.id.as_str().eq_ignore_ascii_case(id) || r.name.eq_ignore_ascii_case(id))
}
