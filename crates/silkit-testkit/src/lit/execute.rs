//! Execution of a test file's command lines.

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use super::shell::{self, Join, Redirect, Simple};
use super::{Invocation, LitSetup, TestOutcome, builtin, script};

/// The exit status of a command that panicked, as if the process had been aborted.
const CRASHED: i32 = 134;
/// The name of the null device, on all systems.
const NULL: &str = "/dev/null";
/// The size to which the output of a failing command is truncated.
const MAX_SHOWN: usize = 8000;

pub(super) fn run(setup: &LitSetup, file: &Path) -> TestOutcome {
    let folder = match Folder::new() {
        Ok(folder) => folder,
        Err(error) => return TestOutcome::Failed(format!("cannot make a temporary folder: {error}")),
    };
    let (setup_of_thread, file_of_thread) = (setup.clone(), file.to_owned());
    let dir = folder.0.clone();
    let (sender, receiver) = mpsc::channel();
    let body = move || {
        let outcome = run_here(&setup_of_thread, &file_of_thread, dir);
        // After a timeout there is no receiver.
        let _ = sender.send(outcome);
    };
    // The stack size is that of a main thread, since passes are also tested on deeply nested inputs.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(body);
    if let Err(error) = thread {
        return TestOutcome::Failed(format!("cannot start a thread: {error}"));
    }
    match receiver.recv_timeout(setup.timeout) {
        Ok(outcome) => outcome,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            TestOutcome::Failed(format!("{}: not done after {:?}", file.display(), setup.timeout))
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            TestOutcome::Failed(format!("{}: the runner itself panicked", file.display()))
        }
    }
}

fn run_here(setup: &LitSetup, file: &Path, dir: PathBuf) -> TestOutcome {
    let failed = |text: String| TestOutcome::Failed(format!("{}: {text}", file.display()));
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) => return failed(error.to_string()),
    };
    let script = match script::parse(&text) {
        Ok(script) => script,
        Err(error) => return failed(error),
    };
    if script.runs.is_empty() {
        return failed("there is no RUN line".to_owned());
    }
    if let Some(reason) = script.skip_reason(&setup.features) {
        return TestOutcome::Skipped(reason);
    }
    let has_to_fail = match script.has_to_fail(&setup.features) {
        Ok(has_to_fail) => has_to_fail,
        Err(error) => return failed(error),
    };
    let file = match std::path::absolute(file) {
        Ok(file) => file,
        Err(error) => return failed(error.to_string()),
    };
    let test = Test { setup, file, dir };
    let result = script.runs.iter().try_for_each(|(line, run)| {
        test.line(run).map_err(|error| format!("{}:{line}: RUN: {run}\n{error}", test.file.display()))
    });
    match (result, has_to_fail) {
        (Ok(()), false) | (Err(_), true) => TestOutcome::Passed,
        (Ok(()), true) => failed("passed, though it is marked as failing (XFAIL)".to_owned()),
        (Err(message), false) => TestOutcome::Failed(message),
    }
}

/// The temporary folder of a test, which is deleted at the end even if the test hangs.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Folder> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("silkit-filetest-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir)?;
        Ok(Folder(dir))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // If it cannot be deleted, it is left in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The state that the command lines of a test share.
struct Test<'a> {
    setup: &'a LitSetup,
    file: PathBuf,
    dir: PathBuf,
}

/// The result of a pipeline command with a nonzero exit status.
struct Failed {
    status: i32,
    description: String,
}

impl Test<'_> {
    fn line(&self, text: &str) -> Result<(), String> {
        let line = shell::parse(&self.named(text))?;
        let mut last: Option<Failed> = None;
        for (join, pipeline) in line {
            let runs = match join {
                Join::Always => true,
                Join::IfOk => last.is_none(),
                Join::IfFailed => last.is_some(),
            };
            if runs {
                last = self.pipeline(&pipeline)?;
            }
        }
        last.map_or(Ok(()), |failed| Err(failed.description))
    }

    /// Expands the substitutions of the setup, which may consist of several words.
    fn named(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let fits = |name: &str| {
                let after = rest.strip_prefix(name)?;
                let is_end = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
                is_end.then_some(after)
            };
            let found = self.setup.substitutions.iter().find_map(|(name, text)| Some((fits(name)?, text)));
            if let Some((after, text)) = found {
                out.push_str(text);
                rest = after;
            } else if let Some((folder, after)) =
                rest.strip_prefix("%empty-directory(").and_then(|r| r.split_once(')'))
            {
                out.push_str("empty-directory ");
                out.push_str(folder);
                rest = after;
            } else {
                // `%%` is replaced later, together with the paths.
                let len = if rest.starts_with("%%") { 2 } else { 1 };
                out.push_str(&rest[..len]);
                rest = &rest[len..];
            }
        }
        out + rest
    }

    /// Expands the paths in a word.
    fn word(&self, word: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = word;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let name = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
            let folder = || self.file.parent().unwrap_or(&self.dir).display().to_string();
            match &rest[..name] {
                "s" => out.push_str(&self.file.display().to_string()),
                "S" => out.push_str(&folder()),
                "t" => out.push_str(&self.dir.join("t").display().to_string()),
                "T" => out.push_str(&self.dir.display().to_string()),
                "" => {
                    out.push('%');
                    rest = rest.strip_prefix('%').unwrap_or(rest);
                }
                unknown => return Err(format!("unknown substitution `%{unknown}`")),
            }
            rest = &rest[name..];
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Runs a pipeline. Returns the last failing command.
    fn pipeline(&self, commands: &[Simple]) -> Result<Option<Failed>, String> {
        let mut stdin = Vec::new();
        let mut failed: Option<Failed> = None;
        for command in commands {
            let words: Vec<String> = command.words.iter().map(|w| self.word(w)).collect::<Result<_, _>>()?;
            let mut call = Invocation { stdin, dir: self.dir.clone(), ..Invocation::default() };
            for redirect in &command.redirects {
                if let Redirect::Input(file) = redirect {
                    let path = self.dir.join(self.word(file)?);
                    if path == Path::new(NULL) {
                        continue;
                    }
                    call.stdin = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                }
            }
            let status = self.command(&words, &mut call)?;
            if status != 0 {
                let description = describe(&words, status, &call, failed.as_ref());
                failed = Some(Failed { status, description });
            }
            stdin = self.redirect(command, call)?;
        }
        Ok(failed)
    }

    fn command(&self, words: &[String], call: &mut Invocation) -> Result<i32, String> {
        let Some((name, args)) = words.split_first() else {
            return Err("a command is missing".to_owned());
        };
        if name == "not" {
            let wants_crash = args.first().is_some_and(|a| a == "--crash");
            let status = self.command(&args[usize::from(wants_crash)..], call)?;
            // A signal is encoded as in shells; some tools exit with 255 deliberately.
            let has_crashed = status < 0 || (129..160).contains(&status);
            return Ok(match (wants_crash, has_crashed) {
                (true, _) => i32::from(!has_crashed),
                (false, true) => status,
                (false, false) => i32::from(status == 0),
            });
        }
        if name == "env" {
            let variables: Vec<_> = args.iter().map_while(|word| word.split_once('=')).collect();
            call.env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
            return self.command(&args[variables.len()..], call);
        }
        call.args = args.to_vec();
        if let Some(run) = self.setup.commands.get(name) {
            return Ok(catch_unwind(AssertUnwindSafe(|| run(call))).unwrap_or_else(|panic| {
                let text = format!("panicked: {}\n", panic_text(panic.as_ref()));
                call.stderr.extend_from_slice(text.as_bytes());
                CRASHED
            }));
        }
        if let Some(run) = builtin::find(name) {
            return Ok(run(call));
        }
        let known: Vec<&str> = self.setup.commands.keys().map(String::as_str).chain(builtin::NAMES).collect();
        Err(format!("unknown command `{name}`; known are {}", known.join(", ")))
    }

    /// Redirects the output of a command. Returns the input of the next command in the pipe.
    fn redirect(&self, command: &Simple, call: Invocation) -> Result<Vec<u8>, String> {
        #[derive(Clone)]
        enum Target {
            Pipe,
            Shown,
            File(PathBuf),
        }
        let (mut out, mut err) = (Target::Pipe, Target::Shown);
        for redirect in &command.redirects {
            let open = |file: &str, appends: bool| -> Result<Target, String> {
                let path = self.dir.join(self.word(file)?);
                if path == Path::new(NULL) {
                    return Ok(Target::Shown);
                }
                let opened = fs::OpenOptions::new().create(true).append(true).open(&path);
                let cleared = opened.and_then(|f| if appends { Ok(()) } else { f.set_len(0) });
                cleared.map_err(|error| format!("{}: {error}", path.display()))?;
                Ok(Target::File(path))
            };
            match redirect {
                Redirect::Input(_) => {}
                Redirect::Output { file, appends } => out = open(file, *appends)?,
                Redirect::Error { file, appends } => err = open(file, *appends)?,
                Redirect::Both(file) => {
                    out = open(file, false)?;
                    err = out.clone();
                }
                Redirect::ErrorToOutput => err = out.clone(),
                Redirect::OutputToError => out = err.clone(),
            }
        }
        let mut pipe = Vec::new();
        for (target, text) in [(err, call.stderr), (out, call.stdout)] {
            match target {
                Target::Pipe => pipe.extend(text),
                Target::Shown => {}
                Target::File(path) => {
                    let file = fs::OpenOptions::new().append(true).open(&path);
                    file.and_then(|mut file| std::io::Write::write_all(&mut file, &text))
                        .map_err(|error| format!("{}: {error}", path.display()))?;
                }
            }
        }
        Ok(pipe)
    }
}

fn describe(words: &[String], status: i32, call: &Invocation, earlier: Option<&Failed>) -> String {
    let mut text = format!("`{}` exited with status {status}\n", words.join(" "));
    let streams = [("stderr", &call.stderr), ("stdout", &call.stdout)];
    // Show standard error; standard output only if that is empty.
    if let Some((name, stream)) = streams.into_iter().find(|(_, stream)| !stream.is_empty()) {
        let shown = String::from_utf8_lossy(&stream[..stream.len().min(MAX_SHOWN)]);
        text.push_str(&format!("--- {name}\n{}\n", shown.trim_end()));
    }
    if let Some(earlier) = earlier {
        text.push_str(&format!("before it, with status {}: {}", earlier.status, earlier.description));
    }
    text
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
