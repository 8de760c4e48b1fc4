//! The sources of effects.

use crate::Effects;
use silkit_ir::{FunctionId, Inst};

/// The subject of an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Subject {
    /// Memory or objects that no argument leads to.
    Global,
    /// An argument, by its number, or what it refers to.
    Argument(usize),
}

/// The reason why an instruction has an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It does so itself.
    Instruction,
    /// It calls a function whose effects were computed or are written down, among them this one.
    Callee(FunctionId, Subject),
    /// It calls a function whose effects are not known beyond what its attributes promise.
    Declared(FunctionId),
    /// It may call a function that is not known.
    Unknown,
    /// Effects on any memory in the function may affect the argument, which was not followed.
    Everything,
}

/// A callback that receives the sources of a function's effects.
pub trait Witness {
    /// Receives effects of an instruction, or of the function as a whole.
    fn effect(&mut self, inst: Option<Inst>, effects: Effects, on: Subject, cause: Cause);

    /// An instruction may call functions; `None` if it may call others as well.
    fn call(&mut self, inst: Inst, callees: Option<&[FunctionId]>);
}

/// Remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWitness;

impl Witness for NoWitness {
    fn effect(&mut self, _: Option<Inst>, _: Effects, _: Subject, _: Cause) {}

    fn call(&mut self, _: Inst, _: Option<&[FunctionId]>) {}
}
