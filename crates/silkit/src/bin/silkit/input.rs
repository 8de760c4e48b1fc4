//! Loading: a path or `-`, checked before anything looks at it.

use crate::output;
use crate::session::{Session, UNREADABLE};
use silkit::diag::{Diagnostic, FileId, RuleId, Span, nearest};
use silkit::ir::Module;
use silkit::text::{SyntaxError, parse_module};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The text is no SIL.
const SYNTAX: RuleId = RuleId::new("SIL0001");

/// Offsets have 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;

/// A module that was read without an error.
pub(crate) struct Input {
    /// What was read.
    pub(crate) text: String,
    /// What it holds.
    pub(crate) module: Module,
}

/// Why a file cannot be used: what is wrong, and what to try.
struct Unusable(String, String);

impl Session {
    /// Reads a module. What is wrong is noted, and `None` given.
    pub(crate) fn load(&mut self, path: &str) -> Option<Input> {
        let text = self.read_text(path)?;
        self.parse(path, text)
    }

    /// The paths to read, and the work announced to whoever waits.
    pub(crate) fn inputs(&mut self, paths: &[String]) -> Vec<String> {
        let paths = if paths.is_empty() { vec!["-".to_owned()] } else { paths.to_vec() };
        let sizes = paths.iter().filter_map(|p| Path::new(p).metadata().ok()).map(|m| m.len());
        self.progress.expect(sizes.sum());
        paths
    }

    /// Reads a text. What is wrong is noted, and `None` given.
    pub(crate) fn read_text(&mut self, path: &str) -> Option<String> {
        self.progress.begin(path);
        match read(path).and_then(|bytes| utf8(path, bytes)) {
            Ok(text) => Some(text),
            Err(Unusable(message, hint)) => {
                self.push(Diagnostic::error(UNREADABLE, message).note(hint));
                None
            }
        }
    }

    fn parse(&mut self, path: &str, text: String) -> Option<Input> {
        let parsed = parse_module(&text);
        self.progress.done(text.len() as u64);
        if parsed.errors.is_empty() {
            return Some(Input { text, module: parsed.module });
        }
        self.syntax_errors(path, text, &parsed.errors);
        None
    }

    /// Notes the errors of a text.
    pub(crate) fn syntax_errors(&mut self, path: &str, text: String, errors: &[SyntaxError]) {
        match self.sources.add(path, text) {
            Ok(file) => {
                for error in errors {
                    self.push(diagnostic(error, file));
                }
            }
            Err(error) => self.push(Diagnostic::error(UNREADABLE, error.to_string())),
        }
    }
}

fn diagnostic(error: &SyntaxError, file: FileId) -> Diagnostic {
    let span = Span::new(file, error.range.start, error.range.end);
    let diagnostic = Diagnostic::error(SYNTAX, error.message.to_string()).at(span);
    match &error.help {
        Some(help) => diagnostic.note(help.clone()),
        None => diagnostic,
    }
}

fn read(path: &str) -> Result<Vec<u8>, Unusable> {
    let unreadable = |error: &io::Error| {
        let name = if path == "-" { "standard input" } else { path };
        Unusable(format!("cannot read `{name}`: {}", output::reason(error)), read_hint(path, error))
    };
    let mut bytes = Vec::new();
    let limit = MAX_BYTES + 1;
    let outcome = if path == "-" {
        io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| {
            let size = file.metadata().map_or(0, |m| m.len());
            if size < limit {
                bytes.reserve_exact(usize::try_from(size).unwrap_or(0) + 1);
            }
            file.take(limit).read_to_end(&mut bytes)
        })
    };
    outcome.map_err(|e| unreadable(&e))?;
    if bytes.len() as u64 > MAX_BYTES {
        let hint = "split the module: `silkit extract` takes functions out of one".to_owned();
        return Err(Unusable(format!("`{path}` is larger than 4 GiB, the most that can be read"), hint));
    }
    Ok(bytes)
}

fn read_hint(path: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => match similar_file(path) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "check the path; `-` stands for standard input".to_owned(),
        },
        io::ErrorKind::IsADirectory => format!("name the files in it, such as `{path}/*.sil`"),
        _ => output::hint(error),
    }
}

/// A file in the same folder whose name is almost this one.
fn similar_file(path: &str) -> Option<String> {
    let path = Path::new(path);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> =
        entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).take(10_000).collect();
    let near = nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(folder.map_or(near.to_owned(), |f| f.join(near).display().to_string()))
}

/// The bytes as text, where they are that.
fn utf8(path: &str, bytes: Vec<u8>) -> Result<String, Unusable> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count();
        let what = if bytes[..at].contains(&0) { "a binary file" } else { "no UTF-8 text" };
        Unusable(
            format!("`{path}` is {what}: line {line} has the byte 0x{:02X} at offset {at}", bytes[at]),
            "SIL is UTF-8 text; `swiftc -emit-silgen` or `-emit-sil` prints it".to_owned(),
        )
    })?;
    match text.as_bytes().iter().take(8192).position(|&b| b == 0) {
        Some(at) => Err(Unusable(
            format!("`{path}` is a binary file: it has a zero byte at offset {at}"),
            "SIL is UTF-8 text; `swiftc -emit-silgen` or `-emit-sil` prints it".to_owned(),
        )),
        None => Ok(text),
    }
}
