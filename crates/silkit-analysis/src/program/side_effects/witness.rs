//! The sources of effects.

use crate::Effects;
use silkit_ir::{FunctionId, Inst};

/// The subject of an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Subject {
    /// Memory or objects that are not reached from an argument.
    Global,
    /// An argument, by index, or an object that it refers to.
    Argument(usize),
}

/// The reason why an instruction has an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It has the effect itself.
    Instruction,
    /// It calls a function whose computed or declared effects include this one.
    Callee(FunctionId, Subject),
    /// It calls a function that is known only by its attributes.
    Declared(FunctionId),
    /// It may call an unknown function.
    Unknown,
    /// The argument escapes from the walk, so that all effects in the function may concern it.
    Everything,
}

/// A callback that receives the sources of a function's effects.
pub trait EffectSink {
    /// Receives effects of an instruction, or of the function as a whole.
    fn effect(&mut self, inst: Option<Inst>, effects: Effects, on: Subject, cause: Cause);

    /// Receives the possible callees of an instruction; `None` if they are not known.
    fn call(&mut self, inst: Inst, callees: Option<&[FunctionId]>);
}

/// A witness that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWitness;

impl EffectSink for NoWitness {
    fn effect(&mut self, _: Option<Inst>, _: Effects, _: Subject, _: Cause) {}

    fn call(&mut self, _: Inst, _: Option<&[FunctionId]>) {}
}
