//! The text form of SIL: an error-recovering parser that builds the IR directly, and the printer.
//!
//! ```
//! let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %x = tuple ()\n  return %x : $()\n}\n";
//! let parsed = silkit_text::parse_module(text);
//! assert!(parsed.errors.is_empty());
//! let printed = silkit_text::print_module(&parsed.module, &Default::default(), &|_| None);
//! assert!(printed.contains("  %0 = tuple ()                                   // user: %1\n"));
//! ```
//!
//! # Reading
//!
//! The top level is read by one thread, and bodies, which it only measures, in parallel. A large text is also read ahead,
//! in chunks (`silkit-text/src/module/ahead.rs`): each begins at a line that looks like an entity, which may stand in a
//! comment. The reader of the top level takes a chunk where it comes to its beginning itself and nothing was declared
//! since, so what is read does not depend on the chunks.
//!
//! # Source positions
//!
//! The IR holds no offsets. The parser returns a `ModuleSourceMap` beside the module: dense vectors of `u32` for each
//! body, the ranges of entities, and information that only the text has (types stated at uses, names in tests). The map
//! is passed to everything that reports positions: the verifier and its renderer, the pass runner, commands. Findings and
//! pass diagnostics name entities; entities created by a pass have no position. Debug locations are different: they are
//! data that passes preserve. If a module will be printed with debug info, `FileLocations::assign` turns file positions
//! into locations before the first change.
//!
//! # Comments
//!
//! The IR holds no comments; `opt` drops them, as the reference does. `fmt` prints each entity with the same printer in
//! textual order and then inserts the source's comments at the lines that correspond to their original lines
//! (`silkit-text/src/format/`). Comments that the printer generates, such as users, are recognized by their form.
//!
//! # Canonical form
//!
//! Where SIL has several spellings, the compiler prints one canonical form. So does `opt`, while `fmt` keeps the spelling
//! of the file. A parser with `Protocols` (`silkit-text/src/existential.rs`) reads into the canonical form:
//!
//! - types after `$`: `any` before existentials, aliases resolved, `Optional<T>` for `T?`, no parentheses around a single
//!   type, generic parameters within bodies as `τ_d_i` (unless the compiler itself mixed both spellings), `@in` for
//!   `@in_constant`; formal types, such as the types of call arguments, keep their sugar;
//! - attributes in the order of the tables in `silkit-text/src/module/attributes/`, effects by argument; one spelling for
//!   literals, messages, variables and tests;
//! - ownership of trivial values, and forwarding ownership that follows from the operands, are dropped; phis that end
//!   borrows are reborrows; `witness_method` uses the value that opened its type;
//! - omitted formal types of members come from the declarations of the file (`decl/formal.rs`); stored types know which
//!   names are protocols.
//!
//! Spellings on which compilers differ are kept: names of generic parameters of functions without a body, the module of a
//! conformance unless `-module-name` is given, `type $T` of variables, old spellings of entries in witness tables.
//!
//! Debug info prints only on request. Then scopes (`module/debug_info.rs`) are numbered in the order of their first use,
//! and instructions without `loc` get their position in the file.

mod body;
mod cursor;
pub mod decl;
mod decl_ref;
pub mod dialect;
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
mod tokens;
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
pub use tokens::{Token, TokenIndex, TokenKind, TokenRole, TokenScope, symbol_text};
pub use types::signature::{parse_generic_sig, parse_requirements};
pub use types::{parse_sil_type, parse_substitutions, parse_type};
