//! The messages of the reference about a violation, as data for tests that compare with its output. Their layout is
//! left to those tests.

use crate::finding::Place;
use silkit_ir::ownership::OwnershipConstraint;
use silkit_ir::{Block, Inst, Operand, Ownership, Value};

/// A message of the reference about a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum ReferenceMessage {
    /// A message of its verifier about a place.
    Failure(ReferenceFailure),
    /// A message of the Swift part of its verifier, which can be disabled separately.
    SwiftFailure(ReferenceFailure),
    /// An error of its ownership verifier about a value.
    Ownership(Value, OwnershipError),
    /// An error of its memory lifetime verifier.
    Memory(MemoryFault),
}

/// A message of the reference's verifier about a place.
#[derive(Clone, PartialEq, Debug)]
pub struct ReferenceFailure {
    /// The message. The text after the colon is the violated condition, if tests compare it.
    pub message: &'static str,
    /// The instruction or argument that it refers to.
    pub at: Place,
    /// Instructions that are printed before the message, each with its heading.
    pub shown: Vec<(&'static str, Inst)>,
}

/// An ownership or lifetime error of a value, with the entities that the reference prints.
#[derive(Clone, PartialEq, Debug)]
pub enum OwnershipError {
    /// An operand requires another ownership than the value has.
    Incompatible {
        /// The operand.
        operand: Operand,
        /// The ownership of the value.
        ownership: Ownership,
        /// The constraint of the operand.
        wanted: OwnershipConstraint,
    },
    /// The lifetime does not end on some or all paths.
    Leaked {
        /// The ends of the lifetime on other paths.
        ends: Vec<Inst>,
    },
    /// A path ends the lifetime twice.
    EndedTwice {
        /// The first end.
        first: Inst,
        /// The second end.
        second: Inst,
        /// The path between them, including the blocks of both ends.
        path: Vec<Block>,
        /// All ends, in use order.
        ends: Vec<Inst>,
    },
    /// The value is used or borrowed after its lifetime has ended.
    UsedOutside {
        /// The use.
        user: Inst,
        /// The end of the lifetime, if it is in the same block.
        end: Option<Inst>,
    },
    /// The operand of the end of a scope does not begin one.
    NotABorrow {
        /// The end of the lifetime.
        end: Inst,
    },
    /// A phi is passed scopes on some edges and forwarded values on others.
    MixedPhi,
}

/// An error about a memory location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// The address of the location or sublocation; `None` for a modified stored borrow.
    pub location: Option<Value>,
    /// The kind of error.
    pub kind: MemoryFaultKind,
    /// The violating instruction; for disagreeing paths, the terminator of a predecessor in which the location is
    /// initialized.
    pub inst: Inst,
}

/// Kinds of memory lifetime errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryFaultKind {
    /// The location must be initialized.
    NotInitialized,
    /// The location must not be initialized.
    Initialized,
    /// An indirect argument must be initialized at the function exit.
    NotAliveAtExit,
    /// An indirect argument must not be initialized at the function exit.
    InitializedAtExit,
    /// The location is initialized on only some paths to a block.
    PathsDisagree,
    /// Memory with a stored borrow is modified.
    StoredBorrowChanged,
}
