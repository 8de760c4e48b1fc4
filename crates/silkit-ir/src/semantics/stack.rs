//! Stack allocations and their deallocations (SIL.md, "Stack discipline").

use crate::body::{Body, Inst, Value};
use crate::generated::Opcode;
use crate::info::StackEffect;
use crate::semantics::conventions::{Addresses, ApplySite};
use crate::semantics::ownership::builtin;
use silkit_types::FnFlags;

impl Body {
    /// Returns the result of a stack allocation that deallocations refer to; `None` if the instruction is not a stack
    /// allocation. In OSSA, a closure on the stack is deallocated by the end of its lifetime.
    pub fn stack_allocated(&self, inst: Inst, is_ossa: bool) -> Option<Value> {
        let allocates = match (self.info(inst).stack, self.inst(inst).opcode) {
            (StackEffect::Allocates, _) => true,
            (StackEffect::MayAllocate, Opcode::BeginApply) => {
                return if self.allocates_in_callee(inst) { self.results(inst).last() } else { None };
            }
            (StackEffect::MayAllocate, Opcode::PartialApply) => self.has_flag(inst, "on_stack") && !is_ossa,
            (StackEffect::MayAllocate, Opcode::Builtin) => self.builtin_allocates(inst),
            (StackEffect::MayAllocate, _) => self.has_flag(inst, "stack"),
            _ => false,
        };
        if allocates { self.first_result(inst) } else { None }
    }

    /// Returns true if a builtin allocates on the stack. Up to Swift 6.2, an `async let` is finished by a call of the
    /// runtime, so that its memory is not a stack allocation.
    fn builtin_allocates(&self, inst: Inst) -> bool {
        let finishes = |user| builtin(self, user).is_some_and(|b| b.name == "finishAsyncLet");
        builtin(self, inst).is_some_and(|b| {
            b.stack == StackEffect::Allocates
                && (b.name != "startAsyncLetWithLocalBuffer"
                    || self.results(inst).flat_map(|v| self.users(v)).any(finishes))
        })
    }

    /// Returns the operand of a stack deallocation, or `None` if the instruction is not one.
    pub fn stack_deallocated(&self, inst: Inst) -> Option<Value> {
        let deallocates = match self.info(inst).stack {
            StackEffect::Deallocates => true,
            _ => builtin(self, inst).is_some_and(|b| b.stack == StackEffect::Deallocates),
        };
        if deallocates { self.operands(inst).first().map(|o| o.value) } else { None }
    }

    /// Returns the allocation that a stack deallocation is paired with. The compiler moves the result of `builtin
    /// "stackAlloc"` before it deallocates it; no other instruction may be between the two.
    pub fn paired_allocation(&self, dealloc: Inst, is_ossa: bool) -> Option<Inst> {
        let is_builtin = self.inst(dealloc).opcode == Opcode::Builtin;
        let follows = |opcode| is_builtin && opcode == Opcode::MoveValue;
        let value = self.look_through(self.stack_deallocated(dealloc)?, follows);
        self.defining_inst(value).filter(|&def| self.stack_allocated(def, is_ossa) == Some(value))
    }

    /// Returns true if the coroutine frame of a `begin_apply` is a separate stack allocation.
    pub fn allocates_in_callee(&self, inst: Inst) -> bool {
        let ty =
            ApplySite::new(self, inst, Addresses::Lowered).and_then(|s| s.callee_type().ty().as_function());
        ty.is_some_and(|ty| ty.flags.contains(FnFlags::YIELD_ONCE_2))
    }
}
