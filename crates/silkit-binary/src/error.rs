//! Errors in a file, or in a module to be written.

use crate::source::DecodeError;
use std::fmt;

/// An error in a file: what is wrong, where, and what to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    kind: ReadErrorKind,
    message: Box<str>,
    offset: Option<u64>,
    hint: Box<str>,
}

/// A kind of [`ReadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadErrorKind {
    /// Not a file of this format.
    NotSilkit,
    /// A file of the Swift compiler, not of Silkit.
    Foreign,
    /// Written by a newer version of Silkit.
    Newer,
    /// Written by an older version of Silkit.
    Older,
    /// The file is truncated.
    Truncated,
    /// A checksum does not match.
    Checksum,
    /// The contents are invalid.
    Malformed,
    /// The file is small but expands to excessive output.
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

    /// Creates the error for a file that would expand to `weight` bytes of text.
    pub(crate) fn excessive(weight: u64, length: usize) -> Self {
        Self::new(
            ReadErrorKind::Excessive,
            format!("the {length} bytes of the file expand to more than {weight} bytes of text"),
            None,
            "the file is damaged, or was crafted to exhaust memory",
        )
    }

    /// Creates the error for damage in an entity that begins at `start`.
    pub(crate) fn damage(what: &str, start: u64, damage: &DecodeError) -> Self {
        match damage {
            DecodeError::Damage { what: found, offset } => {
                Self::malformed(format!("{what}: found {found}"), start + *offset as u64)
            }
            DecodeError::Elsewhere(error) => (**error).clone(),
            DecodeError::Pending(..) => unreachable!("invariant: only table entries wait for others"),
        }
    }

    /// Returns the kind.
    pub fn kind(&self) -> ReadErrorKind {
        self.kind
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the byte offset of the error in the file.
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

/// An error in a module that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteError {
    message: Box<str>,
}

impl WriteError {
    pub(crate) fn too_large() -> Self {
        Self { message: "the result is larger than 4 GiB".into() }
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
