//! `silkit fmt`: prints SIL in canonical form, and keeps comments and the order of entities.

use crate::codes::NOT_SO;
use crate::color;
use crate::input::name_of;
use crate::input::with_line_feeds;
use crate::output::{self, counted};
use crate::session::{Report, Session};
use crate::threads;
use silkit::diag::Diagnostic;
use silkit::diag::render::printable;
use silkit::text::{PrintOptions, format_module_checked};
use similar::{ChangeTag, TextDiff};
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Comments that refer to other lines (users, predecessors, demangled names) are regenerated; all
others are kept. Files are rewritten in place; for standard input the result goes to standard
output.

Examples:
  silkit fmt - < docs/mistakes/leak.sil
  silkit fmt --check examples/shapes.raw.sil
  silkit fmt a.sil b.sil";

/// Format SIL in canonical form; comments and order stay
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files to rewrite in place; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Write nothing; list the files that would change, and exit with status 1 if there are any
    #[arg(long)]
    check: bool,
    /// Print the type of every operand
    #[arg(long)]
    types: bool,
    /// Format of diagnostics
    #[arg(long, value_enum, default_value_t)]
    format: Report,
}

/// The maximum number of changed lines that `--check` shows for each file.
const SHOWN: usize = 6;

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::with_valid_input(args.format);
    let options = PrintOptions { types: args.types, ..PrintOptions::default() };
    let (mut listed, mut names, mut changed) = (String::new(), Vec::new(), 0);
    let paths = session.inputs(&args.files);
    threads::start(&paths);
    for path in paths {
        let Some(text) = session.read_text(&path) else { continue };
        session.progress.phase("formatting");
        let formatted = match format_module_checked(&text, &options, &silkit::comment_name) {
            Ok(formatted) => formatted,
            Err(errors) => {
                session.sil_syntax_errors(&path, text, &errors);
                continue;
            }
        };
        let Some(formatted) = formatted else {
            let message = format!(
                "formatting would change the meaning of `{}`, so it is left unchanged",
                path.display()
            );
            session.refuse(
                message,
                "try `--types`; if that does not help, please report this as a bug, and attach the file",
            );
            continue;
        };
        if args.check {
            if formatted != text {
                changed += 1;
                names.push(path.display().to_string());
                listed += &format!("{}\n{}", printable(&name_of(&path)), difference(&text, &formatted));
            }
        } else if output::is_standard(&path) || formatted != text {
            session.write(&path, formatted.as_bytes());
        }
    }
    if args.check && changed > 0 {
        let (are, them) = if changed == 1 { ("is", "it") } else { ("are", "them") };
        let message = format!("{} {are} not in canonical form", counted(changed, "file"));
        let hint = format!("`silkit fmt` without `--check` rewrites {them}");
        let mut found = Diagnostic::error(NOT_SO, message).note(hint);
        match args.format {
            Report::Text => session.answer_styled(&listed),
            // The diagnostic, which is the only output, names the files.
            Report::Json | Report::Sarif => {
                found = names.iter().fold(found, |found, name| found.note(name.as_str()));
            }
        }
        session.push(found);
    }
    session.finish()
}

/// Returns the first lines that differ, after remarks about what no line shows.
fn difference(before: &str, after: &str) -> String {
    let mut out = String::new();
    if before.starts_with('\u{feff}') {
        out += "         begins with a byte order mark\n";
    }
    if before.contains('\r') {
        out += "         has lines that end with carriage returns\n";
    }
    let before = with_line_feeds(before.trim_start_matches('\u{feff}').to_owned());
    out + &changed_lines(&before, after)
}

fn changed_lines(before: &str, after: &str) -> String {
    // In long files, only the lines around the first difference are compared.
    let common = before.lines().zip(after.lines()).take_while(|(a, b)| a == b).count();
    let window =
        |text: &str| text.lines().skip(common).take(200).map(|l| format!("{l}\n")).collect::<String>();
    let (before, after) = (window(before), window(after));
    let diff = TextDiff::from_lines(&before, &after);
    let colors = color::is_on(&std::io::stdout());
    let mut out = String::new();
    // Lines are numbered as in the file: an added line has the number of the line that it stands before.
    let (mut number, mut shown) = (common + 1, 0);
    for change in diff.iter_all_changes() {
        let here = number;
        number += usize::from(change.tag() != ChangeTag::Insert);
        let (sign, color) = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Delete => ('-', "31"),
            ChangeTag::Insert => ('+', "32"),
        };
        shown += 1;
        if shown > SHOWN {
            break;
        }
        let line = printable(change.value().trim_end());
        out += &match colors {
            true => format!("  {here:>6} \x1b[{color}m{sign}{line}\x1b[0m\n"),
            false => format!("  {here:>6} {sign}{line}\n"),
        };
    }
    out
}
