//! Renderer for the one-line format of clang and Swift tools: `file:line:column: error: message`.

use std::fmt::Write;

use super::entity_note;
use super::text::{indented, one_line};
use crate::{Diagnostic, Severity, SourceMap, Span};

/// Returns one line for each diagnostic, which ends with the rule, and one for each of its secondary labels with text,
/// each note and the suggestion. Further lines of a note are indented. Columns count characters.
///
/// ```
/// use silkit_diag::{Diagnostic, RuleId, SourceMap, Span, render};
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.sil", "bb0:\nbb0:\n")?;
/// let d = Diagnostic::error(RuleId::new("SIL0103"), "`bb0` is already defined")
///     .at(Span::new(file, 5, 8))
///     .secondary(Span::new(file, 0, 3), "first defined here");
/// assert_eq!(render::short([&d], &sources), "\
/// a.sil:2:1: error: `bb0` is already defined [SIL0103]
/// a.sil:1:1: note: first defined here
/// ");
/// # Ok::<(), silkit_diag::TextTooLong>(())
/// ```
pub fn short<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>, sources: &SourceMap<'_>) -> String {
    let mut out = String::new();
    for d in diagnostics {
        let primary = d.primary();
        let place = primary.map(|l| l.span);
        match d.rule {
            Some(rule) => {
                let message = format!("{} [{rule}]", d.message);
                line(&mut out, sources, place, d.severity, &one_line(&message));
            }
            None => line(&mut out, sources, place, d.severity, &one_line(&d.message)),
        }
        for label in primary.into_iter().chain(d.others()) {
            if !label.text.is_empty() && *label.text != *d.message {
                line(&mut out, sources, Some(label.span), Severity::Note, &one_line(&label.text));
            }
        }
        if let Some(note) = entity_note(d) {
            line(&mut out, sources, place, Severity::Note, &one_line(&note));
        }
        for note in &d.notes {
            line(&mut out, sources, note.span.or(place), Severity::Note, &indented(&note.message));
        }
        if let Some(s) = &d.suggestion {
            let place = s.edits.first().map(|e| e.span).or(place);
            line(&mut out, sources, place, Severity::Help, &indented(&s.message));
        }
    }
    out
}

fn line(out: &mut String, sources: &SourceMap<'_>, place: Option<Span>, severity: Severity, message: &str) {
    if let Some((file, span)) = place.and_then(|s| Some((sources.file(s.file)?, s))) {
        let at = file.line_column(span.start);
        // Writing to a string cannot fail.
        let _ = write!(out, "{}:{}:{}: ", one_line(file.name()), at.line, at.column);
    }
    let _ = writeln!(out, "{severity}: {message}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiagnosedEntity, FileId, RuleId};

    #[test]
    fn without_a_place() {
        let sources = SourceMap::new();
        let d = Diagnostic::error(RuleId::new("R"), "a\nb")
            .entity(DiagnosedEntity::function("f").value("%1"))
            .note("n\no\r");
        let expected = "error: a\\nb [R]\nnote: in function `f`, at `%1`\nnote: n\n  o\\r\n";
        assert_eq!(short([&d], &sources), expected);
        let d = Diagnostic::error(RuleId::new("R"), "m").at(Span::at(FileId::new(7), 1));
        assert_eq!(short([&d], &sources), "error: m [R]\n");
    }
}
