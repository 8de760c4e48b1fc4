//! Data structures that all other crates use: typed dense ids and maps, sets that are cleared in constant time,
//! bit sets, worklists, interned strings and values, strongly connected components, and text ranges.
//!
//! ```
//! use silkit_base::{entity, IdVec, Symbol};
//! entity!(/// A node of some graph.
//!     Node, "n");
//! let mut names: IdVec<Node, Symbol> = IdVec::new();
//! let n = names.push(Symbol::new("entry"));
//! assert_eq!(format!("{n} {}", names[n]), "n0 entry");
//! ```
//!
//! # Sets and worklists
//!
//! `silkit-base` has dense sets and worklists of entities (`EntitySet`, `BitSet`, `Worklist`), which cost as much as the
//! body has entities; a `BitSet` of up to 64 blocks allocates no memory. Walks that may visit a whole body use them. A
//! query about one value, of which a body has many, uses a hash set: its cost must follow the number of entities that it
//! visits, or a pass that asks for each value would be quadratic.
//!
//! # Interning
//!
//! Ids of interned values are `u32`, equal ids mean equal values, and the tables are process-wide and only grow. Ids
//! depend on the scheduling of threads: nothing is ordered or printed by id. `ARCHITECTURE.md` has the reasons.

mod components;
mod entity;
mod intern;
mod keyed;
mod set;
mod symbol;
mod text;

pub use components::strong_components;
pub use entity::{Entity, IdVec, SecondaryMap};
pub use intern::{Interned, Interner};
pub use keyed::{Keyed, KeyedVec};
pub use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};
pub use set::{BitSet, EntitySet, Worklist};
pub use symbol::Symbol;
pub use text::TextRange;
