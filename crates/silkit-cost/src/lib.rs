//! Costs of a Swift program in SIL: reference counting, allocations, locks and dynamic calls, by Swift line.
//!
//! [`CostReport::new`] finds the instructions with costs ([`CostKinds`]) and the Swift position of each one ([`Place`]). The crate reads no
//! files and prints nothing; `silkit cost` is its command.

mod budget;
mod compare;
mod consumers;
mod frequency;
mod kind;
mod place;
mod report;
mod snapshot;
mod table;
mod types;
mod why;

pub use budget::{BadBudget, read_budget, write_budget};
pub use compare::{Change, Comparison, compare};
pub use kind::{CostKinds, KIND_NAMES};
pub use place::{Place, Way};
pub use report::{CostReport, Operation};
pub use snapshot::{FunctionSnapshot, Snapshot, SnapshotPlace, SourcePosition};
pub use table::{Counts, FunctionCosts, LineCosts};
pub use why::{Cause, Demangle, Reason, explain};
