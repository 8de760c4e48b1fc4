//! What several passes need: one file for each thing.
//!
//! | file | what it does |
//! |---|---|
//! | [`borrowed_from`] | says of guaranteed phis which values enclose them |
//! | [`canonical_lifetime`] | lets an owned value live up to its last use, without needless copies |
//! | [`counting`] | how copies and destructions are spelled without ownership |
//! | [`critical_edges`] | splits edges that have no place of their own |
//! | [`delete`] | removes an instruction with all that uses it, or with what only it needed |
//! | [`destroy`] | destroys a value part by part |
//! | [`inliner`] | puts a copy of a callee's body in place of a call |
//! | [`lifetime_completion`] | ends values on paths where nothing ends them |
//! | [`merge_blocks`] | makes one block of two where nothing else leads from one or to the other |
//! | [`ssa_updater`] | gives uses of a variable with several definitions the values that reach them |
//! | [`stack_nesting`] | moves deallocations so that allocations on the stack are nested |
//! | [`mod@unreachable`] | removes blocks that no path leads to |
//! | [`variable_names`] | says what people call a value |
//! | [`variables`] | keeps what a removed instruction says about variables |

pub mod borrowed_from;
pub mod canonical_lifetime;
pub mod counting;
pub mod critical_edges;
pub mod delete;
pub mod destroy;
pub mod inliner;
pub mod lifetime_completion;
pub mod merge_blocks;
mod sets;
pub mod ssa_updater;
pub mod stack_nesting;
pub mod unreachable;
pub mod variable_names;
pub mod variables;
