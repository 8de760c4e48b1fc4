//! The origin of a function value, through conversions, copies and closures.

use crate::DeclRef;
use crate::body::{Body, Inst, Value};
use crate::generated::Opcode;
use crate::instructions::AnyInst;
use crate::semantics::conventions::{Addresses, ApplySite};
use silkit_base::Symbol;

/// The kind of instruction that derives one function value from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionStep {
    /// Changes the type: the representation, or whether it escapes.
    Convert,
    /// Copies or borrows the function.
    Copy,
    /// Moves the function.
    Move,
    /// Adds a dependence.
    Depend,
    /// Creates a closure, so that the function is called with additional arguments.
    Close,
}

impl FunctionStep {
    /// Returns the step from the first operand of an instruction to its result; `None` if it is not such a step.
    pub fn of(opcode: Opcode) -> Option<Self> {
        match opcode {
            Opcode::ThinToThickFunction | Opcode::ConvertFunction | Opcode::ConvertEscapeToNoEscape => {
                Some(Self::Convert)
            }
            Opcode::CopyValue | Opcode::BeginBorrow => Some(Self::Copy),
            Opcode::MoveValue => Some(Self::Move),
            Opcode::MarkDependence => Some(Self::Depend),
            Opcode::PartialApply => Some(Self::Close),
            _ => None,
        }
    }
}

impl Body {
    /// Returns the value that a function value is derived from, by steps that `follows` accepts.
    pub fn function_origin(
        &self,
        function: Value,
        mut follows: impl FnMut(FunctionStep, Inst) -> bool,
    ) -> Value {
        let step = |inst| {
            let step = FunctionStep::of(self.inst(inst).opcode)?;
            follows(step, inst).then(|| self.operand_value(inst, 0))
        };
        self.chain(function, step).last().unwrap_or(function)
    }

    /// Returns the value whose definition determines the possible callees. As in the reference, moves and dependences
    /// are not followed, and a closure is an origin of its own.
    pub fn callee_origin(&self, callee: Value) -> Value {
        self.function_origin(callee, |step, _| matches!(step, FunctionStep::Convert | FunctionStep::Copy))
    }

    /// Returns the function that an apply site references, looking through closures. As in the reference, dependences
    /// are not followed.
    pub fn called_function(&self, site: Inst) -> Option<Symbol> {
        let callee = ApplySite::new(self, site, Addresses::Lowered)?.callee();
        let origin = self.function_origin(callee, |step, _| step != FunctionStep::Depend);
        let def = self.defining_inst(origin)?;
        let is_reference = self.inst(def).opcode.is_function_ref();
        self.word(def, "function").filter(|_| is_reference).and_then(Body::symbol)
    }

    /// Returns the member that an instruction looks up: `class_method`, `witness_method` and their variants.
    pub fn looked_up_member(&self, lookup: Inst) -> Option<DeclRef> {
        Some(match self.view(lookup) {
            AnyInst::ClassMethod(method) => method.member,
            AnyInst::SuperMethod(method) => method.member,
            AnyInst::ObjCMethod(method) => method.member,
            AnyInst::ObjCSuperMethod(method) => method.member,
            AnyInst::WitnessMethod(method) => method.member,
            _ => return None,
        })
    }
}
