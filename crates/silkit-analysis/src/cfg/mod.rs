//! Control flow: orders, dominance, joins, loops, dead ends, scopes, and ranges between instructions.

mod cold_blocks;
mod components;
mod dead_ends;
mod dominators;
mod frontiers;
mod joins;
mod loop_regions;
mod loops;
mod order;
mod path;
mod ranges;
mod scopes;

pub use cold_blocks::ColdBlocks;
pub use components::Components;
pub use dead_ends::DeadEnds;
pub use dominators::{Dominators, PostDominators, value_dominates};
pub use frontiers::{ChosenDominators, Frontiers};
pub use joins::Joins;
pub use loop_regions::{LoopRegions, Region, RegionEdge, RegionKind};
pub use loops::{Loop, LoopId, Loops};
pub use order::BlockOrder;
pub use path::path;
pub use ranges::{BlockRange, InstRange};
pub use scopes::{Begin, Coherence, ScopeError, Scopes};

#[cfg(test)]
mod tests;
