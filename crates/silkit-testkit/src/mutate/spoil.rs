//! Text that every parser must reject: a byte that belongs to no token, between two tokens.

/// The byte, surrounded by spaces. It does not occur in tokens, comments or strings that people write.
pub const SPOILER: &str = " \u{1} ";

/// Returns the offsets at which the tokens of a text begin, skipping comments and white space.
///
/// ```
/// assert_eq!(silkit_testkit::mutate::token_starts("a /* b */ \"c d\" // e\n.f"), [0, 10, 21, 22]);
/// ```
pub fn token_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest[0] {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => 1,
            b'/' if rest.starts_with(b"//") => {
                rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len())
            }
            b'/' if rest.starts_with(b"/*") => comment(rest),
            _ => {
                starts.push(at);
                token(rest)
            }
        };
    }
    starts
}

/// Returns the length of a block comment, which may be nested.
fn comment(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        match &rest[at..rest.len().min(at + 2)] {
            b"/*" => (at, depth) = (at + 2, depth + 1),
            b"*/" => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Returns the length of a token: a string, a quoted name, a word, or one byte.
fn token(rest: &[u8]) -> usize {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | 0x80..);
    match rest[0] {
        b'"' if rest.starts_with(b"\"\"\"") => {
            rest.windows(3).skip(3).position(|w| w == b"\"\"\"").map_or(1, |n| n + 6)
        }
        b'"' => string(rest),
        b'`' => rest[1..].iter().position(|b| matches!(b, b'`' | b'\n')).map_or(1, |n| n + 2),
        b if is_word(&b) => rest.iter().position(|b| !is_word(b)).unwrap_or(rest.len()),
        _ => 1,
    }
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'"' => return at + 1,
            b'\n' | b'\r' => return 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    1
}

/// Returns the text with [`SPOILER`] at an offset.
pub fn spoil(text: &str, at: usize) -> String {
    let (before, after) = text.split_at(at);
    format!("{before}{SPOILER}{after}")
}
