//! Analyses of function bodies, stored in dense tables.
//!
//! A [`BodyView`] is a function body in the context of its program: module, declarations, address mode, callees and
//! their effects. Each [`Analysis`] is a plain struct that is computed from a view in linear or almost linear time.
//! It holds no reference to the body; it is valid as long as [`silkit_ir::Body::changes_since`] reports no change of
//! the kinds that it depends on. An [`AnalysisCache`] keeps the valid analyses of one body.
//!
//! The folders: `cfg/` for control flow, `values/` for lifetimes and data flow of values, `memory/` for addresses and
//! aliasing, `program/` for the call graph and function effects.
//!
//! | analysis | answers | invalidated by changes of |
//! |---|---|---|
//! | [`BlockOrder`] | blocks in reverse postorder; reachability | edges |
//! | [`Dominators`], [`PostDominators`] | block dominance in constant time | edges |
//! | [`Frontiers`], [`Joins`], [`ChosenDominators`] | dominance frontiers and iterated dominance frontiers; the nearest dominator in a set of blocks | edges |
//! | [`Components`] | strongly connected components of blocks | edges |
//! | [`DeadEnds`] | blocks from which no path exits the function | edges |
//! | [`LoopRegions`] | the tree of blocks, loops and the function, with edges at each level | edges |
//! | [`Loops`] | natural loops: header, latches, exits, nesting, canonical form | edges |
//! | [`calls`] | possible callees, callers, the class hierarchy, bottom-up order | the module |
//! | [`RcIdentity`] | values with the same reference count | any kind |
//! | [`Induction`] | induction variables of a loop | any kind |
//! | [`Epilogue`] | the last retains and releases of a function | any kind |
//! | [`ArrayCall`] | calls with array semantics | – |
//! | [`ColdBlocks`] | rarely executed blocks | any kind |
//! | [`destruction_may_store`] | whether destroying a value may store to memory | – |
//! | [`Scopes`] | joint post-dominance of a scope by its ends; the instructions in a scope | any kind |
//! | [`alias`] | whether two addresses may alias; memory effects of instructions | – |
//! | [`access`] | the storage and access path of an address; the uses of a storage | – |
//! | [`memory`] | uniquely identified memory locations and the effects on them | instructions |
//! | [`ProjectionPath`] | parts of values and of the objects that they refer to, and patterns of such paths: `s0.c2.v**` | – |
//! | [`ossa`] | borrow scopes, enclosing values, liveness, lifetimes of address bases, accesses to local variables | – |
//! | [`walk`] | def-use and use-def walks along projection paths | – |
//! | [`escape`] | whether a value or an address may reach code with unknown effects | – |
//! | [`escape_effects`], [`side_effects`] | the effects of a function, from its body and its callees | – |
//! | [`proofs`] | possible effects of functions, with call chains that prove them | – |
//! | [`FunctionEffects`] | the declared effects of a function | – |
//! | [`BlockRange`], [`InstRange`] | the blocks or instructions between a dominating definition and its ends | instructions |
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
