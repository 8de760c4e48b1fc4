//! `silkit cost`: shows what retains, allocates, locks and calls dynamically, by Swift line.

mod json;
mod text;

use crate::input::name_of;
use crate::session::{Report, Session};
use silkit::ir::FunctionId;
use silkit_cost::CostReport;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
A number counts places in the code, not runs. Lines are in the order of an estimate: each loop
around a place counts as ten times, an allocation as eight retains. `*` marks loops.

Swift lines need debug information:
  swiftc -O -wmo -g -emit-sil -Xllvm -sil-print-debuginfo *.swift -o app.sil

Examples:
  silkit cost examples/cost.sil
  silkit cost examples/cost.sil --by function
  silkit cost examples/cost.sil --function 'total*' --format json";

/// Show what retains, allocates, locks and calls dynamically, by Swift line, and why
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// File; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath, default_value = "-")]
    file: PathBuf,
    /// Only the code in these functions, by mangled or demangled name, a unique part, or a pattern with `*`
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    /// What a row is about
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Show at most N rows; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// Show rows only, without sums and notes
    #[arg(long, short)]
    quiet: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum By {
    /// Swift line, or function if there is no debug information
    #[default]
    Line,
    /// Function
    Function,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// Tables for humans
    #[default]
    Text,
    /// JSON
    Json,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(if args.format == Format::Json { Report::Json } else { Report::Text });
    let path = args.file.as_path();
    session.inputs(&[path.to_owned()]);
    let Some(mut input) = session.load(path) else { return session.finish() };
    let Some(chosen) = choose(&mut session, &input.module, path, &args.function) else { return session.finish() };
    session.progress.phase("computing the costs of");
    let declarations = input.declarations(&[]);
    let mut report = CostReport::new(&input.module, &declarations);
    if let Some(chosen) = chosen {
        report.keep(|function| chosen.contains(&function));
    }
    let limit = if args.limit == 0 { usize::MAX } else { args.limit };
    match args.format {
        Format::Json => {
            let report = json::report(&input.module, &report, &name_of(path));
            session.write_with(Path::new("-"), |out| json::write(&report, out));
        }
        Format::Text => {
            let table = text::Table { module: &input.module, report: &report, limit, quiet: args.quiet };
            let has_lines = report.operations.iter().any(|operation| operation.place.is_some());
            let by_line = args.by == By::Line && (has_lines || report.operations.is_empty());
            let mut text = if by_line { table.by_line() } else { table.by_function() };
            if args.by == By::Line && !by_line && !args.quiet {
                text += "no Swift lines: the file has no debug information (`swiftc -g -Xllvm -sil-print-debuginfo`)\n";
            }
            session.answer(&text);
        }
    }
    session.finish()
}

/// Returns the functions with the given names; `Some(None)` for all functions if there are no names.
fn choose(
    session: &mut Session,
    module: &silkit::ir::Module,
    path: &Path,
    names: &[String],
) -> Option<Option<Vec<FunctionId>>> {
    if names.is_empty() {
        return Some(None);
    }
    session.bodies_named(module, path, names).map(Some)
}
