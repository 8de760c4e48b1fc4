//! Value analyses: ownership and lifetimes, def-use and use-def walks, RC identity.

mod array_calls;
mod destructors;
mod epilogue;
pub mod escape;
mod induction;
mod object_casts;
pub mod ossa;
mod rc_identity;
pub mod walk;

pub use array_calls::{ArrayCall, ArrayCallKind, array_kind};
pub use destructors::destruction_may_store;
pub use epilogue::{Epilogue, EpilogueKind};
pub use induction::{Induction, InductionStep};
pub(crate) use object_casts::cast_keeps_object;
pub use rc_identity::RcIdentity;
