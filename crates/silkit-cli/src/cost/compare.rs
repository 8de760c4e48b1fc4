//! The comparison of the costs of two files, in Markdown for a pull request.

use super::check::change_json;
use super::{Args, Costs, Format, json, limit};
use crate::input::name_of;
use crate::output::counted;
use crate::session::Session;
use serde_json::{Value, json};
use silkit::diag::render::one_line;
use silkit_cost::{Change, Comparison, KIND_NAMES, Snapshot, SnapshotPlace, compare};
use std::path::Path;

/// Shows the differences between two files.
pub(super) fn run(session: &mut Session, args: &Args, old: &Path, new: &Path) {
    session.inputs(&[old.to_owned(), new.to_owned()]);
    let before = Costs::load(session, old).map(|costs| costs.snapshot());
    let after = Costs::load(session, new).map(|costs| costs.snapshot());
    let (Some(before), Some(after)) = (before, after) else { return };
    let comparison = compare(&before, &after);
    if args.format == Format::Json {
        let value = json!({
            "old": name_of(old),
            "new": name_of(new),
            "changes": Value::from_iter(comparison.changes.iter().map(change_json)),
            "added": comparison.added,
            "removed": comparison.removed,
        });
        session.write_with(Path::new("-"), |out| json::write(&value, out));
        return;
    }
    session.answer(&markdown(&comparison, &before, &after, args));
}

/// Returns the sums of all functions by kind.
fn sums(snapshot: &Snapshot) -> [u32; KIND_NAMES.len()] {
    let mut sums = [0; KIND_NAMES.len()];
    for function in snapshot.functions.values() {
        sums.iter_mut().zip(function.counts.all).for_each(|(sum, number)| *sum += number);
    }
    sums
}

fn markdown(comparison: &Comparison, before: &Snapshot, after: &Snapshot, args: &Args) -> String {
    let (old, new) = (sums(before), sums(after));
    let mut text = String::from("### Costs\n\n");
    let changed: Vec<usize> = (0..KIND_NAMES.len()).filter(|&kind| old[kind] != new[kind]).collect();
    if changed.is_empty() && comparison.changes.is_empty() {
        return text + "No function has other costs than before.\n";
    }
    text += "| cost | before | after | |\n|---|--:|--:|--:|\n";
    for kind in changed {
        let name = KIND_NAMES[kind].replace('_', " ");
        let difference = i64::from(new[kind]) - i64::from(old[kind]);
        text += &format!("| {name} | {} | {} | {difference:+} |\n", old[kind], new[kind]);
    }
    let (worse, better): (Vec<&Change>, Vec<&Change>) =
        comparison.changes.iter().partition(|change| change.is_regression());
    for (title, changes) in [("More", worse), ("Less", better)] {
        if changes.is_empty() {
            continue;
        }
        text += &format!("\n#### {title}\n\n");
        for change in changes.iter().take(limit(args)) {
            text += &item(change);
        }
        if changes.len() > limit(args) {
            text += &format!(
                "- {}: `--limit 0` shows all\n",
                counted(changes.len() - limit(args), "more change")
            );
        }
    }
    if !args.quiet {
        text += &functions("New functions", &comparison.added, after, limit(args));
        text += &functions("Removed functions", &comparison.removed, before, limit(args));
    }
    text
}

fn item(change: &Change) -> String {
    let (before, after) = change.all;
    let (in_loops_before, in_loops_after) = change.in_loops;
    let loops = match in_loops_before == in_loops_after {
        true => String::new(),
        false => format!(", in loops {in_loops_before} → {in_loops_after}"),
    };
    let kind = change.kind_name().replace('_', " ");
    let mut text = format!("- {}: {kind} {before} → {after}{loops}\n", code(&change.name));
    let mut put = |sign: &str, places: &[SnapshotPlace]| {
        for place in places {
            let at = place.position.as_ref().map_or(String::new(), |p| {
                let file = p.file.rsplit(['/', '\\']).next().unwrap_or(&p.file);
                format!("{} ", code(&format!("{file}:{}", p.line)))
            });
            text += &format!("  - {sign} {at}{}\n", escaped(&place.reason));
        }
    };
    put("new:", &change.new);
    put("gone:", &change.gone);
    text
}

/// Returns a list of functions that only one of the files has, with the number of their costs.
fn functions(title: &str, symbols: &[String], snapshot: &Snapshot, limit: usize) -> String {
    let with_costs: Vec<_> =
        symbols.iter().filter_map(|s| snapshot.functions.get(s)).filter(|f| !f.counts.is_empty()).collect();
    if with_costs.is_empty() {
        return String::new();
    }
    let mut text = format!("\n#### {title}\n\n");
    for function in with_costs.iter().take(limit) {
        let costs = KIND_NAMES.iter().zip(function.counts.all).filter(|(_, number)| *number > 0);
        let costs: Vec<String> = costs.map(|(name, n)| format!("{} {n}", name.replace('_', " "))).collect();
        text += &format!("- {}: {}\n", code(&function.name), costs.join(", "));
    }
    if with_costs.len() > limit {
        text += &format!("- {}\n", counted(with_costs.len() - limit, "more function"));
    }
    text
}

/// Returns a name as code in Markdown.
fn code(name: &str) -> String {
    format!("`{}`", one_line(name).replace('`', "'"))
}

/// Escapes text between names in Markdown.
fn escaped(text: &str) -> String {
    one_line(text).replace('<', "&lt;").replace('|', "\\|")
}
