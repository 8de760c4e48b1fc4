//! How SIL is printed.

/// Options of the printer, named as the reference's.
#[derive(Clone, Debug, Default)]
pub struct PrintOptions {
    /// `-sil-print-types`: every operand carries its type.
    pub types: bool,
    /// `-sil-print-debuginfo`: locations and scopes are printed.
    pub debug_info: bool,
    /// `-emit-sorted-sil`: entities, users and predecessors are sorted.
    pub sorted: bool,
    /// Locations that were read are printed even without `debug_info`.
    pub keep_locations: bool,
}
