//! Analyses of a body: what follows from its blocks, edges and uses, in dense tables.
//!
//! Each analysis is a plain struct that `compute(&Body)` makes in linear or almost linear time. It
//! holds no reference to the body; it is valid as long as [`silkit_ir::Body::changes_since`] shows no
//! change of what it depends on. An [`AnalysisCache`] keeps those of one body as long as they are.
//!
//! | analysis | answers | made again after a change of |
//! |---|---|---|
//! | [`BlockOrder`] | blocks in reverse postorder; which can be reached | edges |
//! | [`Dominators`], [`PostDominators`] | block dominance in constant time | edges |
//! | [`Frontiers`], [`Joins`], [`ChosenDominators`] | where paths from a block meet others, and meet again; the nearest dominator among chosen blocks | edges |
//! | [`Components`] | strongly connected components of blocks | edges |
//! | [`DeadEnds`] | blocks from which no path leaves the function | edges |
//! | [`LoopRegions`] | the tree of blocks, loops and the function, with edges at each level | edges |
//! | [`Loops`] | natural loops: header, latches, exits, nesting, canonical form | edges |
//! | [`calls`] | what a call may reach, who calls a function, classes and what inherits from them, callees before callers | the module |
//! | [`RcIdentity`] | values with the same reference count | all of these |
//! | [`Induction`] | phis that count up in a loop | all of these |
//! | [`Epilogue`] | the last retains and releases of a function | all of these |
//! | [`ArrayCall`] | calls that mean something about arrays | – |
//! | [`ColdBlocks`] | blocks that hardly ever run | all of these |
//! | [`destruction_may_store`] | whether the end of a lifetime may store to memory | – |
//! | [`Scopes`] | joint post-dominance of a scope by its ends, and what is inside | all of these |
//! | [`alias`] | whether addresses may be of the same memory, and what instructions may do to it | – |
//! | [`access`] | the storage that an address belongs to, the path there, the uses of a storage | – |
//! | [`memory`] | the trees of memory that can be uniquely identified, and what is done to them | instructions |
//! | [`ProjectionPath`] | parts of values and of what they refer to, and patterns of such paths: `s0.c2.v**` | – |
//! | [`ossa`] | borrow scopes, what encloses values, where they live, how long memory holds what an address leads to, accesses to local variables | – |
//! | [`walk`] | walks to uses and to definitions along such a path | – |
//! | [`escape`] | whether a value or an address may come to where nobody knows what happens to it | – |
//! | [`escape_effects`], [`side_effects`] | the effects of a function, from its body and what it calls | – |
//! | [`proofs`] | what functions may do, with the calls that prove it | – |
//! | [`FunctionEffects`] | the effects that stand behind a function's type, as data | – |
//! | [`BlockRange`], [`InstRange`] | what lies between a definition that dominates and its ends | instructions |
//! | [`path`] | a shortest path between blocks | – |

pub mod access;
pub mod alias;
mod array_calls;
mod cache;
pub mod calls;
mod cold_blocks;
mod components;
mod dead_ends;
mod destructors;
mod dominators;
mod epilogue;
pub mod escape;
pub mod escape_effects;
mod frontiers;
mod induction;
mod joins;
mod loop_regions;
mod loops;
pub mod memory;
mod order;
pub mod ossa;
mod path;
pub mod proofs;
mod ranges;
mod rc_identity;
mod scopes;
pub mod side_effects;
#[cfg(test)]
mod testing;
mod view;
pub mod walk;

pub use array_calls::{ArrayCall, ArrayCallKind, array_kind};
pub use cache::{Analysis, AnalysisCache, Cached};
pub use cold_blocks::ColdBlocks;
pub use components::Components;
pub use dead_ends::DeadEnds;
pub use destructors::destruction_may_store;
pub use dominators::{Dominators, PostDominators, value_dominates};
pub use epilogue::{Epilogue, EpilogueKind};
pub use frontiers::{ChosenDominators, Frontiers};
pub use induction::{Induction, Step};
pub use joins::Joins;
pub use loop_regions::{LoopRegions, Region, RegionEdge, RegionKind};
pub use loops::{Loop, LoopId, Loops};
pub use order::BlockOrder;
pub use path::path;
pub use ranges::{BlockRange, InstRange};
pub use rc_identity::RcIdentity;
pub use scopes::{Begin, Coherence, ScopeError, Scopes};
pub use silkit_ir::effects::{
    ArgumentEffects, ArgumentEscape, Effects, Escape, FunctionEffects, SideEffects,
};
pub use silkit_ir::{Component, Indexed, ProjectionPath};
pub use view::{BodyView, Definition, ProgramFacts, ProgramView};
