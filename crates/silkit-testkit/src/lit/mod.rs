//! RUN lines: a test file states its commands and the expected output.
//!
//! The syntax is that of LLVM's lit, but nothing is started: the commands are Rust functions of the
//! test's author, so that a folder of tests runs as fast as unit tests and under the same debugger.
//!
//! | in a test file | meaning |
//! |---|---|
//! | `RUN: cmd args \| cmd args` | has to exit with status 0; `\` at the end joins it with the next `RUN:` |
//! | `REQUIRES: a && !b, c` | without these features the test is skipped |
//! | `UNSUPPORTED: a` | with one of these features it is skipped |
//! | `XFAIL: *` | it has to fail |
//! | `END.` | what follows is not looked at |
//!
//! A command line knows quotes, `|`, `&&`, `||`, `;`, `<`, `>`, `>>`, `2>`, `&>`, `2>&1`, and the
//! substitutions `%s` (the file), `%S` (its folder), `%t` (a file name for the test alone), `%T` (that
//! file's folder), `%%`, `%empty-directory(X)` and those of the [`LitSetup`]. Of a pipe, the last status
//! that is not 0 counts. Built in are `FileCheck`, `not`, `env`, `cat`, `echo`, `cp`, `mkdir`, `rm`, `touch`,
//! `diff`, `cmp`, `count`, `true` and `false`.
//!
//! ```
//! use silkit_testkit::lit::{Outcome, Setup};
//! let setup = Setup::new().command("upper", |call| {
//!     call.stdout = call.stdin.to_ascii_uppercase();
//!     0
//! });
//! let text = "// RUN: upper < %s | FileCheck %s\nhello\n// CHECK: HELLO\n";
//! # let dir = std::env::temp_dir().join(format!("silkit-lit-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! let file = dir.join("hello.txt");
//! std::fs::write(&file, text)?;
//! assert_eq!(setup.run(&file), Outcome::Passed);
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! As a whole test target (`harness = false` in `Cargo.toml`), with a test for each file:
//!
//! ```no_run
//! use silkit_testkit::lit::{Setup, harness};
//! fn main() -> std::process::ExitCode {
//!     let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
//!     harness(&folder, &["sil"], Setup::new())
//! }
//! ```

mod builtin;
mod condition;
mod execute;
mod harness;
mod script;
mod shell;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use harness::harness;

/// One call of a command.
#[derive(Debug, Default)]
pub struct Invocation {
    /// The arguments, without the command's name.
    pub args: Vec<String>,
    /// All of its standard input.
    pub stdin: Vec<u8>,
    /// The standard output of the command.
    pub stdout: Vec<u8>,
    /// The standard error of the command. With `2>&1` it precedes the output, as it does with tools that write their
    /// output at the end.
    pub stderr: Vec<u8>,
    /// The variables that `env NAME=value` puts before the command; those of the process stay as they are.
    pub env: Vec<(String, String)>,
    /// The test's folder for temporary files, which relative paths are meant from.
    pub dir: PathBuf,
}

impl Invocation {
    /// Returns a path as the command line means it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// A command: takes the arguments and the input, leaves the output, answers the exit status.
pub type Command = Arc<dyn Fn(&mut Invocation) -> i32 + Send + Sync>;

/// The outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// The test passed.
    Passed,
    /// The test failed, with a message for humans.
    Failed(String),
    /// The test was skipped, with the reason.
    Skipped(String),
}

/// The commands, substitutions and features that tests may use.
#[derive(Clone)]
pub struct LitSetup {
    commands: BTreeMap<String, Command>,
    substitutions: Vec<(String, String)>,
    features: Vec<String>,
    timeout: Duration,
}

impl Default for LitSetup {
    fn default() -> Self {
        LitSetup::new()
    }
}

impl LitSetup {
    /// Creates a setup with the built-in commands only.
    pub fn new() -> Self {
        LitSetup {
            commands: BTreeMap::new(),
            substitutions: Vec::new(),
            features: Vec::new(),
            timeout: Duration::from_secs(60),
        }
    }

    /// Adds a command. A panic in it is caught and counts as a crash, which `not` does not forgive.
    #[must_use]
    pub fn command(
        mut self,
        name: &str,
        run: impl Fn(&mut Invocation) -> i32 + Send + Sync + 'static,
    ) -> Self {
        self.commands.insert(name.to_owned(), Arc::new(run));
        self
    }

    /// Adds a substitution, such as `%FileCheck` by `FileCheck --allow-unused-prefixes`.
    #[must_use]
    pub fn substitution(mut self, name: &str, text: &str) -> Self {
        self.substitutions.push((name.to_owned(), text.to_owned()));
        // The longest name is meant where several fit.
        self.substitutions.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        self
    }

    /// Adds a feature for `REQUIRES` and the like.
    #[must_use]
    pub fn feature(mut self, name: &str) -> Self {
        self.features.push(name.to_owned());
        self
    }

    /// Sets the time limit of a test, after which it has failed (and its thread is left running). The default is one
    /// minute.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs one test file.
    pub fn run(&self, file: &Path) -> TestOutcome {
        execute::run(self, file)
    }

    /// Returns the reason why the test would be skipped, if there is one.
    pub fn skips(&self, file: &Path) -> Option<String> {
        let text = std::fs::read(file).ok()?;
        script::parse(&text).ok()?.skip_reason(&self.features)
    }
}
