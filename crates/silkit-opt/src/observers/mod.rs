//! What watches passes run.

mod print;

pub use print::{ChangePrinter, Printer, Selection};
