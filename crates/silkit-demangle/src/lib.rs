//! A pure Rust demangler of Swift symbols.
