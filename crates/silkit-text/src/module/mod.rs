//! Modules: text to IR and IR to text.

mod parse;
mod print;
mod tables;

pub use parse::{Entity, ParsedModule, Placed, parse_module};
pub(crate) use print::print_entity;
pub use print::print_module;
