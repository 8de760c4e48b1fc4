//! The bytes that string literals stand for.

/// Returns the bytes of a string literal, given its spelling between the quotes.
///
/// ```
/// assert_eq!(silkit_ir::unescape("a\\n\\u{E9}"), "a\n\u{E9}".as_bytes());
/// ```
pub fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let mut chars = rest.chars();
        match chars.next() {
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('0') => bytes.push(0),
            Some('u') => {
                let code = rest[1..].strip_prefix('{').and_then(|r| r.split_once('}'));
                let Some((hex, after)) = code else { continue };
                let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}');
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
                continue;
            }
            Some(other) => bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
            None => break,
        }
        rest = chars.as_str();
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_bytes() {
        assert_eq!(unescape("a\\n\\t\\r\\u{E9}\\\\\\\"b"), "a\n\t\r\u{E9}\\\"b".as_bytes());
        assert_eq!(unescape("\\0z"), [0, b'z']);
        assert_eq!(unescape("a\\u{110000}"), "a\u{FFFD}".as_bytes());
        assert_eq!(unescape("a\\"), b"a");
    }
}
