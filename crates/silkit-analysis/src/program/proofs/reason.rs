//! The reason for an effect of an instruction.

use silkit_ir::{FunctionId, RuntimeEffects};

/// The reason for an effect of an instruction, at the end of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It needs the runtime for this.
    Runtime(RuntimeEffects),
    /// It reads memory.
    Reads,
    /// It writes to memory.
    Writes,
    /// The function takes what is passed to it in memory.
    Takes,
    /// It calls a function without a body here, of whose effects this is one: they are written down.
    Says(FunctionId),
    /// It calls a function that ends the program.
    Ends(FunctionId),
    /// It may run code that may do anything.
    Unknown(Unknown),
}

/// Code of which is not known what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// A function without a body here, or with one that may be another one when the program runs.
    Function(FunctionId),
    /// A function value, or a method that others may implement.
    Callee,
    /// A deinitializer.
    Deinit,
}

impl Reason {
    /// Returns true if it proves that something may be done; it is only not excluded otherwise.
    pub fn is_proof(self) -> bool {
        !matches!(self, Self::Unknown(_))
    }

    /// Returns the function that it is about.
    pub fn function(self) -> Option<FunctionId> {
        match self {
            Self::Says(id) | Self::Ends(id) | Self::Unknown(Unknown::Function(id)) => Some(id),
            _ => None,
        }
    }
}
