//! Bisection of the passes of a compiler, through `-sil-opt-pass-count`.

use super::Args;
use crate::check::{Check, Unusable};
use crate::color;
use crate::session::{Format, Session};
use crate::wrap;
use rayon::prelude::*;
use serde_json::json;
use silkit::diag::render::printable;
use silkit::diff::{Comparison, compare};
use silkit_timeline::{Reader, Timeline};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The place of a run's folder in commands.
const OUT: &str = "{out}";
/// The place of the compiler's options in its command.
const LIMIT: &str = "{limit}";
/// How often the verdicts on both sides of the run that is found are asked for again.
const REPEATS: usize = 2;
/// The largest number of transformations of one run that is tried.
const MAX_TRANSFORMATIONS: u32 = 1 << 16;

/// A limit for the compiler: the number of runs, and of transformations in the last of them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Limit(u32, Option<u32>);

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self(runs, Some(transformations)) => write!(f, "{runs}.{transformations}"),
            Self(runs, None) => write!(f, "{runs}"),
        }
    }
}

/// The compiler and the check.
struct Tries<'a> {
    compiler: &'a str,
    check: &'a Check<'a>,
    command: &'a str,
    count: AtomicUsize,
}

/// What the search found.
enum Outcome {
    Always,
    Never,
    Found(Box<Culprit>),
}

/// The run that makes the check fail.
struct Culprit {
    run: u32,
    runs: u32,
    pass: String,
    function: Option<String>,
    transformation: Option<u32>,
    limit: Limit,
    difference: Comparison,
}

/// Searches, and answers or refuses.
pub(super) fn run(session: &mut Session, compiler: &str, args: &Args) {
    let outcome = Check::new(&args.check, Path::new("-"), None).and_then(|check| {
        let tries = Tries { compiler, check: &check, command: &args.check, count: AtomicUsize::new(0) };
        tries.search()
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err((message, hint)) => return session.refuse(message, hint),
    };
    let text = match (args.format, &outcome) {
        (Format::Text, Outcome::Always) => {
            "the check already fails without any pass of the optimizer\n".to_owned()
        }
        (Format::Text, Outcome::Never) => "the check succeeds after all passes\n".to_owned(),
        (Format::Text, Outcome::Found(culprit)) => culprit.as_text(),
        (Format::Json, Outcome::Always) => "{\"result\": \"always\"}\n".to_owned(),
        (Format::Json, Outcome::Never) => "{\"result\": \"never\"}\n".to_owned(),
        (Format::Json, Outcome::Found(culprit)) => culprit.as_json(),
    };
    session.answer(&text);
    if !matches!(outcome, Outcome::Found(_)) {
        session.fail();
    }
}

impl Culprit {
    fn as_text(&self) -> String {
        let on = self.function.as_ref().map_or(String::new(), |function| {
            let readable = silkit::comment_name(function).map_or(String::new(), |name| format!(" ({name})"));
            format!(" on @{function}{readable}")
        });
        let transformation =
            self.transformation.map_or(String::new(), |number| format!(", transformation {number}"));
        let head = format!(
            "run {} of {}: {}{on}{transformation}\nfails from `-sil-opt-pass-count={}` on\n\n",
            self.run, self.runs, self.pass, self.limit
        );
        let difference = self.difference.unified_with("before", "after", &silkit::comment_name);
        wrap::fitted(&printable(&head), wrap::terminal_width())
            + &color::difference(&printable(&difference), &std::io::stdout())
    }

    fn as_json(&self) -> String {
        let all = json!({
            "result": "found",
            "run": self.run,
            "runs": self.runs,
            "pass": self.pass,
            "function": self.function,
            "transformation": self.transformation,
            "limit": self.limit.to_string(),
            "difference": self.difference.unified_with("before", "after", &silkit::comment_name),
        });
        format!("{all:#}\n")
    }
}

impl Tries<'_> {
    fn search(&self) -> Result<Outcome, Unusable> {
        let names = self.log(&["-sil-print-pass-name"])?;
        let Some(last) = names.runs().iter().map(|run| run.number).max() else {
            return Err((
                format!("`{}` runs no pass of the optimizer", printable(self.compiler)),
                "compile with -O, and with all that the command needs; at -Onone all passes are mandatory"
                    .to_owned(),
            ));
        };
        let runs = last + 1;
        if self.is_good(Limit(runs, None))? {
            return Ok(Outcome::Never);
        }
        if !self.is_good(Limit(0, None))? {
            return Ok(Outcome::Always);
        }
        let first_bad = self.first_bad(0, runs, |runs| Limit(runs, None))?;
        let (run, mut limit) = (first_bad - 1, Limit(first_bad, None));
        self.confirm(Limit(run, None), limit)?;
        let transformation = self.transformation(first_bad)?;
        if let Some(number) = transformation {
            limit = Limit(first_bad, Some(number));
        }
        let named = names.runs().iter().find(|named| named.number == run);
        let pass = named.map_or(String::new(), |named| names.pass(named.pass).tag.clone());
        let function = named.and_then(|named| named.function).map(|id| names.function(id).to_owned());
        let difference = self.difference(run, limit, &pass, function.as_deref())?;
        Ok(Outcome::Found(Box::new(Culprit { run, runs, pass, function, transformation, limit, difference })))
    }

    /// Returns the smallest number after `good` and up to `bad` whose limit is bad.
    fn first_bad(
        &self,
        mut good: u32,
        mut bad: u32,
        limit: impl Fn(u32) -> Limit + Sync,
    ) -> Result<u32, Unusable> {
        let is_parallel = self.compiler.contains(OUT);
        let ways = if is_parallel { rayon::current_num_threads() as u32 } else { 1 };
        while bad - good > 1 {
            let ways = ways.min(bad - good - 1);
            let step =
                |way: u32| good + ((u64::from(bad - good) * u64::from(way + 1)) / u64::from(ways + 1)) as u32;
            let points: Vec<u32> = (0..ways).map(step).collect();
            let verdicts: Result<Vec<bool>, Unusable> =
                points.par_iter().map(|&point| self.is_good(limit(point))).collect();
            for (point, is_good) in points.into_iter().zip(verdicts?) {
                if !is_good {
                    bad = point;
                    break;
                }
                good = point;
            }
        }
        Ok(bad)
    }

    /// Returns the number of the transformation of the last run that makes the check fail; `None` if the run has none.
    fn transformation(&self, runs: u32) -> Result<Option<u32>, Unusable> {
        if !self.is_good(Limit(runs, Some(0)))? {
            return Ok(None);
        }
        let mut good = 0;
        while good < MAX_TRANSFORMATIONS {
            let next = (good * 2).max(1);
            if !self.is_good(Limit(runs, Some(next)))? {
                return self.first_bad(good, next, |number| Limit(runs, Some(number))).map(Some);
            }
            good = next;
        }
        Ok(None)
    }

    /// Asks for the verdicts on both sides again. A check that then answers otherwise is flaky.
    fn confirm(&self, good: Limit, bad: Limit) -> Result<(), Unusable> {
        for (limit, expected) in [(good, true), (bad, false)] {
            for _ in 0..REPEATS {
                if self.is_good(limit)? != expected {
                    return Err((
                        format!(
                            "the check is flaky: with `-sil-opt-pass-count={limit}` it fails only sometimes"
                        ),
                        "let the check run the program several times, and fail if any run fails".to_owned(),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns true if the compiler and the check succeed with a limit.
    fn is_good(&self, limit: Limit) -> Result<bool, Unusable> {
        let folder = self.folder()?;
        let compiler = self.compiler_with(&[&format!("-sil-opt-pass-count={limit}")], &folder);
        let is_good = self.check.command_succeeds(&compiler)?
            && self.check.command_succeeds(&self.command.replace(OUT, &folder))?;
        // What cannot be removed now is removed at the end.
        let _ = std::fs::remove_dir_all(&folder);
        Ok(is_good)
    }

    /// Returns what a run of a pass changes, up to a limit.
    fn difference(
        &self,
        run: u32,
        limit: Limit,
        pass: &str,
        function: Option<&str>,
    ) -> Result<Comparison, Unusable> {
        let around = format!("-sil-print-around={pass}");
        let only = function.map(|function| format!("-sil-print-function={function}"));
        let texts = |limit: Limit| -> Result<(String, String), Unusable> {
            let limit = format!("-sil-opt-pass-count={limit}");
            let options: Vec<&str> = [&limit, &around].into_iter().chain(&only).map(String::as_str).collect();
            let log = self.log(&options)?;
            let mut texts = (String::new(), String::new());
            for (_, step) in log.steps().filter(|(_, step)| step.number == Some(run) && !step.is_mandatory) {
                for version in log.versions(step) {
                    let text = version.after.map(|body| log.text(body)).unwrap_or_default();
                    if step.kind.is_result() {
                        texts.0 += &version.before.map(|body| log.text(body)).unwrap_or_default();
                        texts.1 += &text;
                    }
                }
            }
            Ok(texts)
        };
        let (mut before, after) = texts(limit)?;
        if let Limit(runs, Some(transformation)) = limit {
            let earlier = texts(Limit(runs, Some(transformation - 1)))?.1;
            // Without a change, nothing is printed.
            before = if earlier.is_empty() { before } else { earlier };
        }
        Ok(compare(&before, &after))
    }

    /// Runs the compiler with options, and reads the log that it writes to standard error.
    fn log(&self, options: &[&str]) -> Result<Timeline, Unusable> {
        let folder = self.folder()?;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(self.compiler_with(options, &folder));
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let cannot = |error: &std::io::Error| {
            let hint = "bisect needs `sh` in the `PATH`".to_owned();
            (format!("cannot run the compiler: {}", crate::output::reason(error)), hint)
        };
        let mut child = shell.spawn().map_err(|error| cannot(&error))?;
        let mut reader = Reader::new();
        if let Some(mut log) = child.stderr.take() {
            let mut piece = vec![0; 1 << 16];
            loop {
                match log.read(&mut piece) {
                    Ok(0) => break,
                    Ok(length) => reader.feed(&piece[..length]),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(cannot(&error)),
                }
            }
        }
        child.wait().map_err(|error| cannot(&error))?;
        let _ = std::fs::remove_dir_all(&folder);
        Ok(reader.finish())
    }

    /// Creates the folder of a try.
    fn folder(&self) -> Result<String, Unusable> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let folder = self.check.folder().join(format!("try-{number}"));
        std::fs::create_dir(&folder).map_err(|error| {
            let what = format!("cannot create `{}`: {}", folder.display(), crate::output::reason(&error));
            (what, crate::output::hint(&error))
        })?;
        Ok(folder.display().to_string())
    }

    /// Returns the command of the compiler with options for its passes.
    fn compiler_with(&self, options: &[&str], folder: &str) -> String {
        let mut words = self.compiler.split_whitespace().filter(|word| !word.contains('='));
        let programs: Vec<&str> =
            words.by_ref().take(4).map(|word| word.rsplit('/').next().unwrap_or(word)).collect();
        let is_package = programs
            .windows(2)
            .any(|pair| pair[0] == "swift" && matches!(pair[1], "build" | "run" | "test" | "package"));
        let prefix = match programs.as_slice() {
            _ if is_package => "-Xswiftc -Xllvm -Xswiftc ",
            programs if programs.contains(&"sil-opt") => "",
            _ => "-Xllvm ",
        };
        let options: Vec<String> = options.iter().map(|option| format!("{prefix}'{option}'")).collect();
        let options = options.join(" ");
        let command = match self.compiler.contains(LIMIT) {
            true => self.compiler.replace(LIMIT, &options),
            false => format!("{} {options}", self.compiler),
        };
        command.replace(OUT, folder)
    }
}
