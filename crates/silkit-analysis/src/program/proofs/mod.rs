//! Possible effects of functions, each with a chain of calls that proves it.
//!
//! One pass over each body records the effects of its instructions and, for each call, which fact about the callee
//! implies which fact about the caller ([`EffectRecorder`]). One breadth-first search backwards along these edges, from all
//! instructions at once, finds the shortest call chain from every fact to an instruction ([`Proofs`]). It is linear
//! in the number of calls and independent of the number of queries.
//!
//! Reads and writes are taken from the computed side effects of the function, so that the two are consistent.

mod fact;
mod reason;
mod record;
mod search;

pub use fact::Fact;
pub use reason::{Reason, UnknownCode};
pub use record::{EffectRecorder, Records};
pub use search::{Proof, ProofStep, Proofs};
