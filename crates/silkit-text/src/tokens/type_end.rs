//! Search for the end of a type, without parsing it.
//!
//! A type is a sequence of attributes and modifiers, a primary type with suffixes, and for functions an arrow and another
//! type: `@convention(thin) <T> (@in T) -> @owned Box<T>`. The end is where none of these follows, so that the rest of an
//! instruction (`$Box (%0)`, `$Int, bb1`) is left.

use crate::cursor::{Cursor, is_ident_byte};

/// Words that may stand before a type.
const MODIFIERS: &[&str] = &[
    "any",
    "some",
    "each",
    "repeat",
    "inout",
    "sending",
    "borrowing",
    "consuming",
    "isolated",
    "nonisolated",
    "__owned",
    "__shared",
    "_const",
];

/// Words that may stand between the parameters of a function and its arrow.
const EFFECTS: &[&str] = &["async", "throws", "rethrows", "reasync"];

/// Returns the end of the type that begins at an offset, which is the offset itself if there is none.
pub(super) fn type_end(cur: &Cursor<'_>, start: usize) -> usize {
    let mut cur = cur.clone();
    cur.set_pos(start);
    let mut end = start;
    loop {
        prefix(&mut cur);
        if !primary(&mut cur) {
            // Attributes without a type, as in text that is being written.
            return end.max(if cur.pos() > start { trimmed(&cur, start) } else { start });
        }
        end = cur.pos();
        if !continues(&mut cur) {
            return cur.pos();
        }
    }
}

/// Returns the offset after the last byte before the cursor that is no white space.
fn trimmed(cur: &Cursor<'_>, start: usize) -> usize {
    let read = cur.text().get(start..cur.pos()).unwrap_or_default();
    start + read.trim_end().len()
}

/// Skips spaces of the line.
fn spaces(cur: &mut Cursor<'_>) {
    while matches!(cur.here(), b' ' | b'\t') {
        cur.set_pos(cur.pos() + 1);
    }
}

/// Skips attributes, modifiers and generic signatures.
fn prefix(cur: &mut Cursor<'_>) {
    loop {
        spaces(cur);
        let at = cur.pos();
        match cur.here() {
            b'@' => {
                cur.set_pos(cur.ident_end(at + 1));
                if cur.here() == b'(' && !balanced(cur) {
                    return;
                }
            }
            b'<' => {
                if !balanced(cur) {
                    return;
                }
            }
            b'*' | b'~' => cur.set_pos(at + 1),
            byte if is_ident_byte(byte) => {
                let end = cur.ident_end(at);
                let word = cur.text().get(at..end).unwrap_or_default();
                let mut after = cur.clone();
                after.set_pos(end);
                if after.is_here("(nonsending)") {
                    after.set_pos(end + "(nonsending)".len());
                }
                spaces(&mut after);
                if !MODIFIERS.contains(&word) || !begins_type(after.here()) {
                    return;
                }
                cur.set_pos(after.pos());
            }
            _ => return,
        }
        if cur.pos() == at {
            return;
        }
    }
}

/// Returns true if a type may begin with a byte.
fn begins_type(byte: u8) -> bool {
    is_ident_byte(byte) || matches!(byte, b'@' | b'(' | b'[' | b'<' | b'~' | b'`' | b'*' | b'{')
}

/// Skips a primary type with its suffixes. Returns false if there is none.
fn primary(cur: &mut Cursor<'_>) -> bool {
    let start = cur.pos();
    match cur.here() {
        b'(' | b'[' => {
            if !balanced(cur) {
                return cur.pos() > start;
            }
        }
        b'{' => {
            if !balanced(cur) {
                return cur.pos() > start;
            }
            // The arguments of a box: `<T> { var T } <Int>`.
            let end = cur.pos();
            spaces(cur);
            if cur.here() == b'<' {
                balanced(cur);
            } else {
                cur.set_pos(end);
            }
        }
        b'`' => {
            if cur.ident().is_none() {
                return false;
            }
        }
        byte if is_ident_byte(byte) => cur.set_pos(cur.ident_end(start)),
        _ => return false,
    }
    loop {
        let at = cur.pos();
        match cur.here() {
            b'<' | b'{' => {
                if !balanced(cur) {
                    return true;
                }
            }
            b'?' | b'!' => cur.set_pos(at + 1),
            b'.' => {
                let mut after = cur.clone();
                after.set_pos(at + 1);
                match after.here() {
                    b'`' if after.ident().is_some() => cur.set_pos(after.pos()),
                    byte if is_ident_byte(byte) => cur.set_pos(cur.ident_end(at + 1)),
                    _ => return true,
                }
            }
            _ => return true,
        }
        if cur.pos() == at {
            return true;
        }
    }
}

/// Returns true if another type follows after an arrow or `&`, and moves to it; otherwise moves to the end of the type, after
/// the substitutions `for <…>`.
fn continues(cur: &mut Cursor<'_>) -> bool {
    let mut end = cur.pos();
    loop {
        spaces(cur);
        let at = cur.pos();
        if cur.is_here("->") {
            cur.set_pos(at + 2);
            return true;
        }
        if cur.is_here("& ") {
            cur.set_pos(at + 2);
            return true;
        }
        let word_end = cur.ident_end(at);
        let word = cur.text().get(at..word_end).unwrap_or_default();
        if EFFECTS.contains(&word) {
            cur.set_pos(word_end);
            if cur.here() == b'(' && !balanced(cur) {
                return false;
            }
            continue;
        }
        if word == "for" {
            cur.set_pos(word_end);
            spaces(cur);
            if cur.here() == b'<' {
                if !balanced(cur) {
                    return false;
                }
                end = cur.pos();
                continue;
            }
        }
        cur.set_pos(end);
        return false;
    }
}

/// Skips from an opening bracket to its closing one. If there is none, moves to the end of the line, or of the first line
/// after which the text cannot belong to a type, and returns false.
pub(super) fn balanced(cur: &mut Cursor<'_>) -> bool {
    let mut depth = 0usize;
    while cur.pos() < cur.end() {
        let at = cur.pos();
        match cur.here() {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b'-' if cur.is_here("->") => cur.set_pos(at + 1),
            b')' | b']' | b'}' | b'>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    cur.set_pos(at + 1);
                    return true;
                }
            }
            b'"' if cur.string().is_some() => continue,
            b'/' if cur.is_here("//") => {
                cur.set_pos(cur.line_end());
                continue;
            }
            b'%' => return false,
            b'\n' if begins_code(cur) => return false,
            _ => {}
        }
        cur.set_pos(at.max(cur.pos()) + 1);
    }
    false
}

/// Returns true if the next line is code that no type contains.
fn begins_code(cur: &Cursor<'_>) -> bool {
    let mut next = cur.clone();
    next.set_pos(cur.pos() + 1);
    let is_indented = matches!(next.here(), b' ' | b'\t');
    spaces(&mut next);
    match next.here() {
        b'%' | b'}' | b'\n' => true,
        b's' => !is_indented && next.is_here("sil"),
        b'b' => next.is_here("bb"),
        _ => false,
    }
}
