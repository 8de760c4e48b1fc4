//! Analyses of a body, computed from its blocks, edges and uses, in dense tables.
//!
//! A [`BodyView`] is a function's body in its program: module, declarations, address mode, callees and their effects.
//! Each [`Analysis`] is a plain struct that is computed from a view in linear or almost linear time. It holds no
//! reference to the body; it is valid as long as [`silkit_ir::Body::changes_since`] shows no change of what it depends on.
//! An [`AnalysisCache`] keeps the analyses of one body while they are valid.
//!
//! `cfg/` is about control flow, `values/` about what flows through it, `memory/` about addresses, `program/` about
//! functions that call each other.
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
//! | [`escape`] | whether a value or an address may reach code with unknown effects | – |
//! | [`escape_effects`], [`side_effects`] | the effects of a function, from its body and what it calls | – |
//! | [`proofs`] | what functions may do, with the calls that prove it | – |
//! | [`FunctionEffects`] | the effects that follow a function's type, as data | – |
//! | [`BlockRange`], [`InstRange`] | what lies between a definition that dominates and its ends | instructions |
//! | [`path`] | a shortest path between blocks | – |

mod cache;
mod cfg;
pub mod memory;
mod program;
pub mod testing;
mod values;
mod view;

pub use cache::{Analysis, AnalysisCache, Cached};
pub use cfg::*;
pub use memory::{access, alias};
pub use program::{calls, escape_effects, proofs, side_effects};
pub use silkit_ir::effects::{
    ArgumentEffects, ArgumentEscape, Effects, Escape, FunctionEffects, SideEffects,
};
pub use silkit_ir::{Component, Indexed, ProjectionPath};
pub use values::*;
pub use view::{BodyView, Definition, ProgramFacts, ProgramView};
