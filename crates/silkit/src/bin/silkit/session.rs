//! What all commands share: reading modules, reporting what is wrong with them, writing results.

use crate::output;
use crate::progress::Progress;
use clap::ValueEnum;
use silkit::diag::render::{self, Terminal, Tool};
use silkit::diag::{Diagnostic, Diagnostics, RuleId, SourceMap};
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

/// One run of a command.
pub(crate) struct Session {
    report: Report,
    found: Diagnostics,
    pub(super) sources: SourceMap<'static>,
    pub(super) progress: Progress,
}

impl Session {
    /// A run that reports in this way.
    pub(crate) fn new(report: Report) -> Self {
        Self { report, found: Diagnostics::new(), sources: SourceMap::new(), progress: Progress::start() }
    }

    /// Notes a finding.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Notes that something cannot be done, and what to try.
    pub(crate) fn refuse(&mut self, message: impl Into<Box<str>>, hint: impl Into<Box<str>>) {
        self.push(Diagnostic::error(USAGE, message).note(hint));
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

    /// Shows all findings and gives the exit status.
    pub(crate) fn finish(mut self) -> ExitCode {
        self.progress.stop();
        let failed = self.found.has_errors();
        let shown = self.found.sorted();
        let text = match self.report {
            Report::Json => render::json_lines(shown, &self.sources),
            Report::Sarif => {
                let tool = Tool { name: "silkit", version: env!("CARGO_PKG_VERSION"), rules: &[] };
                render::sarif(shown, &self.sources, tool)
            }
            Report::Text if shown.is_empty() => String::new(),
            Report::Text if std::io::stderr().is_terminal() => {
                let summary = render::summary(&self.found).map_or(String::new(), |s| format!("\n{s}\n"));
                terminal().render_all(shown, &self.sources) + &summary
            }
            Report::Text => render::short(shown, &self.sources),
        };
        output::complain(&text);
        // The system takes the memory back faster than we can give it.
        std::mem::forget(self);
        ExitCode::from(u8::from(failed))
    }
}

/// Whether a stream may be coloured.
pub(crate) fn colors(stream: &impl IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
        || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    stream.is_terminal() && !refused
}

fn terminal() -> Terminal {
    let (_, width) = console::Term::stderr().size();
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_some_and(|value| value.to_ascii_lowercase().replace('-', "").contains("utf8"));
    Terminal { colors: colors(&std::io::stderr()), unicode: utf8, width: usize::from(width) }
}
