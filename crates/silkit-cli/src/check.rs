//! The user's check command of `bisect` and `reduce`.

use crate::output;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Exit statuses of a shell that cannot execute or cannot find the command.
const NOT_RUN: [i32; 2] = [126, 127];

/// A user-supplied command that succeeds on good SIL and fails on bad SIL. Several instances may run concurrently.
pub(crate) struct Check<'a> {
    command: &'a str,
    /// The directory for the temporary files that are passed to the command.
    folder: PathBuf,
    /// The file name of the input without its extension.
    stem: String,
    /// The time limit of one run. A run that exceeds it is killed and counts as a success, because a hang is not the
    /// failure to find.
    timeout: Option<Duration>,
    /// When all runs end.
    deadline: Option<Instant>,
    /// The shell that cleans up when this process ends.
    janitor: Option<Janitor>,
    runs: AtomicUsize,
    /// The number of runs that exceeded the time limit.
    late: AtomicUsize,
}

/// The reason why a command cannot be run, and a hint.
pub(crate) type Unusable = (String, String);

impl<'a> Check<'a> {
    /// Prepares a command to run on temporary files that have the name of the input.
    pub(crate) fn new(command: &'a str, input: &Path, timeout: Option<Duration>) -> Result<Self, Unusable> {
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let unique = time.map_or(0, |time| time.subsec_nanos());
        let folder = std::env::temp_dir().join(format!("silkit-check-{}-{unique}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| cannot_write(&folder, &error))?;
        let stem = input.file_stem().filter(|_| !output::is_standard(input)).and_then(|stem| stem.to_str());
        let stem = stem.unwrap_or("input").to_owned();
        let janitor = Janitor::start(&folder);
        let (runs, late) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Self { command, folder, stem, timeout, deadline: None, janitor, runs, late })
    }

    /// Ends each run at the deadline at the latest.
    pub(crate) fn until(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Returns the number of runs so far that were ended because they took too long.
    pub(crate) fn late_runs(&self) -> usize {
        self.late.load(Ordering::Relaxed)
    }

    /// Returns true if the command succeeds on the given SIL text.
    pub(crate) fn succeeds(&self, text: &str) -> Result<bool, Unusable> {
        let folder = self.folder.join(self.runs.fetch_add(1, Ordering::Relaxed).to_string());
        let file = folder.join(format!("{}.sil", self.stem));
        std::fs::create_dir(&folder).map_err(|error| cannot_write(&folder, &error))?;
        std::fs::write(&file, text).map_err(|error| cannot_write(&file, &error))?;
        let answer = self.run(&file);
        // A directory that cannot be removed now is removed together with the other temporary files.
        let _ = std::fs::remove_dir_all(&folder);
        answer
    }

    fn run(&self, file: &Path) -> Result<bool, Unusable> {
        let path = quoted(&file.display().to_string());
        let command = match self.command.contains("{}") {
            true => self.command.replace("{}", &path),
            false => format!("{} {path}", self.command),
        };
        self.command_succeeds(&command)
    }

    /// Returns the folder for temporary files, which is removed at the end.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns true if a command succeeds.
    pub(crate) fn command_succeeds(&self, command: &str) -> Result<bool, Unusable> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let ended = spawn_in_group(&mut shell).and_then(|child| {
            let group = child.id();
            self.janitor.iter().for_each(|janitor| janitor.tell('+', group));
            let ended = self.wait(child);
            self.janitor.iter().for_each(|janitor| janitor.tell('-', group));
            ended
        });
        let status = ended.map_err(|error| {
            (
                format!("cannot run `sh`: {}", output::reason(&error)),
                "the check needs `sh` in the `PATH`".to_owned(),
            )
        })?;
        match status.map(|status| (status.success(), status.code())) {
            None => Ok(true),
            Some((_, Some(code))) if NOT_RUN.contains(&code) => Err((
                format!("cannot run `{command}`: the shell exits with status {code}"),
                "check that the command exists and is executable".to_owned(),
            )),
            Some((is_success, _)) => Ok(is_success),
        }
    }

    /// Waits for a process to exit; returns `None` if it exceeded the time limit and was killed.
    fn wait(&self, mut child: Child) -> std::io::Result<Option<ExitStatus>> {
        let limits = [self.timeout.map(|timeout| Instant::now() + timeout), self.deadline];
        let Some(deadline) = limits.into_iter().flatten().min() else { return child.wait().map(Some) };
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                self.late.fetch_add(1, Ordering::Relaxed);
                end_group(&mut child)?;
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// Starts a command in a process group of its own, so that the processes that it starts can be ended with it.
fn spawn_in_group(command: &mut Command) -> std::io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

/// Ends a process and its group.
fn end_group(child: &mut Child) -> std::io::Result<()> {
    if cfg!(unix) {
        let group = child.id().to_string();
        // A shell has the command `kill` where there is no program of this name.
        let _ =
            Command::new("sh").args(["-c", "kill -s KILL -- \"-$0\"", &group]).stderr(Stdio::null()).status();
    }
    child.kill()
}

/// A shell that removes a directory and ends the runs that were started when this process ends, also if it is killed: the
/// shell waits for the end of its input, a pipe that only this process writes to. The input says which process groups have
/// started (`+ 17`) and which have ended (`- 17`).
struct Janitor {
    shell: Child,
    input: Mutex<ChildStdin>,
}

impl Janitor {
    const SCRIPT: &str = "trap '' HUP INT TERM
live=' '
while read -r what group; do
  case $what in
    +) live=\"$live$group \" ;;
    -) live=\"${live%% $group *} ${live#* $group }\" ;;
  esac
done
for group in $live; do kill -s KILL -- \"-$group\" 2>/dev/null; done
rm -rf \"$0\"";

    /// Returns `None` if there is no shell; then only a process that is killed leaves the directory.
    fn start(folder: &Path) -> Option<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", Self::SCRIPT]).arg(folder);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut shell = shell.spawn().ok()?;
        let input = Mutex::new(shell.stdin.take()?);
        Some(Self { shell, input })
    }

    fn tell(&self, what: char, group: u32) {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        // Without the shell, only a process that is killed leaves something behind.
        let _ = writeln!(input, "{what} {group}");
    }
}

impl Drop for Check<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
        if let Some(Janitor { mut shell, input }) = self.janitor.take() {
            drop(input);
            let _ = shell.wait();
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Unusable {
    (format!("cannot write `{}`: {}", path.display(), output::reason(error)), output::hint(error))
}

/// Returns a path quoted as a single shell word.
fn quoted(path: &str) -> String {
    let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
