//! Violations: undefined behavior, or a failure that the program itself requests.

use silkit_base::Symbol;
use silkit_ir::SourceLoc;
use std::fmt;

/// Kinds of violations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ViolationKind {
    /// Memory or an object was used after it was freed.
    UseAfterFree,
    /// An access reached beyond its allocation.
    OutOfBounds,
    /// An address that belongs to nothing was accessed.
    WildPointer,
    /// Memory was read that was never written.
    UninitializedRead,
    /// Memory or an object was freed more than once.
    DoubleFree,
    /// A reference was released more often than retained.
    OverRelease,
    /// Memory that the program allocated was still there at its end.
    Leak,
    /// Two accesses to the same memory overlapped, of which one modifies.
    Exclusivity,
    /// An address was not a multiple of the alignment.
    Misaligned,
    /// Constant memory was written to.
    ConstantWrite,
    /// The bits of an enum stand for none of its cases.
    InvalidEnum,
    /// An owned value was consumed twice, or not at all.
    Ownership,
    /// Stack memory was not deallocated in reverse order of allocation.
    StackDiscipline,
    /// `undef` was used for more than copying.
    Undef,
    /// `unreachable` was reached.
    Unreachable,
    /// A value was called or used as what it is not.
    TypeConfusion,
}

impl ViolationKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::UseAfterFree,
        Self::OutOfBounds,
        Self::WildPointer,
        Self::UninitializedRead,
        Self::DoubleFree,
        Self::OverRelease,
        Self::Leak,
        Self::Exclusivity,
        Self::Misaligned,
        Self::ConstantWrite,
        Self::InvalidEnum,
        Self::Ownership,
        Self::StackDiscipline,
        Self::Undef,
        Self::Unreachable,
        Self::TypeConfusion,
    ];

    /// Returns the name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::UseAfterFree => "use-after-free",
            Self::OutOfBounds => "out-of-bounds",
            Self::WildPointer => "wild-pointer",
            Self::UninitializedRead => "uninitialized-read",
            Self::DoubleFree => "double-free",
            Self::OverRelease => "over-release",
            Self::Leak => "leak",
            Self::Exclusivity => "exclusivity",
            Self::Misaligned => "misaligned",
            Self::ConstantWrite => "constant-write",
            Self::InvalidEnum => "invalid-enum",
            Self::Ownership => "ownership",
            Self::StackDiscipline => "stack-discipline",
            Self::Undef => "undef",
            Self::Unreachable => "unreachable",
            Self::TypeConfusion => "type-confusion",
        }
    }

    /// Creates the kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.name() == name)
    }
}

/// Returns the readable name of a function.
pub(crate) fn demangled(symbol: Symbol) -> String {
    let name = silkit_demangle::demangle(symbol.as_str(), silkit_demangle::Style::Simplified);
    name.unwrap_or_else(|| symbol.to_string())
}

/// A place in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePlace {
    /// The function.
    pub function: Symbol,
    /// The name of the instruction's kind.
    pub instruction: &'static str,
    /// The number of the instruction in the body, from 0.
    pub index: u32,
    /// The place in the source.
    pub source: Option<SourceLoc>,
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {}", self.instruction, demangled(self.function))?;
        match self.source {
            Some(loc) if loc.file.is_some() => {
                let file = loc.file.map_or("", Symbol::as_str);
                write!(f, " ({file}:{}:{})", loc.line, loc.column)
            }
            _ => write!(f, " (instruction {})", self.index),
        }
    }
}

/// A violation that a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The kind of violation.
    pub kind: ViolationKind,
    /// The message.
    pub message: String,
    /// Its location.
    pub place: Option<CodePlace>,
    /// Earlier events of the memory or value, with their locations.
    pub history: Vec<(String, Option<CodePlace>)>,
    /// The calls that led there, the innermost first.
    pub calls: Vec<CodePlace>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
        if let Some(place) = &self.place {
            write!(f, "\n  at {place}")?;
        }
        for (what, place) in &self.history {
            match place {
                Some(place) => write!(f, "\n  {what} at {place}")?,
                None => write!(f, "\n  {what}")?,
            }
        }
        for call in &self.calls {
            write!(f, "\n  called from {call}")?;
        }
        Ok(())
    }
}

/// The reason why a program stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It ended with this exit code.
    Exit(i32),
    /// It failed as its code says: a trap (exit code 132) or a fatal error (134).
    Failure {
        /// The exit code of a native program.
        code: i32,
        /// The message.
        message: String,
        /// The location.
        place: Option<CodePlace>,
    },
    /// A check found something.
    Violation(Box<Violation>),
    /// An unsupported operation, by name.
    Unsupported(String),
    /// The limit of steps was reached.
    Limit,
    /// The limit of memory was reached.
    OutOfMemory,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit code {code}"),
            Self::Failure { code, message, .. } => write!(f, "{message} (exit code {code})"),
            Self::Violation(violation) => write!(f, "{violation}"),
            Self::Unsupported(what) => write!(f, "{what} is not supported"),
            Self::Limit => f.write_str("the instruction limit was reached"),
            Self::OutOfMemory => f.write_str("the memory limit was reached"),
        }
    }
}

/// The result of an operation, or the reason why the program stopped.
pub(crate) type Run<T> = Result<T, Stop>;

/// Returns the end of a program that needs something that is not supported.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Run<T> {
    Err(Stop::Unsupported(what.into()))
}
