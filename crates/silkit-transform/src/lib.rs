//! Utilities shared by transformations, one file each, in a folder for each subject.
//!
//! `calls`: calls and function values
//!
//! | file | what it does |
//! |---|---|
//! | [`abi_cast`] | converts values between ABI-compatible types |
//! | [`argument_specialization`] | copies a function to pass other things to its parameters |
//! | [`callee`] | replaces the callee of a call |
//! | [`closures`] | finds the functions of closures, extends the lifetimes of captures and deletes dead closures |
//! | [`devirtualize`] | replaces method lookups with known results by direct references |
//! | [`inliner`] | replaces a call by a copy of the callee's body |
//!
//! `cfg`: blocks and edges
//!
//! | file | what it does |
//! |---|---|
//! | [`critical_edges`] | splits critical edges |
//! | [`merge_blocks`] | merges a block into its only predecessor |
//! | [`mod@unreachable`] | removes unreachable blocks |
//!
//! `lifetime`: ownership, lifetimes and borrow scopes
//!
//! | file | what it does |
//! |---|---|
//! | [`borrowed_copies`] | replaces copies of a guaranteed argument by the argument |
//! | [`borrowed_from`] | corrects the lists of enclosing values of guaranteed phis |
//! | [`canonical_lifetime`] | ends an owned value after its last use and removes unneeded copies |
//! | [`dead_end_lifetimes`] | ends live values before `unreachable` |
//! | [`forwarded_ownership`] | keeps the ownership that instructions forward when their operand is replaced |
//! | [`lexical`] | tests whether a value has a lexical lifetime |
//! | [`lexical_destroy_folding`] | folds the ends of lexical borrow scopes into calls that consume a copy |
//! | [`lifetime_completion`] | ends values on paths that do not end them |
//! | [`lower_ownership`] | lowers a body from OSSA to non-OSSA |
//! | [`redundant_borrow`] | replaces a redundant borrow by its operand |
//! | [`replace_borrowed`] | replaces a borrowed value by an identical one that dominates it |
//! | [`replace_owned`] | replaces an owned value by an identical one that dominates it |
//! | [`shrink_borrow_scope`] | hoists the ends of a borrow scope to its last uses |
//!
//! [`patterns`]: the engine that applies named local rewrites
//!
//! `values`: instructions and the values that they define
//!
//! | file | what it does |
//! |---|---|
//! | [`counting`] | selects the instructions that copy and destroy values in non-OSSA functions |
//! | [`delete`] | deletes an instruction with its users, or with operands that become dead |
//! | [`destroy`] | destroys a value memberwise |
//! | [`inst_simplify`] | finds existing values that are equal to the result of an instruction |
//! | [`scalar_casts`] | replaces casts in memory by casts of loaded values |
//! | [`ssa_updater`] | rewrites uses of a variable with several definitions to the reaching definitions |
//! | [`stack_nesting`] | moves deallocations so that stack allocations are properly nested |
//!
//! `variables`: debug variables
//!
//! | file | what it does |
//! |---|---|
//! | [`variables`] | salvages debug variables of removed instructions |
//! | [`variable_names`] | finds the variable name of a value |

mod calls;
mod cfg;
mod lifetime;
pub mod patterns;
mod values;
pub mod variables;

pub use calls::{abi_cast, argument_specialization, callee, closures, devirtualize, inliner};
pub use cfg::{critical_edges, merge_blocks, unreachable};
pub use lifetime::{
    borrowed_copies, borrowed_from, canonical_lifetime, dead_end_lifetimes, forwarded_ownership, lexical,
    lexical_destroy_folding, lifetime_completion, lower_ownership, redundant_borrow, replace_borrowed,
    replace_owned, shrink_borrow_scope,
};
pub use values::{counting, delete, destroy, inst_simplify, scalar_casts, ssa_updater, stack_nesting};
pub use variables::variable_names;
