//! Closures of raw SIL that a non-escaping copy outlives: `convert_escape_to_noescape [not_guaranteed]`.
//!
//! Closure lifetime fixup extends the lifetime of such a closure to its last use if that is a call in the same block,
//! where SILGen already destroys it late enough, and otherwise to the end of the function. The frame keeps a reference
//! to each of the others until the function returns or throws.

use super::Translator;
use crate::op::{Op, Slot};
use crate::violation::Run;
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Inst, Opcode, Value};

impl Translator<'_, '_> {
    /// Allocates a slot in the frame for each closure to keep.
    pub(super) fn prepare_kept_closures(&mut self, body: &Body) {
        if !self.function.is_raw {
            return;
        }
        for inst in body.insts() {
            if outlived_closure(body, inst).is_some() {
                let slot = self.allocate_slot(16);
                self.instance_mut().kept_closures.push((inst, slot));
            }
        }
    }

    /// Clears the slots at the beginning of the function.
    pub(super) fn clear_kept_closures(&mut self) {
        for (_, slot) in self.kept_closures() {
            for to in [slot, slot + 8] {
                self.emit(Op::Const8 { to, low: 0, high: 0 });
            }
        }
    }

    /// Converts a closure, and keeps it, if it is to be kept, in place of the one that was converted before.
    pub(super) fn convert_escape_to_noescape(&mut self, body: &Body, inst: Inst, closure: Value) -> Run<()> {
        self.forward(body, inst, closure)?;
        let slot = self.kept_closures().into_iter().find(|(kept, _)| *kept == inst);
        let Some((_, to)) = slot else { return Ok(()) };
        let ty = self.object_type(body, closure)?;
        let from = self.use_value(body, closure)?;
        self.emit(Op::ReleaseValue { value: to, ty });
        self.copy(to, from, 16);
        self.emit(Op::RetainValue { value: to, ty });
        Ok(())
    }

    /// Releases the kept closures before a function returns or throws.
    pub(super) fn release_kept_closures(&mut self, body: &Body, terminator: Inst) -> Run<()> {
        if !matches!(body.inst(terminator).opcode, Opcode::Return | Opcode::Throw | Opcode::Unwind) {
            return Ok(());
        }
        for (inst, value) in self.kept_closures() {
            let Some(closure) = outlived_closure(body, inst) else { continue };
            let ty = self.object_type(body, closure)?;
            self.emit(Op::ReleaseValue { value, ty });
        }
        Ok(())
    }

    fn kept_closures(&self) -> Vec<(Inst, Slot)> {
        self.it.instances[self.id.0 as usize].kept_closures.clone()
    }
}

/// Returns the closure that an instruction converts, if the result is used in other blocks.
pub(super) fn outlived_closure(body: &Body, inst: Inst) -> Option<Value> {
    let AnyInst::ConvertEscapeToNoEscape(i) = body.view(inst) else { return None };
    let result = body.first_result(inst).filter(|_| i.not_guaranteed)?;
    body.users(result).any(|user| body.inst(user).opcode == Opcode::Branch).then_some(i.operand)
}
