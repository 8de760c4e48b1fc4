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
            Self::Overlap(a, b) if a == b => "same projection path from the same base",
            Self::Overlap(a, b) => {
                return write!(
                    f,
                    "projection paths from the same base may overlap: {} and {}",
                    Part(*a),
                    Part(*b)
                );
            }
            Self::Paths(a, b) => {
                return write!(
                    f,
                    "disjoint projection paths from the same base: {} and {}",
                    Part(*a),
                    Part(*b)
                );
            }
            Self::Kinds(a, b) => {
                return write!(f, "distinct kinds of base: {} and {}", a.kind_name(), b.kind_name());
            }
            Self::Globals(a, b) => {
                return write!(f, "distinct global variables: @{a} and @{b}");
            }
            Self::Same => "same value",
            Self::Unknown => "no rule proves that they do not alias",
            Self::NoPointer => "one of them is not an address or a reference",
            Self::TypedAccess => "type-based: accesses of the two types do not alias",
            Self::Classes => "type-based: no object has both base types",
            Self::Allocations => "distinct allocations",
            Self::Fields => "distinct stored properties of objects",
            Self::ExclusiveArgument => "one base is an argument that has exclusive access to its memory",
            Self::OlderArgument => "one base is an argument, the other one is allocated in the function",
            Self::NoEscape => "one base does not escape to the uses of the other one",
            Self::Unused => "one of them is unused, so no access through it can conflict",
        };
        f.write_str(sentence)
    }
}

/// A path in a sentence; the empty path is written in words.
struct Part(ProjectionPath);

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == ProjectionPath::EMPTY { f.write_str("the whole base") } else { self.0.fmt(f) }
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
            (Relation::Same, "same value"),
            (Relation::Overlap(first, first), "same projection path from the same base"),
            (
                Relation::Overlap(first, all),
                "projection paths from the same base may overlap: s0 and the whole base",
            ),
            (Relation::Unknown, "no rule proves that they do not alias"),
            (Relation::NoPointer, "one of them is not an address or a reference"),
            (Relation::TypedAccess, "type-based: accesses of the two types do not alias"),
            (Relation::Classes, "type-based: no object has both base types"),
            (Relation::Allocations, "distinct allocations"),
            (Relation::Globals(g, h), "distinct global variables: @g and @h"),
            (Relation::Fields, "distinct stored properties of objects"),
            (Relation::Kinds(stack, argument), "distinct kinds of base: stack and argument"),
            (Relation::ExclusiveArgument, "one base is an argument that has exclusive access to its memory"),
            (Relation::OlderArgument, "one base is an argument, the other one is allocated in the function"),
            (
                Relation::Paths(first, all),
                "disjoint projection paths from the same base: s0 and the whole base",
            ),
            (Relation::NoEscape, "one base does not escape to the uses of the other one"),
            (Relation::Unused, "one of them is unused, so no access through it can conflict"),
        ];
        for (relation, sentence) in sentences {
            assert_eq!(relation.to_string(), sentence);
        }
    }
}
