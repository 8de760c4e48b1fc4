//! The final report of a run, and its exit status.

use super::lines::ProgramLines;
use crate::codes::{LIMIT, NOT_SUPPORTED, STOPPED, UNDEFINED};
use crate::session::{Format, Session, trouble};
use serde_json::{Map, Value, json};
use silkit::diag::Diagnostic;
use silkit_interp::{CodePlace, RunOutcome, Stop, Violation};
use std::process::ExitCode;

/// Reports how a program ended, and returns the exit status.
pub(super) fn finish(
    mut session: Session,
    format: Format,
    outcome: &RunOutcome,
    lines: Option<&ProgramLines>,
    parts: Map<String, Value>,
) -> ExitCode {
    let found: Vec<&Violation> = match &outcome.stop {
        Stop::Violation(violation) => vec![violation],
        _ => outcome.leaks.iter().collect(),
    };
    let code = status(outcome, !found.is_empty());
    match format {
        Format::Json => {
            let mut report = as_json(outcome, &found, lines);
            for (name, part) in parts {
                report[name] = part;
            }
            crate::output::complain(&format!("{report}\n"));
        }
        Format::Text => {
            found.iter().for_each(|violation| session.push(diagnostic(violation, lines)));
            if let Some(ending) = ending(&outcome.stop, lines) {
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

fn diagnostic(violation: &Violation, lines: Option<&ProgramLines>) -> Diagnostic {
    let shown = |place: &CodePlace| ProgramLines::describe(lines, place);
    let message = format!("{}: {}", violation.kind.name(), violation.message);
    let mut diagnostic = Diagnostic::error(UNDEFINED, message);
    if let Some(place) = &violation.place {
        diagnostic = diagnostic.note(format!("at {}", shown(place)));
    }
    for (what, place) in &violation.history {
        let place = place.as_ref().map_or(String::new(), |place| format!(" at {}", shown(place)));
        diagnostic = diagnostic.note(format!("{what}{place}"));
    }
    for call in &violation.calls {
        diagnostic = diagnostic.note(format!("called from {}", shown(call)));
    }
    diagnostic
}

/// Returns the diagnostic for a program that did not terminate normally.
fn ending(stop: &Stop, lines: Option<&ProgramLines>) -> Option<Diagnostic> {
    match stop {
        Stop::Exit(_) | Stop::Violation(_) => None,
        Stop::Failure { code, message, place, .. } => {
            let stopped = Diagnostic::error(STOPPED, format!("{message} (exit code {code})"));
            Some(match place {
                Some(place) => stopped.note(format!("at {}", ProgramLines::describe(lines, place))),
                None => stopped,
            })
        }
        Stop::Unsupported(what) => Some(
            Diagnostic::error(NOT_SUPPORTED, format!("{what} is not supported"))
                .note("`silkit explain RUN0002` lists what to try"),
        ),
        Stop::Limit => Some(
            Diagnostic::error(LIMIT, "the instruction limit was reached")
                .note("raise it with `--limit STEPS`"),
        ),
        Stop::OutOfMemory => Some(
            Diagnostic::error(LIMIT, "the memory limit was reached").note("raise it with `--memory BYTES`"),
        ),
    }
}

fn as_json(outcome: &RunOutcome, found: &[&Violation], lines: Option<&ProgramLines>) -> Value {
    let (stop, message) = match &outcome.stop {
        Stop::Exit(_) => ("exit", None),
        Stop::Failure { message, .. } => ("failure", Some(message.clone())),
        Stop::Violation(_) => ("violation", None),
        Stop::Unsupported(what) => ("unsupported", Some(what.clone())),
        Stop::Limit => ("limit", Some("steps".to_owned())),
        Stop::OutOfMemory => ("limit", Some("memory".to_owned())),
    };
    json!({
        "stop": stop,
        "message": message,
        "exit_code": outcome.exit_code,
        "steps": outcome.steps,
        "violations": found.iter().map(|v| violation_json(v, lines)).collect::<Vec<_>>(),
    })
}

fn violation_json(violation: &Violation, lines: Option<&ProgramLines>) -> Value {
    let place_json = |place: &CodePlace| place_json(place, lines);
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

fn place_json(place: &CodePlace, lines: Option<&ProgramLines>) -> Value {
    let source = place.source.filter(|loc| loc.file.is_some());
    json!({
        "function": place.function.as_str(),
        "instruction": place.instruction,
        "index": place.index,
        "sil_line": lines.and_then(|lines| lines.line(place)),
        "file": source.and_then(|loc| loc.file).map(|f| f.as_str()),
        "line": source.map(|loc| loc.line),
        "column": source.map(|loc| loc.column),
    })
}
