//! Positions of the protocol: line and column, where columns count UTF-8 or UTF-16 units.

use lsp_types::{Position, Range};
use silkit_ide::Document;
use std::ops;

/// What columns count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
}

/// The starts of the lines of a text. A line ends with a line feed, a carriage return, or both.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    starts: Vec<u32>,
    encoding: Encoding,
}

impl Lines {
    /// Finds the lines of a text.
    pub(crate) fn of(text: &str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
        let is_end = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let starts = ends.filter(is_end).map(|at| offset(at + 1));
        Self { starts: std::iter::once(0).chain(starts).collect(), encoding }
    }

    /// Returns the position of an offset.
    pub(crate) fn position(&self, text: &str, at: usize) -> Position {
        let at = floor(text, at);
        let line = self.starts.partition_point(|start| *start as usize <= at).saturating_sub(1);
        let start = self.starts.get(line).map_or(0, |start| *start as usize);
        let before = text.get(start..at).unwrap_or_default();
        Position { line: offset(line), character: self.width(before) }
    }

    /// Returns the length of a text in columns.
    pub(crate) fn width(&self, text: &str) -> u32 {
        match self.encoding {
            Encoding::Utf16 if !text.is_ascii() => offset(text.encode_utf16().count()),
            _ => offset(text.len()),
        }
    }

    /// Returns the offset of a position. A column behind the end of its line is the end, a line behind the last one the end
    /// of the text.
    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return text.len() };
        let end = self.starts.get(position.line as usize + 1).map_or(text.len(), |end| *end as usize);
        let line = text.get(start as usize..end).unwrap_or_default().trim_end_matches(['\n', '\r']);
        let column = position.character as usize;
        let within = match self.encoding {
            Encoding::Utf16 if !line.is_ascii() => {
                let mut units = 0;
                let after = line.char_indices().find(|(_, c)| {
                    units += c.len_utf16();
                    units > column
                });
                after.map_or(line.len(), |(at, _)| at)
            }
            _ => floor(line, column),
        };
        start as usize + within
    }

    /// Returns the range of offsets between two positions.
    pub(crate) fn offsets(&self, text: &str, range: Range) -> ops::Range<usize> {
        let start = self.offset(text, range.start);
        start..self.offset(text, range.end).max(start)
    }

    /// Returns the positions of a range of offsets.
    pub(crate) fn range(&self, document: &Document, range: ops::Range<usize>) -> Range {
        let text = document.text();
        Range { start: self.position(text, range.start), end: self.position(text, range.end) }
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns the last boundary of a character up to an offset.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_lead_back() {
        let text = "a\r\né𝄞x\rb\n";
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let lines = Lines::of(text, encoding);
            assert_eq!(lines.starts.len(), 4);
            for (at, _) in text.char_indices().filter(|(_, c)| !matches!(c, '\n' | '\r')) {
                assert_eq!(lines.offset(text, lines.position(text, at)), at, "{encoding:?} {at}");
            }
            assert_eq!(lines.offset(text, Position { line: 1, character: 99 }), text.find("\rb").unwrap());
            assert_eq!(lines.offset(text, Position { line: 9, character: 0 }), text.len());
        }
        let x = text.find('x').unwrap();
        assert_eq!(Lines::of(text, Encoding::Utf16).position(text, x), Position { line: 1, character: 3 });
        assert_eq!(Lines::of(text, Encoding::Utf8).position(text, x), Position { line: 1, character: 6 });
        // Within a character, what is before it.
        assert_eq!(Lines::of(text, Encoding::Utf16).offset(text, Position { line: 1, character: 2 }), x - 4);
        assert_eq!(Lines::of(text, Encoding::Utf8).position(text, x - 1).character, 2);
    }
}
