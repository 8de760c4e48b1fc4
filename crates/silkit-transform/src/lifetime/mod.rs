//! Utilities for ownership, lifetimes and borrow scopes.

pub mod borrowed_copies;
pub mod borrowed_from;
pub mod canonical_lifetime;
pub mod dead_end_lifetimes;
pub mod forwarded_ownership;
pub mod lexical;
pub mod lexical_destroy_folding;
pub mod lifetime_completion;
pub mod lower_ownership;
pub mod redundant_borrow;
pub mod replace_borrowed;
pub mod replace_owned;
pub mod shrink_borrow_scope;
