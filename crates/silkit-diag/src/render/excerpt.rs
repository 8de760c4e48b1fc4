//! Extraction of the source lines to show: a bounded number of lines of bounded length, as valid UTF-8, with spans
//! translated to the excerpt.

use std::ops::Range;

use super::text::is_unprintable;
use crate::{SourceFile, Span};

/// The maximum length of a line in bytes. Longer lines are cut to a window of this size around the labelled range.
const MAX_LINE: usize = 1000;
/// The number of bytes of the window before the labelled range.
const LEAD: usize = 300;
/// The maximum number of lines of a span. Of a longer span, only the first line is shown.
const MAX_SPAN_LINES: u32 = 8;
/// The maximum distance, in lines, of spans that are shown in one excerpt.
const MAX_GAP: u32 = 3;
/// The maximum number of lines of an excerpt.
const MAX_LINES: u32 = 40;
/// The replacement for text that was cut.
const CUT: &str = "...";

/// An excerpt: adjacent lines of a file.
pub(super) struct Excerpt {
    /// The lines, joined by `\n`.
    pub(super) text: String,
    /// The number of the first line.
    pub(super) first_line: u32,
    /// The spans: the index of each given span, and its byte range in `text`.
    pub(super) spans: Vec<(usize, Range<usize>)>,
    /// True if text before a span was cut, so that columns in `text` differ from columns in the file.
    pub(super) is_shifted: bool,
}

/// A span reduced to the shown range, with its lines.
#[derive(Clone, Copy)]
struct Shown {
    index: usize,
    start: u32,
    end: u32,
    first: u32,
    last: u32,
}

/// Returns excerpts of `file` that show all spans, in source order.
pub(super) fn excerpts(file: &SourceFile<'_>, spans: &[Span]) -> Vec<Excerpt> {
    let mut shown: Vec<Shown> =
        spans.iter().enumerate().map(|(index, span)| reduce(file, index, *span)).collect();
    shown.sort_by_key(|s| (s.start, s.end));
    let mut clusters: Vec<(u32, u32, Vec<Shown>)> = Vec::new();
    for s in shown {
        match clusters.last_mut() {
            Some((first, last, members))
                if s.first <= last.saturating_add(MAX_GAP) && s.last < *first + MAX_LINES =>
            {
                *last = s.last.max(*last);
                members.push(s);
            }
            _ => clusters.push((s.first, s.last, vec![s])),
        }
    }
    clusters.into_iter().map(|(first, last, members)| cut_out(file, first, last, &members)).collect()
}

fn reduce(file: &SourceFile<'_>, index: usize, span: Span) -> Shown {
    let len = u32::try_from(file.text().len()).unwrap_or(u32::MAX);
    let (start, mut end) = (span.start.min(len), span.end.min(len));
    let first = file.line_column(start).line;
    // A span that ends with a line end does not extend to the next line.
    let is_line_end = end > start && file.text()[end as usize - 1] == b'\n';
    let mut last = file.line_column(end - u32::from(is_line_end)).line;
    if last - first >= MAX_SPAN_LINES {
        last = first;
    }
    if let Some(line) = file.line_range(last) {
        end = end.min(line.end).max(start);
    }
    Shown { index, start, end, first, last }
}

fn cut_out(file: &SourceFile<'_>, first: u32, last: u32, members: &[Shown]) -> Excerpt {
    let mut text = String::new();
    let mut spans: Vec<(usize, Range<usize>)> = members.iter().map(|m| (m.index, 0..0)).collect();
    let mut is_shifted = false;
    for number in first..=last {
        let Some(line) = file.line_range(number) else {
            break;
        };
        if number > first {
            text.push('\n');
        }
        let inside = |offset: u32| line.start <= offset && offset <= line.end;
        let ends = members.iter().flat_map(|m| [m.start, m.end]).filter(|&o| inside(o));
        let focus =
            members.iter().map(|m| m.start).find(|&o| inside(o)).or_else(|| ends.min()).unwrap_or(line.start);
        let bytes = &file.text()[line.start as usize..line.end as usize];
        let window = window(bytes, (focus - line.start) as usize);
        if window.start > 0 {
            is_shifted = true;
            text.push_str(CUT);
        }
        let base = text.len();
        let shown = String::from_utf8_lossy(&bytes[window.clone()]);
        let place = |offset: u32| {
            let offset = ((offset - line.start) as usize).clamp(window.start, window.end);
            let mut at = String::from_utf8_lossy(&bytes[window.start..floor(bytes, offset)]).len();
            while !shown.is_char_boundary(at) {
                at -= 1;
            }
            base + at.min(shown.len())
        };
        for (m, (_, range)) in members.iter().zip(&mut spans) {
            // The start can be at the `\r` or `\n` itself, which is after the text of the line.
            let start = m.start.min(line.end);
            if m.first == number && inside(start) {
                range.start = place(start);
            }
            if m.last == number && inside(m.end.min(line.end)) {
                range.end = place(m.end.min(line.end));
            }
        }
        text.push_str(&shown);
        if window.end < bytes.len() {
            text.push_str(CUT);
        }
    }
    for (_, range) in &mut spans {
        range.end = range.end.max(range.start);
    }
    let text = text.chars().map(printable).collect();
    Excerpt { text, first_line: first, spans, is_shifted }
}

/// Replaces characters that are unsafe for a terminal with the same number of bytes, so that offsets stay valid. ASCII
/// control characters are kept: the layout replaces them with dedicated symbols.
fn printable(c: char) -> char {
    match c.len_utf8() {
        2 if is_unprintable(c) => '\u{b7}',
        3 if is_unprintable(c) => '\u{fffd}',
        _ => c,
    }
}

fn window(bytes: &[u8], focus: usize) -> Range<usize> {
    if bytes.len() <= MAX_LINE {
        return 0..bytes.len();
    }
    let start = focus.saturating_sub(LEAD).min(bytes.len() - MAX_LINE);
    floor(bytes, start)..floor(bytes, start + MAX_LINE)
}

/// Returns the start of the character that contains the byte at `offset`.
fn floor(bytes: &[u8], offset: usize) -> usize {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|b| b & 0xc0 == 0x80);
    let mut at = offset;
    while at > offset.saturating_sub(3) && is_inside(at) {
        at -= 1;
    }
    if is_inside(at) { offset } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceMap;

    fn cut(text: &[u8], spans: &[(u32, u32)]) -> Vec<(u32, Vec<String>, bool)> {
        let mut sources = SourceMap::new();
        let id = sources.add("f", text).unwrap();
        let spans: Vec<Span> = spans.iter().map(|&(a, b)| Span::new(id, a, b)).collect();
        let file = sources.file(id).unwrap();
        let shown = |e: &Excerpt| e.spans.iter().map(|(_, r)| e.text[r.clone()].to_owned()).collect();
        let all = excerpts(file, &spans);
        all.iter().map(|e| (e.first_line, shown(e), e.is_shifted)).collect()
    }

    #[test]
    fn one_line() {
        assert_eq!(cut(b"ab\r\ncd\n", &[(0, 1)]), [(1, vec!["a".into()], false)]);
        assert_eq!(cut(b"ab\r\ncd\n", &[(0, 4)]), [(1, vec!["ab".into()], false)]);
        assert_eq!(cut(b"ab\r\ncd\n", &[(3, 3)]), [(1, vec![String::new()], false)]);
        assert_eq!(cut(b"ab\r\ncd\n", &[(99, 100)]), [(3, vec![String::new()], false)]);
        assert_eq!(cut(b"", &[(0, 0)]), [(1, vec![String::new()], false)]);
    }

    #[test]
    fn bad_bytes() {
        assert_eq!(cut(b"\xff\xfe%1 x", &[(2, 4)]), [(1, vec!["%1".into()], false)]);
        assert_eq!(cut("é%1".as_bytes(), &[(1, 4)]), [(1, vec!["é%1".into()], false)]);
    }

    #[test]
    fn clusters_and_tall_spans() {
        let text = "a\n".repeat(100);
        let found = cut(text.as_bytes(), &[(2, 3), (0, 1), (100, 101)]);
        assert_eq!(found.iter().map(|e| (e.0, e.1.len())).collect::<Vec<_>>(), [(1, 2), (51, 1)]);
        assert_eq!(cut(text.as_bytes(), &[(0, 90)]), [(1, vec!["a".into()], false)]);
        assert_eq!(cut(text.as_bytes(), &[(0, 3)]), [(1, vec!["a\na".into()], false)]);
    }

    #[test]
    fn long_lines() {
        let text = format!("{}needle{}", "é".repeat(50_000), " x".repeat(50_000));
        assert_eq!(cut(text.as_bytes(), &[(100_000, 100_006)]), [(1, vec!["needle".into()], true)]);
        let shown = &cut(text.as_bytes(), &[(10, 100_006)])[0];
        assert!(!shown.2 && shown.1[0].len() < 1100);
    }
}
