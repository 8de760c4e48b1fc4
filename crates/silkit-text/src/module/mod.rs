//! Modules: text to IR and IR to text.

mod parse;
mod print;
mod tables;

pub use parse::{ParsedModule, parse_module};
pub use print::print_module;
