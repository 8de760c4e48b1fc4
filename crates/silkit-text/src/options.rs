//! Options of the parser and the printer.

use crate::module::FileLocations;
use std::sync::Arc;

/// Parser options, named as in the reference.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseOptions {
    /// `-enable-sil-opaque-values`: values of every type are objects.
    pub opaque_values: bool,
}

/// Printer options, named as in the reference.
#[derive(Clone, Debug, Default)]
pub struct PrintOptions {
    /// `-sil-print-types`: every operand prints with its type.
    pub types: bool,
    /// `-sil-print-debuginfo`: locations and scopes are printed.
    pub debug_info: bool,
    /// `-emit-sorted-sil`: entities, users and predecessors are sorted.
    pub sorted: bool,
    /// `-emit-verbose-sil`: comments give the positions of instructions in their file.
    pub verbose: bool,
    /// Locations that were parsed are printed even without `debug_info`.
    pub keep_locations: bool,
    /// The first mentions of functions in the file of the module, for `debug_info` and `verbose`.
    pub locations: Option<Arc<FileLocations>>,
}
