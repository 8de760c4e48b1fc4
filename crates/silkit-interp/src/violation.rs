//! Violations: undefined behavior that a check has found, and the other reasons why a program stops.

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
    /// An address that does not belong to any allocation was accessed.
    WildPointer,
    /// Memory was read before it was written.
    UninitializedRead,
    /// Memory or an object was freed more than once.
    DoubleFree,
    /// A reference was released more often than it was retained.
    OverRelease,
    /// Memory that the program allocated was not freed before its end.
    Leak,
    /// Two accesses to the same memory overlapped, and at least one of them was a modification.
    Exclusivity,
    /// An address was not a multiple of the alignment.
    Misaligned,
    /// Constant memory was written to.
    ConstantWrite,
    /// The bits of an enum do not encode any of its cases.
    InvalidEnum,
    /// An owned value was consumed twice, or not at all.
    Ownership,
    /// Stack memory was not deallocated in reverse order of allocation.
    StackDiscipline,
    /// `undef` was used in another way than being copied.
    Undef,
    /// `unreachable` was reached.
    Unreachable,
    /// A value was called or used as a value of another type.
    TypeConfusion,
    /// A builtin or an instruction was executed although the program had to rule out its operands.
    Precondition,
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
        Self::Precondition,
    ];

    /// Returns the name of the kind in options and reports.
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
            Self::Precondition => "precondition",
        }
    }

    /// Returns the kind with this name, or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.name() == name)
    }
}

/// Returns the demangled name of a function.
pub(crate) fn demangled(symbol: Symbol) -> String {
    let name = silkit_demangle::demangle(symbol.as_str(), silkit_demangle::Style::Simplified);
    name.unwrap_or_else(|| symbol.to_string())
}

/// The location of an instruction in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePlace {
    /// The function.
    pub function: Symbol,
    /// The name of the instruction's kind.
    pub instruction: &'static str,
    /// The number of the instruction in the body, from 0.
    pub index: u32,
    /// The source location of the instruction.
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

/// A violation found by a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The kind of violation.
    pub kind: ViolationKind,
    /// The message.
    pub message: String,
    /// The location of the violation.
    pub place: Option<CodePlace>,
    /// Earlier events of the memory or value, with their locations.
    pub history: Vec<(String, Option<CodePlace>)>,
    /// The call stack at the violation, the innermost call first.
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
    /// The program ended with this exit code.
    Exit(i32),
    /// The program failed as its own code requested: a trap (exit code 132) or a fatal error (134).
    Failure {
        /// The exit code of a native program.
        code: i32,
        /// The message.
        message: String,
        /// The location.
        place: Option<CodePlace>,
        /// The call stack, the innermost call first.
        calls: Vec<CodePlace>,
        /// True if accesses overlapped. Passes may remove a dead access, and its check.
        is_access_conflict: bool,
    },
    /// A check found a violation.
    Violation(Box<Violation>),
    /// The program used an unsupported operation, which is named.
    Unsupported(String),
    /// The program used something that no linked module has.
    Missing {
        /// The type, function or table.
        what: String,
        /// The symbol, unless a type is missing.
        symbol: Option<Symbol>,
    },
    /// The limit of executed instructions was reached.
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
            Self::Unsupported(what) | Self::Missing { what, .. } => write!(f, "{what} is not supported"),
            Self::Limit => f.write_str("the instruction limit was reached"),
            Self::OutOfMemory => f.write_str("the memory limit was reached"),
        }
    }
}

/// The result of an operation, or the reason why the program stopped.
pub(crate) type Run<T> = Result<T, Stop>;

/// Returns an error that reports a function without SIL: `what` is `function` or `method`, for example.
pub(crate) fn missing<T>(what: &str, symbol: Symbol) -> Run<T> {
    let what = format!("the {what} `{}`, which has no SIL,", demangled(symbol));
    Err(Stop::Missing { what, symbol: Some(symbol) })
}

/// Returns an error that reports an unsupported operation.
pub(crate) fn unsupported<T>(what: impl Into<String>) -> Run<T> {
    Err(Stop::Unsupported(what.into()))
}
