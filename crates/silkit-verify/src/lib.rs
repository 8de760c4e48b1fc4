//! The verifier: checks the rules of SIL and reports violations.
//!
//! A [`Rule`] is declared once, beside the function that checks it, in the file of its family; [`rules`] lists
//! all. [`verify`] runs them over a module and gives [`Finding`]s: data, in source order, the same for any
//! number of threads. [`Renderer`] makes diagnostics of them. What is unknown, such as the type of a value
//! whose declaration is not in the file, never causes a finding: a rule notes it ([`Report::unknown`]).
//!
//! `docs/add-a-rule.md` says how to add one.

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

pub use catalog::{find_rule, rules};
pub use context::{FunctionContext, ModuleContext, Owner, Unknown};
pub use finding::{Finding, Place};
pub use linked::{LinkedFinding, LinkedModule};
pub use reference_message::{Failure, MemoryFault, MemoryFaultKind, OwnershipError, ReferenceMessage};
pub use render::Renderer;
pub use rule::{Check, Rule};
pub use run::{Options, Report, verify, verify_linked};
