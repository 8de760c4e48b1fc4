//! Silkit: read, hold, write and inspect Swift Intermediate Language.
//!
//! This is the facade: it gathers the crates under one name.
//!
//! ```
//! let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
//! let parsed = silkit::text::parse_module(text);
//! assert_eq!(parsed.module.functions.len(), 1);
//! ```

pub mod extract;
pub mod graph;
pub mod mangle;
pub mod references;

pub use silkit_base as base;
pub use silkit_demangle as demangle;
pub use silkit_diag as diag;
pub use silkit_ir as ir;
pub use silkit_text as text;
pub use silkit_types as types;

/// What a module declares in Swift, and the standard library that it sees.
pub fn declarations(module: &ir::Module) -> types::decl::Declarations {
    // Read as one text, so that what stands in what can be told from the places.
    let swift: Vec<&str> = module.swift.iter().map(|s| &*s.text).collect();
    let swift = swift.join("\n");
    let parsed = text::decl::parse_decls(&swift, 0..swift.len(), text::decl::Dialect::Sil);
    text::decl::with_stdlib(parsed.table)
}
