//! FileCheck: checks a tool's output against the directives in a file.
//!
//! The directives are LLVM's: `CHECK`, `-NEXT`, `-SAME`, `-NOT`, `-DAG`, `-LABEL`, `-EMPTY`,
//! `-COUNT-n`, the modifier `{LITERAL}`; in a pattern `{{regex}}`, `[[NAME:regex]]`, `[[NAME]]`,
//! `[[#%x,NUM:]]`, `[[#NUM+1]]`, `[[@LINE]]`. The verdicts are those of LLVM 19.
//!
//! ```
//! use silkit_testkit::filecheck::{FileCheck, FileCheckOptions};
//! let checks = "\
//!     // CHECK-LABEL: sil @f\n\
//!     // CHECK:         [[X:%[0-9]+]] = integer_literal\n\
//!     // CHECK-NEXT:    return [[X]]\n";
//! let program = FileCheck::parse(FileCheckOptions::default(), "f.sil", checks)?;
//! program.verify("<stdin>", "sil @f\nbb0:\n  %0 = integer_literal 1\n  return %0\n")?;
//! assert!(program.verify("<stdin>", "sil @f\nbb0:\n  %0 = integer_literal 1\n").is_err());
//! # Ok::<(), silkit_testkit::filecheck::CheckFailure>(())
//! ```

mod directive;
mod engine;
mod ere;
mod number;
mod options;
mod pattern;
mod program;
mod regex;
mod report;

use std::fmt;

pub use options::FileCheckOptions;

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Invalid options or check file: exit status 2.
    Usage,
    /// The input does not match: exit status 1.
    Mismatch,
}

/// The reason why a check failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFailure {
    /// The kind.
    pub kind: FailureKind,
    /// The message, in several lines.
    pub message: String,
}

impl CheckFailure {
    fn usage(message: impl Into<String>) -> CheckFailure {
        CheckFailure { kind: FailureKind::Usage, message: message.into() }
    }

    /// Returns the exit status of LLVM's tool for this failure.
    pub fn status(&self) -> i32 {
        match self.kind {
            FailureKind::Usage => 2,
            FailureKind::Mismatch => 1,
        }
    }
}

impl fmt::Display for CheckFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.trim_end())
    }
}

impl std::error::Error for CheckFailure {}

/// A parsed check file.
#[derive(Debug)]
pub struct FileCheck {
    options: FileCheckOptions,
    file: String,
    program: program::Program,
}

impl FileCheck {
    /// Parses the directives of `text`; `file` is its name in messages.
    pub fn parse(
        options: FileCheckOptions,
        file: impl Into<String>,
        text: impl AsRef<[u8]>,
    ) -> Result<FileCheck, CheckFailure> {
        let file = file.into();
        let program = program::Program::parse(&options, &file, text.as_ref())?;
        Ok(FileCheck { options, file, program })
    }

    /// Checks an input; `file` is its name in messages.
    pub fn verify(&self, file: &str, input: impl AsRef<[u8]>) -> Result<(), CheckFailure> {
        let input = program::canonical(input.as_ref(), &self.options);
        if input.is_empty() && !self.options.allow_empty {
            return Err(CheckFailure::usage(format!("FileCheck error: '{file}' is empty.")));
        }
        engine::run(&self.program, &self.options, (&self.file, file), &input)
    }
}
