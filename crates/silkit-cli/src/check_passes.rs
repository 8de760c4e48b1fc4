//! `silkit check-passes`: runs programs before and after passes, and finds the pass that changes their behavior.

use crate::color;
use crate::extent::Extent;
use crate::output::counted;
use crate::run::modules::{LibraryArgs, Linker, program};
use crate::run::trial::TrialArgs;
use crate::session::{Format, Session};
use crate::shown;
use crate::wrap;
use serde_json::{Value, json};
use silkit::ir::Releases;
use silkit::pass::{PassOptions, Pipeline, PipelineStep};
use silkit::passes;
use silkit_exec::{
    CheckResult, PassCheck, ProgramSetup, RandomSequences, Unlike, on_large_stack, optimizing_steps,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
A program runs unchanged and after all passes. If its output, exit code, violations or leaks
differ, bisection finds the first pass run that causes it, and prints what that run changed. A
function whose parameters are builtin integers is called with --inputs sets of values; its
result, its calls of functions without SIL, and the global variables are compared.

Passes take bodies of other modules from --library, as in `silkit opt`.

With --random N, each program runs through N random sequences of passes instead, of those that
its stage allows, and is verified after each pass. Of a sequence that fails, the shortest part
that still fails is reported. Equal seeds give equal sequences.

The exit status is 1 if a difference was found. Programs that cannot run are counted as not run;
if there are no others, the exit status is 2.

Examples:
  silkit check-passes examples/run/hello.sil --passes performance
  silkit check-passes examples/run/hello.sil --each
  silkit check-passes examples/run/hello.sil --random 20 --seed 7
  silkit check-passes a.sil b.sil --passes 'function(mem2reg,dce)' --format json";

/// Run programs before and after passes, and find the pass that changes their behavior
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("checked").required(true).multiple(true).args(["passes", "pass", "each", "random"]))]
pub(crate) struct Args {
    /// Programs to run; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Pipeline, as for `silkit opt --passes`; passes of a named pipeline that are not implemented are left out
    #[arg(long, value_name = "PIPELINE", conflicts_with = "pass")]
    passes: Option<String>,
    /// Pass to run; several run in order
    #[arg(short = 'p', long = "pass", value_name = "TAG")]
    pass: Vec<String>,
    /// Check each pass on its own [default passes: all that optimize]
    #[arg(long)]
    each: bool,
    /// Check this number of random sequences of passes, with the verifier after each pass
    #[arg(long, value_name = "N", conflicts_with_all = ["passes", "pass", "each"])]
    random: Option<usize>,
    #[command(flatten)]
    libraries: LibraryArgs,
    /// Function to start with
    #[arg(long, value_name = "NAME", default_value = "main")]
    entry: String,
    #[command(flatten)]
    trial: TrialArgs,
    /// Stop a run after this many instructions, and compare the output up to there
    #[arg(long, value_name = "STEPS", default_value_t = 100_000_000)]
    steps: u64,
    #[command(flatten)]
    extent: Extent,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A sequence of passes to check, and its name.
type Check = (String, Vec<PipelineStep<'static>>);

/// The results for one program.
struct Checked {
    file: String,
    /// The result of each check: of the whole sequence of passes, or of each pass alone.
    verdicts: Vec<(String, CheckResult)>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::with_valid_input(args.format.into());
    let checks = match checks(args) {
        Ok(checks) => checks,
        Err((message, hint)) => {
            session.refuse(message, hint);
            return session.finish();
        }
    };
    let Some(mut linker) = Linker::new(&mut session, &args.libraries) else { return session.finish() };
    let library = linker.take_library();
    let library = library.as_ref().map(|library| library as &dyn silkit::link::LibrarySource);
    let paths = session.inputs(&args.files);
    let (mut results, mut differences) = (Vec::new(), 0);
    for path in &paths {
        if let Some(result) = checked(&mut session, &mut linker, path, args, (&checks, library)) {
            if args.format == Format::Text && !args.extent.stat {
                let is_told = |verdict: &CheckResult| matches!(verdict, CheckResult::Different(_));
                let failing = result.verdicts.iter().filter(|(_, verdict)| is_told(verdict)).count();
                // Only failures grow with the number of checks.
                let all = differences + failing;
                session.answer_styled(&as_text(&result, args.extent.of(all).saturating_sub(differences)));
                differences = all;
            }
            results.push(result);
        }
    }
    let is_different =
        |result: &Checked| result.verdicts.iter().any(|(_, v)| matches!(v, CheckResult::Different(_)));
    match args.format {
        Format::Json if args.extent.stat => session.answer(&shown::json(&summary_json(&results))),
        Format::Json => session.answer(&shown::json(&Value::from_iter(results.iter().map(as_json)))),
        Format::Text if results.is_empty() => {}
        Format::Text => session.answer(&wrap::fitted(&summary(&results), wrap::terminal_width())),
    }
    if !args.extent.stat {
        args.extent.note_omitted(differences, "difference");
    }
    let is_run = |result: &Checked| result.verdicts.iter().any(|(_, v)| !matches!(v, CheckResult::NotRun(_)));
    if results.iter().any(is_different) {
        session.fail();
    } else if !results.is_empty() && !results.iter().any(is_run) {
        session.refuse(
            "nothing was checked: no program could run",
            "the results say why; `silkit run FILE` tries a program by itself",
        );
    }
    session.finish()
}

/// Returns the pass sequences to check, each with its name.
fn checks(args: &Args) -> Result<Vec<Check>, (String, String)> {
    let (name, steps) = match &args.passes {
        Some(text) => {
            // Unimplemented passes cannot change anything.
            let pipeline = Pipeline::parse(text, passes::find);
            let refused = |error| crate::opt::refused_pipeline(text, &error);
            (text.clone(), pipeline.map_err(refused)?.steps)
        }
        None => {
            let known = args.pass.iter().map(|tag| Ok(crate::opt::known(tag)?.into()));
            (args.pass.join(","), known.collect::<Result<_, (String, String)>>()?)
        }
    };
    if !args.each {
        return Ok(vec![(name, steps)]);
    }
    let steps = if steps.is_empty() { optimizing_steps() } else { steps };
    let mut alone: Vec<Check> = Vec::new();
    for step in steps {
        if !alone.iter().any(|(tag, _)| tag == step.pass.tag) {
            alone.push((step.pass.tag.to_owned(), vec![PipelineStep { releases: Releases::ALL, ..step }]));
        }
    }
    Ok(alone)
}

/// Checks one program. Records errors in its file, and returns `None` for them.
fn checked(
    session: &mut Session,
    linker: &mut Linker,
    path: &Path,
    args: &Args,
    (checks, library): (&[Check], Option<&dyn silkit::link::LibrarySource>),
) -> Option<Checked> {
    let module = session.load(path)?.module;
    let libraries = linker.libraries_of(session, &program(module.clone(), path))?;
    let setup = args.trial.setup(libraries, args.steps);
    let file = path.display().to_string();
    let entry = match args.trial.entry(&module, &args.entry) {
        Ok(entry) => entry,
        Err((message, hint)) => {
            let reason = CheckResult::NotRun(format!("{message}; {hint}"));
            return Some(Checked { file, verdicts: vec![(String::new(), reason)] });
        }
    };
    let setup = ProgramSetup { entry, ..setup };
    session.progress.phase("checking passes on");
    let declarations = silkit::declarations(&module);
    let work = || {
        let check = match PassCheck::new(&module, &declarations, &setup) {
            Ok(check) => check.library(library),
            Err(reason) => return vec![(String::new(), CheckResult::NotRun(reason))],
        };
        if let Some(number) = args.random {
            let mut sequences = RandomSequences::new(args.trial.seed);
            let random = (0..number).map(|_| {
                let steps = sequences.next_for(&module);
                (String::new(), check.check_sequence(&steps, &PassOptions::default()))
            });
            return random.collect();
        }
        let judged =
            checks.iter().map(|(name, steps)| (name.clone(), check.check(steps, &PassOptions::default())));
        judged.collect()
    };
    let Some(verdicts) = on_large_stack(work) else {
        session.refuse(
            format!("a pass or the interpreter crashed on `{}`", path.display()),
            "please report this as a bug, and attach the file",
        );
        return None;
    };
    Some(Checked { file, verdicts })
}

/// Returns the results for a program, with at most `limit` of the differences.
fn as_text(result: &Checked, limit: usize) -> String {
    let (mut text, mut differences) = (String::new(), 0);
    for (name, verdict) in &result.verdicts {
        let file = &result.file;
        let mut tell = |line: String| {
            let line = wrap::fitted(&(line + "\n"), wrap::terminal_width());
            text += &shown::shown(&line, &std::io::stdout());
        };
        match verdict {
            CheckResult::NotRun(reason) => tell(format!("{file}: not checked: {reason}")),
            CheckResult::Same { .. } if result.verdicts.len() > 1 => {}
            CheckResult::Same { runs, changed } => {
                let runs = counted(*runs, "pass run");
                tell(format!("{file}: same behavior after {runs}, {changed} of which changed the SIL"));
            }
            CheckResult::Different(_) if differences >= limit => {}
            CheckResult::Different(unlike) => {
                differences += 1;
                tell(format!(
                    "{file}: {}\n  {}",
                    failing(unlike, name),
                    unlike.behavior.replace('\n', "\n  ")
                ));
                if let Some(culprit) = &unlike.culprit {
                    let difference = color::difference(&culprit.difference, &std::io::stdout());
                    text += &format!("\n{difference}\n");
                }
            }
        }
    }
    text
}

/// Returns the pass run that fails, and the sequence of passes in which it does.
fn failing(unlike: &Unlike, name: &str) -> String {
    let steps = unlike.steps.join(",");
    let Some(culprit) = &unlike.culprit else {
        return format!("failure of the last of the passes {steps}");
    };
    let run = &culprit.run;
    let of = run.function.map_or(String::new(), |function| format!(" on @{function}"));
    let change = crate::bisect::transformation(culprit);
    let name = if name.is_empty() { steps.as_str() } else { name };
    format!(
        "different behavior after pass run {} of {} ({name}): {}{of}{change}",
        run.number, culprit.runs, run.tag
    )
}

/// Returns the numbers of checks with each result: the same, of these with changed SIL, different, not run.
fn counts(results: &[Checked]) -> [usize; 4] {
    let count = |is: fn(&CheckResult) -> bool| {
        results.iter().flat_map(|r| &r.verdicts).filter(|(_, verdict)| is(verdict)).count()
    };
    [
        count(|v| matches!(v, CheckResult::Same { .. })),
        count(|v| matches!(v, CheckResult::Same { changed: 1.., .. })),
        count(|v| matches!(v, CheckResult::Different(_))),
        count(|v| matches!(v, CheckResult::NotRun(_))),
    ]
}

fn summary_json(results: &[Checked]) -> Value {
    let [same, changed, different, not_run] = counts(results);
    json!({"same": same, "changed": changed, "different": different, "not_run": not_run})
}

fn summary(results: &[Checked]) -> String {
    let [same, changing, different, not_run] = counts(results);
    format!(
        "{}: {same} same ({changing} with changed SIL), {different} different, {not_run} not run\n",
        counted(same + different + not_run, "check"),
    )
}

fn as_json(result: &Checked) -> Value {
    let verdicts = result.verdicts.iter().map(|(name, verdict)| match verdict {
        CheckResult::NotRun(reason) => json!({"passes": name, "result": "not run", "reason": reason}),
        CheckResult::Same { runs, changed } => {
            json!({"passes": name, "result": "same", "runs": runs, "changed": changed})
        }
        CheckResult::Different(unlike) => {
            let culprit = unlike.culprit.as_ref();
            let run = culprit.map(|culprit| &culprit.run);
            json!({
                "passes": if name.is_empty() { unlike.steps.join(",") } else { name.clone() },
                "result": "different",
                "run": run.map(|run| run.number),
                "runs": culprit.map(|culprit| culprit.runs),
                "pass": run.map(|run| run.tag.as_str()),
                "function": run.and_then(|run| run.function).map(|name| name.to_string()),
                "transformation": culprit.and_then(|culprit| culprit.change),
                "transformations": run.map(|run| run.changes),
                "name": culprit.and_then(|culprit| culprit.name),
                "behavior": unlike.behavior,
                "difference": culprit.map(|culprit| culprit.difference.as_str()),
            })
        }
    });
    json!({"file": result.file, "checks": Value::from_iter(verdicts)})
}
