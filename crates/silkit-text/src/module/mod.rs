//! Modules: parser and printer.

mod ahead;
mod attributes;
pub(crate) mod body_end;
mod coverage;
pub(crate) mod debug_info;
mod file_locations;
mod parse;
mod print;
mod tables;

pub use file_locations::FileLocations;
pub(crate) use parse::ENTITIES;
pub use parse::{ParsedModule, parse_module, parse_module_with};
pub(crate) use print::print_entity;
pub use print::{print_function, print_global, print_module, write_module};
