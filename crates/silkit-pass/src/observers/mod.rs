//! Observers of pass runs.

mod print;

pub use print::{ChangePrinter, Functions, Printer, Selection};
