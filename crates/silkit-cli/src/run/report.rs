//! The final report of a run, and its exit status.

use super::lines::ProgramLines;
use super::modules::MissingModules;
use crate::codes::{LIMIT, NOT_SUPPORTED, STOPPED, UNDEFINED};
use crate::session::{Format, Session, trouble};
use serde_json::{Map, Value, json};
use silkit::base::Symbol;
use silkit::diag::Diagnostic;
use silkit::diag::render::printable_json;
use silkit_interp::{CodePlace, RunOutcome, Stop, Violation};
use std::process::ExitCode;

/// What reports refer to: the lines of the program, and the modules that are not linked.
pub(super) struct Context<'a> {
    pub(super) lines: ProgramLines<'a>,
    pub(super) missing: MissingModules,
}

impl Context<'_> {
    /// Returns the message and the hint for a program that stopped because something is not supported or missing.
    fn obstacle(&self, what: &str, symbol: Option<Symbol>) -> (String, String) {
        match self.missing.module_of(symbol) {
            Some(module) => self.missing.message(module),
            None => unsupported(what),
        }
    }
}

/// Returns the message and the hint for something that is not supported.
fn unsupported(what: &str) -> (String, String) {
    (format!("{what} is not supported"), "`silkit explain RUN0002` lists what to try".to_owned())
}

/// Reports how a program ended, and returns the exit status.
pub(super) fn finish(
    mut session: Session,
    format: Format,
    outcome: &RunOutcome,
    context: &Context<'_>,
    parts: Map<String, Value>,
) -> ExitCode {
    let lines = &context.lines;
    let found: Vec<&Violation> = match &outcome.stop {
        Stop::Violation(violation) => vec![violation],
        _ => outcome.leaks.iter().collect(),
    };
    let code = status(outcome, !found.is_empty());
    match format {
        Format::Json => {
            let mut report = as_json(outcome, &found, context);
            for (name, part) in parts {
                report[name] = part;
            }
            crate::output::complain(&printable_json(&format!("{report}\n")));
        }
        Format::Text => {
            found.iter().for_each(|violation| session.push(diagnostic(violation, lines)));
            if let Some(ending) = ending(&outcome.stop, context) {
                session.push(ending);
            }
        }
    }
    // A profile that cannot be written, for example.
    let is_trouble = session.has_failed_itself();
    session.finish();
    if is_trouble { trouble() } else { code }
}

/// Returns the exit status of a run.
fn status(outcome: &RunOutcome, is_undefined: bool) -> ExitCode {
    if is_undefined {
        return ExitCode::from(1);
    }
    let code = outcome.exit_code.and_then(|code| u8::try_from(code).ok());
    code.map_or_else(trouble, ExitCode::from)
}

fn diagnostic(violation: &Violation, lines: &ProgramLines<'_>) -> Diagnostic {
    let shown = |place: &CodePlace| lines.describe(place);
    let message = format!("{}: {}", violation.kind.name(), violation.message);
    let mut diagnostic = Diagnostic::error(UNDEFINED, message);
    if let Some(place) = &violation.place {
        diagnostic = diagnostic.note(format!("at {}", shown(place)));
    }
    for (what, place) in &violation.history {
        let place = place.as_ref().map_or(String::new(), |place| format!(" at {}", shown(place)));
        diagnostic = diagnostic.note(format!("{what}{place}"));
    }
    with_calls(diagnostic, &violation.calls, lines)
}

/// Adds the call stack.
fn with_calls(diagnostic: Diagnostic, calls: &[CodePlace], lines: &ProgramLines<'_>) -> Diagnostic {
    let note = |call: &CodePlace| format!("called from {}", lines.describe(call));
    calls.iter().fold(diagnostic, |diagnostic, call| diagnostic.note(note(call)))
}

/// Returns the diagnostic for a program that did not terminate normally.
fn ending(stop: &Stop, context: &Context<'_>) -> Option<Diagnostic> {
    let refused = |(message, hint): (String, String)| Diagnostic::error(NOT_SUPPORTED, message).note(hint);
    match stop {
        Stop::Exit(_) | Stop::Violation(_) => None,
        Stop::Failure { code, message, place, calls, .. } => {
            let stopped = Diagnostic::error(STOPPED, format!("{message} (exit code {code})"));
            let lines = &context.lines;
            let stopped = match place {
                Some(place) => stopped.note(format!("at {}", lines.describe(place))),
                None => stopped,
            };
            Some(with_calls(stopped, calls, lines))
        }
        Stop::Unsupported(what) => Some(refused(unsupported(what))),
        Stop::Missing { what, symbol } => Some(refused(context.obstacle(what, *symbol))),
        Stop::Limit => Some(
            Diagnostic::error(LIMIT, "the instruction limit was reached")
                .note("raise it with `--steps STEPS`"),
        ),
        Stop::OutOfMemory => Some(
            Diagnostic::error(LIMIT, "the memory limit was reached").note("raise it with `--memory BYTES`"),
        ),
    }
}

fn as_json(outcome: &RunOutcome, found: &[&Violation], context: &Context<'_>) -> Value {
    let (stop, message) = match &outcome.stop {
        Stop::Exit(_) => ("exit", None),
        Stop::Failure { message, .. } => ("failure", Some(message.clone())),
        Stop::Violation(_) => ("violation", None),
        Stop::Unsupported(what) => ("unsupported", Some(what.clone())),
        Stop::Missing { what, symbol } => {
            let message = context.missing.module_of(*symbol).map(|name| context.missing.message(name).0);
            ("unsupported", Some(message.unwrap_or_else(|| what.clone())))
        }
        Stop::Limit => ("limit", Some("steps".to_owned())),
        Stop::OutOfMemory => ("limit", Some("memory".to_owned())),
    };
    let (place, calls) = match &outcome.stop {
        Stop::Failure { place, calls, .. } => (place.as_ref(), calls.as_slice()),
        _ => (None, &[][..]),
    };
    json!({
        "stop": stop,
        "message": message,
        "exit_code": outcome.exit_code,
        "steps": outcome.steps,
        "place": place.map(|place| context.lines.json(place)),
        "calls": calls.iter().map(|call| context.lines.json(call)).collect::<Vec<_>>(),
        "violations": found.iter().map(|v| violation_json(v, &context.lines)).collect::<Vec<_>>(),
    })
}

fn violation_json(violation: &Violation, lines: &ProgramLines<'_>) -> Value {
    let place_json = |place: &CodePlace| lines.json(place);
    let history = violation.history.iter();
    let history: Vec<Value> = history
        .map(|(what, place)| json!({ "what": what, "place": place.as_ref().map(place_json) }))
        .collect();
    json!({
        "kind": violation.kind.name(),
        "message": violation.message,
        "place": violation.place.as_ref().map(place_json),
        "history": history,
        "calls": violation.calls.iter().map(place_json).collect::<Vec<_>>(),
    })
}
