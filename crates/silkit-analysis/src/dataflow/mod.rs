//! Sparse dataflow: facts that change in few blocks of a body.
//!
//! The facts change only in blocks with operations and in joins, where different states may meet; at any other point
//! they are those of the nearest dominator among these blocks. So the cost follows the operations, not the size of
//! the body.
//!
//! A [`Region`] is such a set of blocks with the edges between them, on which a forward [`Problem`] is solved for all
//! lanes of its bit rows at once. [`ReachingBlocks`] answers which of the blocks determines the value of a single
//! variable.

mod reaching;
mod region;
mod solve;

pub use reaching::{ReachingBlock, ReachingBlocks};
pub use region::{ControlFlow, Region};
pub use solve::{Problem, Solution};
