//! Sanitization of input text for printing: escapes control characters and limits the length of messages.

use std::borrow::Cow;
use std::fmt::Write;

/// The maximum number of characters of a message, for messages that quote very long names.
const MAX_CHARS: usize = 4000;

/// Sanitizes text for a single line: line ends are escaped too.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    clean(text, false)
}

/// Sanitizes text that can have several lines.
pub(super) fn many_lines(text: &str) -> Cow<'_, str> {
    clean(text, true)
}

/// Sanitizes text that can have several lines; the lines after the first are indented, so that none looks like another
/// message.
pub(super) fn indented(text: &str) -> String {
    many_lines(text).replace('\n', "\n  ")
}

fn clean(text: &str, keep_newlines: bool) -> Cow<'_, str> {
    let is_bad = |c: char| is_unprintable(c) && !(keep_newlines && c == '\n');
    let is_long = text.len() > MAX_CHARS;
    if !is_long && !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut rest = text.chars();
    for c in rest.by_ref().take(MAX_CHARS) {
        if is_bad(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    let more = rest.as_str().len();
    if more > 0 {
        // Writing to a string cannot fail.
        let _ = write!(out, "... ({more} more bytes)");
    }
    Cow::Owned(out)
}

/// Returns true for control characters and for characters that change the direction of the following text.
pub(super) fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert!(matches!(one_line("plain é"), Cow::Borrowed(_)));
        assert_eq!(one_line("a\nb\x1b[31m\u{202e}"), "a\\nb\\u{1b}[31m\\u{202e}");
        assert_eq!(many_lines("a\nb\tc"), "a\nb\\tc");
    }

    #[test]
    fn cuts() {
        let cut = one_line(&"é".repeat(10_000)).into_owned();
        assert!(cut.ends_with("é... (12000 more bytes)"), "{}", &cut[cut.len() - 40..]);
        assert_eq!(one_line(&"x".repeat(MAX_CHARS)).len(), MAX_CHARS);
    }
}
