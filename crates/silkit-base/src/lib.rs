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
