//! Utilities shared by transformations, one file each.
//!
//! | file | what it does |
//! |---|---|
//! | [`abi_cast`] | converts values between ABI-compatible types |
//! | [`argument_specialization`] | copies a function to pass other things to its parameters |
//! | [`borrowed_copies`] | replaces copies of a guaranteed argument by the argument |
//! | [`borrowed_from`] | corrects the lists of enclosing values of guaranteed phis |
//! | [`callee`] | replaces the callee of a call |
//! | [`canonical_lifetime`] | ends an owned value after its last use and removes unneeded copies |
//! | [`closures`] | finds the functions of closures, extends the lifetimes of captures and deletes dead closures |
//! | [`counting`] | selects the instructions that copy and destroy values in non-OSSA functions |
//! | [`critical_edges`] | splits critical edges |
//! | [`dead_end_lifetimes`] | ends live values before `unreachable` |
//! | [`delete`] | deletes an instruction with its users, or with operands that become dead |
//! | [`destroy`] | destroys a value memberwise |
//! | [`devirtualize`] | replaces method lookups with known results by direct references |
//! | [`forwarded_ownership`] | keeps the ownership that instructions forward when their operand is replaced |
//! | [`inliner`] | replaces a call by a copy of the callee's body |
//! | [`inst_simplify`] | finds existing values that are equal to the result of an instruction |
//! | [`lexical`] | tests whether a value has a lexical lifetime |
//! | [`lower_ownership`] | lowers a body from OSSA to non-OSSA |
//! | [`lexical_destroy_folding`] | folds the ends of lexical borrow scopes into calls that consume a copy |
//! | [`lifetime_completion`] | ends values on paths that do not end them |
//! | [`merge_blocks`] | merges a block into its only predecessor |
//! | [`redundant_borrow`] | replaces a redundant borrow by its operand |
//! | [`replace_borrowed`] | replaces a borrowed value by an identical one that dominates it |
//! | [`replace_owned`] | replaces an owned value by an identical one that dominates it |
//! | [`scalar_casts`] | replaces casts in memory by casts of loaded values |
//! | [`shrink_borrow_scope`] | hoists the ends of a borrow scope to its last uses |
//! | [`ssa_updater`] | rewrites uses of a variable with several definitions to the reaching definitions |
//! | [`stack_nesting`] | moves deallocations so that stack allocations are properly nested |
//! | [`mod@unreachable`] | removes unreachable blocks |
//! | [`variable_names`] | finds the variable name of a value |
//! | [`variables`] | salvages debug variables of removed instructions |

pub mod abi_cast;
pub mod argument_specialization;
pub mod borrowed_copies;
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
pub mod forwarded_ownership;
pub mod inliner;
pub mod inst_simplify;
pub mod lexical;
pub mod lexical_destroy_folding;
pub mod lifetime_completion;
pub mod lower_ownership;
pub mod merge_blocks;
pub mod redundant_borrow;
pub mod replace_borrowed;
pub mod replace_owned;
pub mod scalar_casts;
mod sets;
pub mod shrink_borrow_scope;
pub mod ssa_updater;
pub mod stack_nesting;
pub mod unreachable;
pub mod variable_names;
pub mod variables;
