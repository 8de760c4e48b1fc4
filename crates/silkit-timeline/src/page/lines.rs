//! The lines of a page: each distinct line is stored once, with numbers of values and blocks relative to its place, so that a
//! line stays the same where only the numbering changes.

use crate::store::code_of;
use silkit::base::FxHashMap;
use std::fmt::Write;

/// Stands before the difference of a value's number and the next number.
const VALUE: char = '\u{1}';
/// Stands before the difference of a block's number and the next number.
const BLOCK: char = '\u{2}';

/// The numbers that the next definition and the next block would get. `page/assets/data.js` computes them alike.
#[derive(Debug, Default)]
struct Place {
    value: i64,
    block: i64,
}

/// The distinct lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    ids: FxHashMap<Box<str>, u32>,
    /// All lines, in the order of their ids, each with a line end.
    pub(super) text: String,
}

impl Lines {
    /// Returns the ids of the lines of a body, without printed comments.
    pub(super) fn of_body(&mut self, text: &str) -> Vec<u32> {
        let mut place = Place::default();
        let mut line_text = String::new();
        let lines = text.lines().filter_map(|line| {
            let shown = shown(line);
            if shown.is_empty() {
                return None;
            }
            line_text.clear();
            encode(shown, &mut place, &mut line_text);
            Some(self.id(&line_text))
        });
        lines.collect()
    }

    fn id(&mut self, line: &str) -> u32 {
        if let Some(&id) = self.ids.get(line) {
            return id;
        }
        let id = self.ids.len() as u32;
        self.ids.insert(line.into(), id);
        self.text.push_str(line);
        self.text.push('\n');
        id
    }
}

/// Returns the part of a line that the page shows: without lists of users and predecessors, which it computes.
fn shown(line: &str) -> &str {
    match line.trim_start().starts_with("//") {
        true => {
            let line = line.find(" // user").map_or(line, |at| &line[..at]).trim_end();
            // The number alone says nothing.
            let number = line.trim_start().strip_prefix("// %");
            if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
                ""
            } else {
                line
            }
        }
        false => code_of(line).trim_end(),
    }
}

fn encode(line: &str, place: &mut Place, out: &mut String) {
    let bytes = line.as_bytes();
    let (mut at, mut start) = (0, 0);
    let (mut last, mut last_result) = (None, None);
    let is_header = line.starts_with("bb");
    let results_end =
        if line.starts_with("  %") || line.starts_with("  (%") { line.find(" = ") } else { None };
    let mut block = None;
    while at < bytes.len() {
        let is_word_before =
            at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || b"_$@.".contains(&bytes[at - 1]));
        let prefix = match &bytes[at..] {
            [b'%', b'0'..=b'9', ..] => 1,
            [b'b', b'b', b'0'..=b'9', ..] if !is_word_before => 2,
            _ => 0,
        };
        if prefix == 0 {
            at += 1;
            continue;
        }
        let digits = bytes[at + prefix..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number: i64 = match line[at + prefix..at + prefix + digits].parse() {
            Ok(number) if digits < 10 => number,
            _ => {
                at += 1;
                continue;
            }
        };
        push(out, &line[start..at]);
        let (sign, relative) = if prefix == 1 {
            last = Some(number);
            if results_end.is_some_and(|end| at < end) {
                last_result = Some(number);
            }
            (VALUE, number - place.value)
        } else {
            block = block.or(Some(number));
            (BLOCK, number - place.block)
        };
        // Writing to a string cannot fail.
        let _ = write!(out, "{sign}{relative};");
        at += prefix + digits;
        start = at;
    }
    push(out, &line[start..]);
    if is_header {
        place.block = block.map_or(place.block, |block| block + 1);
        place.value = last.map_or(place.value, |last| last + 1);
    } else if let Some(result) = last_result {
        place.value = result + 1;
    } else if bytes.starts_with(b"  ") && bytes.get(2).is_some_and(u8::is_ascii_lowercase) {
        place.value += 1;
    }
}

/// Appends text without the characters that have a meaning here.
fn push(out: &mut String, text: &str) {
    match text.contains([VALUE, BLOCK, '\r']) {
        true => out.push_str(&text.replace([VALUE, BLOCK, '\r'], "\u{fffd}")),
        false => out.push_str(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbering_does_not_matter() {
        let mut lines = Lines::default();
        let body = |first: u32| {
            let [a, b, c] = [first, first + 1, first + 2];
            format!(
                "bb3(%{first} : $Int):\n  %{b} = load %{a} // user: %{c}\n  store %{b} to %{a} // id: %{c}\n  br bb4\n"
            )
        };
        let first = lines.of_body(&body(0));
        assert_eq!(first.len(), 4);
        // The first number of a body is not relative to anything.
        assert_eq!(lines.of_body(&body(7))[1..], first[1..]);
        assert_eq!(lines.text.lines().nth(2), Some("  store \u{1}-1; to \u{1}-2;"));
        assert_eq!(lines.text.lines().nth(3), Some("  br \u{2}0;"));
    }

    #[test]
    fn strings_and_names_are_kept() {
        let mut lines = Lines::default();
        lines.of_body("  %0 = string_literal utf8 \"100% \u{1}x</script>\"\n  // function_ref abb1 τ_0_0\n");
        assert_eq!(
            lines.text,
            "  \u{1}0; = string_literal utf8 \"100% \u{fffd}x</script>\"\n  // function_ref abb1 τ_0_0\n"
        );
    }
}
