//! Analyses of function bodies, stored in dense tables.
//!
//! A [`BodyView`] is a function body in the context of its program: module, declarations, address mode, callees and
//! their effects. Each [`Analysis`] is a plain struct that is computed from a view in linear or almost linear time.
//! It holds no reference to the body; it is valid as long as [`silkit_ir::Body::changes_since`] reports no change of
//! the kinds that it depends on. An [`AnalysisCache`] keeps the valid analyses of one body.
//!
//! The folders: `cfg/` for control flow, `dataflow/` for sparse problems on it, `values/` for lifetimes and data flow of values, `memory/` for addresses and
//! aliasing, `program/` for the call graph and function effects.
//!
//! | analysis | answers | invalidated by changes of |
//! |---|---|---|
//! | [`BlockOrder`] | blocks in reverse postorder; reachability | edges |
//! | [`Dominators`], [`PostDominators`] | block dominance in constant time | edges |
//! | [`Frontiers`], [`Joins`], [`ChosenDominators`] | dominance frontiers and iterated dominance frontiers; the nearest dominator in a set of blocks | edges |
//! | [`dataflow`] | facts that change in few blocks, as bit rows; the definitions that reach a block | edges |
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
//!
//! # One view of a body
//!
//! `silkit_analysis::BodyView` is the body of a function in its program (`ProgramView`: module, declarations, address
//! mode, whole-program facts). Every analysis is computed from a view (`trait Analysis`) or queried through it
//! (`view.aliases()`, `escapes()`, `ownership()`, `behavior()`) by passes, the verifier, printers and commands. An
//! `AnalysisCache` keeps the analyses of a body until the body's history contains a change that they depend on or, for
//! analyses that depend on the program, until the program changes. Each analysis has one place in it: a stale analysis is
//! replaced when it is requested again, and a valid one is never dropped. `Cached::of` is the only way to read one: it
//! borrows the body, so that no edit can happen meanwhile, and panics in debug builds if the analysis is stale. A pass
//! whose edits keep an analysis valid says so (`FunctionContext::preserving`); debug builds compute it again and compare.
//! `Cached::detach` is for passes that want the state before their edits.
//!
//! `ProgramFacts` are computed on first use and hold no reference to the module, so the runner can keep them while
//! functions change. A function whose body is being changed is *busy*: its header is readable and `definition()` returns
//! `Busy`, which analyses treat as unknown, never as "no body". Its own effects are read from the function itself
//! (`BodyView::effects`).
//!
//! # Walks, escapes and effects
//!
//! `silkit_analysis::walk` knows the instructions that forward values and addresses, and tracks the `ProjectionPath` of
//! the followed part. A `Walker` handles all other instructions. Work items are on an explicit stack, so recursion depth
//! is not a concern. Escape analysis is such a walker: down to uses, up from stores to the memory, down again. It uses
//! the `FunctionEffects` of callees. Anything unknown escapes.
//!
//! Escape and side effects are computed by function passes (`silkit-opt/src/calls/`), which run after the passes of the
//! callees. An `EffectSink` receives the source of each side effect. `proofs` turns these into edges from facts about
//! callees to facts about callers; one backward search from all instructions gives the shortest proof of every fact about
//! every function.

mod cache;
mod cfg;
pub mod dataflow;
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
