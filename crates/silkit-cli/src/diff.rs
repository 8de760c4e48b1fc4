//! `silkit diff`: structural differences between two modules.

use crate::color;
use crate::input::{Input, name_of};
use crate::output::{counted, grouped};
use crate::session::{Format, Session};
use serde_json::json;
use silkit::pass::compare::{Comparison, Difference, Side, compare};
use silkit::text::{PrintOptions, print_function, print_module};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
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

/// Compare two modules by structure: renumbering and comments are no difference
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
    let before_text = text_of(&mut session, &args.before, &before, &args.function);
    let after_text = text_of(&mut session, &args.after, &after, &args.function);
    let (Some(before_text), Some(after_text)) = (before_text, after_text) else { return session.finish() };
    let comparison = compare(&before_text, &after_text);
    let summary = summary(&comparison);
    let (_, width) = console::Term::stdout().size();
    let text = match args.format {
        Format::Json => as_json(&comparison),
        Format::Text if std::io::stdout().is_terminal() && usize::from(width) >= WIDE => {
            side_by_side(&comparison, usize::from(width)) + &summary
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

/// Returns the text of the module, or of the functions with the given names.
fn text_of(session: &mut Session, path: &Path, input: &Input, names: &[String]) -> Option<String> {
    let (module, options) = (&input.module, PrintOptions::default());
    if names.is_empty() {
        return Some(print_module(module, &options, &silkit::comment_name));
    }
    let functions = session.bodies_named(module, path, names)?;
    let print = |id| print_function(module, &module.functions[id], &options, &silkit::comment_name);
    Some(functions.into_iter().map(print).collect())
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

/// Returns the differing functions in two columns.
fn side_by_side(comparison: &Comparison, width: usize) -> String {
    let column = (width - 3) / 2;
    let cut = |text: &str| -> String { text.chars().take(column).collect() };
    let mut out = String::new();
    for difference in &comparison.differences {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", difference.header(&silkit::comment_name));
        let mut lines = difference.lines.iter().peekable();
        while let Some(line) = lines.next() {
            let (left, sign, right) = match line.side {
                Side::Both => (line.text.as_str(), ' ', line.text.as_str()),
                Side::After => ("", '>', line.text.as_str()),
                Side::Before => match lines.next_if(|next| next.side == Side::After) {
                    Some(next) => (line.text.as_str(), '|', next.text.as_str()),
                    None => (line.text.as_str(), '<', ""),
                },
            };
            let _ = writeln!(out, "{:column$} {sign} {}", cut(left), cut(right));
        }
    }
    out
}
