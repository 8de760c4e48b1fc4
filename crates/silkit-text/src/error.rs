//! What can be wrong with text.

use crate::cursor::Cursor;
use silkit_base::TextRange;
use std::borrow::Cow;

/// A finding about the text, before it is put into a file's diagnostics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub range: TextRange,
    /// What.
    pub message: Cow<'static, str>,
    /// What to try.
    pub help: Option<String>,
}

/// The outcome of reading a part of a text.
pub type Parse<T> = Result<T, SyntaxError>;

impl SyntaxError {
    /// The same error with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// An error about a range of the text.
pub(crate) fn err_at(start: usize, end: usize, message: impl Into<Cow<'static, str>>) -> SyntaxError {
    SyntaxError { range: TextRange::new(start, end), message: message.into(), help: None }
}

/// An error about what comes next.
pub(crate) fn err_here(cursor: &Cursor<'_>, message: impl Into<Cow<'static, str>>) -> SyntaxError {
    let mut at = cursor.clone();
    at.skip_trivia();
    let start = at.pos();
    let len = at.text().get(start..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
    err_at(start, start + len, message)
}
