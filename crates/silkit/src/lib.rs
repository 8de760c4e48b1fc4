//! Silkit: a library to read, analyze, verify, transform and write Swift Intermediate Language (SIL).
//!
//! This crate is the facade, which re-exports the other crates. `docs/library.md` is a guided tour.
//!
//! ```
//! let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
//! let module = silkit::read("f.sil", text.as_bytes())?;
//! assert_eq!(module.functions.len(), 1);
//! assert!(silkit::print(&module).contains("return %0"));
//! # Ok::<(), silkit::Unreadable>(())
//! ```

pub mod extract;
pub mod library;
mod module_name;
pub mod names;
pub mod passes;
mod read;
pub mod reduce;
pub mod reference;

pub use module_name::set_module_name;
pub use read::{Unreadable, read, sil_type};
pub use silkit_analysis as analysis;
pub use silkit_base as base;
pub use silkit_binary as binary;
pub use silkit_debug_passes as debug_passes;
pub use silkit_demangle as demangle;
pub use silkit_diag as diag;
pub use silkit_diff as diff;
pub use silkit_graph as graph;
pub use silkit_ir as ir;
pub use silkit_ir::references;
pub use silkit_link as link;
pub use silkit_mangle as mangle;
pub use silkit_opt as opt;
pub use silkit_pass as pass;
pub use silkit_swiftmodule as swiftmodule;
pub use silkit_text as text;
pub use silkit_text::decl::{declarations, declarations_of, declarations_with, library_table};
pub use silkit_transform as transform;
pub use silkit_types as types;
pub use silkit_verify as verify;

/// Returns the text of a module as the reference prints it.
pub fn print(module: &ir::Module) -> String {
    text::print_module(module, &text::PrintOptions::default(), &comment_name)
}

/// Returns the simplified demangled name, as in comments in SIL. This is the default demangler of printers.
///
/// ```
/// assert_eq!(silkit::comment_name("$s4main5greet4nameS2S_tF").as_deref(), Some("greet(name:)"));
/// assert_eq!(silkit::comment_name("main"), None);
/// ```
pub fn comment_name(symbol: &str) -> Option<String> {
    demangle::demangle(symbol, demangle::Style::Simplified)
}
