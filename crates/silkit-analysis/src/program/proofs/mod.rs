//! Possible effects of functions, each with a chain of calls that proves it.
//!
//! One pass over each body finds what its instructions do themselves and, for each call, which fact about the callee makes
//! which fact about the caller true ([`Recorder`]). One search, backwards along these edges from all instructions at once,
//! finds the shortest way from every fact to an instruction ([`Proofs`]): linear in the number of calls, whatever the
//! number of functions that are asked about.
//!
//! What is read and written are the side effects as they are computed for the function; the two cannot contradict.

mod fact;
mod reason;
mod record;
mod search;

pub use fact::Fact;
pub use reason::{Reason, Unknown};
pub use record::{Recorder, Records};
pub use search::{Proof, Proofs, Step};
