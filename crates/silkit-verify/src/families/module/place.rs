//! Where the entities of a module that have no place of their own stand in its text.

use crate::context::ModuleContext;
use crate::finding::Place;
use silkit_base::TextRange;

/// The place of the entity with this number among those that a keyword begins: its first line.
pub(super) fn entity(cx: &ModuleContext<'_>, keyword: &str, number: usize) -> Place {
    entity_range(cx, keyword, number).map_or(Place::Whole, Place::Text)
}

/// The place of the first entry of a table that mentions a name, or of the table.
pub(super) fn entry(cx: &ModuleContext<'_>, keyword: &str, number: usize, name: &str) -> Place {
    let Some(head) = entity_range(cx, keyword, number) else { return Place::Whole };
    let Some(text) = cx.text else { return Place::Whole };
    let mut at = head.end as usize;
    // A table ends with a brace at the start of a line.
    for line in text[at..].split_inclusive('\n').take_while(|l| !l.starts_with('}')) {
        if line.match_indices(name).any(|(i, _)| ends_name(&line[i + name.len()..])) {
            return Place::Text(trimmed(at, line));
        }
        at += line.len();
    }
    Place::Text(head)
}

fn entity_range(cx: &ModuleContext<'_>, keyword: &str, number: usize) -> Option<TextRange> {
    let mut at = 0;
    let mut left = number;
    for line in cx.text?.split_inclusive('\n') {
        if line.strip_prefix(keyword).is_some_and(ends_name) {
            if left == 0 {
                return Some(trimmed(at, line));
            }
            left -= 1;
        }
        at += line.len();
    }
    None
}

/// Whether a name ends where this text begins.
fn ends_name(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
}

/// The range of a line from an offset, without space, comment and opening brace.
fn trimmed(at: usize, line: &str) -> TextRange {
    let code = line.split_once("//").map_or(line, |(code, _)| code);
    let start = code.len() - code.trim_start().len();
    let code = code.trim().trim_end_matches('{').trim_end();
    TextRange { start: (at + start) as u32, end: (at + start + code.len()) as u32 }
}
