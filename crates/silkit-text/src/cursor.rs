//! A tokenless scanner: each method inspects the bytes at the current position.

use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;

/// A position in a text, with methods that inspect and consume the text after it.
#[derive(Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    end: usize,
    /// The range of the white space and comments that were skipped last. A look ahead skips what is skipped again after it.
    skipped: (usize, usize),
}

/// A range that begins at no offset.
const NOTHING_SKIPPED: (usize, usize) = (usize::MAX, 0);

/// A byte that may be in an identifier.
const IDENT: u8 = 1;
/// A byte that may be in an operator.
const OPERATOR: u8 = 1 << 1;
/// The first byte of white space or a comment.
const TRIVIA: u8 = 1 << 2;

/// The classes of each byte. Bytes above ASCII are parts of letters.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80 {
            classes[at] |= IDENT;
        }
        if matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c | b'/') {
            classes[at] |= TRIVIA;
        }
        at += 1;
    }
    let operators = b"/=-+*%<>!&|^~?.";
    at = 0;
    while at < operators.len() {
        classes[operators[at] as usize] |= OPERATOR;
        at += 1;
    }
    classes
};

#[inline]
fn is(byte: u8, class: u8) -> bool {
    CLASSES[usize::from(byte)] & class != 0
}

/// Returns the end of the block comment that begins at `start`, or `None` if it is never closed. Block comments nest.
pub(crate) fn block_comment_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0usize);
    while at < bytes.len() {
        at += memchr2(b'/', b'*', &bytes[at..])?;
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// Returns true if a byte may be in an identifier; bytes above ASCII are parts of letters.
#[inline]
pub(crate) fn is_ident_byte(b: u8) -> bool {
    is(b, IDENT)
}

/// Returns the number of bytes at the start that fulfil a condition.
#[inline]
pub(crate) fn prefix_len(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    // Groups of constant size are unrolled, which halves the work for a byte.
    let (groups, rest) = bytes.as_chunks::<4>();
    for (at, group) in groups.iter().enumerate() {
        if let Some(n) = group.iter().position(|&byte| !test(byte)) {
            return at * 4 + n;
        }
    }
    bytes.len() - rest.len() + rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len())
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, pos: 0, end: text.len(), skipped: NOTHING_SKIPPED }
    }

    /// Creates a cursor at the start of a range of a text. Offsets are relative to the whole text.
    pub fn in_range(text: &'a str, range: std::ops::Range<usize>) -> Self {
        Self { text, pos: range.start, end: range.end.min(text.len()), skipped: NOTHING_SKIPPED }
    }

    /// Returns the current offset in the text.
    #[inline]
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Sets the current offset.
    #[inline]
    pub fn set_pos(&mut self, pos: usize) {
        self.pos = pos.min(self.end);
    }

    /// Returns the whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the offset at which the cursor stops.
    pub fn end(&self) -> usize {
        self.end
    }

    #[inline]
    fn byte(&self, pos: usize) -> u8 {
        if pos < self.end { self.text.as_bytes()[pos] } else { 0 }
    }

    fn slice(&self, start: usize, end: usize) -> Option<&'a str> {
        self.text.get(start..end)
    }

    /// Skips white space and comments.
    #[inline]
    pub fn skip_trivia(&mut self) {
        if !is(self.byte(self.pos), TRIVIA) {
            return;
        }
        // The usual case is a single space.
        if self.byte(self.pos) == b' ' && !is(self.byte(self.pos + 1), TRIVIA) {
            self.pos += 1;
            return;
        }
        self.skip_long_trivia();
    }

    fn skip_long_trivia(&mut self) {
        let start = self.pos;
        if self.skipped.0 == start {
            self.pos = self.skipped.1;
            return;
        }
        self.skip_spaces_and_comments();
        self.skipped = (start, self.pos);
    }

    fn skip_spaces_and_comments(&mut self) {
        loop {
            self.skip_spaces();
            match self.byte(self.pos) {
                b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'/' if self.byte(self.pos + 1) == b'/' => self.pos = self.line_end(),
                b'/' if self.byte(self.pos + 1) == b'*' => {
                    self.pos = self.block_comment_end().unwrap_or(self.end);
                }
                _ => return,
            }
        }
    }

    /// Skips spaces, eight at a time: comments are padded with them.
    fn skip_spaces(&mut self) {
        let bytes = &self.text.as_bytes()[..self.end];
        while let Some(eight) = bytes.get(self.pos..).and_then(<[u8]>::first_chunk::<8>) {
            let other = u64::from_le_bytes(*eight) ^ 0x2020_2020_2020_2020;
            if other != 0 {
                self.pos += other.trailing_zeros() as usize / 8;
                return;
            }
            self.pos += 8;
        }
        while self.byte(self.pos) == b' ' {
            self.pos += 1;
        }
    }

    /// Returns the end of the block comment that begins at the cursor, or `None` if it is never closed.
    pub(crate) fn block_comment_end(&self) -> Option<usize> {
        block_comment_end(&self.text.as_bytes()[..self.end], self.pos)
    }

    /// Returns the offset of the end of the line, at a line feed or a carriage return.
    pub fn line_end(&self) -> usize {
        let rest = &self.text.as_bytes()[self.pos.min(self.end)..self.end];
        memchr2(b'\n', b'\r', rest).map_or(self.end, |n| self.pos + n)
    }

    /// Skips white space and comments and returns the next byte, or 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        self.skip_trivia();
        self.byte(self.pos)
    }

    /// Returns the byte at the cursor, or 0 at the end.
    #[inline]
    pub fn here(&self) -> u8 {
        self.byte(self.pos)
    }

    /// Skips white space and comments and returns true if nothing follows.
    pub fn at_end(&mut self) -> bool {
        self.skip_trivia();
        self.pos >= self.end
    }

    /// Skips white space and comments and returns true if these bytes follow.
    // Most callers ask for a constant of one byte; inlined, that is a comparison of this byte.
    #[inline(always)]
    pub fn looking_at(&mut self, punctuation: &str) -> bool {
        self.skip_trivia();
        self.is_here(punctuation)
    }

    /// Returns true if these bytes are at the cursor.
    #[inline(always)]
    pub(crate) fn is_here(&self, punctuation: &str) -> bool {
        if let &[byte] = punctuation.as_bytes() {
            return self.byte(self.pos) == byte && self.pos < self.end;
        }
        // Most calls ask in vain, which the first byte tells.
        punctuation.as_bytes().first().is_none_or(|&first| self.byte(self.pos) == first)
            && self.text.as_bytes()[self.pos.min(self.end)..self.end].starts_with(punctuation.as_bytes())
    }

    /// Returns true if these bytes follow after white space and comments, without moving the cursor.
    #[inline(always)]
    pub fn is_next(&self, punctuation: &str) -> bool {
        self.clone().looking_at(punctuation)
    }

    /// Consumes these bytes if they come next.
    #[inline(always)]
    pub fn eat(&mut self, punctuation: &str) -> bool {
        let found = self.looking_at(punctuation);
        if found {
            self.pos += punctuation.len();
        }
        found
    }

    /// Consumes this word if it comes next.
    #[inline]
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.looking_at(word) && !is_ident_byte(self.byte(self.pos + word.len()));
        if found {
            self.pos += word.len();
        }
        found
    }

    /// Returns the next identifier without consuming it.
    pub fn peek_word(&mut self) -> Option<&'a str> {
        self.skip_trivia();
        let pos = self.pos;
        let word = self.ident();
        self.pos = pos;
        word
    }

    /// Consumes an identifier; an escaped one keeps its backticks.
    #[inline]
    pub fn ident(&mut self) -> Option<&'a str> {
        self.skip_trivia();
        let start = self.pos;
        let first = self.byte(start);
        if first == b'`' {
            let rest = &self.text.as_bytes()[start + 1..self.end];
            let len = memchr(b'`', rest)?;
            if memchr2(b'\n', b'\r', &rest[..len]).is_some() {
                return None;
            }
            self.pos = start + len + 2;
            return self.slice(start, self.pos);
        }
        if !is_ident_byte(first) || first.is_ascii_digit() {
            return None;
        }
        self.pos = self.ident_end(start + 1);
        self.slice(start, self.pos)
    }

    /// Returns the end of the identifier bytes from an offset on.
    #[inline]
    pub(crate) fn ident_end(&self, start: usize) -> usize {
        let rest = self.text.as_bytes().get(start..self.end).unwrap_or_default();
        start + prefix_len(rest, is_ident_byte)
    }

    /// Consumes `%` and the name or number of a value; returns the name.
    #[inline]
    pub fn value_name(&mut self) -> Option<&'a str> {
        if self.peek() != b'%' {
            return None;
        }
        let start = self.pos + 1;
        let pos = self.ident_end(start);
        if pos == start {
            return None;
        }
        self.pos = pos;
        self.slice(start, pos)
    }

    /// Consumes an integer, decimal or hexadecimal, with its sign.
    pub fn integer(&mut self) -> Option<&'a str> {
        self.skip_trivia();
        let start = self.pos;
        let mut pos = start + usize::from(self.byte(start) == b'-');
        if !self.byte(pos).is_ascii_digit() {
            return None;
        }
        while self.byte(pos).is_ascii_alphanumeric() || self.byte(pos) == b'_' {
            pos += 1;
        }
        self.pos = pos;
        self.slice(start, pos)
    }

    /// Consumes a quoted string; returns the text between the quotes, with escapes unchanged. Triple-quoted strings
    /// may span lines.
    pub fn string(&mut self) -> Option<&'a str> {
        if self.peek() != b'"' {
            return None;
        }
        let start = self.pos;
        if self.looking_at("\"\"\"") {
            let body = start + 3;
            let len = self.text.get(body..self.end)?.find("\"\"\"")?;
            self.pos = body + len + 3;
            // The additional quotes are kept, so that the text prints unchanged.
            return self.slice(start + 1, self.pos - 1);
        }
        let mut pos = start + 1;
        loop {
            match self.byte(pos) {
                b'"' => break,
                b'\\' if !matches!(self.byte(pos + 1), b'\n' | b'\r') => pos += 2,
                b'\n' | b'\r' => return None,
                0 if pos >= self.end => return None,
                _ => pos += 1,
            }
        }
        self.pos = pos + 1;
        self.slice(start + 1, pos)
    }

    /// Returns a part of the text on one line: comments and line ends become spaces.
    pub(crate) fn on_one_line(&self, range: std::ops::Range<usize>) -> Cow<'a, str> {
        let text = self.slice(range.start, range.end).unwrap_or_default();
        let has_comment = memmem::find(text.as_bytes(), b"//").or(memmem::find(text.as_bytes(), b"/*"));
        if has_comment.is_none() && !text.contains(['\n', '\r']) {
            return Cow::Borrowed(text);
        }
        let mut cur = Self::in_range(self.text, range);
        let mut line = String::with_capacity(text.len());
        while !cur.at_end() {
            let start = cur.pos;
            if cur.string().is_none() {
                cur.pos = start + 1;
                while cur.pos < cur.end && !is(cur.here(), TRIVIA) && cur.here() != b'"' {
                    cur.pos += 1;
                }
            }
            line.push_str(cur.slice(start, cur.pos).unwrap_or_default());
            let end = cur.pos;
            if !cur.at_end() && cur.pos > end {
                line.push(' ');
            }
        }
        Cow::Owned(line)
    }

    /// Consumes a run of operator characters.
    pub fn operator(&mut self) -> Option<&'a str> {
        self.skip_trivia();
        let start = self.pos;
        let mut pos = start;
        while is(self.byte(pos), OPERATOR) {
            pos += 1;
        }
        (pos > start).then(|| {
            self.pos = pos;
            &self.text[start..pos]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_past_comments() {
        let mut c = Cursor::new(" // x\n /* a /* b */ */ bb0(%12x, τ_0_0, `in`, -0x1F, \"a\\\"b\")");
        assert_eq!(c.ident(), Some("bb0"));
        assert!(c.eat("("));
        assert_eq!(c.value_name(), Some("12x"));
        assert!(c.eat(","));
        assert_eq!(c.ident(), Some("τ_0_0"));
        assert!(c.eat(","));
        assert_eq!(c.ident(), Some("`in`"));
        assert!(c.eat(","));
        assert_eq!(c.integer(), Some("-0x1F"));
        assert!(c.eat(","));
        assert_eq!(c.string(), Some("a\\\"b"));
        assert!(c.eat(")") && c.at_end());
    }

    #[test]
    fn a_prefix_ends_at_the_first_byte_that_differs() {
        for len in 0..14 {
            for end in 0..=len {
                let mut bytes = vec![b'a'; len];
                bytes.iter_mut().skip(end).for_each(|byte| *byte = b' ');
                assert_eq!(prefix_len(&bytes, is_ident_byte), end, "{len}");
            }
        }
    }

    #[test]
    fn unterminated_things_end() {
        assert_eq!(Cursor::new("\"abc").string(), None);
        assert_eq!(Cursor::new("`abc").ident(), None);
        assert_eq!(Cursor::new("\"abc\\\n\"").string(), None);
        assert_eq!(Cursor::new("/* /* */").block_comment_end(), None);
        assert!(Cursor::new(" /* /* */ **/ // x").at_end());
        for spaces in 0..20 {
            let text = format!("{}x", " ".repeat(spaces));
            let mut c = Cursor::new(&text);
            c.skip_trivia();
            assert_eq!(c.pos(), spaces);
            c = Cursor::in_range(&text, 0..spaces);
            assert!(c.at_end() && c.pos() == spaces);
        }
    }
}
