//! The reason for an effect of an instruction.

use silkit_ir::{FunctionId, RuntimeEffects};

/// The reason for an effect of an instruction, at the end of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It has these runtime effects.
    Runtime(RuntimeEffects),
    /// It reads memory.
    Reads,
    /// It writes to memory.
    Writes,
    /// The function consumes an argument that is passed in memory.
    ConsumesArgument,
    /// It calls a function without a body whose declared effects include this one.
    Declares(FunctionId),
    /// It calls a function that terminates the program.
    Terminates(FunctionId),
    /// It may run code with unknown effects.
    Unknown(UnknownCode),
}

/// Code with unknown effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnknownCode {
    /// A function without a body in this module, or whose body may be replaced at run time.
    Function(FunctionId),
    /// A function value, or a method that other modules may override.
    Callee,
    /// A deinitializer.
    Deinit,
}

impl Reason {
    /// Returns true if the effect is proved, and not merely not excluded.
    pub fn is_proof(self) -> bool {
        !matches!(self, Self::Unknown(_))
    }

    /// Returns the function that the reason concerns.
    pub fn function(self) -> Option<FunctionId> {
        match self {
            Self::Declares(id) | Self::Terminates(id) | Self::Unknown(UnknownCode::Function(id)) => Some(id),
            _ => None,
        }
    }
}
