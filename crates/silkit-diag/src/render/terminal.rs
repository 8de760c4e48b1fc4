//! Renderer for terminals: labelled source excerpts.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};

use std::ops::Range;

use super::entity_note;
use super::excerpt::{Excerpt, excerpts};
use super::text::{many_lines, one_line, wrapped};
use crate::{Diagnostic, FileId, Label, Severity, SourceFile, SourceMap, Span, Suggestion, TextEdit};

/// The maximum number of labels or notes that are shown for one diagnostic; the rest is counted.
const MAX_SHOWN: usize = 12;

/// Options for rendering diagnostics on a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// True to use ANSI colours.
    pub colors: bool,
    /// True to draw lines with Unicode characters instead of ASCII.
    pub unicode: bool,
    /// The width in columns to which messages are wrapped and excerpts are cut.
    pub width: usize,
}

impl Default for Terminal {
    fn default() -> Self {
        Terminal::plain()
    }
}

impl Terminal {
    /// Returns options for machine-independent output: no colours, ASCII, 140 columns.
    pub fn plain() -> Self {
        Terminal { colors: false, unicode: false, width: 140 }
    }

    /// Returns options with colours.
    pub fn colored() -> Self {
        Terminal { colors: true, ..Terminal::plain() }
    }

    /// Renders a diagnostic; the text ends with a line end.
    ///
    /// Lines longer than 1,000 bytes are cut to a window around the labelled range. Of a span over many lines, only the
    /// first line is shown. Invalid UTF-8 bytes are shown as U+FFFD.
    pub fn render(&self, diagnostic: &Diagnostic, sources: &SourceMap<'_>) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
            Severity::Help => Level::HELP,
        };
        // A title begins with its level and rule: `warning[SIL0101]: `.
        let head = level_width(diagnostic.severity) + diagnostic.rule.map_or(0, |r| r.as_str().len() + 2);
        let message = wrapped(&diagnostic.message, self.width.saturating_sub(head));
        let mut title = level.clone().primary_title(message);
        if let Some(rule) = diagnostic.rule {
            title = title.id(rule.as_str());
        }
        let last = Group::with_title(title);
        let mut report = Report { width: self.width, groups: Vec::new(), last, level };
        self.labels(&mut report, diagnostic, sources);
        let mut notes: Vec<_> = diagnostic.notes.iter().filter(|n| n.span.is_none()).collect();
        let more = notes.len().saturating_sub(MAX_SHOWN);
        notes.truncate(MAX_SHOWN);
        let texts = entity_note(diagnostic)
            .into_iter()
            .chain(notes.iter().map(|n| n.message.to_string()))
            .chain((more > 0).then(|| format!("{more} more notes")));
        for text in texts {
            let text = wrapped(&text, self.width.saturating_sub(NOTE)).into_owned();
            report.last = report.last.element(Level::NOTE.message(text));
        }
        for note in diagnostic.notes.iter().filter(|n| n.span.is_some()).take(MAX_SHOWN) {
            let title = wrapped(&note.message, self.width.saturating_sub(level_width(Severity::Note)));
            report.start(Group::with_title(Level::NOTE.secondary_title(title)));
            report.level = Level::NOTE;
            let span = note.span.into_iter();
            let labels: Vec<Label> =
                span.map(|span| Label { span, text: "".into(), is_primary: true }).collect();
            report.places(sources, &labels.iter().collect::<Vec<_>>());
        }
        if let Some(s) = &diagnostic.suggestion {
            let file = diagnostic.primary().map(|l| l.span.file);
            report.start(suggestion(s, file, sources, self.width));
        }
        let renderer = if self.colors { Renderer::styled() } else { Renderer::plain() };
        let style = if self.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
        let renderer = renderer.term_width(self.width.max(40)).decor_style(style);
        report.groups.push(report.last);
        let mut out = renderer.render(&report.groups);
        out.push('\n');
        out
    }

    /// Renders several diagnostics, separated by empty lines.
    pub fn render_all<'d>(
        &self,
        diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
        sources: &SourceMap<'_>,
    ) -> String {
        let all: Vec<String> = diagnostics.into_iter().map(|d| self.render(d, sources)).collect();
        all.join("\n")
    }

    fn labels(&self, report: &mut Report<'_>, diagnostic: &Diagnostic, sources: &SourceMap<'_>) {
        let primary = diagnostic.primary();
        let mut labels: Vec<&Label> = primary.into_iter().chain(diagnostic.others()).collect();
        let more = labels.len().saturating_sub(MAX_SHOWN);
        labels.truncate(MAX_SHOWN);
        report.places(sources, &labels);
        if more > 0 {
            let text = format!("{more} more places are not shown");
            report.last = std::mem::replace(&mut report.last, Group::with_level(Level::NOTE))
                .element(Level::NOTE.message(text));
        }
    }
}

/// The width of what precedes the text of a note below an excerpt: the numbers of lines, the frame, and `note: `.
const NOTE: usize = 14;

/// The width below which underlines are shortened to leave room for their labels.
const NARROW: usize = 100;

/// The width of what precedes a line of source text.
const GUTTER: usize = 8;

/// Returns the width of the level that precedes a title, with its colon: `error: `.
fn level_width(severity: Severity) -> usize {
    match severity {
        Severity::Error => 7,
        Severity::Warning => 9,
        Severity::Note | Severity::Help => 6,
    }
}

/// Returns a range on one line of `text`, shortened so that it fits into `width` columns together with a label after it.
fn fitted(text: &str, range: Range<usize>, label: usize, width: usize) -> Range<usize> {
    let shown = text.get(range.clone()).unwrap_or_default();
    if width >= NARROW || shown.contains('\n') {
        return range;
    }
    let line = text[..range.start].rfind('\n').map_or(0, |end| end + 1);
    let column = text[line..range.start].chars().count();
    // Lines are scrolled to ranges that begin far to the right.
    let room = width.saturating_sub(GUTTER + column.min(width / 2) + label).max(8);
    match shown.char_indices().nth(room) {
        Some((end, _)) => range.start..range.start + end,
        None => range,
    }
}

/// The groups of a rendered diagnostic; `last` is still open.
struct Report<'a> {
    width: usize,
    groups: Vec<Group<'a>>,
    last: Group<'a>,
    level: Level<'a>,
}

impl<'a> Report<'a> {
    fn start(&mut self, group: Group<'a>) {
        let full = std::mem::replace(&mut self.last, group);
        // Drop an empty group: it would be rendered as a stray line.
        if !full.is_empty() || self.groups.is_empty() {
            self.groups.push(full);
        }
    }

    fn element(&mut self, element: impl Into<annotate_snippets::Element<'a>>) {
        let group = std::mem::replace(&mut self.last, Group::with_level(self.level.clone()));
        self.last = group.element(element);
    }

    /// Renders labels, starting with the file and the excerpt of the first label.
    fn places(&mut self, sources: &SourceMap<'_>, labels: &[&Label]) {
        let mut files: Vec<FileId> = Vec::new();
        for label in labels {
            if !files.contains(&label.span.file) {
                files.push(label.span.file);
            }
        }
        for id in files {
            let Some(file) = sources.file(id) else {
                continue;
            };
            let of_file: Vec<&Label> = labels.iter().copied().filter(|l| l.span.file == id).collect();
            let spans: Vec<Span> = of_file.iter().map(|l| l.span).collect();
            let mut all = excerpts(file, &spans);
            all.sort_by_key(|e| e.spans.iter().all(|(index, _)| *index != 0));
            for excerpt in all {
                self.excerpt(file, &of_file, excerpt);
            }
        }
    }

    fn excerpt(&mut self, file: &SourceFile<'_>, labels: &[&Label], excerpt: Excerpt) {
        let annotations: Vec<_> = excerpt
            .spans
            .into_iter()
            .map(|(index, range)| {
                let label = labels[index];
                let kind = if label.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let text = (!label.text.is_empty()).then(|| one_line(&label.text).into_owned());
                let label = text.as_ref().map_or(0, |text| text.chars().count() + 1);
                let range = fitted(&excerpt.text, range, label, self.width);
                (index, kind.span(range).label(text))
            })
            .collect();
        let first = annotations.iter().map(|(index, _)| *index).min().unwrap_or(0);
        let name = one_line(file.name()).into_owned();
        let mut snippet = Snippet::source(excerpt.text)
            .line_start(excerpt.first_line as usize)
            .annotations(annotations.into_iter().map(|(_, a)| a));
        if excerpt.is_shifted {
            // Columns computed from the excerpt would differ from the columns in the file: add the position explicitly
            // and omit it from the excerpt.
            let at = file.line_column(labels[first].span.start);
            let origin = Origin::path(name).line(at.line as usize).char_column(at.column as usize);
            self.element(origin);
            self.start(Group::with_level(self.level.clone()));
        } else {
            snippet = snippet.path(name);
        }
        self.element(snippet);
    }
}

/// Returns the group for a suggestion; it includes the edits if they are close together.
fn suggestion<'a>(
    suggestion: &Suggestion,
    shown_file: Option<FileId>,
    sources: &SourceMap<'_>,
    width: usize,
) -> Group<'a> {
    let message = wrapped(&suggestion.message, width.saturating_sub(level_width(Severity::Help)));
    let group = Group::with_title(Level::HELP.secondary_title(message.into_owned()));
    let mut edits: Vec<&TextEdit> = suggestion.edits.iter().take(MAX_SHOWN + 1).collect();
    edits.sort_by_key(|e| e.span);
    let is_orderly = edits.windows(2).all(|w| {
        w[0].span.file == w[1].span.file && w[0].span.end <= w[1].span.start && w[0].span != w[1].span
    });
    let Some(first) = edits.first().filter(|_| is_orderly && edits.len() <= MAX_SHOWN) else {
        return group;
    };
    let Some(file) = sources.file(first.span.file) else {
        return group;
    };
    let spans: Vec<Span> = edits.iter().map(|e| e.span).collect();
    let mut all = excerpts(file, &spans);
    let (Some(excerpt), true) = (all.pop(), all.is_empty()) else {
        return group;
    };
    let patches = excerpt
        .spans
        .into_iter()
        .map(|(index, range)| Patch::new(range, many_lines(&edits[index].replacement).into_owned()));
    let mut snippet = Snippet::source(excerpt.text).line_start(excerpt.first_line as usize).patches(patches);
    if shown_file != Some(first.span.file) && !excerpt.is_shifted {
        snippet = snippet.path(one_line(file.name()).into_owned());
    }
    group.element(snippet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiagnosedEntity, RuleId};

    const R: RuleId = RuleId::new("SIL0101");

    #[test]
    fn labels_notes_and_patch() {
        let mut sources = SourceMap::new();
        let text =
            "sil @f : $() {\nbb0:\n  %1 = stract_extract %0\n}\n".to_owned() + &"\n".repeat(20) + "end";
        let f = sources.add("a.sil", text).unwrap();
        let g = sources.add("b.sil", "struct S {}").unwrap();
        let d = Diagnostic::error(R, "unknown instruction")
            .label(Span::new(f, 27, 41), "not one")
            .secondary(Span::new(f, 4, 6), "in this function")
            .secondary(Span::new(f, 67, 70), "far away")
            .note("a note")
            .note_at(Span::new(g, 7, 8), "declared here")
            .suggest("did you mean `struct_extract`?", Span::new(f, 27, 41), "struct_extract");
        let expected = "\
error[SIL0101]: unknown instruction
  --> a.sil:3:8
   |
 1 | sil @f : $() {
   |     -- in this function
 2 | bb0:
 3 |   %1 = stract_extract %0
   |        ^^^^^^^^^^^^^^ not one
   |
  ::: a.sil:25:1
   |
25 | end
   | --- far away
   |
   = note: a note
note: declared here
  --> b.sil:1:8
   |
 1 | struct S {}
   |        ^
help: did you mean `struct_extract`?
   |
 3 -   %1 = stract_extract %0
 3 +   %1 = struct_extract %0
   |
";
        assert_eq!(Terminal::plain().render(&d, &sources), expected);
    }

    #[test]
    fn a_cut_line_keeps_its_column() {
        let mut sources = SourceMap::new();
        let f = sources.add("a.sil", format!("{}needle{}", "é".repeat(5000), "y".repeat(5000))).unwrap();
        let d = Diagnostic::warning(R, "w").label(Span::new(f, 10_000, 10_006), "here");
        let terminal = Terminal { width: 60, ..Terminal::plain() };
        let expected = "\
warning[SIL0101]: w
 --> a.sil:1:5001
  |
  |
1 | ...éééééééééééééééééééneedleyyyyyyyyyyyyyyyyyyyyyyyyy...
  |                       ^^^^^^ here
";
        assert_eq!(terminal.render(&d, &sources), expected);
    }

    #[test]
    fn a_narrow_terminal_wraps_messages_and_shortens_underlines() {
        let mut sources = SourceMap::new();
        let text = "  %2 = apply %1(%0) : $@convention(thin) (@owned Cache) -> ()\n";
        let f = sources.add("a.sil", text).unwrap();
        let d = Diagnostic::error(R, "the owned value `%0` is not consumed on a path to `return`")
            .label(Span::new(f, 2, 61), "consumed here")
            .note("the owned value `%0` is created by the caller of the function");
        let shown = Terminal { width: 40, ..Terminal::plain() }.render(&d, &sources);
        assert!(shown.lines().all(|line| line.chars().count() <= 40), "{shown}");
        assert!(
            shown.starts_with("error[SIL0101]: the owned value `%0` is\n                not consumed on"),
            "{shown}"
        );
        assert!(shown.contains("^^^ consumed here"), "{shown}");
    }

    #[test]
    fn without_a_place() {
        let sources = SourceMap::new();
        let entity = DiagnosedEntity::function("main").value("%3");
        let d = Diagnostic::error(R, "leaks").entity(entity).note("owned");
        let expected = "\
error[SIL0101]: leaks
 |
 = note: in function `main`, at `%3`
 = note: owned
";
        assert_eq!(Terminal::plain().render(&d, &sources), expected);
        let d = Diagnostic::new(Severity::Note, "hm").at(Span::at(FileId::new(3), 3));
        assert_eq!(Terminal::plain().render_all([&d, &d], &sources), "note: hm\n\nnote: hm\n");
    }

    #[test]
    fn colors_only_when_asked() {
        let sources = SourceMap::new();
        let d = Diagnostic::error(R, "m");
        assert!(Terminal::colored().render(&d, &sources).contains("\x1b["));
        assert!(!Terminal::plain().render(&d, &sources).contains('\x1b'));
    }
}
