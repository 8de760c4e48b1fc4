//! Where effects come from.

use crate::Effects;
use silkit_ir::{FunctionId, Inst};

/// What an effect is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Subject {
    /// What comes from no argument.
    Global,
    /// An argument, by its number, or what it refers to.
    Argument(usize),
}

/// How it is known that an instruction has an effect.
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
    /// What is done to memory anywhere in the function may be done to the argument, which nobody followed.
    Everything,
}

/// Is told where the effects of a function come from.
pub trait Witness {
    /// There are effects, at an instruction or of the function as a whole.
    fn effect(&mut self, inst: Option<Inst>, effects: Effects, on: Subject, cause: Cause);

    /// An instruction may call functions; `None` where it may call others as well.
    fn call(&mut self, inst: Inst, callees: Option<&[FunctionId]>);
}

/// Remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWitness;

impl Witness for NoWitness {
    fn effect(&mut self, _: Option<Inst>, _: Effects, _: Subject, _: Cause) {}

    fn call(&mut self, _: Inst, _: Option<&[FunctionId]>) {}
}
