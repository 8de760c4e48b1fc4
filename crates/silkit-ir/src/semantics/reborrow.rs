//! Reborrow arguments (Ownership.md): phis that end the incoming borrow scopes and begin a new one.

use crate::body::{ArgFlags, Body, Ownership, Value, ValueDef};
use crate::generated::Opcode;

impl Body {
    /// Sets the reborrow flag on the guaranteed phis that begin a borrow scope: those that have an `end_borrow`,
    /// directly or through a `borrowed … from`, and those that are passed to a reborrow.
    pub fn update_reborrow_flags(&mut self) {
        let entry = self.entry_block();
        let arguments = self.blocks().filter(|b| Some(*b) != entry);
        let phis = arguments.flat_map(|b| self.arguments(b)).copied().filter(|&v| self.is_unmarked_phi(v));
        let mut work: Vec<Value> = phis.filter(|&v| self.is_reached(v) && self.ends_borrow(v)).collect();
        while let Some(phi) = work.pop() {
            if !self.is_unmarked_phi(phi) {
                continue;
            }
            self.values[phi].arg_flags |= ArgFlags::REBORROW;
            let ValueDef::Argument(block, index) = self.def(phi) else { continue };
            let incoming = self.predecessors(block).filter_map(|from| {
                let branch = self.terminator(from)?;
                let passed = self.operands(branch).get(index as usize)?.value;
                Some(self.look_through_borrowed_from(passed))
            });
            work.extend(incoming);
        }
    }

    fn is_unmarked_phi(&self, value: Value) -> bool {
        let data = self.value(value);
        let ValueDef::Argument(block, _) = self.def(value) else { return false };
        data.ownership == Ownership::Guaranteed
            && !data.arg_flags.contains(ArgFlags::REBORROW)
            && self.predecessors(block).all(|from| {
                self.terminator(from).is_some_and(|inst| self.inst(inst).opcode == Opcode::Branch)
            })
    }

    fn is_reached(&self, phi: Value) -> bool {
        matches!(self.def(phi), ValueDef::Argument(block, _) if self.predecessors(block).next().is_some())
    }

    /// Returns true if an `end_borrow` uses a value or its `borrowed … from`.
    fn ends_borrow(&self, value: Value) -> bool {
        self.users(value).any(|user| match self.inst(user).opcode {
            Opcode::EndBorrow => true,
            Opcode::BorrowedFrom => {
                self.operand_value(user, 0) == value
                    && self.results(user).any(|result| {
                        self.users(result).any(|user| self.inst(user).opcode == Opcode::EndBorrow)
                    })
            }
            _ => false,
        })
    }

    /// Returns the operand of a `borrowed … from`, or the value itself.
    pub fn look_through_borrowed_from(&self, value: Value) -> Value {
        match self.defining_inst(value) {
            Some(inst) if self.inst(inst).opcode == Opcode::BorrowedFrom => self.operand_value(inst, 0),
            _ => value,
        }
    }
}
