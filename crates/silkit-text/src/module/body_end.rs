//! Search for the closing brace of a body, without parsing the body.
//!
//! Braces are rare in bodies. The search therefore jumps from one line with a brace to the next and scans only these
//! lines, where strings, quoted names and comments may hide braces. Block comments and triple-quoted strings, which
//! may span lines, are scanned where they begin.

use super::parse::ENTITIES;
use crate::cursor::Cursor;
use memchr::memmem;
use memchr::{memchr2, memrchr};

/// The end of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyEnd {
    /// The offset after the closing brace.
    Closed(usize),
    /// There is no closing brace: the body ends at the next entity or at the end of the text.
    Open(usize),
}

/// The offsets at which multi-line tokens may begin: `/*` and `"""`.
#[derive(Default)]
pub(crate) struct Openers {
    comments: Vec<usize>,
    strings: Vec<usize>,
}

impl Openers {
    /// Scans a text.
    pub(super) fn of(text: &str) -> Self {
        let find = |pattern: &str| memmem::find_iter(text.as_bytes(), pattern).collect();
        let (comments, strings) = rayon::join(|| find("/*"), || find("\"\"\""));
        Self { comments, strings }
    }

    /// Returns the first opener at or after an offset.
    fn after(&self, from: usize) -> Option<usize> {
        let first = |places: &[usize]| places.get(places.partition_point(|&place| place < from)).copied();
        [&self.comments, &self.strings].into_iter().filter_map(|places| first(places)).min()
    }

    /// Returns the end of the body that contains `cur`, after `depth` opening braces.
    pub(crate) fn body_end(&self, cur: &Cursor<'_>, mut depth: usize) -> BodyEnd {
        let mut cur = cur.clone();
        let bytes = &cur.text().as_bytes()[..cur.end()];
        loop {
            let from = cur.pos();
            let brace = memchr2(b'{', b'}', &bytes[from..]).map(|n| from + n);
            let Some(next) = brace.into_iter().chain(self.after(from).filter(|&at| at < bytes.len())).min()
            else {
                return BodyEnd::Open(bytes.len());
            };
            let line = memrchr(b'\n', &bytes[from..next]).map_or(from, |n| from + n + 1);
            cur.set_pos(line);
            if line > from && begins_entity(&cur) {
                return BodyEnd::Open(line);
            }
            if scan_line(&mut cur, &mut depth) {
                return BodyEnd::Closed(cur.pos());
            }
        }
    }
}

/// Returns the start of the first unclosed block comment, if there is one.
pub(super) fn unclosed_comment(text: &str, openers: &Openers) -> Option<usize> {
    let mut cur = Cursor::new(text);
    while let Some(place) = openers.after(cur.pos()) {
        let line = memrchr(b'\n', &text.as_bytes()[cur.pos()..place]);
        cur.set_pos(line.map_or(cur.pos(), |n| cur.pos() + n));
        while cur.pos() <= place {
            let before = cur.pos();
            if let Step::UnclosedComment = step(&mut cur) {
                return Some(before);
            }
        }
    }
    None
}

/// Returns true if a SIL entity begins here.
pub(super) fn begins_entity(cur: &Cursor<'_>) -> bool {
    let mut ahead = cur.clone();
    ahead.peek() == b's' && ahead.ident().is_some_and(|word| ENTITIES.contains(&word))
}

/// Moves to the next line, or after the brace that decreases the depth to zero; returns true for the latter.
pub(super) fn scan_line(cur: &mut Cursor<'_>, depth: &mut usize) -> bool {
    while cur.pos() < cur.end() {
        match step(cur) {
            Step::Byte(b'\n') => return false,
            Step::Byte(b'{') => *depth += 1,
            Step::Byte(b'}') => {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// The token that one step skipped.
enum Step {
    /// A byte of code.
    Byte(u8),
    /// A comment, a string or a quoted name.
    Hidden,
    /// The first byte of an unclosed comment.
    UnclosedComment,
}

/// Skips a byte, or a whole comment, string or quoted name.
fn step(cur: &mut Cursor<'_>) -> Step {
    let before = cur.pos();
    let byte = cur.here();
    let is_hidden = match byte {
        b'/' if cur.is_here("//") => {
            cur.set_pos(cur.line_end());
            true
        }
        b'/' if cur.is_here("/*") => match cur.block_comment_end() {
            Some(end) => {
                cur.set_pos(end);
                true
            }
            None => {
                cur.set_pos(before + 1);
                return Step::UnclosedComment;
            }
        },
        b'"' => cur.string().is_some(),
        b'`' => cur.ident().is_some(),
        _ => false,
    };
    if is_hidden {
        return Step::Hidden;
    }
    cur.set_pos(before + 1);
    Step::Byte(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(body: &str) -> Option<&str> {
        match Openers::of(body).body_end(&Cursor::new(body), 1) {
            BodyEnd::Closed(end) => Some(&body[end..]),
            BodyEnd::Open(_) => None,
        }
    }

    #[test]
    fn a_body_ends_where_its_braces_end() {
        assert_eq!(rest("\nbb0:\n  unreachable\n} // end"), Some(" // end"));
        assert_eq!(rest(" bb0: unreachable }x"), Some("x"));
        assert_eq!(rest("\n // }\n /* }\n} /* } */ }*/\t}x"), Some("x"));
        assert_eq!(rest("\n string_literal utf8 \"}\\\"}\"\n%1 = f : ${ var Int } // }\n }x"), Some("x"));
        assert_eq!(rest("\n \"\"\"\n}\n\"\"\" `}` }x"), Some("x"));
        assert_eq!(rest("\n { {\n} }\n}x"), Some("x"));
        assert_eq!(rest("\n \"/*\" }\n*/"), Some("\n*/"));
    }

    #[test]
    fn what_is_not_closed_ends_at_the_next_entity() {
        let text = "\nbb0:\n  unreachable\nsil @f : $() -> () {\n}\n";
        let next = text.find("sil").expect("the entity");
        assert_eq!(Openers::of(text).body_end(&Cursor::new(text), 1), BodyEnd::Open(next));
        assert_eq!(Openers::of("\n{ }\n").body_end(&Cursor::new("\n{ }\n"), 1), BodyEnd::Open(5));
    }

    #[test]
    fn comments_that_are_never_closed_are_found() {
        for closed in
            ["", "// /*", "/* /* */ */", "\"/*\"", "x /* */ // /*\n\"/*\"", "\"\"\"\n/*\n\"\"\" /* */"]
        {
            assert_eq!(unclosed_comment(closed, &Openers::of(closed)), None, "{closed}");
        }
        for (open, at) in
            [("/*", 0), ("a\n b /* /* */", 5), ("// /*\n/*", 6), ("/* */ \"\" /* \"*", 9), ("\"/*\n", 1)]
        {
            assert_eq!(unclosed_comment(open, &Openers::of(open)), Some(at), "{open}");
        }
    }
}
