//! Printers: passes of the reference that print and change nothing, for tests.

use silkit::ir::Module;
use silkit::ir::conventions::Addresses;
use silkit::reference::{ReferenceRenderer, dump_ownership};
use silkit::types::decl::Declarations;
use silkit::verify::Finding;

/// A pass that prints.
pub(crate) struct Printer {
    /// The name of its option.
    pub(crate) name: &'static str,
    /// One line that says what it prints.
    pub(crate) summary: &'static str,
    /// Returns what it prints, to standard error.
    pub(crate) print: fn(&PrinterInput<'_>) -> String,
}

/// The input of a printer.
pub(crate) struct PrinterInput<'a> {
    pub(crate) module: &'a Module,
    pub(crate) declarations: &'a Declarations,
    pub(crate) addresses: Addresses,
    /// The verifier's errors, by functions.
    pub(crate) findings: &'a [Finding],
}

/// All of them.
pub(crate) static PRINTERS: &[Printer] = &[
    Printer {
        name: "ownership-dumper",
        summary: "Print how instructions use their operands",
        print: |s| dump_ownership(s.module, s.declarations, s.addresses),
    },
    Printer {
        name: "ownership-verifier-textual-error-dumper",
        summary: "Print ownership errors in the format of sil-opt",
        print: |s| ReferenceRenderer::new(s.module).ownership_errors(s.findings),
    },
];
