//! Utilities shared by transformations, one file each.
//!
//! | file | what it does |
//! |---|---|
//! | [`borrowed_from`] | corrects the lists of enclosing values of guaranteed phis |
//! | [`callee`] | gives a call another callee |
//! | [`canonical_lifetime`] | ends an owned value after its last use and removes unneeded copies |
//! | [`closures`] | finds the functions of closures, keeps captures alive and deletes dead closures |
//! | [`counting`] | selects the instructions that copy and destroy values without ownership |
//! | [`critical_edges`] | splits critical edges |
//! | [`dead_end_lifetimes`] | ends what is alive before `unreachable` |
//! | [`delete`] | deletes an instruction with its users, or with operands that become dead |
//! | [`destroy`] | destroys a value part by part |
//! | [`devirtualize`] | calls methods directly where the implementation is known |
//! | [`inliner`] | replaces a call by a copy of the callee's body |
//! | [`inst_simplify`] | finds values that an instruction gives and that are there already |
//! | [`lexical`] | tells which values have lexical lifetimes |
//! | [`lifetime_completion`] | ends values on paths that do not end them |
//! | [`linker`] | takes bodies of functions from a library |
//! | [`merge_blocks`] | merges a block into its only predecessor |
//! | [`redundant_borrow`] | lets the users of a borrow use what is borrowed |
//! | [`replace_borrowed`] | replaces a borrowed value by an identical one that dominates it |
//! | [`ssa_updater`] | rewrites uses of a variable with several definitions to the reaching definitions |
//! | [`stack_nesting`] | moves deallocations so that allocations on the stack are nested |
//! | [`mod@unreachable`] | removes unreachable blocks |
//! | [`variable_names`] | finds the variable name of a value |
//! | [`variables`] | salvages debug variables of removed instructions |

pub mod borrowed_from;
pub mod callee;
pub mod canonical_lifetime;
pub mod closures;
pub mod counting;
pub mod critical_edges;
pub mod dead_end_lifetimes;
pub mod delete;
pub mod destroy;
pub mod devirtualize;
pub mod inliner;
pub mod inst_simplify;
pub mod lexical;
pub mod lifetime_completion;
pub mod linker;
pub mod merge_blocks;
pub mod redundant_borrow;
pub mod replace_borrowed;
mod sets;
pub mod ssa_updater;
pub mod stack_nesting;
pub mod unreachable;
pub mod variable_names;
pub mod variables;
