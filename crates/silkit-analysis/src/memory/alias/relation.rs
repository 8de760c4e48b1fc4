//! The results of alias analysis, each with its reason.

use super::AccessBase;
use crate::ProjectionPath;
use silkit_base::Symbol;
use std::fmt;

/// The alias relation of two values: the rule that decided whether their memory may overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// The values are equal.
    Same,
    /// Overlapping parts of the same memory.
    Overlap(ProjectionPath, ProjectionPath),
    /// No rule proves that they are distinct.
    Unknown,
    /// One of them is not a pointer.
    NoPointer,
    /// Memory is not accessed as both types (Typed Access TBAA).
    TypedAccess,
    /// No object can have both types (Class TBAA).
    Classes,
    /// Memory of two different allocations, or of an allocation in this function and of an object that existed before
    /// the call.
    Allocations,
    /// Memory of different global variables.
    Globals(Symbol, Symbol),
    /// Different fields.
    Fields,
    /// Different kinds of memory.
    Kinds(AccessBase, AccessBase),
    /// One is based on an argument to whose memory the function has exclusive access.
    ExclusiveArgument,
    /// One is based on an argument, the other on memory that is allocated in the function.
    OlderArgument,
    /// Different parts of the same memory.
    Paths(ProjectionPath, ProjectionPath),
    /// One of them never reaches a use of the other one.
    NoEscape,
    /// One of them has no uses, so that no access through it overlaps.
    Unused,
}

impl Relation {
    /// Returns true if the memory may overlap.
    pub fn may_alias(self) -> bool {
        matches!(self, Self::Same | Self::Overlap(..) | Self::Unknown)
    }

    /// Returns the name of the rule, in lower case with dashes.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Same => "same-value",
            Self::Overlap(..) => "overlap",
            Self::Unknown => "unknown",
            Self::NoPointer => "no-pointer",
            Self::TypedAccess => "typed-access-tbaa",
            Self::Classes => "class-tbaa",
            Self::Allocations => "distinct-allocations",
            Self::Globals(..) => "distinct-globals",
            Self::Fields => "distinct-fields",
            Self::Kinds(..) => "distinct-kinds",
            Self::ExclusiveArgument => "exclusive-argument",
            Self::OlderArgument => "older-argument",
            Self::Paths(..) => "projection-paths",
            Self::NoEscape => "no-escape",
            Self::Unused => "unused",
        }
    }
}

/// Writes a sentence without the final period.
impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = match self {
            Self::Overlap(a, b) if a == b => "they are the same part of the same memory",
            Self::Overlap(a, b) => {
                return write!(
                    f,
                    "they are parts of the same memory that may overlap: {} and {}",
                    Part(*a),
                    Part(*b)
                );
            }
            Self::Paths(a, b) => {
                return write!(
                    f,
                    "they are different parts of the same memory: {} and {}",
                    Part(*a),
                    Part(*b)
                );
            }
            Self::Kinds(a, b) => {
                return write!(
                    f,
                    "one begins in memory of the kind {}, the other one of the kind {}",
                    a.kind_name(),
                    b.kind_name()
                );
            }
            Self::Globals(a, b) => {
                return write!(f, "they begin in different global variables: @{a} and @{b}");
            }
            Self::Same => "they are the same value",
            Self::Unknown => "no rule keeps them apart",
            Self::NoPointer => "one of them cannot point to memory",
            Self::TypedAccess => "memory that is accessed as one type is not accessed as the other one",
            Self::Classes => "no object can be of both types that they begin in",
            Self::Allocations => "they begin in memory of different allocations",
            Self::Fields => "they begin in different fields of objects",
            Self::ExclusiveArgument => {
                "one begins in an argument whose memory nobody else uses while the function runs"
            }
            Self::OlderArgument => {
                "one begins in an argument, the other one in what was allocated after the function began"
            }
            Self::NoEscape => "one of them never comes to where the other one is used",
            Self::Unused => "one of them has no use, so no access through it can conflict",
        };
        f.write_str(sentence)
    }
}

/// A path in a sentence; the empty path is written in words.
struct Part(ProjectionPath);

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == ProjectionPath::EMPTY { f.write_str("all of it") } else { self.0.fmt(f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Component;

    #[test]
    fn relations_are_sentences() {
        let (all, first) = (ProjectionPath::EMPTY, ProjectionPath::of(Component::StructField(0)));
        let (g, h) = (Symbol::new("g"), Symbol::new("h"));
        let (stack, argument) =
            (AccessBase::Stack(silkit_ir::Value::NONE), AccessBase::Argument(silkit_ir::Value::NONE));
        let sentences = [
            (Relation::Same, "they are the same value"),
            (Relation::Overlap(first, first), "they are the same part of the same memory"),
            (
                Relation::Overlap(first, all),
                "they are parts of the same memory that may overlap: s0 and all of it",
            ),
            (Relation::Unknown, "no rule keeps them apart"),
            (Relation::NoPointer, "one of them cannot point to memory"),
            (Relation::TypedAccess, "memory that is accessed as one type is not accessed as the other one"),
            (Relation::Classes, "no object can be of both types that they begin in"),
            (Relation::Allocations, "they begin in memory of different allocations"),
            (Relation::Globals(g, h), "they begin in different global variables: @g and @h"),
            (Relation::Fields, "they begin in different fields of objects"),
            (
                Relation::Kinds(stack, argument),
                "one begins in memory of the kind stack, the other one of the kind argument",
            ),
            (
                Relation::ExclusiveArgument,
                "one begins in an argument whose memory nobody else uses while the function runs",
            ),
            (
                Relation::OlderArgument,
                "one begins in an argument, the other one in what was allocated after the function began",
            ),
            (Relation::Paths(first, all), "they are different parts of the same memory: s0 and all of it"),
            (Relation::NoEscape, "one of them never comes to where the other one is used"),
            (Relation::Unused, "one of them has no use, so no access through it can conflict"),
        ];
        for (relation, sentence) in sentences {
            assert_eq!(relation.to_string(), sentence);
        }
    }
}
