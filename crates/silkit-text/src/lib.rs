//! The text form of SIL: an error-recovering parser that builds the IR directly, and the printer.
//!
//! ```
//! let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %x = tuple ()\n  return %x : $()\n}\n";
//! let parsed = silkit_text::parse_module(text);
//! assert!(parsed.errors.is_empty());
//! let printed = silkit_text::print_module(&parsed.module, &Default::default(), &|_| None);
//! assert!(printed.contains("  %0 = tuple ()                                   // user: %1\n"));
//! ```

mod body;
mod cursor;
pub mod decl;
mod decl_ref;
mod effects;
mod error;
mod existential;
mod format;
mod generic_env;
mod line_endings;
mod module;
mod named_types;
mod names;
mod options;
mod ordered;
mod printer;
mod source_map;
mod symbols;
mod types;

pub use body::{Dump, Numbering};
pub use cursor::Cursor;
pub use effects::{effect_texts, parse_effects};
pub use error::{Parse, SyntaxError};
pub use format::{format_module, format_module_checked, without_printed_comment};
pub use generic_env::GenericEnv;
pub use module::{
    FileLocations, ParsedModule, parse_module, parse_module_with, print_function, print_global, print_module,
    write_module,
};
pub use options::{ParseOptions, PrintOptions};
pub use printer::Demangle;
pub use source_map::{BodySourceMap, MappedText, ModuleSourceMap, PlacedEntity, SourceEntity, StatedType};
pub use types::signature::{parse_generic_sig, parse_requirements};
pub use types::{parse_sil_type, parse_substitutions, parse_type};
