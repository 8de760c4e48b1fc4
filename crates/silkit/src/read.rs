//! One-call parsing of modules and types, with errors that can be displayed.

use silkit_diag::{Diagnostic, FileId, Severity, SourceMap, Span, render};
use silkit_ir::Module;
use silkit_text::{Cursor, GenericEnv, SyntaxError, parse_module, parse_sil_type};
use silkit_types::SilType;
use std::fmt;

/// The errors of an input that cannot be read, as data. Displays like the output of the command, one line per error.
#[derive(Clone)]
pub struct Unreadable {
    diagnostics: Vec<Diagnostic>,
    sources: SourceMap<'static>,
}

impl Unreadable {
    /// Returns the errors in text order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the source text that the errors refer to, for [`silkit_diag::render`].
    pub fn sources(&self) -> &SourceMap<'static> {
        &self.sources
    }

    /// Creates the error for an input that cannot be read for a single reason.
    fn new(diagnostic: Diagnostic) -> Self {
        Self { diagnostics: vec![diagnostic], sources: SourceMap::new() }
    }

    /// Creates the error for a text with syntax errors.
    fn in_text(name: &str, text: &[u8], diagnostics: impl FnOnce(FileId) -> Vec<Diagnostic>) -> Self {
        let mut sources = SourceMap::new();
        match sources.add(name, text.to_vec()) {
            Ok(file) => Self { diagnostics: diagnostics(file), sources },
            Err(too_long) => Self::new(Diagnostic::new(Severity::Error, too_long.to_string())),
        }
    }

    fn syntax(name: &str, text: &str, errors: &[SyntaxError]) -> Self {
        Self::in_text(name, text.as_bytes(), |file| {
            errors.iter().map(|error| error.diagnostic(file)).collect()
        })
    }
}

/// Displays the errors, since a `main` that returns an error prints its `Debug` form.
impl fmt::Debug for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(render::short(&self.diagnostics, &self.sources).trim_end())
    }
}

impl std::error::Error for Unreadable {}

/// Reads a module from the bytes of a file, text or binary form. The name is used only in errors.
///
/// ```
/// let error = silkit::read("a.sil", b"sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tupel ()\n}\n").unwrap_err();
/// assert_eq!(&*error.diagnostics()[0].message, "unknown instruction `tupel`");
/// assert!(error.to_string().starts_with("a.sil:3:8: error: unknown instruction `tupel` [SIL0001]\n"));
/// ```
///
/// # Errors
/// Returns all errors with their positions.
pub fn read(name: &str, bytes: &[u8]) -> Result<Module, Unreadable> {
    if silkit_binary::is_binary(bytes) {
        let module = silkit_binary::Reader::open(bytes).and_then(|reader| reader.module());
        return module.map_err(|error| {
            let message = format!("cannot read `{name}`: {}", error.message());
            Unreadable::new(Diagnostic::new(Severity::Error, message).note(error.hint()))
        });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Unreadable::in_text(name, bytes, |file| {
            let message = "expected UTF-8 text or binary SIL";
            let at = error.valid_up_to() as u32;
            vec![Diagnostic::new(Severity::Error, message).at(Span::new(file, at, at + 1))]
        })
    })?;
    let parsed = parse_module(text);
    match parsed.errors.is_empty() {
        true => Ok(parsed.module),
        false => Err(Unreadable::syntax(name, text, &parsed.errors)),
    }
}

/// Reads a lowered type.
///
/// ```
/// assert_eq!(silkit::sil_type("$*Optional<Int>").unwrap().to_string(), "$*Optional<Int>");
/// assert!(silkit::sil_type("Int").unwrap_err().to_string().contains("begins with `$`"));
/// ```
///
/// # Errors
/// Returns an error if the text is not a single type.
pub fn sil_type(text: &str) -> Result<SilType, Unreadable> {
    let mut cursor = Cursor::new(text);
    let ty = parse_sil_type(&mut cursor, &mut GenericEnv::new());
    let ty = ty.map_err(|error| Unreadable::syntax("type", text, &[error]))?;
    match text.get(cursor.pos()..).map_or("", str::trim) {
        "" => Ok(ty),
        rest => {
            let start = text.len() - text.get(cursor.pos()..).map_or(0, |rest| rest.trim_start().len());
            Err(Unreadable::in_text("type", text.as_bytes(), |file| {
                let message = format!("expected the end, found `{rest}` after the type `{ty}`");
                let span = Span::new(file, start as u32, (start + rest.len()) as u32);
                vec![Diagnostic::new(Severity::Error, message).at(span)]
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_errors_are_data() {
        let text = "sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tupel ()\n  return %1\n}\n";
        let error = read("a.sil", text.as_bytes()).unwrap_err();
        let messages: Vec<&str> = error.diagnostics().iter().map(|d| &*d.message).collect();
        assert_eq!(messages, ["unknown instruction `tupel`", "use of undefined value `%1`"]);
        let span = error.diagnostics()[1].primary().unwrap().span;
        let file = error.sources().file(span.file).unwrap();
        assert_eq!((file.name(), file.line_column(span.start).line), ("a.sil", 4));
        let shown = error.to_string();
        assert!(shown.contains("a.sil:3:8: error: unknown instruction `tupel` [SIL0001]\n"), "{shown}");
        assert!(shown.ends_with("a.sil:4:10: error: use of undefined value `%1` [SIL0001]"), "{shown}");
        assert_eq!(format!("{error:?}"), shown);
    }

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
        let error = read("a.sil", b"sil_stage raw\n\xff").unwrap_err();
        let expected = "a.sil:2:1: error: expected UTF-8 text or binary SIL";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn damaged_binary_forms_say_what_to_try() {
        let mut file = silkit_binary::write_module(&Module::default()).unwrap();
        file.truncate(20);
        let shown = read("a.sib", &file).unwrap_err().to_string();
        assert!(shown.starts_with("error: cannot read `a.sib`: ") && shown.contains("\nnote: "), "{shown}");
    }

    #[test]
    fn what_follows_a_type_is_an_error() {
        let error = sil_type("$Int  Int").unwrap_err();
        assert_eq!(error.to_string(), "type:1:7: error: expected the end, found `Int` after the type `$Int`");
        assert!(sil_type("$Int ").is_ok());
    }
}
