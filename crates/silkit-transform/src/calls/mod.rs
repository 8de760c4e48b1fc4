//! Utilities for calls and function values.

pub mod abi_cast;
pub mod argument_specialization;
pub mod callee;
pub mod closures;
pub mod devirtualize;
pub mod inliner;
