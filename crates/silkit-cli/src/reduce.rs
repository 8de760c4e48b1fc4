//! `silkit reduce`: reduces a module to a minimal one that still fails.

mod best;

use crate::check::{Check, Unusable};
use crate::output;
use crate::session::{Format, Session};
use crate::wrap;
use best::{Best, State};
use serde_json::json;
use silkit::ir::Module;
use silkit::reduce::{CannotReduce, Reducer, Reduction};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
The command runs in a shell, with the name of a SIL file as its last argument, or in place of
each `{}`. Exit status 0 means that the SIL is good, as for bisect; reduce keeps SIL that is
not. Function bodies, tables, Swift declarations, blocks, instructions, operands and attributes
are removed as long as the command fails. Candidates must read back, and may not violate a rule
of the verifier that the input does not violate. With -o, FILE has the best result so far while
reduce runs, also if it is interrupted.

Examples:
  silkit reduce --check 'silkit verify --only SIL0402' docs/mistakes/leak.sil
  silkit reduce --check 'silkit opt -mem2reg -sil-verify-all' crash.sil -o small.sil
  silkit reduce --check '! grep -q unchecked_addr_cast' --no-verify --time 30 big.sil";

/// Make the smallest module on which a command still fails
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Command that succeeds on good SIL and fails on the SIL to keep
    #[arg(long, value_name = "CMD")]
    check: String,
    /// File; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Write the module to FILE instead of standard output
    #[arg(short, value_name = "FILE", default_value = "-", value_hint = clap::ValueHint::FilePath)]
    output: PathBuf,
    /// Try candidates that violate rules of the verifier as well
    #[arg(long)]
    no_verify: bool,
    /// Stop after this time, with the best result so far
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Stop a run of the command after this time; it counts as good
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Format of the summary on standard error
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs the command.
pub(crate) fn run(args: &Args, threads: usize) -> ExitCode {
    let mut session = Session::with_valid_input(args.format.into());
    session.inputs(std::slice::from_ref(&args.file));
    let Some(input) = session.load(&args.file) else { return session.finish() };
    let begin = Instant::now();
    let before = Size::of(&input.module, &silkit::print(&input.module));
    let deadline = args.time.map(|seconds| begin + Duration::from_secs(seconds));
    let best = Best::new(&args.output);
    if let Some(deadline) = deadline {
        let (path, format) = (args.output.clone(), args.format);
        let stop = session.progress.stopper();
        best.watch(deadline, move |state| {
            stop();
            end_late(state, &path, &before, begin, format)
        });
    }
    let reduction = reduced(&mut session, input.module, args, threads, (&best, deadline));
    best.finish();
    match reduction {
        Ok(reduction) => {
            let after = Size::of(&reduction.module, &reduction.text);
            session.write(&args.output, reduction.text.as_bytes());
            if !session.has_errors() {
                let Reduction { checks, invalid, is_complete, .. } = reduction;
                let summary = Summary { before, after, checks, invalid, is_complete, time: begin.elapsed() };
                summary.tell(args.format);
            }
        }
        Err((message, hint)) => session.refuse(message, hint),
    }
    session.finish()
}

/// Writes the best result of a reduction that did not end in time. Returns the exit status.
fn end_late(state: &State, path: &Path, before: &Size, begin: Instant, format: Format) -> u8 {
    if let Err(error) = output::write(path, state.text.as_bytes()) {
        let (name, reason) = (path.display(), output::reason(&error));
        output::complain(&format!(
            "error: cannot write `{name}`: {reason}\nnote: {}\n",
            output::hint(&error)
        ));
        return 2;
    }
    let after = Size::of(&silkit::text::parse_module(&state.text).module, &state.text);
    let State { checks, invalid, .. } = *state;
    let summary =
        Summary { before: *before, after, checks, invalid, is_complete: false, time: begin.elapsed() };
    summary.tell(format);
    0
}

fn reduced(
    session: &mut Session,
    module: Module,
    args: &Args,
    threads: usize,
    (best, deadline): (&Best, Option<Instant>),
) -> Result<Reduction, Unusable> {
    let check = Check::new(&args.check, &args.file, Some(Duration::from_secs(args.timeout)))?;
    let check = check.until(deadline);
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        number => number,
    };
    let reducer = Reducer { threads, verify: !args.no_verify, deadline };
    let progress = &session.progress;
    let fails = |text: &str| {
        let succeeds = check.succeeds(text)?;
        if !succeeds {
            best.offer(text);
        }
        Ok(!succeeds)
    };
    let reduction = reducer.reduce(module, fails, |now| {
        best.count(now.checks, now.invalid);
        progress.phase(&format!("reducing ({}: {} left)", now.items, output::grouped(now.left)))
    });
    reduction.map_err(|error| match error {
        CannotReduce::Unanswered(unusable) => unusable,
        CannotReduce::Succeeds if deadline.is_some_and(|deadline| Instant::now() >= deadline) => (
            format!("`{}` did not end on the input before the time limit was reached", args.check),
            "give more time with `--time SECONDS`".to_owned(),
        ),
        CannotReduce::Succeeds if check.late_runs() > 0 => (
            format!("`{}` did not end on the input within {} s", args.check, args.timeout),
            "give each run more time with `--timeout SECONDS`".to_owned(),
        ),
        CannotReduce::Succeeds => (
            format!("`{}` succeeds on the input, so there is no failure to preserve", args.check),
            "the command must fail on the input and succeed on good SIL".to_owned(),
        ),
    })
}

/// The size of a module.
#[derive(Clone, Copy)]
struct Size {
    bytes: usize,
    functions: usize,
    blocks: usize,
    instructions: usize,
}

impl Size {
    fn of(module: &Module, text: &str) -> Self {
        let bodies = || module.functions.values().filter_map(|function| function.body.as_ref());
        Self {
            bytes: text.len(),
            functions: module.functions.len(),
            blocks: bodies().map(|body| body.block_count()).sum(),
            instructions: bodies().map(|body| body.insts().count()).sum(),
        }
    }

    fn parts(&self) -> [(&'static str, usize); 4] {
        [
            ("bytes", self.bytes),
            ("functions", self.functions),
            ("blocks", self.blocks),
            ("instructions", self.instructions),
        ]
    }
}

/// What a reduction took, and what it achieved.
struct Summary {
    before: Size,
    after: Size,
    checks: usize,
    invalid: usize,
    is_complete: bool,
    time: Duration,
}

impl Summary {
    /// Writes the summary to standard error, wrapped to the width of a terminal.
    fn tell(&self, format: Format) {
        let width = if format == Format::Text { wrap::error_width() } else { None };
        if format == Format::Json || !output::is_quiet() {
            output::complain(&wrap::fitted(&self.text(format), width));
        }
    }

    fn text(&self, format: Format) -> String {
        let Self { before, after, checks, invalid, is_complete, time } = self;
        match format {
            Format::Text => {
                let mut text = String::new();
                for ((name, before), (_, after)) in before.parts().into_iter().zip(after.parts()) {
                    text += &format!("{name:>14} {before:>10} → {after}\n");
                }
                let end = match is_complete {
                    true => "nothing more can be removed",
                    false => "the time limit was reached",
                };
                text + &format!(
                    "the command ran {} in {:.1} s; {} invalid; {end}\n",
                    output::counted(*checks, "time"),
                    time.as_secs_f64(),
                    match invalid {
                        1 => "1 candidate was".to_owned(),
                        number => format!("{} were", output::counted(*number, "candidate")),
                    }
                )
            }
            Format::Json => {
                let size = |size: &Size| {
                    size.parts()
                        .into_iter()
                        .map(|(name, n)| (name.to_owned(), json!(n)))
                        .collect::<serde_json::Map<_, _>>()
                };
                let summary = json!({
                    "before": size(before),
                    "after": size(after),
                    "runs": checks,
                    "invalid": invalid,
                    "complete": is_complete,
                    "seconds": time.as_secs_f64(),
                });
                crate::shown::json(&summary)
            }
        }
    }
}
