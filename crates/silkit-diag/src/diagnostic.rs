//! Diagnostics as plain data: messages, source spans and suggested fixes.
//!
//! ```
//! use silkit_diag::{Diagnostic, DiagnosedEntity, FileId, RuleId, Severity, Span};
//! const DOUBLE_CONSUME: RuleId = RuleId::new("SIL0310");
//! let file = FileId::new(0);
//! let d = Diagnostic::error(DOUBLE_CONSUME, "`%3` is consumed twice")
//!     .label(Span::new(file, 80, 95), "second time here")
//!     .secondary(Span::new(file, 40, 55), "first time here")
//!     .note("an owned value is consumed exactly once on every path")
//!     .entity(DiagnosedEntity::function("main").value("%3"));
//! assert_eq!(d.severity, Severity::Error);
//! assert_eq!(d.primary().map(|l| l.span.start), Some(80));
//! ```

use std::fmt;

/// The severity of a diagnostic, in order of importance: errors first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input is invalid; the command exits with status 1.
    Error,
    /// The input is suspicious but accepted.
    Warning,
    /// A remark.
    Note,
    /// A suggestion for the user.
    Help,
}

impl Severity {
    /// Returns the printed form: `error`, `warning`, `note` or `help`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Help => "help",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The stable id of a rule, such as `SIL0101`. Each crate declares its ids as constants; the meaning of a published id
/// never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(&'static str);

impl RuleId {
    /// Creates an id.
    pub const fn new(id: &'static str) -> Self {
        RuleId(id)
    }

    /// Returns the printed form of the id.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The published description of a rule; SARIF documents include it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// The stable id.
    pub id: RuleId,
    /// The name in PascalCase, the convention of SARIF viewers (`UnknownInstruction`).
    pub name: &'static str,
    /// The requirement of the rule, in one sentence.
    pub summary: &'static str,
}

/// The index of a file in a [`SourceMap`](crate::SourceMap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    /// Creates the id of the file with this index.
    pub const fn new(index: u32) -> Self {
        FileId(index)
    }

    /// Returns the index.
    pub const fn index(self) -> u32 {
        self.0
    }
}

/// A half-open byte range in a file. Spans are ordered by source position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte; equal to `start` for a position between two bytes.
    pub end: u32,
}

impl Span {
    /// Creates a span from `start` (inclusive) to `end` (exclusive). A reversed range becomes an empty span.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        let end = if end < start { start } else { end };
        Span { file, start, end }
    }

    /// Creates an empty span before the byte at `offset`.
    pub const fn at(file: FileId, offset: u32) -> Self {
        Span::new(file, offset, offset)
    }

    /// Returns the number of bytes.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns true if the span is empty.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A span with a label text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The labelled span.
    pub span: Span,
    /// The label text; empty if the message is sufficient.
    pub text: Box<str>,
    /// True if this is the primary location of the finding, false if it is a related location.
    pub is_primary: bool,
}

/// A note attached to a diagnostic, with an optional span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text of the note.
    pub message: Box<str>,
    /// The span that the note refers to.
    pub span: Option<Span>,
}

/// A single text replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The replaced range; empty for an insertion.
    pub span: Span,
    /// The new text; empty for a deletion.
    pub replacement: Box<str>,
}

/// A suggested fix: a message and the edits that apply the fix. The edits do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The message, for example "did you mean `struct_extract`?".
    pub message: Box<str>,
    /// The edits; the fix consists of all of them together.
    pub edits: Vec<TextEdit>,
}

/// The kind of SIL entity that a diagnostic refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntityKind {
    /// A function.
    Function,
    /// A global variable.
    Global,
    /// A vtable, witness table, default witness table or other table.
    Table,
    /// A declaration: a type, a member, a conformance.
    Declaration,
}

impl EntityKind {
    /// Returns the name used in machine-readable output.
    pub const fn as_str(self) -> &'static str {
        match self {
            EntityKind::Function => "function",
            EntityKind::Global => "global",
            EntityKind::Table => "table",
            EntityKind::Declaration => "declaration",
        }
    }
}

/// The part of the module that a diagnostic refers to. Unlike a span, it also identifies parts of a module without
/// source text (a built or transformed module).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosedEntity {
    /// The kind of the entity.
    pub kind: EntityKind,
    /// The name of the entity as spelled in SIL, without the `@`.
    pub name: Box<str>,
    /// The value, block or other part of the entity, in its printed form (`%3`, `bb2`).
    pub part: Option<Box<str>>,
    /// The readable name, such as a demangled name. Text output prefers it to `name`.
    pub title: Option<Box<str>>,
    /// The source positions that the place was compiled from: the innermost one, then the calls that were inlined.
    pub origin: Vec<OriginFrame>,
}

/// A position in a source file that code was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginFrame {
    /// The function at this position, if known: its readable name, or the symbol if nobody has demangled it.
    pub function: Option<Box<str>>,
    /// The path of the source file.
    pub file: Box<str>,
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1; 0 if unknown.
    pub column: u32,
}

impl OriginFrame {
    /// Returns `Shapes.swift:12:5`: the name of the file without its folders, line and column.
    pub fn short(&self) -> String {
        let name = self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file);
        format!("{name}:{}:{}", self.line, self.column)
    }

    /// Describes positions, the innermost first: `half.swift:3:14 in `half(_:)`, inlined at main.swift:9:12`. The function
    /// of the last one is left out: it is the one that the code is in now.
    pub fn describe(frames: &[Self]) -> String {
        let text = |(index, frame): (usize, &Self)| match &frame.function {
            Some(function) if index + 1 < frames.len() => format!("{} in `{function}`", frame.short()),
            _ => frame.short(),
        };
        frames.iter().enumerate().map(text).collect::<Vec<_>>().join(", inlined at ")
    }
}

impl DiagnosedEntity {
    /// Creates an entity of this kind.
    pub fn new(kind: EntityKind, name: impl Into<Box<str>>) -> Self {
        DiagnosedEntity { kind, name: name.into(), part: None, title: None, origin: Vec::new() }
    }

    /// Creates a function entity.
    pub fn function(name: impl Into<Box<str>>) -> Self {
        DiagnosedEntity::new(EntityKind::Function, name)
    }

    /// Sets the readable name of the entity.
    #[must_use]
    pub fn title(mut self, title: impl Into<Box<str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the source positions that the place was compiled from.
    #[must_use]
    pub fn origin(mut self, origin: Vec<OriginFrame>) -> Self {
        self.origin = origin;
        self
    }

    /// Sets the value inside the entity that the diagnostic refers to.
    #[must_use]
    pub fn value(mut self, value: impl Into<Box<str>>) -> Self {
        self.part = Some(value.into());
        self
    }
}

/// A single finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The violated rule; `None` for plain remarks.
    pub rule: Option<RuleId>,
    /// The message: one line without a full stop.
    pub message: Box<str>,
    /// The primary and secondary labels, in insertion order.
    pub labels: Vec<Label>,
    /// The attached notes.
    pub notes: Vec<Note>,
    /// The suggested fix.
    pub suggestion: Option<Box<Suggestion>>,
    /// The part of the module that the finding refers to.
    pub entity: Option<Box<DiagnosedEntity>>,
}

impl Diagnostic {
    /// Creates a diagnostic without a rule or a span.
    pub fn new(severity: Severity, message: impl Into<Box<str>>) -> Self {
        Diagnostic {
            severity,
            rule: None,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            suggestion: None,
            entity: None,
        }
    }

    /// Creates an error for a violation of `rule`.
    pub fn error(rule: RuleId, message: impl Into<Box<str>>) -> Self {
        Diagnostic { rule: Some(rule), ..Diagnostic::new(Severity::Error, message) }
    }

    /// Creates a warning for a violation of `rule`.
    pub fn warning(rule: RuleId, message: impl Into<Box<str>>) -> Self {
        Diagnostic { rule: Some(rule), ..Diagnostic::new(Severity::Warning, message) }
    }

    /// Adds a primary span without a label text.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        self.label(span, "")
    }

    /// Adds a primary span with a label text.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<Box<str>>) -> Self {
        self.labels.push(Label { span, text: text.into(), is_primary: true });
        self
    }

    /// Adds a secondary span with a label text.
    #[must_use]
    pub fn secondary(mut self, span: Span, text: impl Into<Box<str>>) -> Self {
        self.labels.push(Label { span, text: text.into(), is_primary: false });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, message: impl Into<Box<str>>) -> Self {
        self.notes.push(Note { message: message.into(), span: None });
        self
    }

    /// Adds a note with a span, which is shown with a separate excerpt.
    #[must_use]
    pub fn note_at(mut self, span: Span, message: impl Into<Box<str>>) -> Self {
        self.notes.push(Note { message: message.into(), span: Some(span) });
        self
    }

    /// Suggests a replacement of the text at `span`.
    #[must_use]
    pub fn suggest(
        mut self,
        message: impl Into<Box<str>>,
        span: Span,
        replacement: impl Into<Box<str>>,
    ) -> Self {
        let edits = vec![TextEdit { span, replacement: replacement.into() }];
        self.suggestion = Some(Box::new(Suggestion { message: message.into(), edits }));
        self
    }

    /// Sets the entity that the finding refers to.
    #[must_use]
    pub fn entity(mut self, entity: DiagnosedEntity) -> Self {
        self.entity = Some(Box::new(entity));
        self
    }

    /// Returns the primary label of the finding: the first primary label, otherwise the first label.
    pub fn primary(&self) -> Option<&Label> {
        self.labels.iter().find(|l| l.is_primary).or_else(|| self.labels.first())
    }

    /// Returns the labels other than [`primary`](Self::primary).
    pub fn others(&self) -> impl Iterator<Item = &Label> {
        let primary = self.primary().map(std::ptr::from_ref);
        self.labels.iter().filter(move |l| primary != Some(std::ptr::from_ref(*l)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_plain() {
        fn plain<T: Send + Sync + Clone + 'static>() {}
        plain::<Diagnostic>();
        // An `Err` of this size does not slow down the success path (the limit of clippy is 128).
        assert!(size_of::<Diagnostic>() <= 128);
    }

    #[test]
    fn primary_and_others() {
        let f = FileId::new(0);
        let d = Diagnostic::new(Severity::Note, "m").secondary(Span::at(f, 1), "a");
        assert_eq!(d.primary().map(|l| l.span.start), Some(1));
        assert_eq!(d.others().count(), 0);
        let d = d.label(Span::at(f, 2), "b").label(Span::at(f, 3), "c");
        assert_eq!(d.primary().map(|l| l.span.start), Some(2));
        assert_eq!(d.others().map(|l| l.span.start).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn reversed_span_is_empty() {
        assert!(Span::new(FileId::new(0), 9, 3).is_empty());
        assert_eq!(Span::new(FileId::new(0), 3, 9).len(), 6);
    }
}
