//! What watches passes run.

mod print;

pub use print::{ChangePrinter, Functions, Printer, Selection};
