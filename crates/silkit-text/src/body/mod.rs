//! Bodies of functions: text to IR and IR to text, both driven by the instruction table.

mod custom;
mod debug_var;
mod keypath;
mod opened;
pub(crate) mod parse;
pub(crate) mod print;
