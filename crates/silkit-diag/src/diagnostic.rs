//! Diagnostics as plain data: what was found, where, and what to do about it.
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

/// The severity, in order of importance: errors first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input is wrong; the command exits with status 1.
    Error,
    /// The input is suspicious, and was accepted.
    Warning,
    /// A remark.
    Note,
    /// A hint at what to do.
    Help,
}

impl Severity {
    /// Returns the word that is printed: `error`, `warning`, `note` or `help`.
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

/// The stable name of a rule, such as `SIL0101`. Each crate declares its own as constants; a
/// published id never changes its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(&'static str);

impl RuleId {
    /// Declares an id.
    pub const fn new(id: &'static str) -> Self {
        RuleId(id)
    }

    /// Returns the id as it is printed.
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
    /// A name in PascalCase, as SARIF viewers expect it (`UnknownInstruction`).
    pub name: &'static str,
    /// One sentence: what the rule demands.
    pub summary: &'static str,
}

/// A file of a [`SourceMap`](crate::SourceMap), by its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    /// Creates the file with this index.
    pub const fn new(index: u32) -> Self {
        FileId(index)
    }

    /// Returns the index.
    pub const fn index(self) -> u32 {
        self.0
    }
}

/// A half-open range of bytes of one file. The order is that of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte; equal to `start` for a place between two bytes.
    pub end: u32,
}

impl Span {
    /// Creates the bytes from `start` up to, and without, `end`. A reversed range becomes an empty one.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        let end = if end < start { start } else { end };
        Span { file, start, end }
    }

    /// Creates the place before the byte at `offset`.
    pub const fn at(file: FileId, offset: u32) -> Self {
        Span::new(file, offset, offset)
    }

    /// Number of bytes.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns true if no byte is inside.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A span with something to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The label; may be empty if the message is sufficient.
    pub text: Box<str>,
    /// True if this is where the finding is, or only where something related is.
    pub is_primary: bool,
}

/// A remark below a diagnostic, with or without a place of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The remark.
    pub message: Box<str>,
    /// The place that it is about.
    pub span: Option<Span>,
}

/// One replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The replaced range; empty to insert.
    pub span: Span,
    /// The new text; empty to delete.
    pub replacement: Box<str>,
}

/// A way out: what to say about it and the edits that take it. Edits do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The message, for example "did you mean `struct_extract`?".
    pub message: Box<str>,
    /// All of them together are the fix.
    pub edits: Vec<TextEdit>,
}

/// The kind of SIL entity that a diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntityKind {
    /// A function.
    Function,
    /// A global variable.
    Global,
    /// A vtable, a witness table, a default witness table or another table.
    Table,
    /// A declaration: a type, a member, a conformance.
    Declaration,
}

impl EntityKind {
    /// Returns the word used in machine-readable output.
    pub const fn as_str(self) -> &'static str {
        match self {
            EntityKind::Function => "function",
            EntityKind::Global => "global",
            EntityKind::Table => "table",
            EntityKind::Declaration => "declaration",
        }
    }
}

/// The part of the module that a diagnostic is about, which has a name even where no text is (in a
/// module that was built or transformed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosedEntity {
    /// The kind of entity that `name` names.
    pub kind: EntityKind,
    /// Its name as it is written in SIL, without the `@`.
    pub name: Box<str>,
    /// The value, block or other part inside it, as it is printed (`%3`, `bb2`).
    pub part: Option<Box<str>>,
    /// The readable name, such as a demangled one. Text output uses it if there is one.
    pub title: Option<Box<str>>,
    /// The place in the source from which the entity was compiled, such as `Shapes.swift:12:5`.
    pub origin: Option<Box<str>>,
}

impl DiagnosedEntity {
    /// Creates an entity of some kind.
    pub fn new(kind: EntityKind, name: impl Into<Box<str>>) -> Self {
        DiagnosedEntity { kind, name: name.into(), part: None, title: None, origin: None }
    }

    /// Creates a function.
    pub fn function(name: impl Into<Box<str>>) -> Self {
        DiagnosedEntity::new(EntityKind::Function, name)
    }

    /// Sets the readable name of the entity.
    #[must_use]
    pub fn title(mut self, title: impl Into<Box<str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the source position that the entity was compiled from.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<Box<str>>) -> Self {
        self.origin = Some(origin.into());
        self
    }

    /// Names a value inside the entity.
    #[must_use]
    pub fn value(mut self, value: impl Into<Box<str>>) -> Self {
        self.part = Some(value.into());
        self
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The rule that is broken; plain remarks have none.
    pub rule: Option<RuleId>,
    /// The finding in one line, without a full stop.
    pub message: Box<str>,
    /// Places, primary and secondary, in the order in which they were added.
    pub labels: Vec<Label>,
    /// Remarks.
    pub notes: Vec<Note>,
    /// A fix.
    pub suggestion: Option<Box<Suggestion>>,
    /// The part of the module.
    pub entity: Option<Box<DiagnosedEntity>>,
}

impl Diagnostic {
    /// Creates a finding without a rule or a place.
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

    /// Creates an error against `rule`.
    pub fn error(rule: RuleId, message: impl Into<Box<str>>) -> Self {
        Diagnostic { rule: Some(rule), ..Diagnostic::new(Severity::Error, message) }
    }

    /// Creates a warning of `rule`.
    pub fn warning(rule: RuleId, message: impl Into<Box<str>>) -> Self {
        Diagnostic { rule: Some(rule), ..Diagnostic::new(Severity::Warning, message) }
    }

    /// Sets the place of the finding, without a label.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        self.label(span, "")
    }

    /// Sets the place of the finding, with a label.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<Box<str>>) -> Self {
        self.labels.push(Label { span, text: text.into(), is_primary: true });
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn secondary(mut self, span: Span, text: impl Into<Box<str>>) -> Self {
        self.labels.push(Label { span, text: text.into(), is_primary: false });
        self
    }

    /// Adds a remark.
    #[must_use]
    pub fn note(mut self, message: impl Into<Box<str>>) -> Self {
        self.notes.push(Note { message: message.into(), span: None });
        self
    }

    /// Adds a remark about a place, which is shown with an excerpt of its own.
    #[must_use]
    pub fn note_at(mut self, span: Span, message: impl Into<Box<str>>) -> Self {
        self.notes.push(Note { message: message.into(), span: Some(span) });
        self
    }

    /// Suggests to replace the text at `span`.
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

    /// Sets the entity that the finding is about.
    #[must_use]
    pub fn entity(mut self, entity: DiagnosedEntity) -> Self {
        self.entity = Some(Box::new(entity));
        self
    }

    /// Returns the place of the finding: the first primary label, or else the first label.
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
        // An `Err` of this size does not slow the success path down (clippy's own limit is 128).
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
