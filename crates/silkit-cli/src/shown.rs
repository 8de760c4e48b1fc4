//! Text on its way to a terminal: control characters of the input are escaped, as files have them where nobody expects any
//! (names, string literals). Pipes and files get the bytes as they are.

use serde_json::Value;
use silkit::diag::render::{printable, printable_json};
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

/// Returns text as `stream` may show it: escaped if it is a terminal.
pub(crate) fn shown<'t>(text: &'t str, stream: &impl IsTerminal) -> Cow<'t, str> {
    if stream.is_terminal() { printable(text) } else { Cow::Borrowed(text) }
}

/// Returns a JSON value on several lines, with a line end. Characters that a terminal obeys are escaped.
pub(crate) fn json(value: &Value) -> String {
    printable_json(&format!("{value:#}\n")).into_owned()
}

/// Returns the writer to standard output for text of the input, which escapes it on a terminal.
pub(crate) fn standard_output() -> Box<dyn Write + Send> {
    let out = io::stdout();
    if out.is_terminal() { Box::new(VisibleWriter { out, rest: Vec::new() }) } else { Box::new(out) }
}

/// A writer that escapes what a terminal obeys.
struct VisibleWriter<W> {
    out: W,
    /// The first bytes of a character whose others are not written yet.
    rest: Vec<u8>,
}

impl<W: Write> Write for VisibleWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let end = match std::str::from_utf8(&self.rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.rest.len(),
        };
        let rest = self.rest.split_off(end);
        let text = std::mem::replace(&mut self.rest, rest);
        self.out.write_all(printable(&String::from_utf8_lossy(&text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::VisibleWriter;
    use std::io::Write;

    #[test]
    fn characters_are_escaped_however_they_are_split() {
        let bytes = "é\u{9b}2J\x1b[31m\tok\n\u{202e}".as_bytes();
        for split in 0..bytes.len() {
            let mut writer = VisibleWriter { out: Vec::new(), rest: Vec::new() };
            writer.write_all(&bytes[..split]).unwrap();
            writer.write_all(&bytes[split..]).unwrap();
            let text = String::from_utf8(writer.out).unwrap();
            assert_eq!(text, "é\\u{9b}2J\\u{1b}[31m\tok\n\\u{202e}", "{split}");
        }
        let mut writer = VisibleWriter { out: Vec::new(), rest: Vec::new() };
        writer.write_all(b"a\xff\x1bb").unwrap();
        assert_eq!(writer.out, "a\u{fffd}\\u{1b}b".as_bytes());
    }
}
