//! `silkit diff`: structural differences between two modules.

use crate::color;
use crate::input::name_of;
use crate::output::{counted, grouped};
use crate::session::{Format, Session};
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
    let comparison = if args.function.is_empty() {
        compare_modules(&before.module, &after.module, &silkit::comment_name)
    } else {
        let old = session.bodies_named(&before.module, &args.before, &args.function);
        let new = session.bodies_named(&after.module, &args.after, &args.function);
        let (Some(old), Some(new)) = (old, new) else { return session.finish() };
        compare_functions((&before.module, &old), (&after.module, &new), &silkit::comment_name)
    };
    let summary = summary(&comparison);
    let (_, width) = console::Term::stdout().size();
    let text = match args.format {
        Format::Json => as_json(&comparison),
        Format::Text if std::io::stdout().is_terminal() && usize::from(width) >= WIDE => {
            comparison.side_by_side(width.into(), &silkit::comment_name) + &summary
        }
        Format::Text => {
            let names = (name_of(&args.before), name_of(&args.after));
            color::difference(
                &(comparison.unified_with(&names.0, &names.1, &silkit::comment_name) + &summary),
                &std::io::stdout(),
            )
        }
    };
    session.answer(&text);
    if !comparison.is_same() {
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

fn as_json(comparison: &Comparison) -> String {
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
    format!("{:#}\n", json!({"same": comparison.is_same(), "differences": all}))
}
