//! What editors ask about a SIL text: findings, hover, definitions, references, completion, hints, folding, fixes.
//!
//! A [`Document`] is one version of a text. It never changes, so threads share it and an answer never mixes two versions;
//! an edit makes a new document. Everything it knows is computed when it is first asked for, once: the lexical index
//! ([`silkit_text::TokenIndex`]), the module with its source map, and the findings. A whole module of a megabyte is read
//! and verified in less time than a person notices, so there is no incremental parser.
//!
//! Definitions, references, renaming, folding and completion come from the lexical index, and so are answered for text
//! that does not parse. Types, ownership and findings come from the module.
//!
//! Places are byte ranges in the text. Nothing here knows a protocol: `silkit-lsp` translates.
//!
//! ```
//! use silkit_ide::Document;
//! let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tuple ()\n  return %0\n}\n";
//! let document = Document::new(text);
//! assert!(document.diagnostics().is_empty());
//! let used = text.rfind("%0").unwrap();
//! assert_eq!(document.definition(used).unwrap().start as usize, text.find("%0").unwrap());
//! assert!(document.hover(used).unwrap().markdown.contains("%0 : $()"));
//! ```

mod complete;
mod document;
mod drawing;
mod edit;
mod fixes;
mod hints;
mod hover;
mod locate;
mod navigate;
mod outline;
mod swift;
#[cfg(test)]
mod tests;

pub use complete::{Completion, CompletionKind};
pub use document::{Diagnosed, Document, MAX_ANALYZED};
pub use edit::{Edit, apply};
pub use fixes::Fix;
pub use hints::{Hint, HintKind};
pub use hover::Hover;
pub use navigate::RenameError;
pub use outline::{FunctionSummary, Outline, OutlineKind};
pub use silkit_diag::{Diagnostic, RuleId, Severity, Span};
pub use silkit_ir::SwiftPosition;
pub use silkit_text::{Token, TokenIndex, TokenKind, TokenRole, TokenScope};
pub use swift::SwiftLine;

pub use silkit_base::TextRange;

/// Returns the name of a symbol as people read it; the symbol itself if it is not mangled.
pub fn readable(symbol: &str) -> String {
    silkit_demangle::demangle(symbol, silkit_demangle::Style::Simplified).unwrap_or_else(|| symbol.to_owned())
}

/// Returns the text of a range; empty if the range is not in the text.
pub(crate) fn slice(text: &str, range: TextRange) -> &str {
    text.get(range.as_usize()).unwrap_or_default()
}

/// Returns the code of the line at an offset: up to the end of the line, without the comment.
pub(crate) fn code_at(text: &str, start: usize) -> &str {
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.split_once(" //").map_or(line, |(code, _)| code).trim_end()
}
