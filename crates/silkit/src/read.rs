//! Reading modules and types for programs: one call, and errors that can be shown.

use silkit_diag::{Diagnostic, FileId, RuleId, SourceMap, Span, render};
use silkit_ir::Module;
use silkit_text::{Cursor, GenericEnv, SyntaxError, parse_module, parse_sil_type};
use silkit_types::SilType;
use std::fmt;

/// The text is no SIL.
const SYNTAX: RuleId = RuleId::new("SIL0001");

/// Why something cannot be read: what the command would say, a line for each error.
#[derive(Clone, PartialEq, Eq)]
pub struct Unreadable(String);

/// A `main` that returns an error shows it so: people read it.
impl fmt::Debug for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl std::error::Error for Unreadable {}

/// Reads a module from the bytes of a file, text or binary form. The name is for errors alone.
///
/// ```
/// let error = silkit::read("a.sil", b"sil @f : $@convention(thin) () -> () {\nbb0:\n  %0 = tupel ()\n}\n").unwrap_err();
/// assert!(error.to_string().starts_with("a.sil:3:8: error: unknown instruction `tupel` [SIL0001]\n"));
/// ```
///
/// # Errors
/// All that is wrong, each with its place.
pub fn read(name: &str, bytes: &[u8]) -> Result<Module, Unreadable> {
    if silkit_binary::is_binary(bytes) {
        let module = silkit_binary::Reader::open(bytes).and_then(|reader| reader.module());
        return module
            .map_err(|e| Unreadable(format!("{name}: error: {}\n{name}: help: {}", e.message(), e.hint())));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        Unreadable(format!("{name}:{line}: error: no UTF-8 text, and no binary form of SIL"))
    })?;
    let parsed = parse_module(text);
    if parsed.errors.is_empty() { Ok(parsed.module) } else { Err(unreadable(name, text, &parsed.errors)) }
}

/// Reads a lowered type.
///
/// ```
/// assert_eq!(silkit::sil_type("$*Optional<Int>").unwrap().to_string(), "$*Optional<Int>");
/// assert!(silkit::sil_type("Int").unwrap_err().to_string().contains("begins with `$`"));
/// ```
///
/// # Errors
/// Where the text is no type, or more than one.
pub fn sil_type(text: &str) -> Result<SilType, Unreadable> {
    let mut cursor = Cursor::new(text);
    let ty = parse_sil_type(&mut cursor, &mut GenericEnv::new());
    let ty = ty.map_err(|error| unreadable("type", text, &[error]))?;
    match text.get(cursor.pos()..).map_or("", str::trim) {
        "" => Ok(ty),
        rest => Err(Unreadable(format!("type: error: `{rest}` follows the type `{ty}`"))),
    }
}

fn unreadable(name: &str, text: &str, errors: &[SyntaxError]) -> Unreadable {
    let mut sources = SourceMap::new();
    match sources.add(name, text) {
        Ok(file) => {
            let found: Vec<Diagnostic> = errors.iter().map(|error| syntax_diagnostic(error, file)).collect();
            Unreadable(render::short(found.iter(), &sources))
        }
        Err(too_long) => Unreadable(format!("{name}: error: {too_long}")),
    }
}

/// An error about a text as a diagnostic about a file.
pub fn syntax_diagnostic(error: &SyntaxError, file: FileId) -> Diagnostic {
    let span = Span::new(file, error.range.start, error.range.end);
    let diagnostic = Diagnostic::error(SYNTAX, error.message.to_string()).at(span);
    match &error.help {
        Some(help) => diagnostic.note(help.clone()),
        None => diagnostic,
    }
}
