//! Skipping of Swift code that is not parsed: strings, brackets, bodies, initial values.

use crate::cursor::Cursor;

/// The maximum nesting of string interpolations; deeper ones are treated as plain text.
const MAX_INTERPOLATION: u32 = 16;

/// Returns the offset after white space and comments.
pub(super) fn trivia(cur: &Cursor<'_>, pos: usize) -> usize {
    let mut ahead = cur.clone();
    ahead.set_pos(pos);
    ahead.skip_trivia();
    ahead.pos()
}

/// Returns the offset after a string that begins here with a quote or with `#`. If the string is not closed, returns
/// the end of its line or of the text.
fn string(bytes: &[u8], start: usize, end: usize, depth: u32) -> usize {
    closed_string(bytes, start, end, depth).unwrap_or_else(|end| end)
}

/// Returns the offset after a string, as an error if it is not closed.
fn closed_string(bytes: &[u8], start: usize, end: usize, depth: u32) -> Result<usize, usize> {
    let hashes = bytes[start..end].iter().take_while(|b| **b == b'#').count();
    let mut pos = start + hashes;
    let triple = bytes[pos..end].starts_with(b"\"\"\"");
    let quotes = if triple { 3 } else { 1 };
    pos += quotes;
    while pos < end {
        match bytes[pos] {
            b'\n' if !triple => return Err(pos),
            b'\\' if bytes[pos + 1..end].iter().take_while(|b| **b == b'#').count() >= hashes => {
                pos += 1 + hashes;
                if depth < MAX_INTERPOLATION && bytes.get(pos) == Some(&b'(') {
                    pos = closing(bytes, pos, end, depth + 1).ok_or(end)?;
                } else {
                    pos += 1;
                }
            }
            b'"' if !triple || bytes[pos..end].starts_with(b"\"\"\"") => {
                let after = pos + quotes;
                let closing = bytes.get(after..end).unwrap_or_default();
                if closing.iter().take_while(|b| **b == b'#').count() >= hashes {
                    return Ok(after + hashes);
                }
                pos += 1;
            }
            _ => pos += 1,
        }
    }
    Err(end)
}

fn is_string_start(bytes: &[u8], pos: usize, end: usize) -> bool {
    let mut at = pos;
    while at < end && bytes[at] == b'#' {
        at += 1;
    }
    at < end && bytes[at] == b'"'
}

fn comment(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let rest = &bytes[start..end];
    if rest.starts_with(b"//") {
        return Some(memchr::memchr(b'\n', rest).map_or(end, |n| start + n));
    }
    if !rest.starts_with(b"/*") {
        return None;
    }
    let (mut pos, mut depth) = (start + 2, 1);
    while pos < end && depth > 0 {
        let (step, change) = match &bytes[pos..end.min(pos + 2)] {
            b"/*" => (2, 1),
            b"*/" => (2, -1),
            _ => (1, 0),
        };
        pos += step;
        depth += change;
    }
    Some(pos.min(end))
}

/// Returns the offset after the bracket that closes an open one, or the end if none does.
fn balanced(bytes: &[u8], start: usize, end: usize, interpolation: u32) -> usize {
    closing(bytes, start, end, interpolation).unwrap_or(end)
}

/// Returns the offset after the bracket that closes an open one.
fn closing(bytes: &[u8], start: usize, end: usize, interpolation: u32) -> Option<usize> {
    let mut depth = 0usize;
    let mut pos = start;
    while pos < end {
        match bytes[pos] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(pos + 1);
                }
            }
            b'"' => {
                pos = string(bytes, pos, end, interpolation);
                continue;
            }
            b'#' if is_string_start(bytes, pos, end) => {
                pos = string(bytes, pos, end, interpolation);
                continue;
            }
            b'/' => {
                if let Some(after) = comment(bytes, pos, end) {
                    pos = after;
                    continue;
                }
            }
            _ => {}
        }
        pos += 1;
    }
    None
}

/// Skips a bracketed text that comes next. Returns true if it is closed.
pub(super) fn skip_brackets(cur: &mut Cursor<'_>) -> bool {
    cur.skip_trivia();
    let after = closing(cur.text().as_bytes(), cur.pos(), cur.end(), 0);
    cur.set_pos(after.unwrap_or(cur.end()));
    after.is_some()
}

/// Skips a string, a braced text, or one byte. Returns false if it is not closed.
pub(crate) fn skip_token(cur: &mut Cursor<'_>) -> bool {
    let (bytes, pos, end) = (cur.text().as_bytes(), cur.pos(), cur.end());
    let after = match bytes[pos] {
        b'{' => closing(bytes, pos, end, 0),
        b'"' => closed_string(bytes, pos, end, 0).ok(),
        b'#' if is_string_start(bytes, pos, end) => closed_string(bytes, pos, end, 0).ok(),
        _ => Some(pos + 1),
    };
    cur.set_pos(after.unwrap_or(pos));
    after.is_some()
}

/// Returns true if the token here continues the declaration of the previous line.
fn continues(rest: &[u8]) -> bool {
    let word = |w: &[u8]| {
        rest.starts_with(w) && !rest.get(w.len()).copied().is_some_and(crate::cursor::is_ident_byte)
    };
    rest.starts_with(b"->") || rest.starts_with(b"{") || word(b"where") || word(b"throws") || word(b"async")
}

/// Returns true if the declaration must continue after this byte at the end of a line.
fn expects_more(last: &[u8]) -> bool {
    matches!(last.last(), Some(b',' | b':' | b'=' | b'&'))
        || last.ends_with(b"->")
        || last.ends_with(b" where")
}

/// Where skipping the rest of a declaration stops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// After the body or at the end of the line.
    Declaration,
    /// Also at a comma between items of a list.
    Item,
}

/// Skips the rest of a declaration: a signature with its body, or an initial value.
pub(super) fn skip_rest(cur: &mut Cursor<'_>, stop: Stop) {
    let bytes = cur.text().as_bytes();
    let (mut pos, end) = (cur.pos(), cur.end());
    let start = pos;
    while pos < end {
        match bytes[pos] {
            b'\n' => {
                let next = trivia(cur, pos);
                let line = bytes[start..pos].trim_ascii_end();
                if next >= end || !(continues(&bytes[next..end]) || expects_more(line)) {
                    break;
                }
                pos = next;
                continue;
            }
            b';' | b'}' | b')' | b']' => break,
            b',' if stop == Stop::Item => break,
            b'{' => {
                pos = balanced(bytes, pos, end, 0);
                // A closure that is called or whose result is used: `= { … }()`.
                if matches!(bytes.get(pos), Some(b'(' | b'.')) && pos < end {
                    continue;
                }
                break;
            }
            b'(' | b'[' => {
                pos = balanced(bytes, pos, end, 0);
                continue;
            }
            b'"' => {
                pos = string(bytes, pos, end, 0);
                continue;
            }
            b'/' => {
                if let Some(after) = comment(bytes, pos, end) {
                    pos = after;
                    continue;
                }
            }
            _ => {}
        }
        pos += 1;
    }
    // This is a character boundary, since all bytes that stop the scan are ASCII.
    cur.set_pos(pos);
}

/// Skips to the end of the line.
pub(super) fn skip_line(cur: &mut Cursor<'_>) {
    let end = cur.line_end();
    cur.set_pos(end);
}
