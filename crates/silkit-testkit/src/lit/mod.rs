//! RUN lines: a test file states its commands and the expected output.
//!
//! The syntax is that of LLVM's lit, but no processes are started: the commands are Rust functions, so that a
//! folder of tests runs as fast as unit tests and in the same debugger.
//!
//! | in a test file | meaning |
//! |---|---|
//! | `RUN: cmd args \| cmd args` | must exit with status 0; `\` at the end joins it with the next `RUN:` |
//! | `REQUIRES: a && !b, c` | without these features the test is skipped |
//! | `UNSUPPORTED: a` | with one of these features it is skipped |
//! | `XFAIL: *` | the test must fail |
//! | `END.` | the rest of the file is ignored |
//!
//! A command line may use quotes, `|`, `&&`, `||`, `;`, `<`, `>`, `>>`, `2>`, `&>`, `2>&1`, and the
//! substitutions `%s` (the file), `%S` (its folder), `%t` (a file name for the test alone), `%T` (that
//! file's folder), `%%`, `%empty-directory(X)` and those of the [`LitSetup`]. Of a pipe, the last status
//! that is not 0 counts. Built in are `FileCheck`, `not`, `env`, `cat`, `echo`, `cp`, `mkdir`, `rm`, `touch`,
//! `diff`, `cmp`, `count`, `true` and `false`.
//!
//! ```
//! use silkit_testkit::lit::{TestOutcome, LitSetup};
//! let setup = LitSetup::new().command("upper", |call| {
//!     call.stdout = call.stdin.to_ascii_uppercase();
//!     0
//! });
//! let text = "// RUN: upper < %s | FileCheck %s\nhello\n// CHECK: HELLO\n";
//! # let dir = std::env::temp_dir().join(format!("silkit-lit-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir)?;
//! let file = dir.join("hello.txt");
//! std::fs::write(&file, text)?;
//! assert_eq!(setup.run(&file), TestOutcome::Passed);
//! # std::fs::remove_dir_all(&dir)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! As a whole test target (`harness = false` in `Cargo.toml`), with a test for each file:
//!
//! ```no_run
//! use silkit_testkit::lit::{LitSetup, harness};
//! fn main() -> std::process::ExitCode {
//!     let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
//!     harness(&folder, &["sil"], LitSetup::new())
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

/// A call of a command.
#[derive(Debug, Default)]
pub struct Invocation {
    /// The arguments, without the command's name.
    pub args: Vec<String>,
    /// The complete standard input.
    pub stdin: Vec<u8>,
    /// The standard output of the command.
    pub stdout: Vec<u8>,
    /// The standard error of the command. With `2>&1` it precedes the standard output, as for tools that write their
    /// output at the end.
    pub stderr: Vec<u8>,
    /// The variables set by `env NAME=value` before the command; those of the process are unchanged.
    pub env: Vec<(String, String)>,
    /// The temporary folder of the test, to which relative paths refer.
    pub dir: PathBuf,
}

impl Invocation {
    /// Returns the absolute path for a path on the command line.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// A command: reads arguments and input, sets the output, and returns the exit status.
pub type Command = Arc<dyn Fn(&mut Invocation) -> i32 + Send + Sync>;

/// The outcome of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// The test passed.
    Passed,
    /// The test failed, with a message.
    Failed(String),
    /// The test was skipped, with a reason.
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

    /// Adds a command. A panic is caught and counts as a crash, which `not` does not accept.
    #[must_use]
    pub fn command(
        mut self,
        name: &str,
        run: impl Fn(&mut Invocation) -> i32 + Send + Sync + 'static,
    ) -> Self {
        self.commands.insert(name.to_owned(), Arc::new(run));
        self
    }

    /// Adds a substitution, such as `FileCheck --allow-unused-prefixes` for `%FileCheck`.
    #[must_use]
    pub fn substitution(mut self, name: &str, text: &str) -> Self {
        self.substitutions.push((name.to_owned(), text.to_owned()));
        // The longest matching name is substituted.
        self.substitutions.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        self
    }

    /// Adds a feature for `REQUIRES`, `UNSUPPORTED` and `XFAIL`.
    #[must_use]
    pub fn feature(mut self, name: &str) -> Self {
        self.features.push(name.to_owned());
        self
    }

    /// Sets the time limit of a test, after which it fails (its thread keeps running). The default is one minute.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs one test file.
    pub fn run(&self, file: &Path) -> TestOutcome {
        execute::run(self, file)
    }

    /// Returns the reason why a test would be skipped, if any.
    pub fn skips(&self, file: &Path) -> Option<String> {
        let text = std::fs::read(file).ok()?;
        script::parse(&text).ok()?.skip_reason(&self.features)
    }
}
