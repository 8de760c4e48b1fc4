//! Printers: passes of the reference for tests that print analysis results and do not change the module.

use silkit::ir::Module;
use silkit::ir::conventions::Addresses;
use silkit::reference::{ReferenceRenderer, dump_ownership};
use silkit::types::decl::Declarations;
use silkit::verify::Finding;

/// A printer pass.
pub(crate) struct Printer {
    /// The name of the option.
    pub(crate) name: &'static str,
    /// A one-line description of the output.
    pub(crate) summary: &'static str,
    /// Returns the output, which is written to standard error.
    pub(crate) print: fn(&PrinterInput<'_>) -> String,
}

/// The input of a printer.
pub(crate) struct PrinterInput<'a> {
    pub(crate) module: &'a Module,
    pub(crate) declarations: &'a Declarations,
    pub(crate) addresses: Addresses,
    /// The verifier errors, grouped by function.
    pub(crate) findings: &'a [Finding],
}

/// All printers.
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
