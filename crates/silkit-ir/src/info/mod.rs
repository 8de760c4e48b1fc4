//! The instruction table: one row for each kind of instruction.
//!
//! The rows live in `table/*.toml`; `cargo xtask generate` turns them into
//! [`crate::generated`]. Parser, printer, cloner and binary codec all work from these rows.

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
    /// Its name as a type: `StructExtract`.
    pub class: &'static str,
    /// The file of the table that declares it.
    pub family: &'static str,
    /// The text form after the name, in order.
    pub form: &'static [Piece],
    /// The operands, in order.
    pub operands: &'static [OperandSpec],
    /// The attributes, in order; each takes one word of the instruction.
    pub attrs: &'static [AttrSpec],
    /// The names of the flags; the bit of a flag is its position.
    pub flags: &'static [&'static str],
    /// The number of results.
    pub results: Results,
    /// True if opened types in its attributes make it use the values that opened them
    /// (SIL.md, "Values and Operands": type-dependent operands).
    pub type_dependent: bool,
    /// The part that it plays.
    pub role: Role,
    /// The kind of apply site that it is.
    pub apply: Option<ApplyKind>,
    /// The rule that gives the types of its results.
    pub result: ResultRule,
    /// The requirements on the types of its operands and attributes.
    pub types: &'static [TypeRule],
    /// The ownership of its results.
    pub value_ownership: ValueOwnership,
    /// Its memory behavior.
    pub memory: MemoryBehavior,
    /// True if the answer to `memory` depends on the instance.
    pub memory_depends_on_instance: bool,
    /// True if it may release a reference.
    pub may_release: bool,
    /// True if it may trap.
    pub may_trap: bool,
    /// The runtime effects that some instance may have.
    pub runtime: RuntimeEffects,
    /// The stage in which it is allowed.
    pub stage: Stage,
    /// Its effect on the stack.
    pub stack: StackEffect,
    /// The scope that it begins or ends.
    pub scope: Option<ScopeEdge>,
    /// One line that says what it does.
    pub summary: &'static str,
    /// The text form in the notation of the table.
    pub syntax: &'static str,
    /// The reference text.
    pub details: &'static str,
    /// An example.
    pub example: &'static str,
    /// Related instructions.
    pub see: &'static [&'static str],
}

impl OperandSpec {
    /// Returns true if its ownership is passed on to results or successors.
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
    /// Returns the position of an operand by its name.
    pub fn operand(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|o| o.name == name)
    }

    /// Returns the position of an attribute by its name.
    pub fn attr(&self, name: &str) -> Option<usize> {
        self.attrs.iter().position(|a| a.name == name)
    }

    /// Returns true if the table says of an operand what is done to the memory at it.
    pub fn uses_addresses(&self) -> bool {
        self.operands.iter().any(|operand| operand.address != AddressRule::Always(AddressUse::Unknown))
    }

    /// Returns the bit of a flag by its name.
    pub fn flag(&self, name: &str) -> Option<usize> {
        self.flags.iter().position(|f| *f == name)
    }
}

/// The number of operands that a specification stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Exactly one.
    One,
    /// None or one.
    Optional,
    /// Any number.
    Many,
}

/// One operand, or one list of operands.
#[derive(Debug)]
pub struct OperandSpec {
    /// Its name.
    pub name: &'static str,
    /// The number of operands.
    pub arity: Arity,
    /// The attribute that counts them, where it is not the last and its number varies.
    pub count: Option<u8>,
    /// The ownership constraint of its uses.
    pub ownership: UseRule,
    /// Its effect on the memory there, if it is an address.
    pub address: AddressRule,
}

/// The effect of an instruction on a scope. Stack allocations are distinguished by `stack`, because they depend on
/// the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeEdge {
    /// It begins one.
    Begins(ScopeKind),
    /// It ends one.
    Ends(ScopeKind),
}

/// The part that an instruction plays in the life of a value or of memory. The number is that of the
/// operand that it is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Role {
    /// None of these.
    None,
    /// Its result is new memory.
    Allocation,
    /// It gives memory back.
    Deallocation(u8),
    /// Its results are parts of the operand, or the places of parts.
    Projection(u8),
    /// Its result is the operand seen as another type.
    Cast(u8),
    /// A cast of which is known at run time only whether it is possible.
    CheckedCast(u8),
    /// Its result is the operand itself, under another name for some purpose.
    Marker(u8),
    /// Its result is a copy of the operand.
    Copy(u8),
    /// It retains a reference, outside of ownership SSA.
    Retain(u8),
    /// It releases a reference, outside of ownership SSA.
    Release(u8),
    /// It ends the life of a value, or of the one in memory.
    Destruction(u8),
}

impl Role {
    /// Returns the operand of the table that it is about.
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

/// Kinds of apply sites (SIL Programmers' Manual, "SILFunction and apply arguments").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyKind {
    /// It calls: its arguments are all of the callee's.
    Full,
    /// It makes a closure: its arguments are the last of the callee's.
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

/// The memory behaviour of an instruction (instruction table of the reference; seed 003).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryBehavior {
    /// Touches no memory.
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

/// The stages that allow an instruction.
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
    /// Allocates.
    Allocates,
    /// Deallocates.
    Deallocates,
    /// Allocates in some instances (`alloc_ref [stack]`).
    MayAllocate,
    /// Deallocates in some instances.
    MayDeallocate,
}
