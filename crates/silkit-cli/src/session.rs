//! The state shared by all commands, for reading modules, reporting errors and writing results.
//!
//! Results are written to standard output, diagnostics to standard error. If findings are the result (`verify`), they
//! are written to standard output, and errors of the command itself still to standard error.

use crate::codes::{NOT_SO, PASS, UNREADABLE, UNWRITABLE, USAGE};
use crate::color;
use crate::output;
use crate::progress::Progress;
use crate::shown;
use clap::ValueEnum;
use serde_json::json;
use silkit::diag::expected::{annotations, mismatches};
use silkit::diag::render::{self, Terminal, Tool};
use silkit::diag::{Diagnostic, Diagnostics, RuleInfo, Severity, SourceMap};
use silkit::text::ParseOptions;
use std::collections::BTreeMap;
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
    /// Returns the diagnostics format that matches a result format.
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

/// The name of the reference tool by which the command was invoked; those exit with status 1 for every error.
static REFERENCE_TOOL: OnceLock<&str> = OnceLock::new();

/// Records that the command was invoked by the name of a reference tool.
pub(crate) fn called_as_reference_tool(link: &'static str) {
    let _ = REFERENCE_TOOL.set(link);
}

/// Returns the name of the reference tool by which the command was invoked.
pub(crate) fn reference_tool() -> Option<&'static str> {
    REFERENCE_TOOL.get().copied()
}

/// Returns true if the command was invoked by the name of a reference tool.
pub(crate) fn is_reference_tool() -> bool {
    reference_tool().is_some()
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
    /// Returns true if excerpts are shown: on a terminal, and in a pipe to a pager (`--color always | less -R`).
    fn is_for_people(self) -> bool {
        color::is_always()
            || match self {
                Self::Out => std::io::stdout().is_terminal(),
                Self::Err => std::io::stderr().is_terminal(),
            }
    }
}

/// One run of a command.
pub(crate) struct Session {
    report: Report,
    /// True if the findings are the result of the command, not diagnostics that accompany a result.
    is_result: bool,
    /// Diagnostics about the SIL.
    found: Diagnostics,
    /// Errors that prevented the command from completing.
    failures: Vec<Diagnostic>,
    /// The text to print instead of the findings.
    counts: Option<String>,
    /// Remarks to print after the findings.
    remarks: Vec<Diagnostic>,
    /// True if an error was already reported outside the session.
    has_failed: bool,
    /// True if the exit status for input that does not parse is 2, because 1 means something else for the command.
    needs_valid_input: bool,
    /// True if an input does not parse.
    has_syntax_errors: bool,
    /// Options for reading text.
    pub(crate) reading: ParseOptions,
    /// True if only the first syntax error in each body is reported: the reference stops parsing there, so files
    /// with expected-error annotations do not list later errors.
    pub(crate) first_errors_only: bool,
    pub(super) sources: SourceMap<'static>,
    pub(super) progress: Progress,
}

impl Session {
    /// Creates a session that reports diagnostics in the given format.
    pub(crate) fn new(report: Report) -> Self {
        Self {
            report,
            is_result: false,
            found: Diagnostics::new(),
            failures: Vec::new(),
            counts: None,
            remarks: Vec::new(),
            has_failed: false,
            needs_valid_input: false,
            has_syntax_errors: false,
            reading: ParseOptions::default(),
            first_errors_only: false,
            sources: SourceMap::new(),
            progress: Progress::start(),
        }
    }

    /// Creates a session whose result is its findings: at most `limit` errors, and as many others; 0 means no limit.
    pub(crate) fn of_findings(report: Report, limit: usize) -> Self {
        let limit = if limit == 0 { usize::MAX } else { limit };
        let found = Diagnostics::new().with_max_errors(limit).with_max_others(limit);
        Self { is_result: true, found, ..Self::new(report) }
    }

    /// Creates a session of a command for which exit status 1 is a result, such as a difference: input that does not
    /// parse is then as unusable as input that cannot be read.
    pub(crate) fn with_valid_input(report: Report) -> Self {
        Self { needs_valid_input: true, ..Self::new(report) }
    }

    /// Records that an input does not parse.
    pub(crate) fn note_syntax_errors(&mut self) {
        self.has_syntax_errors = true;
    }

    /// Records a diagnostic: a finding or an error of the command.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let is_trouble = diagnostic.rule.is_some_and(|rule| {
            rule != NOT_SO && diagnostic.severity == Severity::Error && rule.as_str().starts_with("CLI")
        });
        if is_trouble { self.failures.push(diagnostic) } else { self.found.push(diagnostic) }
    }

    /// Adds a remark after all findings; duplicates are dropped.
    pub(crate) fn push_once(&mut self, remark: Diagnostic) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Records that a request cannot be carried out, with a hint.
    pub(crate) fn refuse(&mut self, message: impl Into<Box<str>>, hint: impl Into<Box<str>>) {
        self.push(Diagnostic::error(USAGE, message).note(hint));
    }

    /// Records a failure to read standard input.
    pub(crate) fn cannot_read(&mut self, error: &std::io::Error) {
        let message = format!("cannot read standard input: {}", output::reason(error));
        self.push(Diagnostic::error(UNREADABLE, message).note(output::hint(error)));
    }

    /// Records a failure to write to standard output.
    pub(crate) fn cannot_write(&mut self, error: &std::io::Error) {
        self.push(unwritable(None, error));
    }

    /// Marks the run as failed because of an error that was already reported.
    pub(crate) fn fail(&mut self) {
        self.has_failed = true;
    }

    /// Returns true if an error was recorded.
    pub(crate) fn has_errors(&self) -> bool {
        self.found.has_errors() || !self.failures.is_empty()
    }

    /// Returns true if an error prevented the command from completing.
    pub(crate) fn has_failed_itself(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Writes a text result to standard output.
    pub(crate) fn answer(&mut self, text: &str) {
        self.write(Path::new("-"), text.as_bytes());
    }

    /// Writes a text result with colors to standard output. The parts of it that come from the input were escaped before.
    pub(crate) fn answer_styled(&mut self, text: &str) {
        self.progress.stop();
        if let Err(error) = output::write_styled(text) {
            self.push(unwritable(None, &error));
        }
    }

    /// Writes a result to a file, or to standard output for `-`.
    pub(crate) fn write(&mut self, path: &Path, bytes: &[u8]) {
        self.write_with(path, |out| out.write_all(bytes));
    }

    /// Writes a result that `content` generates incrementally.
    pub(crate) fn write_with(
        &mut self,
        path: &Path,
        content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) {
        if output::is_standard(path) {
            self.progress.stop();
        }
        if let Err(error) = output::write_with(path, content) {
            self.push(unwritable(Some(path).filter(|path| !output::is_standard(path)), &error));
        }
    }

    /// Compares the findings with the expected diagnostics in the files (`// expected-error {{…}}`).
    /// Replaces the findings with the mismatches.
    pub(crate) fn expect(&mut self, paths: &[PathBuf], prefixes: &[String]) {
        let mut expected = Vec::new();
        for path in paths {
            let name = path.display().to_string();
            let known = self.sources.files().find(|(_, f)| f.name() == name).map(|(id, _)| id);
            let file = match known {
                Some(file) => file,
                // Standard input cannot be read twice; if it is not among the sources, it has no findings.
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

    /// Replaces the findings by the number of findings of each rule when they are shown. `summary` describes a rule.
    pub(crate) fn count_findings(&mut self, summary: impl Fn(&str) -> &'static str) {
        let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
        for found in self.found.sorted() {
            if matches!(found.severity, Severity::Error | Severity::Warning) {
                *rules.entry(found.rule.map_or("", |rule| rule.as_str())).or_default() += 1;
            }
        }
        self.counts = Some(match self.report {
            Report::Json => shown::json(&json!({
                "errors": self.found.error_count(),
                "warnings": self.found.warning_count(),
                "rules": rules.iter().map(|(rule, count)| json!({"rule": rule, "count": count})).collect::<Vec<_>>(),
            })),
            _ => {
                let mut rules: Vec<_> = rules.into_iter().collect();
                rules.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                let rows =
                    rules.iter().map(|(rule, count)| format!("{count:>8}  {rule}  {}\n", summary(rule)));
                let sum = render::summary(&self.found).map_or(String::new(), |sum| sum + "\n");
                rows.collect::<String>() + &sum
            }
        });
    }

    /// Does the same as [`Self::finish`], and says on a terminal if nothing was found.
    pub(crate) fn finish_findings(mut self, no_findings: &str) -> ExitCode {
        self.progress.stop();
        let is_clean = self.found.is_empty() && self.failures.is_empty() && !self.has_failed;
        if is_clean && self.report == Report::Text && !output::is_quiet() {
            if io::stderr().is_terminal() {
                output::complain(&format!("{no_findings}\n"));
            } else if io::stdout().is_terminal() {
                self.answer(&format!("{no_findings}\n"));
            }
        }
        self.finish()
    }

    /// Writes all diagnostics and returns the exit status: 2 if the command could not be carried out, 1 if errors were
    /// found or, if findings are the result, warnings; 0 otherwise.
    pub(crate) fn finish(mut self) -> ExitCode {
        self.progress.stop();
        if self.is_result {
            let text = self.counts.take().unwrap_or_else(|| self.findings(Stream::Out));
            if let Err(error) = output::write_styled(&text) {
                self.failures.push(unwritable(None, &error));
            }
            output::complain_styled(&self.failures());
        }
        let is_trouble = !self.failures.is_empty() || self.needs_valid_input && self.has_syntax_errors;
        let is_finding = self.is_result && self.found.warning_count() > 0;
        let is_wrong = self.has_failed || self.found.has_errors() || is_finding;
        if !self.is_result {
            // Findings and failures are printed as one document, in which SARIF tells them apart.
            if self.report != Report::Sarif {
                let failures = std::mem::take(&mut self.failures);
                self.found.extend(failures);
            }
            output::complain_styled(&self.findings(Stream::Err));
        }
        // The operating system reclaims the memory at exit faster than running the destructors.
        std::mem::forget(self);
        if is_trouble { trouble() } else { ExitCode::from(u8::from(is_wrong)) }
    }

    /// Renders the findings for a stream, with the number of hidden findings.
    fn findings(&self, stream: Stream) -> String {
        let mut shown = self.found.sorted();
        let hidden = self.hidden().filter(|_| !output::is_quiet());
        if !shown.is_empty() && !output::is_quiet() {
            shown.extend(&self.remarks);
        }
        match self.report {
            Report::Json => {
                shown.extend(&hidden);
                render::json_lines(shown, &self.sources)
            }
            Report::Sarif => {
                let rules = published_rules();
                let tool = tool(&rules);
                let notices: Vec<&Diagnostic> = hidden.iter().chain(&self.failures).collect();
                render::sarif(shown, &self.sources, tool, &notices)
            }
            Report::Text if shown.is_empty() => String::new(),
            Report::Text if stream.is_for_people() => {
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
            let message = format!("{} {are} not shown", output::counted(hidden, "more finding"));
            Diagnostic::new(Severity::Note, message).note("`--limit 0` shows all")
        })
    }

    /// Renders the errors of the command for standard error.
    fn failures(&self) -> String {
        let stream = Stream::Err;
        match self.report {
            Report::Json => render::json_lines(&self.failures, &self.sources),
            Report::Text | Report::Sarif if stream.is_for_people() => {
                terminal(stream).render_all(&self.failures, &self.sources)
            }
            Report::Text | Report::Sarif => render::short(&self.failures, &self.sources),
        }
    }
}

/// Returns the rules as SARIF documents list them.
pub(crate) fn published_rules() -> Vec<RuleInfo> {
    silkit::verify::rules().map(silkit::verify::Rule::published).collect()
}

/// Returns the description of this tool for SARIF documents.
pub(crate) fn tool(rules: &[RuleInfo]) -> Tool<'_> {
    Tool { name: "silkit", version: env!("CARGO_PKG_VERSION"), rules }
}

/// Returns the error for a file that cannot be written; `None` is standard output.
fn unwritable(path: Option<&Path>, error: &std::io::Error) -> Diagnostic {
    let name = path.map_or("to standard output".to_owned(), |path| format!("`{}`", path.display()));
    let message = format!("cannot write {name}: {}", output::reason(error));
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

/// Returns a diagnostic and, if a pass reported it, its notes with their own locations as separate diagnostics.
fn with_notes(mut diagnostic: Diagnostic) -> Vec<Diagnostic> {
    let is_of_pass = diagnostic.rule == Some(PASS);
    let notes: Vec<_> = if is_of_pass { std::mem::take(&mut diagnostic.notes) } else { Vec::new() };
    let notes = notes
        .into_iter()
        .filter_map(|note| Some(Diagnostic::new(Severity::Note, note.message).at(note.span?)));
    std::iter::once(diagnostic).chain(notes).collect()
}
