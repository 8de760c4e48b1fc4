//! What the reference says of a breach, as data: tests that were written for its tools compare its words. How these
//! tools lay them out is not known here.

use crate::finding::Place;
use silkit_ir::ownership::OwnershipConstraint;
use silkit_ir::{Block, Inst, Operand, Ownership, Value};

/// What the reference says of a breach.
#[derive(Clone, PartialEq, Debug)]
pub enum Told {
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
    /// The message; behind its colon stands the condition that does not hold, where tests compare it too.
    pub message: &'static str,
    /// The instruction or the argument that it is about.
    pub at: Place,
    /// Instructions that are shown before, each behind its words.
    pub shown: Vec<(&'static str, Inst)>,
}

/// What is wrong with the ownership or the lifetime of a value, by the parts that the reference shows.
#[derive(Clone, PartialEq, Debug)]
pub enum OwnershipError {
    /// An operand demands another ownership than the value has.
    Incompatible {
        /// The operand.
        operand: Operand,
        /// What the value has.
        ownership: Ownership,
        /// What the operand demands.
        wanted: OwnershipConstraint,
    },
    /// Some path, or all of them, do not end the lifetime.
    Leaked {
        /// What ends it on others.
        ends: Vec<Inst>,
    },
    /// A path ends the lifetime twice.
    EndedTwice {
        /// The end that comes first.
        first: Inst,
        /// The one behind it.
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
        /// What ended the lifetime, where that is in the same block.
        end: Option<Inst>,
    },
    /// A scope is ended that the value does not begin.
    NotABorrow {
        /// What ends it.
        end: Inst,
    },
    /// A phi passes on scopes from some edges and parts of values from others.
    MixedPhi,
}

/// What is wrong with a memory location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// The address of the location, or of the part of it; nothing where a stored borrow is changed.
    pub location: Option<Value>,
    /// What is wrong.
    pub kind: MemoryFaultKind,
    /// The instruction that does not find what it needs; for paths that disagree, the terminator of a block that
    /// comes with a value.
    pub inst: Inst,
}

/// What is wrong with memory.
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
