//! The meaning of instructions: effects, ownership, conventions, types of results and relations between instructions,
//! computed from the instruction table.

pub(crate) mod address_use;
pub mod behavior;
pub(crate) mod calls;
pub(crate) mod chain;
pub mod conventions;
pub mod effects;
pub(crate) mod expected;
pub(crate) mod function_value;
pub(crate) mod identical;
pub(crate) mod infer;
pub mod ownership;
pub(crate) mod reborrow;
pub mod references;
pub mod roles;
pub(crate) mod runtime;
pub(crate) mod stack;
