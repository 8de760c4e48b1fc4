//! Shared parts of all commands: reading modules, reporting errors, writing results.
//!
//! Answers go to standard output, diagnostics to standard error. Only where findings are the answer (`verify`) do they go
//! to standard output, and what kept the command from its work goes to standard error all the same.

use crate::codes::{NOT_SO, PASS, UNWRITABLE, USAGE};
use crate::color;
use crate::output;
use crate::progress::Progress;
use clap::ValueEnum;
use silkit::diag::expected::{annotations, mismatches};
use silkit::diag::render::{self, Terminal, Tool};
use silkit::diag::{Diagnostic, Diagnostics, Severity, SourceMap};
use silkit::text::ParseOptions;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

/// The format of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Report {
    /// Text for humans: excerpts on a terminal, one line each elsewhere
    #[default]
    Text,
    /// One JSON object per line
    Json,
    /// A SARIF 2.1.0 document
    Sarif,
}

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// Text for humans
    #[default]
    Text,
    /// JSON
    Json,
}

impl From<Format> for Report {
    /// Diagnostics are reported in the form of the answer.
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

/// True if the command was invoked by the name of one of the reference's tools, whose exit status is 1 for every
/// error.
static IS_REFERENCE_TOOL: OnceLock<bool> = OnceLock::new();

/// Records that the command was invoked by the name of one of the reference's tools.
pub(crate) fn called_as_reference_tool() {
    let _ = IS_REFERENCE_TOOL.set(true);
}

/// Returns true if the command was called by the name of one of the reference's tools.
pub(crate) fn is_reference_tool() -> bool {
    IS_REFERENCE_TOOL.get().copied().unwrap_or_default()
}

/// Returns the exit status of a command that could not be carried out: bad usage, unreadable input, unwritable
/// output.
pub(crate) fn trouble() -> ExitCode {
    ExitCode::from(if is_reference_tool() { 1 } else { 2 })
}

/// A stream that diagnostics are written to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

impl Stream {
    fn is_terminal(self) -> bool {
        match self {
            Self::Out => std::io::stdout().is_terminal(),
            Self::Err => std::io::stderr().is_terminal(),
        }
    }
}

/// One run of a command.
pub(crate) struct Session {
    report: Report,
    /// True if the findings are the answer, and not remarks beside one.
    is_result: bool,
    /// Errors of the SIL.
    found: Diagnostics,
    /// Errors that kept the command from its work.
    failures: Vec<Diagnostic>,
    /// Remarks that follow the findings.
    remarks: Vec<Diagnostic>,
    /// True if something failed that was reported otherwise.
    has_failed: bool,
    /// Options for reading text.
    pub(crate) reading: ParseOptions,
    /// True if errors are left out that stand after another one in the same body: the reference reads
    /// no further there, so files that say what is wrong with them do not name these.
    pub(crate) first_errors_only: bool,
    pub(super) sources: SourceMap<'static>,
    pub(super) progress: Progress,
}

impl Session {
    /// Creates a run that reports in this form.
    pub(crate) fn new(report: Report) -> Self {
        Self {
            report,
            is_result: false,
            found: Diagnostics::new(),
            failures: Vec::new(),
            remarks: Vec::new(),
            has_failed: false,
            reading: ParseOptions::default(),
            first_errors_only: false,
            sources: SourceMap::new(),
            progress: Progress::start(),
        }
    }

    /// Creates a session whose answer is its findings, up to a number of errors; 0 is unlimited.
    pub(crate) fn of_findings(report: Report, max_errors: usize) -> Self {
        let max_errors = if max_errors == 0 { usize::MAX } else { max_errors };
        let found = Diagnostics::new().with_max_errors(max_errors);
        Self { is_result: true, found, ..Self::new(report) }
    }

    /// Records a diagnostic: a finding, or an error of the command.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let is_trouble = diagnostic.rule.is_some_and(|rule| {
            rule != NOT_SO && diagnostic.severity == Severity::Error && rule.as_str().starts_with("CLI")
        });
        if is_trouble { self.failures.push(diagnostic) } else { self.found.push(diagnostic) }
    }

    /// Adds a remark after all findings; the same one is shown once.
    pub(crate) fn push_once(&mut self, remark: Diagnostic) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Records that a request cannot be carried out, with a suggestion.
    pub(crate) fn refuse(&mut self, message: impl Into<Box<str>>, hint: impl Into<Box<str>>) {
        self.push(Diagnostic::error(USAGE, message).note(hint));
    }

    /// Records that standard output cannot be written.
    pub(crate) fn cannot_write(&mut self, error: &std::io::Error) {
        self.push(unwritable("standard output", error));
    }

    /// Records that the run fails because of an error that was reported already.
    pub(crate) fn fail(&mut self) {
        self.has_failed = true;
    }

    /// Returns true if an error was noted.
    pub(crate) fn has_errors(&self) -> bool {
        self.found.has_errors() || !self.failures.is_empty()
    }

    /// Writes an answer to standard output.
    pub(crate) fn answer(&mut self, text: &str) {
        self.write(Path::new("-"), text.as_bytes());
    }

    /// Writes a result to a file, or to standard output for `-`.
    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) {
        self.write_with(path, |out| out.write_all(bytes));
    }

    /// Writes a result that is made while it is written.
    pub(crate) fn write_with(
        &mut self,
        path: &Path,
        content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) {
        if output::is_standard(path) {
            self.progress.stop();
        }
        if let Err(error) = output::write_with(path, content) {
            let name =
                if output::is_standard(path) { "standard output".into() } else { path.display().to_string() };
            self.push(unwritable(&name, &error));
        }
    }

    /// Compares the findings with what the files say is wrong with them (`// expected-error {{…}}`).
    /// Output that does not fit replaces the findings.
    pub(crate) fn expect(&mut self, paths: &[PathBuf], prefixes: &[String]) {
        let mut expected = Vec::new();
        for path in paths {
            let name = path.display().to_string();
            let known = self.sources.files().find(|(_, f)| f.name() == name).map(|(id, _)| id);
            let file = match known {
                Some(file) => file,
                // Standard input cannot be read twice; it holds no finding where it is not known yet.
                None if output::is_standard(path) => continue,
                None => match std::fs::read(path).map(|bytes| self.sources.add(name, bytes)) {
                    Ok(Ok(file)) => file,
                    _ => continue,
                },
            };
            let text = self.sources.file(file).map(|f| String::from_utf8_lossy(f.text()).into_owned());
            expected.extend(annotations(file, &text.unwrap_or_default(), prefixes));
        }
        let found: Vec<Diagnostic> =
            std::mem::take(&mut self.found).into_sorted().into_iter().flat_map(with_notes).collect();
        for wrong in mismatches(&found, &expected, &self.sources) {
            self.found.push(wrong);
        }
    }

    /// Shows all diagnostics and returns the exit status: 2 if the command could not be carried out, 1 if errors were
    /// found, else 0.
    pub(crate) fn finish(mut self) -> ExitCode {
        self.progress.stop();
        if self.is_result {
            let text = self.findings(Stream::Out);
            if let Err(error) = output::write(Path::new("-"), text.as_bytes()) {
                self.failures.push(unwritable("standard output", &error));
            }
            output::complain(&self.failures());
        }
        let is_trouble = !self.failures.is_empty();
        let is_wrong = self.has_failed || self.found.has_errors();
        if !self.is_result {
            // One document holds both.
            let failures = std::mem::take(&mut self.failures);
            self.found.extend(failures);
            output::complain(&self.findings(Stream::Err));
        }
        // The system takes the memory back faster than we can give it.
        std::mem::forget(self);
        if is_trouble { trouble() } else { ExitCode::from(u8::from(is_wrong)) }
    }

    /// Returns the findings as text for a stream, with the number of those that are not shown.
    fn findings(&self, stream: Stream) -> String {
        let mut shown = self.found.sorted();
        let hidden = self.hidden();
        if !shown.is_empty() {
            shown.extend(&self.remarks);
        }
        match self.report {
            Report::Json => {
                shown.extend(&hidden);
                render::json_lines(shown, &self.sources)
            }
            Report::Sarif => {
                let rules: Vec<_> = silkit::verify::rules().map(silkit::verify::Rule::published).collect();
                let tool = Tool { name: "silkit", version: env!("CARGO_PKG_VERSION"), rules: &rules };
                render::sarif(shown, &self.sources, tool, hidden.as_ref())
            }
            Report::Text if shown.is_empty() => String::new(),
            Report::Text if stream.is_terminal() => {
                let summary = render::summary(&self.found).map_or(String::new(), |s| format!("\n{s}\n"));
                shown.extend(&hidden);
                terminal(stream).render_all(shown, &self.sources) + &summary
            }
            Report::Text => {
                shown.extend(&hidden);
                render::short(shown, &self.sources)
            }
        }
    }

    /// Returns a remark with the number of hidden findings.
    fn hidden(&self) -> Option<Diagnostic> {
        let hidden = self.found.suppressed_count();
        (hidden > 0).then(|| {
            let are = if hidden == 1 { "is" } else { "are" };
            let message = format!("{} {are} not shown", output::counted(hidden, "more error"));
            Diagnostic::new(Severity::Note, message).note("`--max-errors 0` shows all")
        })
    }

    /// Returns the errors of the command, as text for standard error.
    fn failures(&self) -> String {
        let stream = Stream::Err;
        match self.report {
            Report::Json => render::json_lines(&self.failures, &self.sources),
            Report::Text | Report::Sarif if stream.is_terminal() => {
                terminal(stream).render_all(&self.failures, &self.sources)
            }
            Report::Text | Report::Sarif => render::short(&self.failures, &self.sources),
        }
    }
}

fn unwritable(name: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot write `{name}`: {}", output::reason(error));
    Diagnostic::error(UNWRITABLE, message).note(output::hint(error))
}

fn terminal(stream: Stream) -> Terminal {
    let term = if stream == Stream::Out { console::Term::stdout() } else { console::Term::stderr() };
    let (_, width) = term.size();
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(|value| value.to_ascii_lowercase().replace('-', "").contains("utf8"));
    let colors = if stream == Stream::Out {
        color::is_on(&std::io::stdout())
    } else {
        color::is_on(&std::io::stderr())
    };
    Terminal { colors, unicode: utf8, width: usize::from(width) }
}

/// Returns a diagnostic and, for one of a pass, the notes that have a place of their own.
fn with_notes(mut diagnostic: Diagnostic) -> Vec<Diagnostic> {
    let is_of_pass = diagnostic.rule == Some(PASS);
    let notes: Vec<_> = if is_of_pass { std::mem::take(&mut diagnostic.notes) } else { Vec::new() };
    let notes = notes
        .into_iter()
        .filter_map(|note| Some(Diagnostic::new(Severity::Note, note.message).at(note.span?)));
    std::iter::once(diagnostic).chain(notes).collect()
}
