//! Utilities for blocks and edges.

pub mod critical_edges;
pub mod merge_blocks;
pub mod unreachable;
