//! Observers of pass runs, for printing.

mod print;

pub use print::{ChangePrinter, FunctionSelection, Printer, Selection};
