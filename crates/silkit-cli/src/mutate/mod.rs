//! `silkit mutate`: mutation testing; makes small changes to a program, and reports those that its tests do not detect.

mod html;

use crate::extent::Extent;
use crate::listing::Listing;
use crate::output::{self, counted};
use crate::run::modules::{LibraryArgs, Linker, program};
use crate::run::trial::TrialArgs;
use crate::session::{Format, Session};
use crate::shown;
use crate::swift;
use crate::wrap;
use serde_json::{Value, json};
use silkit::diag::OriginFrame;
use silkit::ir::FunctionId;
use silkit_exec::mutate::{Mutant, MutantStatus, MutationReport, MutationTest, Operator, Test};
use silkit_exec::on_large_stack;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
A test is an entry function with its expected output and exit code; without --expect and
--exit-code, those of the unchanged program. With one of the two, only that one is compared.

What the compiler made is not changed, without --generated: code that has no line of the source
(in a dump with -g -Xllvm -sil-print-debuginfo), lengths of literals, flags of builtins.

A mutant survives if `silkit run` reports no violation and no test notices it: a test is missing,
or the change makes no difference. All mutants run in one process. Mutants of instructions that
no test executes do not run.

Operators: relational (`<` for `<=`), arithmetic (`+` for `-`), condition (the other branch),
constant (plus one), call (removed), removed and doubled (retains, releases, destroys,
deallocations, stores, ends of accesses). The exit status is 1 if a mutant survives.

Examples:
  silkit mutate examples/run/hello.sil
  silkit mutate examples/run/hello.sil --operator relational,constant --html report.html
  silkit mutate main.sil --expect main.out --function 'Stack.push(_:)' --format json";

/// Test the tests of a program: make small changes to it, and list those that no test notices
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Program, as text or in binary form; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    #[command(flatten)]
    libraries: LibraryArgs,
    /// Function to start with; may be repeated, one test each
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: Vec<String>,
    #[command(flatten)]
    trial: TrialArgs,
    /// File with the expected output of the first test
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    expect: Option<PathBuf>,
    /// Expected exit code of the first test
    #[arg(long, value_name = "CODE")]
    exit_code: Option<i32>,
    /// Kinds of changes, separated by commas [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = operator)]
    operator: Vec<Operator>,
    /// Change only this function; may be repeated
    #[arg(long, short, value_name = "NAME")]
    function: Vec<String>,
    /// Run only N mutants, selected at random by --seed
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// List all mutants, not only those that survive
    #[arg(long)]
    all: bool,
    /// Also change what the compiler made: code without a source line, lengths, and flags of builtins
    #[arg(long)]
    generated: bool,
    /// Write an HTML page with the program and its mutants to FILE
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// Stop the unchanged program after this many instructions
    #[arg(long, value_name = "STEPS", default_value_t = 100_000_000)]
    steps: u64,
    #[command(flatten)]
    extent: Extent,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn operator(name: &str) -> Result<Operator, String> {
    Operator::from_name(name).ok_or_else(|| {
        let all: Vec<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
        output::expected_one_of(name, &all)
    })
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::with_valid_input(args.format.into());
    if let Some((listing, report)) = tested(&mut session, args) {
        let text = match args.format {
            Format::Text => as_text(&listing, &report, args),
            Format::Json => shown::json(&as_json(&listing, &report, &args.extent)),
        };
        session.answer(&text);
        if let Some(path) = &args.html {
            session.write(path, html::page(&listing, &report).as_bytes());
        }
        if report.count("survives") > 0 {
            session.fail();
        }
    }
    session.finish()
}

/// Generates the mutants and runs them. Records errors, and returns `None` for them.
fn tested(session: &mut Session, args: &Args) -> Option<(Listing, MutationReport)> {
    let mut linker = Linker::new(session, &args.libraries)?;
    let listing = Listing::new(session.load(&args.file)?);
    let module = &listing.module;
    let output = match &args.expect {
        Some(path) => Some(session.read_text(path)?.into_bytes()),
        None => None,
    };
    let functions: Vec<FunctionId> = session.bodies_named(module, &args.file, &args.function)?;
    let libraries = linker.libraries_of(session, &program(module.clone(), &args.file))?;
    let setup = args.trial.setup(libraries, args.steps);
    let mut tests: Vec<Test> = Vec::new();
    for name in &args.entry {
        let entry = args.trial.entry(module, name);
        let entry = entry.map_err(|refusal| session.no_entry(&args.file, refusal)).ok()?;
        let is_first = tests.is_empty();
        let output = output.clone().filter(|_| is_first);
        tests.push(Test { entry, output, exit_code: args.exit_code.filter(|_| is_first) });
    }
    let operators = if args.operator.is_empty() { Operator::ALL } else { &args.operator };
    let mutation = MutationTest {
        module,
        setup: &setup,
        tests: &tests,
        operators,
        functions: &functions,
        sample: args.sample,
        seed: args.trial.seed,
        changes_generated: args.generated,
    };
    session.progress.phase("testing");
    match on_large_stack(|| mutation.run()) {
        Some(Ok(report)) => Some((listing, report)),
        Some(Err(reason)) => {
            let name = args.file.display();
            let hint = "the program must run and pass its tests; `silkit run` shows what it does";
            session.refuse(format!("`{name}` cannot be tested: {reason}"), hint);
            None
        }
        None => {
            session.refuse("the interpreter crashed", "please report this as a bug, and attach the file");
            None
        }
    }
}

/// Returns the demangled name of the function of a mutant.
fn function_name(listing: &Listing, mutant: &Mutant) -> String {
    let name = listing.module.functions[mutant.function].name;
    silkit::comment_name(name.as_str()).unwrap_or_else(|| name.to_string())
}

/// Returns the opcode name of the mutated instruction.
fn instruction(listing: &Listing, mutant: &Mutant) -> &'static str {
    let body = listing.module.functions[mutant.function].body.as_ref();
    body.map_or("", |body| body.info(mutant.change.inst).name)
}

const STATUSES: [&str; 6] =
    ["reported", "noticed", "survives", "not executed", "changes nothing", "not supported"];

fn as_text(listing: &Listing, report: &MutationReport, args: &Args) -> String {
    let mut text = String::new();
    let is_listed = |m: &&Mutant| !args.extent.stat && (args.all || m.status == MutantStatus::Survives);
    let listed = report.mutants.iter().filter(is_listed).count();
    let stacks = listing.stacks();
    // Writing to a string cannot fail.
    for mutant in report.mutants.iter().filter(is_listed).take(args.extent.of(listed)) {
        let line = listing.line(mutant.function, mutant.change.inst).map_or(0, |line| line + 1);
        let reason =
            mutant.status.reason().and_then(|r| r.lines().next()).map_or(String::new(), |r| format!(": {r}"));
        let _ = writeln!(
            text,
            "{}:{line}: `{}` in {}{}: {}: {} [{}{reason}]",
            listing.name,
            instruction(listing, mutant),
            function_name(listing, mutant),
            match listing.origin(&stacks, mutant.function, mutant.change.inst) {
                frames if frames.is_empty() => String::new(),
                frames => format!(" ({})", OriginFrame::describe(&frames)),
            },
            mutant.change.operator.name(),
            mutant.change,
            mutant.status.name(),
        );
    }
    let omitted = args.extent.omitted(listed);
    if omitted > 0 {
        let _ = writeln!(text, "… {} (`--limit 0` shows all)", counted(omitted, "more mutant"));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let groups = Operator::ALL.iter().map(|operator| {
        let of = |m: &&Mutant| m.change.operator == *operator;
        (operator.name(), report.mutants.iter().filter(of).collect::<Vec<_>>())
    });
    let all = ("all", report.mutants.iter().collect());
    let groups: Vec<_> = groups.filter(|(_, mutants)| !mutants.is_empty()).chain([all]).collect();
    text += &match wrap::terminal_width() {
        Some(width) if width < TABLE => list(&groups),
        _ => table(&groups),
    };
    let (found, ran) = report.score();
    let percent = if ran == 0 { 100.0 } else { found as f64 * 100.0 / ran as f64 };
    let _ = writeln!(text, "\n{found} of {} found: {percent:.1} %", counted(ran, "mutant"));
    if report.generated > 0 {
        let changes = counted(report.generated, "change");
        let _ = writeln!(text, "{changes} of what the compiler made left out; --generated makes them");
    }
    text
}

/// The width of the table in columns.
const TABLE: usize = 96;

fn count(mutants: &[&Mutant], status: &str) -> usize {
    mutants.iter().filter(|m| m.status.name() == status).count()
}

fn table(groups: &[(&'static str, Vec<&Mutant>)]) -> String {
    let mut text = format!("{:12}{:>9}", "", "mutants");
    STATUSES.iter().for_each(|status| text += &format!("  {status}"));
    text.push('\n');
    for (name, mutants) in groups {
        text += &format!("{name:12}{:>9}", mutants.len());
        for status in STATUSES {
            text += &format!("  {:>width$}", count(mutants, status), width = status.len());
        }
        text.push('\n');
    }
    text
}

/// Returns the counts that are not zero, for narrow terminals.
fn list(groups: &[(&'static str, Vec<&Mutant>)]) -> String {
    let row = |(name, mutants): &(&'static str, Vec<&Mutant>)| {
        let statuses =
            STATUSES.iter().map(|status| (count(mutants, status), status)).filter(|(count, _)| *count > 0);
        let statuses: Vec<String> = statuses.map(|(count, status)| format!("{count} {status}")).collect();
        (*name, format!("{}: {}", counted(mutants.len(), "mutant"), statuses.join(", ")))
    };
    let rows: Vec<(&str, String)> = groups.iter().map(row).collect();
    wrap::listing(rows.iter().map(|(name, counts)| (*name, counts.as_str())))
}

fn as_json(listing: &Listing, report: &MutationReport, extent: &Extent) -> Value {
    let stacks = listing.stacks();
    let all = report.mutants.len();
    let shown = if extent.stat { 0 } else { extent.of(all) };
    let mutants = report.mutants.iter().take(shown).map(|mutant| {
        let (function, inst) = (mutant.function, mutant.change.inst);
        let origin = listing.origin(&stacks, function, inst);
        json!({
            "function": listing.module.functions[function].name.as_str(),
            "instruction": instruction(listing, mutant),
            "index": listing.index(function, inst),
            "line": listing.line(function, inst).map(|line| line + 1),
            "source": swift::position_json(&origin),
            "stack": swift::stack_json(&origin),
            "operator": mutant.change.operator.name(),
            "change": mutant.change.to_string(),
            "result": mutant.status.name(),
            "reason": mutant.status.reason(),
        })
    });
    let counts = STATUSES.iter().map(|status| ((*status).to_owned(), json!(report.count(status)))).collect();
    let (found, ran) = report.score();
    json!({
        "file": listing.name,
        "steps": report.steps,
        "left_out": report.generated,
        "counts": Value::Object(counts),
        "found": found,
        "ran": ran,
        "omitted": all - shown,
        "mutants": Value::from_iter(mutants),
    })
}
