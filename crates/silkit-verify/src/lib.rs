//! The verifier: checks the rules of SIL and reports violations.
//!
//! A [`Rule`] is declared once, beside the function that checks it, in the file of its family; [`rules`] returns all
//! rules. [`verify`] runs them over a module and returns [`Finding`]s: data in source order, independent of the
//! number of threads. [`Renderer`] converts findings to diagnostics. Unknown facts, such as the type of a value whose
//! declaration is not in the file, never cause a finding: the rule records that it could not be decided
//! ([`VerifyReport::unknown`]).
//!
//! `docs/add-a-rule.md` describes how to add a rule.

mod catalog;
mod context;
mod families;
mod finding;
mod linked;
mod names;
mod reference_message;
mod render;
mod rule;
mod run;
mod sound_types;

pub use catalog::{find_rule, rules};
pub use context::{FunctionVerifier, ModuleVerifier, Owner, Undecided};
pub use finding::{Finding, Place};
pub use linked::{LinkedFinding, LinkedModule};
pub use reference_message::{
    MemoryFault, MemoryFaultKind, OwnershipError, ReferenceFailure, ReferenceMessage,
};
pub use render::Renderer;
pub use rule::{Check, Rule};
pub use run::{VerifyOptions, VerifyReport, verify, verify_linked};
