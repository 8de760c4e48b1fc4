//! Ownership SSA: borrow relations and liveness (Ownership.md).
//!
//! All queries are computed on demand from a body and the ownership of its values; the cost of a query is
//! proportional to the uses and values that it visits.

mod borrows;
mod enclosing;
mod fields;
mod interior;
mod live_range;
mod liveness;
mod pointer_escape;
mod variable_uses;
mod variables;
mod visible_uses;

pub use borrows::{Borrows, ScopeEnds};
pub use enclosing::{EnclosedPhi, enclosed_phis, guaranteed_phis};
pub use fields::{FieldBoundary, FieldLiveness, leaf_count};
pub use interior::{Extent, InnerScope, Interior};
pub use live_range::AddressLiveRange;
pub use liveness::{BlockLiveness, Boundary, Def, Liveness, UseKind};
pub use variables::{UnknownAccess, Variable, VariableAccess, VariableAccessKind};
pub use visible_uses::{Incomplete, projected_address};
