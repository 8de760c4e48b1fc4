//! `silkit reduce`: reduces a module to a minimal one that still fails.

use crate::check::{Check, Unusable};
use crate::session::{Format, Session};
use serde_json::json;
use silkit::ir::Module;
use silkit::reduce::{CannotReduce, Reducer, Reduction};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
The command runs in a shell, with the name of a SIL file as its last argument, or in place of
each `{}`. Exit status 0 means that the SIL is good, as for bisect; reduce keeps SIL that is
not. Function bodies, tables, Swift declarations, blocks, instructions, operands and attributes
are removed as long as the command fails. Candidates must read back, and may not violate a rule
of the verifier that the input does not violate.

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
    let mut session = Session::new(args.format.into());
    session.inputs(std::slice::from_ref(&args.file));
    let Some(input) = session.load(&args.file) else { return session.finish() };
    let begin = Instant::now();
    let before = Size::of(&input.module, &silkit::print(&input.module));
    match reduced(&mut session, input.module, args, threads) {
        Ok(reduction) => {
            let after = Size::of(&reduction.module, &reduction.text);
            session.write(&args.output, reduction.text.as_bytes());
            if !session.has_errors() {
                eprint!("{}", summary(&reduction, &before, &after, begin.elapsed(), args.format));
            }
        }
        Err((message, hint)) => session.refuse(message, hint),
    }
    session.finish()
}

fn reduced(
    session: &mut Session,
    module: Module,
    args: &Args,
    threads: usize,
) -> Result<Reduction, Unusable> {
    let check = Check::new(&args.check, &args.file, Some(Duration::from_secs(args.timeout)))?;
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        number => number,
    };
    let deadline = args.time.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let reducer = Reducer { threads, verify: !args.no_verify, deadline };
    let progress = &session.progress;
    let fails = |text: &str| check.succeeds(text).map(|succeeds| !succeeds);
    let reduction = reducer.reduce(module, fails, |now| {
        progress.phase(&format!("reducing: {} {} left in", now.left, now.items))
    });
    reduction.map_err(|error| match error {
        CannotReduce::Unanswered(unusable) => unusable,
        CannotReduce::Succeeds => (
            format!("`{}` succeeds on the input, so there is no failure to preserve", args.check),
            "the command must fail on the input and succeed on good SIL".to_owned(),
        ),
    })
}

/// The size of a module.
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

fn summary(reduction: &Reduction, before: &Size, after: &Size, time: Duration, format: Format) -> String {
    let sizes = before.parts().into_iter().zip(after.parts());
    match format {
        Format::Text => {
            let mut text = String::new();
            for ((name, before), (_, after)) in sizes {
                text += &format!("{name:>14} {before:>10} → {after}\n");
            }
            let end = if reduction.is_complete {
                "nothing more can be removed"
            } else {
                "the time limit was reached"
            };
            let Reduction { checks, invalid, .. } = reduction;
            text + &format!(
                "the command ran {checks} times in {:.1} s; {invalid} candidates were invalid; {end}\n",
                time.as_secs_f64()
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
                "runs": reduction.checks,
                "invalid": reduction.invalid,
                "complete": reduction.is_complete,
                "seconds": time.as_secs_f64(),
            });
            format!("{summary:#}\n")
        }
    }
}
