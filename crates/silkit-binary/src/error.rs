//! Errors in a file, or in a module that is to be written.

use crate::source::Damage;
use std::fmt;

/// The reason why a file cannot be read: what is wrong, where, and what to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    kind: ReadErrorKind,
    message: Box<str>,
    offset: Option<u64>,
    hint: Box<str>,
}

/// The kinds of [`ReadError`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadErrorKind {
    /// It is no file of this format.
    NotSilkit,
    /// It is a file of Swift's compiler, not one of Silkit.
    Foreign,
    /// A newer Silkit wrote it.
    Newer,
    /// An older Silkit wrote it.
    Older,
    /// It ends too early.
    Truncated,
    /// Its bytes are not those that were written.
    Checksum,
    /// Its contents contradict themselves.
    Malformed,
    /// It is small and says very much.
    Excessive,
}

const WRITE_AGAIN: &str = "write it again with `silkit opt -emit-sib` from the text, or copy it again";

impl ReadError {
    pub(crate) fn new(
        kind: ReadErrorKind,
        message: impl Into<Box<str>>,
        offset: Option<u64>,
        hint: impl Into<Box<str>>,
    ) -> Self {
        Self { kind, message: message.into(), offset, hint: hint.into() }
    }

    pub(crate) fn truncated(what: &str, offset: u64) -> Self {
        Self::new(
            ReadErrorKind::Truncated,
            format!("the file ends in the middle of {what}"),
            Some(offset),
            WRITE_AGAIN,
        )
    }

    pub(crate) fn checksum(what: &str, offset: u64) -> Self {
        Self::new(
            ReadErrorKind::Checksum,
            format!("{what}: the bytes do not match their checksum"),
            Some(offset),
            WRITE_AGAIN,
        )
    }

    pub(crate) fn malformed(message: impl Into<Box<str>>, offset: u64) -> Self {
        Self::new(ReadErrorKind::Malformed, message, Some(offset), WRITE_AGAIN)
    }

    /// Creates the error for a file whose text would have `weight` bytes.
    pub(crate) fn excessive(weight: u64, length: usize) -> Self {
        Self::new(
            ReadErrorKind::Excessive,
            format!("the {length} bytes of the file expand to more than {weight} bytes of text"),
            None,
            "the file is damaged, or was crafted to exhaust memory",
        )
    }

    /// Creates the damage of something that begins at `start`.
    pub(crate) fn damage(what: &str, start: u64, damage: &Damage) -> Self {
        Self::malformed(format!("{what}: found {}", damage.what), start + damage.offset as u64)
    }

    /// Returns the kind.
    pub fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the byte of the file where it is wrong.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Returns the suggestion.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "byte {offset}: {}; {}", self.message, self.hint),
            None => write!(f, "{}; {}", self.message, self.hint),
        }
    }
}

impl std::error::Error for ReadError {}

/// The reason why a module cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError {
    message: Box<str>,
}

impl WriteError {
    pub(crate) fn too_large() -> Self {
        Self { message: "it would take more than 4 GiB".into() }
    }

    pub(crate) fn unfit(owner: &str, message: &str) -> Self {
        Self {
            message: format!("the body of `{owner}` does not fit the instruction table: {message}").into(),
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WriteError {}
