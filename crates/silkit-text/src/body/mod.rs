//! Function bodies: parser and printer, both driven by the instruction table.

pub(crate) mod custom;
mod debug_var;
mod dump;
mod extreme;
mod keypath;
mod literal;
mod operands;
pub(crate) mod parse;
pub(crate) mod print;

pub use dump::{Dump, Numbering};
