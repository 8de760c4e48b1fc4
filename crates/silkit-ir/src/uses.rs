//! Use lists: every value knows its uses, newest first, as the reference keeps them.
//!
//! The order matters because printed `// users:` comments show it.

use crate::body::{Body, Inst, Operand, OperandData, Value};

impl Body {
    /// Makes the next operand of the instruction that was made last.
    pub(crate) fn add_operand(&mut self, user: Inst, value: Value) {
        let operand =
            self.operands.push(OperandData { value, user, prev: Operand::NONE, next: Operand::NONE });
        self.link(operand, value);
    }

    /// Puts an operand at the front of a value's list.
    fn link(&mut self, operand: Operand, value: Value) {
        let first = std::mem::replace(&mut self.values[value].first_use, operand);
        let data = &mut self.operands[operand];
        data.value = value;
        data.prev = Operand::NONE;
        data.next = first;
        if first.is_some() {
            self.operands[first].prev = operand;
        }
    }

    fn unlink(&mut self, operand: Operand) {
        let OperandData { value, prev, next, .. } = self.operands[operand].clone();
        if prev.is_some() {
            self.operands[prev].next = next;
        } else {
            self.values[value].first_use = next;
        }
        if next.is_some() {
            self.operands[next].prev = prev;
        }
    }

    /// Makes an operand use another value.
    pub fn set_operand(&mut self, operand: Operand, value: Value) {
        self.unlink(operand);
        self.link(operand, value);
    }

    /// Makes all uses of `old` use `new`, which reverses their order.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        while let Some(operand) = self.values[old].first_use.some() {
            self.set_operand(operand, new);
        }
    }

    /// The uses of a value, newest first.
    pub fn uses(&self, value: Value) -> impl Iterator<Item = Operand> + '_ {
        std::iter::successors(self.values[value].first_use.some(), |&o| self.operands[o].next.some())
    }

    /// The instructions that use a value, newest use first; one that uses it twice comes twice.
    pub fn users(&self, value: Value) -> impl Iterator<Item = Inst> + '_ {
        self.uses(value).map(|o| self.operands[o].user)
    }

    /// Whether a value has a use.
    pub fn is_used(&self, value: Value) -> bool {
        self.values[value].first_use.is_some()
    }

    /// One use.
    pub fn operand(&self, operand: Operand) -> &OperandData {
        &self.operands[operand]
    }
}
