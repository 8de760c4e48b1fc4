//! The messages of the reference about a violation, as data for tests that compare its output. The layout by its
//! tools is not known here.

use crate::finding::Place;
use silkit_ir::ownership::OwnershipConstraint;
use silkit_ir::{Block, Inst, Operand, Ownership, Value};

/// A message of the reference about a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum ReferenceMessage {
    /// Its verifier's message about a place.
    Failure(Failure),
    /// A message of the part of its verifier that is written in Swift, and can be left out alone.
    SwiftFailure(Failure),
    /// An error of its ownership verifier about a value.
    Ownership(Value, OwnershipError),
    /// An error of its verifier of memory lifetimes.
    Memory(MemoryFault),
}

/// A message of the reference's verifier about a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The message; after its colon stands the condition that does not hold, where tests compare it too.
    pub message: &'static str,
    /// The instruction or the argument that it is about.
    pub at: Place,
    /// Instructions that are shown before, each after its words.
    pub shown: Vec<(&'static str, Inst)>,
}

/// An ownership or lifetime error of a value, by the parts that the reference shows.
#[derive(Clone, PartialEq, Debug)]
pub enum OwnershipError {
    /// An operand demands another ownership than the value has.
    Incompatible {
        /// The operand.
        operand: Operand,
        /// The ownership of the value.
        ownership: Ownership,
        /// The constraint of the operand.
        wanted: OwnershipConstraint,
    },
    /// Some path, or all of them, do not end the lifetime.
    Leaked {
        /// The lifetime ends on other paths.
        ends: Vec<Inst>,
    },
    /// A path ends the lifetime twice.
    EndedTwice {
        /// The end that comes first.
        first: Inst,
        /// The one after it.
        second: Inst,
        /// The blocks between them, both ends included.
        path: Vec<Block>,
        /// All ends, in the order of the value's uses.
        ends: Vec<Inst>,
    },
    /// The value is used, or lent, where its lifetime has ended.
    UsedOutside {
        /// The use.
        user: Inst,
        /// The end of the lifetime, if it is in the same block.
        end: Option<Inst>,
    },
    /// A scope is ended that the value does not begin.
    NotABorrow {
        /// The end of the lifetime.
        end: Inst,
    },
    /// A phi passes on scopes from some edges and parts of values from others.
    MixedPhi,
}

/// An error about a memory location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// The address of the location, or of the part of it; nothing where a stored borrow is changed.
    pub location: Option<Value>,
    /// The kind of error.
    pub kind: MemoryFaultKind,
    /// The instruction that does not find what it needs; for paths that disagree, the terminator of a block that
    /// comes with a value.
    pub inst: Inst,
}

/// Kinds of memory lifetime errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryFaultKind {
    /// It should be initialized.
    NotInitialized,
    /// It should not be initialized.
    Initialized,
    /// An indirect argument should be initialized where the function ends.
    NotAliveAtExit,
    /// An indirect argument should not be initialized where the function ends.
    InitializedAtExit,
    /// It is initialized on some paths to a block alone.
    PathsDisagree,
    /// A borrow that is stored there may not be changed.
    StoredBorrowChanged,
}
