//! Edits of a text, and formatting as an edit.

use crate::Document;
use silkit_base::TextRange;
use silkit_text::{PrintOptions, format_module_checked};

/// The replacement of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub range: TextRange,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// Creates the insertion of a text before an offset.
    pub(crate) fn insert(at: usize, text: String) -> Self {
        Self { range: TextRange::new(at, at), text }
    }
}

/// Returns a text with edits applied. Their ranges do not overlap; those outside the text are left out.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.range.start);
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for edit in sorted {
        let range = edit.range.as_usize();
        let Some(kept) = text.get(from..range.start).filter(|_| text.is_char_boundary(range.end)) else {
            continue;
        };
        out += kept;
        out += &edit.text;
        from = range.end;
    }
    out + text.get(from..).unwrap_or_default()
}

impl Document {
    /// Returns the edit that formats the text as `silkit fmt` does: of the lines that change. `None` if nothing changes,
    /// if the text has syntax errors, or if formatting would change its meaning.
    pub fn format(&self) -> Option<Edit> {
        if !self.is_analyzed() {
            return None;
        }
        let demangle = |symbol: &str| silkit_demangle::demangle(symbol, silkit_demangle::Style::Simplified);
        let formatted = format_module_checked(self.text(), &PrintOptions::default(), &demangle).ok()??;
        difference(self.text(), &formatted)
    }
}

/// Returns the smallest replacement of whole lines that makes one text of another.
fn difference(old: &str, new: &str) -> Option<Edit> {
    if old == new {
        return None;
    }
    let lines = |text: &str| text.split_inclusive('\n').map(str::len).collect::<Vec<_>>();
    let (old_lines, new_lines) = (lines(old), lines(new));
    let same = old.split_inclusive('\n').zip(new.split_inclusive('\n')).take_while(|(a, b)| a == b);
    let first = same.count();
    let start: usize = old_lines[..first].iter().sum();
    let (mut old_end, mut new_end) = (old.len(), new.len());
    let (mut old_rest, mut new_rest) = (&old_lines[first..], &new_lines[first..]);
    while let (Some((a, old_before)), Some((b, new_before))) = (old_rest.split_last(), new_rest.split_last())
    {
        if old.get(old_end - a..old_end) != new.get(new_end - b..new_end) {
            break;
        }
        (old_end, new_end, old_rest, new_rest) = (old_end - a, new_end - b, old_before, new_before);
    }
    let text = new.get(start..new_end)?.to_owned();
    Some(Edit { range: TextRange::new(start, old_end), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_are_replaced() {
        let (old, new) = ("a\nb\nc\nd\n", "a\nx\ny\nd\n");
        let edit = difference(old, new).unwrap();
        assert_eq!((edit.range, edit.text.as_str()), (TextRange::new(2, 6), "x\ny\n"));
        for (old, new) in [("", "a"), ("a\n", ""), ("a\na\n", "a\n"), ("a\n", "a\na\n"), ("a", "a\n")] {
            assert_eq!(apply(old, &[difference(old, new).unwrap()]), new);
        }
        assert_eq!(difference("a", "a"), None);
    }
}
