//! The error of files that cannot be read.

use std::fmt;

/// Why a file, or a part of it, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    message: String,
    /// The position in bits from the begin of the file.
    at: u64,
}

impl Damage {
    pub(crate) fn new(message: impl Into<String>, at: u64) -> Self {
        Self { message: message.into(), at }
    }

    /// Returns what is wrong, without the position.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the position in the file, in bytes.
    pub fn offset(&self) -> u64 {
        self.at / 8
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.at / 8)
    }
}

impl std::error::Error for Damage {}

/// The result of reading a part of a file.
pub type Result<T> = std::result::Result<T, Damage>;
