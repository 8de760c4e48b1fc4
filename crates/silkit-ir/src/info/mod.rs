//! The instruction table: one row for each kind of instruction.
//!
//! The rows live in `table/*.toml`; `cargo xtask generate` turns them into [`crate::generated`]. Parser, printer,
//! cloner and binary codec are driven by these rows.

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }
        impl $name {
            /// Returns the name in the instruction table.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

mod address;
mod attributes;
mod builtin;
mod form;
mod ownership;
mod runtime;
mod types;

use crate::generated::{Opcode, ScopeKind};
use crate::release::{Release, Releases};
pub use address::{AddressRule, AddressUse};
pub use attributes::{AttrKind, AttrSpec};
pub use builtin::BuiltinInfo;
pub use form::{CustomPiece, Piece, Typed};
pub use ownership::{OperandOwnership, UseRule, ValueOwnership};
pub use runtime::RuntimeEffects;
pub use types::{Computed, ResultRule, TypePredicate, TypeRule, TypeSubject};

/// One row of the instruction table.
#[derive(Debug)]
pub struct InstInfo {
    /// The kind of instruction.
    pub opcode: Opcode,
    /// Its name in the text form: `struct_extract`.
    pub name: &'static str,
    /// The word in the text form, which is the name unless two kinds share a word.
    pub spelling: &'static str,
    /// Its name as a type: `StructExtract`.
    pub class: &'static str,
    /// The table file that declares it.
    pub family: &'static str,
    /// The pieces of the text form after the name, in order.
    pub form: &'static [Piece],
    /// The operands, in order.
    pub operands: &'static [OperandSpec],
    /// The attributes, in order; each takes one word of the instruction.
    pub attrs: &'static [AttrSpec],
    /// The names of the flags; the bit of a flag is its position.
    pub flags: &'static [&'static str],
    /// The number of results.
    pub results: Results,
    /// True if the instruction uses the values that opened the types in its attributes (SIL.md, "Values and
    /// Operands": type-dependent operands).
    pub type_dependent: bool,
    /// The role of the instruction.
    pub role: Role,
    /// The kind of apply site, if it is one.
    pub apply: Option<ApplyKind>,
    /// The rule for its result types.
    pub result: ResultRule,
    /// The requirements on the types of its operands and attributes.
    pub types: &'static [TypeRule],
    /// The ownership of its results.
    pub value_ownership: ValueOwnership,
    /// The memory behavior.
    pub memory: MemoryBehavior,
    /// True if `memory` is computed for each instance.
    pub memory_depends_on_instance: bool,
    /// True if the instruction may release a reference.
    pub may_release: bool,
    /// True if the instruction may trap.
    pub may_trap: bool,
    /// The runtime effects that an instance may have.
    pub runtime: RuntimeEffects,
    /// The stages in which the instruction is allowed.
    pub stage: Stage,
    /// The effect on the stack.
    pub stack: StackEffect,
    /// The scope that the instruction begins or ends.
    pub scope: Option<ScopeEdge>,
    /// The releases of Swift that have the instruction.
    pub releases: Releases,
    /// The bit numbers of the flags that are newer than the instruction, with the first release that has each.
    pub newer_flags: &'static [(u8, Release)],
    /// A one-line summary.
    pub summary: &'static str,
    /// The text form in the notation of the instruction table.
    pub syntax: &'static str,
    /// The reference documentation.
    pub details: &'static str,
    /// An example.
    pub example: &'static str,
    /// Related instructions.
    pub see: &'static [&'static str],
}

impl OperandSpec {
    /// Returns true if ownership is forwarded to results or successors.
    pub fn is_forwarded(&self) -> bool {
        use OperandOwnership as O;
        matches!(
            self.ownership,
            UseRule::Forwarded
                | UseRule::Passed
                | UseRule::Always(O::ForwardingConsume | O::GuaranteedForwarding | O::ForwardingUnowned)
        )
    }
}

impl InstInfo {
    /// Returns true if an instruction of this kind may release in a release of Swift. Since 6.3, a conversion of
    /// ownership does not.
    pub fn may_release_in(&self, release: Release) -> bool {
        self.may_release && (self.opcode != Opcode::UncheckedOwnershipConversion || release < Release::V6_3)
    }

    /// Returns the index of an operand by its name.
    pub fn operand(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|o| o.name == name)
    }

    /// Returns the index of an attribute by its name, which is mostly a constant: inlined, names compare as numbers.
    #[inline]
    pub fn attr(&self, name: &str) -> Option<usize> {
        self.attrs.iter().position(|a| a.name == name)
    }

    /// Returns true if a type that is written as a lowered type is formal: the contents of an existential, and the pack
    /// of an index.
    pub fn is_formal(&self, attr: &AttrSpec) -> bool {
        use Opcode as Op;
        attr.name == "concrete"
            || matches!(self.opcode, Op::ScalarPackIndex | Op::PackPackIndex | Op::DynamicPackIndex)
    }

    /// Returns true if the table declares an address use for an operand.
    pub fn uses_addresses(&self) -> bool {
        self.operands.iter().any(|operand| operand.address != AddressRule::Always(AddressUse::Unknown))
    }

    /// Returns the bit number of a flag by its name.
    pub fn flag(&self, name: &str) -> Option<usize> {
        self.flags.iter().position(|f| *f == name)
    }
}

/// The number of values that an operand specification represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Exactly one.
    One,
    /// Zero or one.
    Optional,
    /// Any number.
    Many,
}

/// An operand or a list of operands.
#[derive(Debug)]
pub struct OperandSpec {
    /// Its name.
    pub name: &'static str,
    /// The number of operands.
    pub arity: Arity,
    /// The attribute that holds the length of the list; `None` if the length follows from the number of operands.
    pub count: Option<u8>,
    /// The ownership constraint of its uses.
    pub ownership: UseRule,
    /// The effect on the memory, if the operand is an address.
    pub address: AddressRule,
}

/// The effect of an instruction on a scope. Stack allocations are described by `stack`, since they depend on the
/// instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeEdge {
    /// Begins a scope.
    Begins(ScopeKind),
    /// Ends a scope.
    Ends(ScopeKind),
}

/// The role of an instruction in the lifetime of a value or of memory. The number is the index of the operand
/// concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Role {
    /// No role.
    None,
    /// The result is new memory.
    Allocation,
    /// Deallocates memory.
    Deallocation(u8),
    /// The results are parts of the operand, or addresses of parts.
    Projection(u8),
    /// The result is the operand with another type.
    Cast(u8),
    /// A cast that may fail at run time.
    CheckedCast(u8),
    /// The result is the operand itself, marked for a purpose.
    Marker(u8),
    /// The result is a copy of the operand.
    Copy(u8),
    /// Retains a reference (non-OSSA).
    Retain(u8),
    /// Releases a reference (non-OSSA).
    Release(u8),
    /// Ends the lifetime of a value, or of the value in memory.
    Destruction(u8),
}

impl Role {
    /// Returns the index of the operand concerned.
    pub fn operand(self) -> Option<usize> {
        match self {
            Self::None | Self::Allocation => None,
            Self::Deallocation(i) | Self::Projection(i) | Self::Cast(i) | Self::CheckedCast(i) => {
                Some(i.into())
            }
            Self::Marker(i) | Self::Copy(i) | Self::Retain(i) | Self::Release(i) | Self::Destruction(i) => {
                Some(i.into())
            }
        }
    }
}

/// A kind of apply site (SIL Programmers' Manual, "SILFunction and apply arguments").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyKind {
    /// A call: all arguments of the callee are applied.
    Full,
    /// A closure: the last arguments of the callee are applied.
    Partial,
}

/// The number of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// No result.
    None,
    /// One value.
    One,
    /// Any number of results.
    Several,
    /// No result; the instruction is a terminator.
    Terminator,
}

/// The memory behavior of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryBehavior {
    /// Does not access memory.
    None,
    /// May read.
    MayRead,
    /// May write.
    MayWrite,
    /// May read and write.
    MayReadWrite,
    /// May have side effects beyond memory.
    MayHaveSideEffects,
}

/// The stages in which an instruction is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// All stages.
    Any,
    /// Raw SIL only.
    Raw,
}

/// The effect of an instruction on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StackEffect {
    /// No effect.
    None,
    /// Allocates stack memory.
    Allocates,
    /// Deallocates stack memory.
    Deallocates,
    /// Allocates in some instances (`alloc_ref [stack]`).
    MayAllocate,
    /// Deallocates in some instances.
    MayDeallocate,
}
