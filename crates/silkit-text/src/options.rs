//! Options of printing.

use crate::module::FileLocations;
use std::sync::Arc;

/// Options of the parser, named as the reference's.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseOptions {
    /// `-enable-sil-opaque-values`: values of every type are objects.
    pub opaque_values: bool,
}

/// Options of the printer, named as the reference's.
#[derive(Clone, Debug, Default)]
pub struct PrintOptions {
    /// `-sil-print-types`: every operand carries its type.
    pub types: bool,
    /// `-sil-print-debuginfo`: locations and scopes are printed.
    pub debug_info: bool,
    /// `-emit-sorted-sil`: entities, users and predecessors are sorted.
    pub sorted: bool,
    /// `-emit-verbose-sil`: comments say where instructions stand in their file.
    pub verbose: bool,
    /// Locations that were read are printed even without `debug_info`.
    pub keep_locations: bool,
    /// The first mentions of functions in the file that the module was read from, for `debug_info` and `verbose`.
    pub locations: Option<Arc<FileLocations>>,
}
