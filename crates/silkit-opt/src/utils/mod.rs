//! What several passes need.

mod sets;
pub mod stack_nesting;
