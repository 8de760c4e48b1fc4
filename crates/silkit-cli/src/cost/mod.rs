//! `silkit cost`: shows what retains, allocates, locks and calls dynamically, by Swift line.

mod check;
mod compare;
mod json;
mod text;
mod why;

use crate::findings::readable;
use crate::input::{Input, name_of};
use crate::session::{Report, Session};
use silkit::ir::FunctionId;
use silkit::types::decl::Declarations;
use silkit_cost::{CostReport, Snapshot};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
A number counts places in the code, not runs. Rows are in the order of an estimate, in which a
loop around a place counts ten times, and an allocation as eight retains. `*` marks loops.

Swift lines need debug information:
  swiftc -O -wmo -g -emit-sil -Xllvm -sil-print-debuginfo *.swift -o app.sil

A budget has the numbers for each function of the program. --check exits with 1 if a function
has more than its budget allows. docs/costs.md describes reports, budgets and JSON.

Examples:
  silkit cost examples/inventory.debug.sil
  silkit cost examples/inventory.debug.sil --by function
  silkit cost examples/inventory.debug.sil --why inventory.swift:28
  silkit cost examples/inventory.debug.sil --write-budget budget.toml
  silkit cost examples/inventory.debug.sil --check budget.toml --format github
  silkit cost --compare old.sil new.sil";

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
    /// Explain each cost of a Swift line: `File.swift:12`, or `12` if the program has one file
    #[arg(long, value_name = "LINE")]
    why: Option<String>,
    /// Write the costs of each function as its budget
    #[arg(long, value_name = "BUDGET", value_hint = clap::ValueHint::FilePath, conflicts_with_all = ["why", "check"])]
    write_budget: Option<PathBuf>,
    /// Compare the costs with a budget; the exit status is 1 if a function has more costs
    #[arg(long, value_name = "BUDGET", value_hint = clap::ValueHint::FilePath, conflicts_with = "why")]
    check: Option<PathBuf>,
    /// Show the differences between two files, in Markdown
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], value_hint = clap::ValueHint::FilePath,
        conflicts_with_all = ["file", "why", "check", "write_budget", "function"])]
    compare: Vec<PathBuf>,
    /// Show at most N rows; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// Show no sums and notes, and no warnings of --check
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
    /// Instruction, in the order of the file
    Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// Text for humans
    #[default]
    Text,
    /// JSON
    Json,
    /// A SARIF 2.1.0 document, for --check
    Sarif,
    /// Annotations of GitHub workflows, for --check
    Github,
}

/// A file with its costs.
struct Costs {
    input: Input,
    declarations: Declarations,
    report: CostReport,
}

impl Costs {
    fn load(session: &mut Session, path: &Path) -> Option<Self> {
        let mut input = session.load(path)?;
        session.progress.phase("computing the costs of");
        let declarations = input.declarations(&[]);
        let report = CostReport::new(&input.module, &declarations);
        Some(Self { input, declarations, report })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::new(&self.input.module, &self.declarations, &self.report, &demangled)
    }
}

/// Returns the readable name of a symbol, for reasons.
fn demangled(symbol: &str) -> String {
    readable(symbol).into_string()
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let report = match args.format {
        Format::Text | Format::Github => Report::Text,
        Format::Json => Report::Json,
        Format::Sarif => Report::Sarif,
    };
    let mut session = Session::new(report);
    if matches!(args.format, Format::Sarif | Format::Github) && args.check.is_none() {
        session.refuse("`--format sarif` and `--format github` are for `--check`", "use `text` or `json`");
        return session.finish();
    }
    if let [old, new] = args.compare.as_slice() {
        compare::run(&mut session, args, old, new);
        return session.finish();
    }
    let path = args.file.as_path();
    session.inputs(&[path.to_owned()]);
    let Some(mut costs) = Costs::load(&mut session, path) else { return session.finish() };
    if !args.function.is_empty() {
        let chosen = session.bodies_named(&costs.input.module, path, &args.function);
        let Some(chosen) = chosen else { return session.finish() };
        costs.report.keep(|function: FunctionId| chosen.contains(&function));
    }
    match (&args.why, &args.check, &args.write_budget) {
        (Some(line), ..) => why::run(&mut session, args, &costs, line),
        (_, Some(budget), _) => check::run(&mut session, args, &costs, budget),
        (_, _, Some(budget)) => {
            let text = silkit_cost::write_budget(&costs.snapshot());
            session.write(budget, text.as_bytes());
        }
        _ => show(&mut session, args, &costs),
    }
    session.finish()
}

fn show(session: &mut Session, args: &Args, costs: &Costs) {
    let (module, report) = (&costs.input.module, &costs.report);
    if args.format == Format::Json {
        let report = json::report(module, report, &name_of(&args.file), args.by == By::Place);
        session.write_with(Path::new("-"), |out| json::write(&report, out));
        return;
    }
    let table = text::Table { module, report, limit: limit(args), quiet: args.quiet };
    let has_lines = report.operations.iter().any(|operation| operation.place.is_some());
    let by_line = args.by == By::Line && (has_lines || report.operations.is_empty());
    let mut text = match args.by {
        By::Place => table.by_place(),
        _ if by_line => table.by_line(),
        _ => table.by_function(),
    };
    if args.by == By::Line && !by_line && !args.quiet {
        text += "\nThere are no Swift lines: the file has no debug information. Compile with\n\
                 `swiftc -g -Xllvm -sil-print-debuginfo`.\n";
    }
    session.answer(&text);
}

/// Returns the maximum number of rows.
fn limit(args: &Args) -> usize {
    if args.limit == 0 { usize::MAX } else { args.limit }
}
