//! Facts about functions: possible effects.

use crate::side_effects::Subject;
use std::fmt;

/// A possible effect of a function, itself or through its callees.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Fact {
    /// Allocates heap memory.
    Allocate,
    /// Counts references.
    Count,
    /// Ends lifetimes, which may run deinitializers.
    Release,
    /// Has an effect for which the runtime may take a lock, other than reference counting.
    Lock,
    /// Terminates the program.
    Trap,
    /// Reads memory.
    Read(Subject),
    /// Writes to memory.
    Write(Subject),
    /// Runs code outside the module.
    Unknown,
}

impl Fact {
    /// The facts that do not concern memory.
    pub(super) const FEW: [Self; 6] =
        [Self::Allocate, Self::Count, Self::Release, Self::Lock, Self::Trap, Self::Unknown];

    /// Returns the number of facts about a function with this number of arguments.
    pub(super) fn count(arguments: usize) -> usize {
        Self::FEW.len() + 2 * (arguments + 1)
    }

    /// Returns the index of a fact among the facts about a function.
    pub(super) fn index(self) -> usize {
        let memory = |on: Subject| match on {
            Subject::Global => Self::FEW.len(),
            Subject::Argument(index) => Self::FEW.len() + 2 * (index + 1),
        };
        match self {
            Self::Read(on) => memory(on),
            Self::Write(on) => memory(on) + 1,
            Self::Allocate => 0,
            Self::Count => 1,
            Self::Release => 2,
            Self::Lock => 3,
            Self::Trap => 4,
            Self::Unknown => 5,
        }
    }

    /// Returns the fact with an index.
    pub(super) fn at(index: usize) -> Self {
        let Some(memory) = index.checked_sub(Self::FEW.len()) else { return Self::FEW[index] };
        let on = (memory / 2).checked_sub(1).map_or(Subject::Global, Subject::Argument);
        if memory.is_multiple_of(2) { Self::Read(on) } else { Self::Write(on) }
    }

    /// Returns the argument whose memory it concerns.
    pub fn argument(self) -> Option<usize> {
        match self {
            Self::Read(Subject::Argument(index)) | Self::Write(Subject::Argument(index)) => Some(index),
            _ => None,
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allocate => "allocate",
            Self::Count => "count",
            Self::Release => "release",
            Self::Lock => "lock",
            Self::Trap => "trap",
            Self::Read(_) => "read",
            Self::Write(_) => "write",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = |f: &mut fmt::Formatter<'_>, verb: &str, on| match on {
            Subject::Global => write!(f, "{verb} memory that is not derived from an argument"),
            Subject::Argument(index) => write!(f, "{verb} memory of argument %{index}"),
        };
        match *self {
            Self::Read(on) => memory(f, "read", on),
            Self::Write(on) => memory(f, "write", on),
            Self::Allocate => f.write_str("allocate memory on the heap"),
            Self::Count => f.write_str("count references"),
            Self::Release => f.write_str("end lifetimes, which may run deinitializers"),
            Self::Lock => f.write_str("take a runtime lock"),
            Self::Trap => f.write_str("stop the program"),
            Self::Unknown => f.write_str("run unknown code"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_facts() {
        for arguments in 0..3 {
            let all: Vec<Fact> = (0..Fact::count(arguments)).map(Fact::at).collect();
            assert!(all.iter().enumerate().all(|(at, fact)| fact.index() == at), "{all:?}");
        }
        assert_eq!(Fact::at(Fact::count(1) - 1), Fact::Write(Subject::Argument(0)));
    }
}
