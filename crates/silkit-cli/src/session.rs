//! What all commands share: reading modules, reporting what is wrong with them, writing results.

use crate::output;
use crate::progress::Progress;
use clap::ValueEnum;
use silkit::diag::expected::{annotations, mismatches};
use silkit::diag::render::{self, Terminal, Tool};
use silkit::diag::{Diagnostic, Diagnostics, RuleId, SourceMap};
use silkit::text::ParseOptions;
use std::io::IsTerminal;
use std::process::ExitCode;

/// A file could not be read.
pub(crate) const UNREADABLE: RuleId = RuleId::new("CLI0001");
/// A file could not be written.
const UNWRITABLE: RuleId = RuleId::new("CLI0002");
/// What was asked for cannot be done.
const USAGE: RuleId = RuleId::new("CLI0003");

/// How findings are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Report {
    /// For people: with excerpts on a terminal, else one line each
    #[default]
    Text,
    /// One JSON object a line
    Json,
    /// A SARIF 2.1.0 document
    Sarif,
}

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// JSON
    Json,
}

impl From<Format> for Report {
    /// What is wrong is told in the form of the answer.
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Self::Text,
            Format::Json => Self::Json,
        }
    }
}

/// One run of a command.
pub(crate) struct Session {
    report: Report,
    /// Whether the findings are the result, and not remarks beside one.
    is_result: bool,
    found: Diagnostics,
    /// Whether something failed that was told otherwise.
    has_failed: bool,
    /// How text is read.
    pub(crate) reading: ParseOptions,
    /// Whether errors are left out that stand after another one in the same body: the reference reads
    /// no further there, so files that say what is wrong with them do not name these.
    pub(crate) first_errors_only: bool,
    pub(super) sources: SourceMap<'static>,
    pub(super) progress: Progress,
}

impl Session {
    /// A run that reports in this way.
    pub(crate) fn new(report: Report) -> Self {
        Self {
            report,
            is_result: false,
            found: Diagnostics::new(),
            has_failed: false,
            reading: ParseOptions::default(),
            first_errors_only: false,
            sources: SourceMap::new(),
            progress: Progress::start(),
        }
    }

    /// A run whose result is what it finds: it goes to standard output, at most so many errors.
    pub(crate) fn of_findings(report: Report, max_errors: usize) -> Self {
        let found = Diagnostics::new().with_max_errors(max_errors);
        Self { is_result: true, found, ..Self::new(report) }
    }

    /// Notes a finding.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Notes that something cannot be done, and what to try.
    pub(crate) fn refuse(&mut self, message: impl Into<Box<str>>, hint: impl Into<Box<str>>) {
        self.push(Diagnostic::error(USAGE, message).note(hint));
    }

    /// Notes that the run fails for something that was told already.
    pub(crate) fn fail(&mut self) {
        self.has_failed = true;
    }

    /// Whether an error was found so far.
    pub(crate) fn has_errors(&self) -> bool {
        self.found.has_errors()
    }

    /// Writes a result to a file, or to standard output for `-`.
    pub(crate) fn write(&mut self, path: &str, bytes: &[u8]) {
        if path == "-" {
            self.progress.stop();
        }
        if let Err(error) = output::write(path, bytes) {
            let name = if path == "-" { "standard output" } else { path };
            let message = format!("cannot write `{name}`: {}", output::reason(&error));
            self.push(Diagnostic::error(UNWRITABLE, message).note(output::hint(&error)));
        }
    }

    /// Compares the findings with what the files say is wrong with them (`// expected-error {{…}}`).
    /// What does not fit takes the place of the findings.
    pub(crate) fn expect(&mut self, paths: &[String], prefixes: &[String]) {
        let mut expected = Vec::new();
        for path in paths {
            let known = self.sources.files().find(|(_, f)| f.name() == path).map(|(id, _)| id);
            let file = match known {
                Some(file) => file,
                // Standard input cannot be read twice; it holds no finding where it is not known yet.
                None if path == "-" => continue,
                None => match std::fs::read(path).map(|bytes| self.sources.add(path.clone(), bytes)) {
                    Ok(Ok(file)) => file,
                    _ => continue,
                },
            };
            let text = self.sources.file(file).map(|f| String::from_utf8_lossy(f.text()).into_owned());
            expected.extend(annotations(file, &text.unwrap_or_default(), prefixes));
        }
        let found = std::mem::take(&mut self.found).into_sorted();
        for wrong in mismatches(&found, &expected, &self.sources) {
            self.found.push(wrong);
        }
    }

    /// Shows all findings and gives the exit status.
    pub(crate) fn finish(mut self) -> ExitCode {
        self.progress.stop();
        let failed = self.has_failed || self.found.has_errors();
        let shown = self.found.sorted();
        let text = match self.report {
            Report::Json => render::json_lines(shown, &self.sources),
            Report::Sarif => {
                let rules: Vec<_> = silkit::verify::rules().map(silkit::verify::Rule::published).collect();
                let tool = Tool { name: "silkit", version: env!("CARGO_PKG_VERSION"), rules: &rules };
                render::sarif(shown, &self.sources, tool)
            }
            Report::Text if shown.is_empty() => String::new(),
            Report::Text if self.is_for_people() => {
                let summary = render::summary(&self.found).map_or(String::new(), |s| format!("\n{s}\n"));
                self.terminal().render_all(shown, &self.sources) + &summary
            }
            Report::Text => render::short(shown, &self.sources),
        };
        if self.is_result {
            output::say(&text);
        } else {
            output::complain(&text);
        }
        // The system takes the memory back faster than we can give it.
        std::mem::forget(self);
        ExitCode::from(u8::from(failed))
    }

    fn is_for_people(&self) -> bool {
        if self.is_result { std::io::stdout().is_terminal() } else { std::io::stderr().is_terminal() }
    }

    fn terminal(&self) -> Terminal {
        let term = if self.is_result { console::Term::stdout() } else { console::Term::stderr() };
        let (_, width) = term.size();
        let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty())
            .is_some_and(|value| value.to_ascii_lowercase().replace('-', "").contains("utf8"));
        let colors = if self.is_result { colors(&std::io::stdout()) } else { colors(&std::io::stderr()) };
        Terminal { colors, unicode: utf8, width: usize::from(width) }
    }
}

/// Whether a stream may be coloured.
pub(crate) fn colors(stream: &impl IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
        || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    stream.is_terminal() && !refused
}
