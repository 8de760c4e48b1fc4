//! Sanitization of input text for printing: escapes control characters and limits the length of messages.

use std::borrow::Cow;
use std::fmt::Write;

/// The maximum number of characters of a message, for messages that quote very long names.
const MAX_CHARS: usize = 4000;

/// Returns text as a terminal may show it: control characters other than the ends of lines and tabs, and characters that
/// change the direction of the text after them, are escaped (`\u{1b}`).
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |c, out| out.extend(c.escape_default()))
}

/// Returns JSON as a terminal may show it, with the escapes of JSON (`\u009b`); its values stay the same. Such characters
/// occur in strings only.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    // All of these characters have four digits at most.
    escaped(text, |c, out| out.push_str(&format!("\\u{:04x}", u32::from(c))))
}

fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let is_bad = |c: char| is_unprintable(c) && !matches!(c, '\n' | '\t');
    if !text.chars().any(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for c in text.chars() {
        if is_bad(c) { escape(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Sanitizes text for a single line: line ends are escaped too.
pub fn one_line(text: &str) -> Cow<'_, str> {
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

/// Returns a text escaped for HTML and XML, which do not allow most control characters.
pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// The minimum width of wrapped text in columns.
const NARROWEST: usize = 20;

/// Sanitizes text that can have several lines, and wraps lines that are longer than `width` characters between words.
pub(super) fn wrapped(text: &str, width: usize) -> Cow<'_, str> {
    let text = many_lines(text);
    let width = width.max(NARROWEST);
    if text.lines().all(|line| line.chars().count() <= width) {
        return text;
    }
    let mut out = String::new();
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let mut column = 0;
        for word in line.split(' ') {
            let length = word.chars().count();
            if column > 0 {
                let fits = column + 1 + length <= width;
                out.push(if fits { ' ' } else { '\n' });
                column = if fits { column + 1 } else { 0 };
            }
            out.push_str(word);
            column += length;
        }
    }
    Cow::Owned(out)
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
    fn terminals_and_json() {
        assert!(matches!(printable("a\tb\n"), Cow::Borrowed(_)));
        assert_eq!(printable("a\n\x1b]0;b\x07\u{9b}\u{202e}\r"), "a\n\\u{1b}]0;b\\u{7}\\u{9b}\\u{202e}\\r");
        let json = printable_json("{\"a\": \"\u{9b}\u{2066}é\"}\n").into_owned();
        assert_eq!(json, "{\"a\": \"\\u009b\\u2066é\"}\n");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["a"], "\u{9b}\u{2066}é");
    }

    #[test]
    fn wraps_between_words() {
        assert!(matches!(wrapped("short", 20), Cow::Borrowed(_)));
        let text = "the owned value `%0` is not consumed\non a path to `unchecked_take_enum_data_addr`";
        let expected = "the owned value `%0`\nis not consumed\non a path to\n`unchecked_take_enum_data_addr`";
        assert_eq!(wrapped(text, 20), expected);
        // No column is narrower than a word or two.
        assert_eq!(wrapped(text, 3), expected);
    }

    #[test]
    fn cuts() {
        let cut = one_line(&"é".repeat(10_000)).into_owned();
        assert!(cut.ends_with("é... (12000 more bytes)"), "{}", &cut[cut.len() - 40..]);
        assert_eq!(one_line(&"x".repeat(MAX_CHARS)).len(), MAX_CHARS);
    }
}
