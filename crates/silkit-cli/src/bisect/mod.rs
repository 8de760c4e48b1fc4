//! `silkit bisect`: finds the pass that breaks a module, among ours or those of a compiler (`compiler.rs`).

mod compiler;

use crate::check::Check;
use crate::color;
use crate::session::{Format, Session};
use crate::shown;
use crate::wrap;
use serde_json::{Value, json};
use silkit::pass::{BisectResult, Bisection, FailingChange, PassOptions, Pipeline};
use silkit::passes;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const EXAMPLES: &str = "\
The command runs in a shell, with the name of a SIL file as its last argument, or in place of
each `{}`. Exit status 0 means that the SIL is good. The exit status of bisect is 0 if a run was
found, 1 if the command never fails or always does.

With --compiler, the passes of that command are bisected: `swiftc …`, `swift build …`, a command
line of swift-frontend, or sil-opt. It gets -sil-opt-pass-count (in place of {limit} if it
has that), and fails or passes the check, which runs as it is. {out} in both is a folder of each
try, which lets tries run in parallel. Compile whole modules (-wmo): each file has its own runs.

Examples:
  silkit bisect --check '! grep -q tuple_extract' -p simplification examples/shapes.raw.sil
  silkit bisect --check 'silkit verify' --passes 'function(mem2reg,dce*)' examples/shapes.raw.sil
  silkit bisect --compiler 'swiftc -O app.swift -o {out}/app' --check '{out}/app'
  silkit bisect --check '! grep -q undef' -p dce --format json examples/shapes.raw.sil";

/// Find the first run of a pass, and the transformation, that makes a command fail
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("bisected").required(true).args(["passes", "pass", "compiler"]))]
pub(crate) struct Args {
    /// Command that succeeds on good SIL and fails on bad SIL
    #[arg(long, value_name = "CMD")]
    check: String,
    /// Pipeline, as for `silkit opt --passes`; passes of a named pipeline that are not implemented are left out
    #[arg(long, value_name = "PIPELINE", conflicts_with = "pass")]
    passes: Option<String>,
    /// Pass to run; several run in order
    #[arg(short = 'p', long = "pass", value_name = "TAG")]
    pass: Vec<String>,
    /// Command that compiles, whose passes are bisected
    #[arg(long, value_name = "CMD", conflicts_with = "file")]
    compiler: Option<String>,
    /// File; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath, required_unless_present = "compiler")]
    file: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::with_valid_input(args.format.into());
    if let Some(command) = &args.compiler {
        compiler::run(&mut session, command, args);
        return session.finish();
    }
    match searched(&mut session, args) {
        Ok(Some(verdict)) => {
            let text = match args.format {
                Format::Text => as_text(&verdict, args, wrap::terminal_width()),
                Format::Json => shown::json(&as_json(&verdict)),
            };
            session.answer_styled(&text);
            if !matches!(verdict, BisectResult::Found(_)) {
                session.fail();
            }
        }
        Ok(None) => {}
        Err((message, hint)) => session.refuse(message, hint),
    }
    session.finish()
}

/// Returns the result of the search, or `None` if the file cannot be read; the session records that error.
fn searched(session: &mut Session, args: &Args) -> Result<Option<BisectResult>, (String, String)> {
    let pipeline = pipeline(args)?;
    let file = args.file.clone().unwrap_or_else(|| "-".into());
    session.inputs(std::slice::from_ref(&file));
    let Some(mut input) = session.load(&file) else { return Ok(None) };
    if args.format == Format::Text {
        let release = silkit::text::dialect::release_of(&input.module);
        crate::opt::tell_left_out(&pipeline.of_release(release));
    }
    let declarations = input.declarations(&[]);
    let check = Check::new(&args.check, &file, None)?;
    let bisection = Bisection {
        module: &input.module,
        declarations: &declarations,
        steps: &pipeline.steps,
        options: PassOptions::default(),
        library: None,
    };
    let print = silkit::text::PrintOptions::default();
    let verdict = bisection.search(|module| {
        let text = silkit::text::print_module(module, &print, &silkit::comment_name);
        check.succeeds(&text)
    })?;
    Ok(Some(verdict))
}

fn pipeline(args: &Args) -> Result<Pipeline<'static>, (String, String)> {
    if let Some(text) = &args.passes {
        let pipeline = Pipeline::parse(text, passes::find);
        return pipeline.map_err(|error| crate::opt::refused_pipeline(text, &error));
    }
    let steps = args.pass.iter().map(|tag| Ok(crate::opt::known(tag)?.into()));
    Ok(Pipeline { steps: steps.collect::<Result<_, (String, String)>>()?, ..Pipeline::default() })
}

fn as_text(verdict: &BisectResult, args: &Args, width: Option<usize>) -> String {
    let head = head(verdict, args);
    let difference = if let BisectResult::Found(culprit) = verdict { &*culprit.difference } else { "" };
    wrap::fitted(&shown::shown(&head, &std::io::stdout()), width)
        + &color::difference(difference, &std::io::stdout())
}

fn head(verdict: &BisectResult, args: &Args) -> String {
    match verdict {
        BisectResult::Always => format!("`{}` already fails on the input, before any pass\n", args.check),
        BisectResult::Never => format!("`{}` never fails: it succeeds after all passes\n", args.check),
        BisectResult::Found(culprit) => {
            let run = &culprit.run;
            let mut text = format!("run {} of {}: {}", run.number, culprit.runs, run.tag);
            // Writing to a string cannot fail.
            if let Some(function) = run.function {
                let _ = write!(text, " on @{function}");
            }
            text += &transformation(culprit);
            let again = limit(culprit);
            let _ = write!(text, "\nfails from `-sil-opt-pass-count {again}` on\n\n");
            text
        }
    }
}

/// Returns the failing transformation, for the end of a line about its run.
pub(crate) fn transformation(culprit: &FailingChange) -> String {
    let Some(change) = culprit.change else { return String::new() };
    let name = culprit.name.map_or(String::new(), |name| format!(": {name}"));
    format!(", transformation {change} of {}{name}", culprit.run.changes)
}

/// Returns the value of `-sil-opt-pass-count` that runs up to and including the failing transformation.
fn limit(culprit: &FailingChange) -> String {
    let change = culprit.change.map_or(String::new(), |change| format!(".{change}"));
    format!("{}{change}", culprit.run.number)
}

fn as_json(verdict: &BisectResult) -> Value {
    match verdict {
        BisectResult::Always => json!({"result": "always"}),
        BisectResult::Never => json!({"result": "never"}),
        BisectResult::Found(culprit) => json!({
            "result": "found",
            "run": culprit.run.number,
            "runs": culprit.runs,
            "pass": culprit.run.tag,
            "function": culprit.run.function.map(|name| name.to_string()),
            "transformation": culprit.change,
            "transformations": culprit.run.changes,
            "name": culprit.name,
            "limit": limit(culprit),
            "difference": culprit.difference,
        }),
    }
}
