//! Diagnostics as plain data, and renderers for them.
//!
//! The parser, the verifier and passes build [`Diagnostic`]s and push them into a [`Diagnostics`] collection; the
//! binary selects a renderer. A diagnostic stores only byte ranges. The renderer looks up lines and columns in a
//! [`SourceMap`], so a diagnostic that is not rendered has no lookup cost.
//!
//! ```
//! use silkit_diag::{Diagnostic, Diagnostics, RuleId, SourceMap, Span, nearest, render};
//!
//! const UNKNOWN_INSTRUCTION: RuleId = RuleId::new("SIL0101");
//!
//! let mut sources = SourceMap::new();
//! let file = sources.add("a.sil", "bb0:\n  %1 = stract_extract %0\n")?;
//! let span = Span::new(file, 12, 26);
//!
//! let mut found = Diagnostics::new();
//! let mut d = Diagnostic::error(UNKNOWN_INSTRUCTION, "unknown instruction `stract_extract`").at(span);
//! if let Some(name) = nearest("stract_extract", ["struct_extract", "tuple_extract"]) {
//!     d = d.suggest(format!("did you mean `{name}`?"), span, name);
//! }
//! found.push(d);
//!
//! assert_eq!(found.error_count(), 1);
//! assert_eq!(
//!     render::short(found.sorted(), &sources),
//!     "a.sil:2:8: error: unknown instruction `stract_extract` [SIL0101]\n\
//!      a.sil:2:8: help: did you mean `struct_extract`?\n",
//! );
//! # Ok::<(), silkit_diag::TextTooLong>(())
//! ```

mod collect;
mod diagnostic;
pub mod expected;
mod grouped;
mod nearest;
pub mod render;
mod source;

pub use collect::Diagnostics;
pub use diagnostic::{
    DiagnosedEntity, Diagnostic, EntityKind, FileId, Label, Note, OriginFrame, RuleId, RuleInfo, Severity,
    Span, Suggestion, TextEdit,
};
pub use grouped::grouped;
pub use nearest::{MAX_NAME_LEN, nearest};
pub use source::{LineColumn, SourceFile, SourceMap, SourceText, TextTooLong};
