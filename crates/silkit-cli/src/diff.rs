//! `silkit diff`: structural differences between two modules.

use crate::color;
use crate::extent::Extent;
use crate::input::name_of;
use crate::output::{counted, grouped};
use crate::session::{Format, Session};
use crate::shown;
use serde_json::json;
use silkit::diff::{Comparison, Difference, Side, compare_functions, compare_modules};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Functions are matched by name, values and blocks by structure: renumbering and comments are
ignored. Removed lines have the names of the second file for values that both files have, and
`%old1` or `bbold1` for values and blocks that only the first file has. A terminal of at least
140 columns shows the two side by side.

Exit status: 0 if nothing differs, 1 if something does, 2 if a file cannot be read or
parsed.

Examples:
  silkit diff examples/shapes.raw.sil examples/shapes.canonical.sil
  silkit diff --function 'Canvas.total()' examples/shapes.raw.sil examples/shapes.canonical.sil
  silkit diff --stat examples/shapes.raw.sil examples/shapes.canonical.sil
  silkit diff --format json examples/shapes.raw.sil examples/shapes.canonical.sil";

/// Compare two modules by structure, ignoring numbers of values and comments
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// First file; `-` is standard input
    #[arg(value_name = "A", value_hint = clap::ValueHint::FilePath)]
    before: PathBuf,
    /// Second file
    #[arg(value_name = "B", value_hint = clap::ValueHint::FilePath)]
    after: PathBuf,
    /// Compare only these functions, by mangled or demangled name, a unique part, or a pattern with `*`
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    #[command(flatten)]
    extent: Extent,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The minimum terminal width for output in two columns.
const WIDE: usize = 140;

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::with_valid_input(args.format.into());
    session.inputs(&[args.before.clone(), args.after.clone()]);
    let (before, after) = (session.load(&args.before), session.load(&args.after));
    let (Some(before), Some(after)) = (before, after) else { return session.finish() };
    session.progress.phase("comparing with");
    let mut comparison = if args.function.is_empty() {
        compare_modules(&before.module, &after.module, &silkit::comment_name)
    } else {
        let old = session.bodies_named(&before.module, &args.before, &args.function);
        let new = session.bodies_named(&after.module, &args.after, &args.function);
        let (Some(old), Some(new)) = (old, new) else { return session.finish() };
        compare_functions((&before.module, &old), (&after.module, &new), &silkit::comment_name)
    };
    let (summary, extent) = (summary(&comparison), &args.extent);
    let (is_same, all) = (comparison.is_same(), comparison.differences.len());
    if extent.stat {
        session.answer(&match args.format {
            Format::Json => stat_json(&comparison),
            Format::Text => stat(&comparison) + &summary,
        });
        if !is_same {
            session.fail();
        }
        return session.finish();
    }
    comparison.differences.truncate(extent.of(all));
    let (_, width) = console::Term::stdout().size();
    let text = match args.format {
        Format::Json => as_json(&comparison, is_same, extent.omitted(all)),
        Format::Text if std::io::stdout().is_terminal() && usize::from(width) >= WIDE => {
            let columns = comparison.side_by_side(width.into(), &silkit::comment_name);
            shown::shown(&(columns + &summary), &std::io::stdout()).into_owned()
        }
        Format::Text => {
            let names = (name_of(&args.before), name_of(&args.after));
            color::difference(
                &(comparison.unified_with(&names.0, &names.1, &silkit::comment_name) + &summary),
                &std::io::stdout(),
            )
        }
    };
    match args.format {
        Format::Json => session.answer(&text),
        Format::Text => {
            session.answer_styled(&text);
            extent.note_omitted(all, "difference");
        }
    }
    if !is_same {
        session.fail();
    }
    session.finish()
}

/// Returns the line with the numbers of changed, added and removed functions; nothing if there is no difference.
fn summary(comparison: &Comparison) -> String {
    if comparison.is_same() {
        return String::new();
    }
    let [changed, added, removed] =
        [Side::Both, Side::After, Side::Before].map(|side| comparison.function_count(side));
    let others = comparison.differences.iter().any(|difference| difference.symbol().is_none());
    let others = if others { "; changes outside of functions" } else { "" };
    format!(
        "{} changed, {} added, {} removed{others}\n",
        counted(changed, "function"),
        grouped(added),
        grouped(removed)
    )
}

/// Returns the numbers of lines that a difference adds and removes.
fn line_counts(difference: &Difference) -> (usize, usize) {
    let count = |side| difference.lines.iter().filter(|line| line.side == side).count();
    (count(Side::After), count(Side::Before))
}

/// Returns a line for each difference with the numbers of its lines, the largest first.
fn stat(comparison: &Comparison) -> String {
    let mut rows: Vec<_> = comparison.differences.iter().map(|d| (line_counts(d), d)).collect();
    rows.sort_by_key(|((added, removed), _)| std::cmp::Reverse(added + removed));
    let row = |((added, removed), difference): ((usize, usize), &Difference)| {
        let name = match difference.symbol() {
            Some(symbol) => silkit::comment_name(symbol).unwrap_or_else(|| symbol.to_owned()),
            None => "(outside of functions)".to_owned(),
        };
        format!("{:>8} {:>8}  {name}\n", format!("+{added}"), format!("-{removed}"))
    };
    rows.into_iter().map(row).collect()
}

fn stat_json(comparison: &Comparison) -> String {
    let row = |difference: &Difference| {
        let (added, removed) = line_counts(difference);
        json!({"function": difference.name, "added": added, "removed": removed})
    };
    let rows: Vec<_> = comparison.differences.iter().map(row).collect();
    shown::json(&json!({"same": comparison.is_same(), "differences": rows}))
}

fn as_json(comparison: &Comparison, is_same: bool, omitted: usize) -> String {
    let side = |side| match side {
        Side::Both => "both",
        Side::Before => "before",
        Side::After => "after",
    };
    let difference = |difference: &Difference| {
        let lines = difference.lines.iter().map(|line| json!({"side": side(line.side), "text": line.text}));
        let demangled = difference.symbol().and_then(silkit::comment_name);
        json!({
            "function": difference.name,
            "demangled": demangled,
            "side": side(difference.side),
            "lines": lines.collect::<Vec<_>>(),
        })
    };
    let all: Vec<_> = comparison.differences.iter().map(difference).collect();
    shown::json(&json!({"same": is_same, "omitted": omitted, "differences": all}))
}
