//! `silkit bisect`: finds the pass that breaks something.

use crate::output;
use crate::session::{Format, Session};
use serde_json::{Value, json};
use silkit::pass::{Bisection, Culprit, Options, Step, Verdict, parse_pipeline};
use silkit::passes;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const EXAMPLES: &str = "\
The command runs in a shell, with a file that holds the SIL as its last argument, or in place of
each `{}`. Exit status 0 of the command means good. The exit status of bisect is 0 if a run was
found, 1 if the command never fails or always does.

Examples:
  silkit bisect --check 'silkit verify' -p mem2reg -p dce examples/shapes.raw.sil
  silkit bisect --check 'grep -q alloc_stack' -p dce -p mem2reg examples/shapes.raw.sil
  silkit bisect --check '! grep -q undef' --passes 'function(mem2reg,dce*)' --format json a.sil";

/// Find the first run of a pass, and the transformation, that makes a command fail
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Command that succeeds on good SIL and fails on bad SIL
    #[arg(long, value_name = "CMD")]
    check: String,
    /// Passes, as for `silkit opt --passes`
    #[arg(long, value_name = "PIPELINE", conflicts_with = "pass", required_unless_present = "pass")]
    passes: Option<String>,
    /// Pass to run; several run in order
    #[arg(short = 'p', long = "pass", value_name = "TAG")]
    pass: Vec<String>,
    /// File; `-` is standard input
    #[arg(value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What a shell says where it does not know the command, or may not run it.
const NOT_RUN: [i32; 2] = [126, 127];

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut session = Session::new(args.format.into());
    match searched(&mut session, args) {
        Ok(Some(verdict)) => {
            let text = match args.format {
                Format::Text => as_text(&verdict, args),
                Format::Json => format!("{:#}\n", as_json(&verdict)),
            };
            session.answer(&text);
            if !matches!(verdict, Verdict::Found(_)) {
                session.fail();
            }
        }
        Ok(None) => {}
        Err((message, hint)) => session.refuse(message, hint),
    }
    session.finish()
}

/// Returns the verdict; `None` where the file cannot be read, which the session knows.
fn searched(session: &mut Session, args: &Args) -> Result<Option<Verdict>, (String, String)> {
    let steps = steps(args)?;
    session.inputs(std::slice::from_ref(&args.file));
    let Some(input) = session.load(&args.file) else { return Ok(None) };
    let declarations = silkit::declarations(&input.module);
    let mut judge = Judge::new(&args.check, &args.file).map_err(|error| {
        let message = format!("cannot write what is to be checked: {}", output::reason(&error));
        (message, output::hint(&error))
    })?;
    let bisection = Bisection {
        module: &input.module,
        declarations: &declarations,
        steps: &steps,
        options: Options::default(),
    };
    let print = silkit::text::PrintOptions::default();
    let verdict = bisection.search(|module| {
        let text = silkit::text::print_module(module, &print, &silkit::comment_name);
        judge.is_content(&text)
    })?;
    Ok(Some(verdict))
}

fn steps(args: &Args) -> Result<Vec<Step<'static>>, (String, String)> {
    if let Some(text) = &args.passes {
        return parse_pipeline(text, passes::find)
            .map_err(|error| (format!("`--passes {text}`: {error}"), crate::opt::PASSES_ADVICE.to_owned()));
    }
    args.pass.iter().map(|tag| Ok(crate::opt::known(tag)?.into())).collect()
}

/// Asks the command.
struct Judge<'a> {
    check: &'a str,
    folder: PathBuf,
    file: PathBuf,
}

impl<'a> Judge<'a> {
    /// Returns a judge with a file of its own, which has the input's name.
    fn new(check: &'a str, input: &Path) -> io::Result<Self> {
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let unique = time.map_or(0, |time| time.subsec_nanos());
        let folder = std::env::temp_dir().join(format!("silkit-bisect-{}-{unique}", std::process::id()));
        std::fs::create_dir(&folder)?;
        let stem = input.file_stem().filter(|_| !output::is_standard(input)).and_then(|stem| stem.to_str());
        let file = folder.join(format!("{}.sil", stem.unwrap_or("input")));
        Ok(Self { check, folder, file })
    }

    /// Returns whether the command is content with a text.
    fn is_content(&mut self, text: &str) -> Result<bool, (String, String)> {
        std::fs::write(&self.file, text).map_err(|error| {
            let message = format!("cannot write `{}`: {}", self.file.display(), output::reason(&error));
            (message, output::hint(&error))
        })?;
        let path = quoted(&self.file.display().to_string());
        let command = match self.check.contains("{}") {
            true => self.check.replace("{}", &path),
            false => format!("{} {path}", self.check),
        };
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = shell.status().map_err(|error| {
            (
                format!("cannot run `sh`: {}", output::reason(&error)),
                "the check needs a shell in the `PATH`".to_owned(),
            )
        })?;
        match status.code() {
            Some(code) if NOT_RUN.contains(&code) => Err((
                format!("the check `{}` cannot be run: the shell ends with status {code}", self.check),
                "check the command's name, and whether it may be executed".to_owned(),
            )),
            _ => Ok(status.success()),
        }
    }
}

impl Drop for Judge<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is removed with the other temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns a path as one word of the shell.
fn quoted(path: &str) -> String {
    let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

fn as_text(verdict: &Verdict, args: &Args) -> String {
    match verdict {
        Verdict::Always => format!("`{}` fails on the input already, before any pass\n", args.check),
        Verdict::Never => format!("`{}` never fails: it is content after all passes\n", args.check),
        Verdict::Found(culprit) => {
            let run = &culprit.run;
            let mut text = format!("run {} of {}: {}", run.number, culprit.runs, run.tag);
            // Writing to a string cannot fail.
            if let Some(function) = run.function {
                let _ = write!(text, " on @{function}");
            }
            if let Some(change) = culprit.change {
                let _ = write!(text, ", transformation {change} of {}", run.changes);
            }
            let again = limit(culprit);
            let _ = write!(text, "\nbad from `-sil-opt-pass-count {again}` on\n\n{}", culprit.difference);
            text
        }
    }
}

/// Returns what `-sil-opt-pass-count` is told, to run up to the culprit.
fn limit(culprit: &Culprit) -> String {
    let change = culprit.change.map_or(String::new(), |change| format!(".{change}"));
    format!("{}{change}", culprit.run.number)
}

fn as_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Always => json!({"result": "always"}),
        Verdict::Never => json!({"result": "never"}),
        Verdict::Found(culprit) => json!({
            "result": "found",
            "run": culprit.run.number,
            "runs": culprit.runs,
            "pass": culprit.run.tag,
            "function": culprit.run.function.map(|name| name.to_string()),
            "transformation": culprit.change,
            "transformations": culprit.run.changes,
            "limit": limit(culprit),
            "difference": culprit.difference,
        }),
    }
}
