//! The places of module entities without a range of their own.

use crate::context::ModuleVerifier;
use crate::finding::Place;
use silkit_base::TextRange;
use silkit_text::SourceEntity;

/// Returns the place of an entity: its first line.
pub(super) fn entity(cx: &ModuleVerifier<'_>, entity: SourceEntity) -> Place {
    text_of(cx, entity).map_or(Place::Whole, |(at, text)| Place::Text(head(at, text)))
}

/// Returns the place of the first entry of a table that mentions a name, or of the table.
pub(super) fn entry(cx: &ModuleVerifier<'_>, table: SourceEntity, name: &str) -> Place {
    let Some((start, text)) = text_of(cx, table) else { return Place::Whole };
    let mut at = start;
    let mut lines = text.split_inclusive('\n');
    at += lines.next().map_or(0, str::len);
    for line in lines {
        if line.match_indices(name).any(|(i, _)| ends_name(&line[i + name.len()..])) {
            return Place::Text(trimmed(at, line));
        }
        at += line.len();
    }
    Place::Text(head(start, text))
}

/// The parts of a file with Swift declarations: the offsets in their joined text at which they begin.
pub(super) struct SwiftParts(Vec<usize>);

impl SwiftParts {
    pub(super) fn new(cx: &ModuleVerifier<'_>) -> Self {
        let mut starts = vec![0];
        for swift in &cx.module.swift {
            starts.push(starts.last().map_or(0, |start| start + swift.text.len() + 1));
        }
        Self(starts)
    }

    /// Returns the place of the part that contains an offset in the joined text.
    pub(super) fn place(&self, cx: &ModuleVerifier<'_>, offset: usize) -> Place {
        let part = self.0.partition_point(|start| *start <= offset).saturating_sub(1);
        entity(cx, SourceEntity::Swift(part))
    }
}

/// Returns the text of an entity and its offset.
fn text_of<'a>(cx: &ModuleVerifier<'a>, entity: SourceEntity) -> Option<(usize, &'a str)> {
    let range = cx.place(entity)?.as_usize();
    Some((range.start, cx.source?.text.get(range)?))
}

/// Returns the first line of an entity.
fn head(at: usize, text: &str) -> TextRange {
    trimmed(at, text.lines().next().unwrap_or_default())
}

/// Returns true if a name cannot continue with this text.
fn ends_name(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Returns the range of a line from an offset, without white space, comment and opening brace.
fn trimmed(at: usize, line: &str) -> TextRange {
    let code = line.split_once("//").map_or(line, |(code, _)| code);
    let start = code.len() - code.trim_start().len();
    let code = code.trim().trim_end_matches('{').trim_end();
    TextRange { start: (at + start) as u32, end: (at + start + code.len()) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_where_it_cannot_continue() {
        for rest in ["a", "Z", "é", "0", "_", "$"] {
            assert!(!ends_name(rest), "{rest}");
        }
        for rest in ["", " ", ":", ".m", "!", "\n"] {
            assert!(ends_name(rest), "{rest}");
        }
    }

    #[test]
    fn a_line_is_shown_without_its_comment_and_brace() {
        let shown = |at: usize, line: &str| {
            let range = trimmed(at, line);
            (range.start, range.end)
        };
        assert_eq!(shown(10, "sil_vtable C {"), (10, 22));
        assert_eq!(shown(10, "  #C.m: @m\t// the method"), (12, 20));
        assert_eq!(shown(0, ""), (0, 0));
        let range = head(5, "sil_vtable C {\n  #C.m: @m\n}");
        assert_eq!((range.start, range.end), (5, 17));
    }
}
