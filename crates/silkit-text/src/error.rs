//! Syntax errors.

use crate::cursor::Cursor;
use silkit_base::TextRange;
use silkit_diag::{Diagnostic, FileId, RuleId, Span};
use std::borrow::Cow;

/// A syntax error, before it is added to the diagnostics of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// True if it is the first one in its body; others may be consequences of it.
    pub is_first: bool,
    /// The range of the error.
    pub range: TextRange,
    /// The message.
    pub message: Cow<'static, str>,
    /// A suggestion.
    pub help: Option<String>,
}

/// The result of parsing a part of a text.
pub type Parse<T> = Result<T, SyntaxError>;

impl SyntaxError {
    /// Returns the error with a suggestion.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the error as a diagnostic of a file.
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let span = Span::new(file, self.range.start, self.range.end);
        let diagnostic = Diagnostic::error(SYNTAX, self.message.to_string()).at(span);
        match &self.help {
            Some(help) => diagnostic.note(help.clone()),
            None => diagnostic,
        }
    }
}

/// The rule id of syntax errors.
const SYNTAX: RuleId = RuleId::new("SIL0001");

/// Returns an error for a range of the text.
pub(crate) fn err_at(start: usize, end: usize, message: impl Into<Cow<'static, str>>) -> SyntaxError {
    SyntaxError { is_first: true, range: TextRange::new(start, end), message: message.into(), help: None }
}

/// Returns an error for an unknown word, which begins at `start`. `known` are the words that are possible there, as
/// spelled, of which the most similar one is suggested.
pub(crate) fn err_unknown<'k>(
    start: usize,
    word: &str,
    message: impl Into<Cow<'static, str>>,
    known: impl IntoIterator<Item = &'k str>,
) -> SyntaxError {
    let error = err_at(start, start + word.len(), message);
    match silkit_diag::nearest(word, known) {
        Some(near) => error.with_help(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// Returns an error at the next token, or at the end of the current line if the token is on a later line.
pub(crate) fn err_here(cursor: &Cursor<'_>, message: impl Into<Cow<'static, str>>) -> SyntaxError {
    let mut at = cursor.clone();
    at.skip_trivia();
    let (text, start) = (at.text(), at.pos());
    if let Some(end) = end_of_previous_line(text, start) {
        return err_at(end, end, message);
    }
    let len = text.get(start..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
    err_at(start, start + len, message)
}

/// Returns the end of the last code before a token that is the first of its line.
fn end_of_previous_line(text: &str, token: usize) -> Option<usize> {
    let before = text.get(..token)?;
    let line_start = before.rfind('\n')? + 1;
    if !before[line_start..].trim().is_empty() {
        return None;
    }
    let mut rest = before[..line_start].trim_end();
    loop {
        let line = rest.rfind('\n').map_or(0, |n| n + 1);
        let code = rest[line..].find("//").map_or(rest, |n| &rest[..line + n]).trim_end();
        if code.len() > line {
            return Some(code.len());
        }
        if line == 0 {
            return None;
        }
        rest = rest[..line].trim_end();
    }
}

/// Parses fixed punctuation.
#[inline]
pub(crate) fn expect(cur: &mut Cursor<'_>, punctuation: &'static str) -> Parse<()> {
    if cur.eat(punctuation) { Ok(()) } else { Err(expected(cur, punctuation)) }
}

#[cold]
fn expected(cur: &Cursor<'_>, punctuation: &str) -> SyntaxError {
    err_here(cur, format!("expected `{punctuation}`"))
}
