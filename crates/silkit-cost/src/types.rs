//! Lines of types, for functions that the compiler synthesizes for them (`Hashable`, `Codable`) and that have no lines.

use rustc_hash::FxHashMap;
use silkit::ir::SwiftPosition;

/// The first line of the code of each nominal type, by the prefix of its mangled names.
#[derive(Default)]
pub(crate) struct TypeLines {
    lines: FxHashMap<&'static str, SwiftPosition>,
}

impl TypeLines {
    /// Records that a function has code at a position.
    pub(crate) fn add(&mut self, symbol: &'static str, position: SwiftPosition) {
        for end in type_ends(symbol) {
            let known = self.lines.entry(&symbol[..end]).or_insert(position);
            *known = position.min(*known);
        }
    }

    /// Returns the first line of the innermost type of a function that has one.
    pub(crate) fn of(&self, symbol: &str) -> Option<SwiftPosition> {
        type_ends(symbol).into_iter().rev().find_map(|end| self.lines.get(&symbol[..end]).copied())
    }
}

/// Returns the ends of the nominal types in the context of a mangled name, the outermost first: in `$s4main4NodeC4EdgeV…` after `C` and
/// after `V`. Names with substitutions end the search.
fn type_ends(symbol: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let Some(mut at) = symbol.starts_with("$s").then_some(2) else { return ends };
    let bytes = symbol.as_bytes();
    let mut is_module = true;
    loop {
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length = symbol.get(at..at + digits).and_then(|digits| digits.parse::<usize>().ok());
        // A leading zero introduces words of earlier identifiers.
        let Some(length) = length.filter(|_| bytes[at] != b'0') else { return ends };
        let Some(end) = (at + digits).checked_add(length).filter(|&end| end < bytes.len()) else {
            return ends;
        };
        at = end;
        if std::mem::take(&mut is_module) {
            continue;
        }
        match bytes[at] {
            b'C' | b'V' | b'O' => {
                at += 1;
                ends.push(at);
            }
            _ => return ends,
        }
        if at >= bytes.len() || !symbol.is_char_boundary(at) {
            return ends;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_end_behind_their_kind() {
        let ends = |symbol| type_ends(symbol).into_iter().map(|end| &symbol[..end]).collect::<Vec<_>>();
        assert_eq!(
            ends("$s4main4NodeC4EdgeV4hash4intoys6HasherVz_tF"),
            ["$s4main4NodeC", "$s4main4NodeC4EdgeV"]
        );
        for none in
            ["$s4main3runyyF", "main", "$sSa6appendyyxnF", "$s4main", "$s4main99", "$s", "$s4main0A1xC"]
        {
            assert!(ends(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn synthesized_functions_have_the_first_line_of_their_type() {
        let position = |line| SwiftPosition { file: "a.swift", line, column: 1 };
        let mut lines = TypeLines::default();
        lines.add("$s4main4NodeC3addyyF", position(7));
        lines.add("$s4main4NodeC6removeyyF", position(5));
        assert_eq!(lines.of("$s4main4NodeC4KeysO5valueSivg"), Some(position(5)));
        assert_eq!(lines.of("$s4main4EdgeV5valueSivg"), None);
    }
}
