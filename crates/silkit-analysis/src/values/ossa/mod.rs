//! Ownership SSA: borrow relations and liveness (Ownership.md).
//!
//! What is here asks a body and the ownership of its values; nothing is computed before it is asked for, and a question
//! costs what it looks at.

mod borrows;
mod enclosing;
mod fields;
mod interior;
mod live_range;
mod liveness;
mod pointer_escape;
mod uses;
mod variable_uses;
mod variables;

pub use borrows::{Borrows, ScopeEnds};
pub use enclosing::{EnclosedPhi, enclosed_phis, guaranteed_phis};
pub use fields::{FieldBoundary, FieldLiveness, leaf_count};
pub use interior::{Extent, InnerScope, Interior};
pub use live_range::AddressLiveRange;
pub use liveness::{BlockLiveness, Boundary, Def, Liveness, UseKind};
pub use uses::{Incomplete, projected_address};
pub use variables::{Escapes, Variable, VariableAccess, VariableAccessKind};
