//! The check of costs against a budget.

use super::{Args, Costs, Format, json};
use crate::codes::{NO_BUDGET, OVER_BUDGET, UNREADABLE};
use crate::findings::readable;
use crate::input::name_of;
use crate::output::counted;
use crate::session::{Session, tool};
use serde_json::{Value, json};
use silkit::diag::render::{one_line, sarif};
use silkit::diag::{DiagnosedEntity, Diagnostic, OriginFrame, RuleInfo, SourceMap};
use silkit_cost::{Change, Comparison, Snapshot, SnapshotPlace, compare, read_budget};
use std::path::Path;

/// The rules of budgets, as SARIF documents list them.
const RULES: [RuleInfo; 2] = [
    RuleInfo {
        id: OVER_BUDGET,
        name: "OverBudget",
        summary: "A function has no more costs than its budget allows.",
    },
    RuleInfo { id: NO_BUDGET, name: "NoBudget", summary: "Each function with costs is in the budget." },
];

/// Compares the costs with a budget, and marks the session as failed if there are more.
pub(super) fn run(session: &mut Session, args: &Args, costs: &Costs, path: &Path) {
    let Some(text) = session.read_text(path) else { return };
    let mut budget = match read_budget(&text) {
        Ok(budget) => budget,
        Err(error) => {
            let message = format!("`{}` is not a budget: {error}", path.display());
            let message = one_line(&message).into_owned();
            session
                .push(Diagnostic::error(UNREADABLE, message).note("`silkit cost --write-budget` writes one"));
            return;
        }
    };
    let snapshot = costs.snapshot();
    if !args.function.is_empty() {
        let module = &costs.input.module;
        budget.functions.retain(|symbol, _| {
            let known = module.functions.iter().find(|(_, function)| function.name.as_str() == symbol);
            known.is_some_and(|(id, _)| costs.report.operations.iter().any(|o| o.function == id))
        });
    }
    let mut comparison = compare(&budget, &snapshot);
    comparison.changes.retain(Change::is_regression);
    comparison.added.retain(|symbol| !args.quiet && has_costs(&snapshot, symbol));
    if !comparison.changes.is_empty() {
        session.fail();
    }
    let name = name_of(path);
    match args.format {
        Format::Json => {
            let value = as_json(&comparison, &snapshot, &name);
            session.write_with(Path::new("-"), |out| json::write(&value, out));
        }
        Format::Sarif => {
            let diagnostics = diagnostics(&comparison, &snapshot, &name);
            let text = sarif(&diagnostics, &SourceMap::new(), tool(&RULES), &[]);
            session.answer(&text);
        }
        Format::Text => session.answer(&as_text(&comparison, &snapshot, &name, args.quiet)),
        Format::Github => session.answer(&as_annotations(&comparison, &snapshot, &name)),
    }
}

fn has_costs(snapshot: &Snapshot, symbol: &str) -> bool {
    snapshot.functions.get(symbol).is_some_and(|function| !function.counts.is_empty())
}

/// Returns the message of a regression: `3 retains in `go()`, budget 2 (+1)`.
fn message(change: &Change) -> String {
    let (before, after) = change.all;
    let kind = change.kind_name().replace('_', " ");
    let name = readable(&change.name);
    if after > before {
        let costs = counted(after as usize, &kind);
        format!("{} in `{name}`, budget {before} (+{})", plural(&costs), after - before)
    } else {
        let (before, after) = change.in_loops;
        let costs = counted(after as usize, &kind);
        format!("{} in loops of `{name}`, budget {before} (+{})", plural(&costs), after - before)
    }
}

/// Corrects the plurals of kinds that are not regular.
fn plural(text: &str) -> String {
    let irregular = [
        ("copys", "copies"),
        ("boxs", "boxes"),
        ("memorys", "memory allocations"),
        ("exclusivitys", "exclusivity checks"),
        ("metadatas", "metadata lookups"),
        ("onces", "once checks"),
        ("classs", "classes"),
    ];
    irregular.iter().fold(text.to_owned(), |text, (wrong, right)| text.replace(wrong, right))
}

fn reasons(change: &Change) -> Vec<String> {
    let reason = |place: &SnapshotPlace| match &place.position {
        Some(position) => {
            format!("{}:{}:{}: {}", position.file, position.line, position.column, place.reason)
        }
        None => place.reason.clone(),
    };
    change.new.iter().map(reason).collect()
}

fn position(change: &Change) -> Option<&silkit_cost::SourcePosition> {
    change.new.iter().find_map(|place| place.position.as_ref())
}

/// Returns the message about a function that is not in the budget.
fn added(snapshot: &Snapshot, symbol: &str) -> String {
    let name = snapshot.functions.get(symbol).map_or(symbol, |function| &function.name);
    format!("`{name}` has costs, but is not in the budget")
}

fn as_text(comparison: &Comparison, snapshot: &Snapshot, budget: &str, quiet: bool) -> String {
    let mut text = String::new();
    let mut put = |line: String| text += &(one_line(&line).into_owned() + "\n");
    for change in &comparison.changes {
        let at = position(change).map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
        put(format!("{at}error: {} [{OVER_BUDGET}]", message(change)));
        reasons(change).into_iter().for_each(|reason| put(format!("  new: {reason}")));
    }
    for symbol in &comparison.added {
        put(format!("warning: {} [{NO_BUDGET}]", added(snapshot, symbol)));
    }
    if quiet {
        return text;
    }
    let functions = counted(snapshot.functions.len(), "function");
    match comparison.changes.len() {
        0 => put(format!("{functions} within the budget `{budget}`")),
        more => put(format!("{} in {functions}; budget `{budget}`", counted(more, "regression"))),
    }
    text
}

/// Returns workflow commands of GitHub, which annotate lines of a pull request.
fn as_annotations(comparison: &Comparison, snapshot: &Snapshot, budget: &str) -> String {
    let mut text = String::new();
    for change in &comparison.changes {
        let at = position(change).map_or(format!("file={}", property(budget)), |p| {
            format!("file={},line={},col={}", property(&p.file), p.line, p.column.max(1))
        });
        let all = std::iter::once(message(change)).chain(reasons(change)).collect::<Vec<_>>().join("\n");
        text += &format!("::error {at},title={OVER_BUDGET}::{}\n", data(&all));
    }
    for symbol in &comparison.added {
        let file = property(budget);
        text += &format!("::warning file={file},title={NO_BUDGET}::{}\n", data(&added(snapshot, symbol)));
    }
    text
}

/// Escapes the text of a workflow command.
fn data(text: &str) -> String {
    let lines = text.lines().map(|line| one_line(line).replace('%', "%25"));
    lines.collect::<Vec<_>>().join("%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn diagnostics(comparison: &Comparison, snapshot: &Snapshot, budget: &str) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for change in &comparison.changes {
        let mut entity = DiagnosedEntity::function(change.symbol.as_str()).title(change.name.as_str());
        entity.origin = change.new.iter().find_map(frame).into_iter().collect();
        let mut diagnostic = Diagnostic::error(OVER_BUDGET, message(change)).entity(entity);
        for reason in reasons(change) {
            diagnostic = diagnostic.note(reason);
        }
        all.push(diagnostic);
    }
    for symbol in &comparison.added {
        let name = snapshot.functions.get(symbol).map_or(symbol.as_str(), |function| &function.name);
        let entity = DiagnosedEntity::function(symbol.as_str()).title(name);
        let text = format!("{} `{budget}`", added(snapshot, symbol));
        all.push(Diagnostic::warning(NO_BUDGET, text).entity(entity));
    }
    all
}

fn frame(place: &SnapshotPlace) -> Option<OriginFrame> {
    let position = place.position.as_ref()?;
    Some(OriginFrame {
        function: None,
        file: position.file.as_str().into(),
        line: position.line,
        column: position.column,
    })
}

fn as_json(comparison: &Comparison, snapshot: &Snapshot, budget: &str) -> Value {
    let added: Vec<Value> = comparison
        .added
        .iter()
        .map(|symbol| json!({"function": symbol, "demangled": snapshot.functions.get(symbol).map(|f| &f.name)}))
        .collect();
    json!({
        "budget": budget,
        "regressions": Value::from_iter(comparison.changes.iter().map(change_json)),
        "not_in_budget": added,
        "only_in_budget": comparison.removed,
    })
}

/// Returns a change as JSON.
pub(super) fn change_json(change: &Change) -> Value {
    let places = |places: &[SnapshotPlace]| -> Value {
        let place = |place: &SnapshotPlace| {
            let source = place.position.as_ref();
            json!({
                "reason": place.reason,
                "source": source.map(|p| json!({"file": p.file, "line": p.line, "column": p.column})),
            })
        };
        places.iter().map(place).collect()
    };
    json!({
        "function": change.symbol,
        "demangled": change.name,
        "cost": change.kind_name(),
        "before": change.all.0,
        "after": change.all.1,
        "in_loops_before": change.in_loops.0,
        "in_loops_after": change.in_loops.1,
        "new": places(&change.new),
        "gone": places(&change.gone),
    })
}
