//! Use lists: the uses of every value, newest first, as in the reference.
//!
//! The order matters because printed `// users:` comments show it.

use crate::body::{Body, Inst, Operand, OperandData, Value};
use crate::info::Arity;

impl Body {
    /// Creates the next operand of the last created instruction.
    pub(crate) fn make_operand(&mut self, user: Inst, value: Value) {
        let operand =
            self.operands.push(OperandData { value, user, prev: Operand::NONE, next: Operand::NONE });
        self.link(operand, value);
    }

    /// Prepends an operand to the use list of a value.
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

    pub(crate) fn unlink(&mut self, operand: Operand) {
        let OperandData { value, prev, next, .. } = self.operands[operand];
        if prev.is_some() {
            self.operands[prev].next = next;
        } else {
            self.values[value].first_use = next;
        }
        if next.is_some() {
            self.operands[next].prev = prev;
        }
    }

    /// Redirects an operand to another value.
    pub(crate) fn relink_operand(&mut self, operand: Operand, value: Value) {
        self.unlink(operand);
        self.link(operand, value);
    }

    /// Redirects all uses of `old` to `new`, in reverse order.
    pub(crate) fn relink_uses(&mut self, old: Value, new: Value) {
        while let Some(operand) = self.values[old].first_use.some() {
            self.relink_operand(operand, new);
        }
    }

    /// Removes an operand from the use list of its value.
    pub(crate) fn drop_operand(&mut self, operand: Operand) {
        self.unlink(operand);
        let data = &mut self.operands[operand];
        data.value = Value::NONE;
        data.prev = Operand::NONE;
        data.next = Operand::NONE;
    }

    /// Returns the uses of a value, newest first.
    pub fn uses(&self, value: Value) -> impl Iterator<Item = Operand> + Clone + '_ {
        std::iter::successors(self.values[value].first_use.some(), |&o| self.operands[o].next.some())
    }

    /// Returns the users of a value, newest use first. An instruction that uses the value twice is listed twice.
    pub fn users(&self, value: Value) -> impl Iterator<Item = Inst> + Clone + '_ {
        self.uses(value).map(|o| self.operands[o].user)
    }

    /// Returns true if a value has uses.
    pub fn is_used(&self, value: Value) -> bool {
        self.values[value].first_use.is_some()
    }

    /// Returns the number of operands that were ever created: the size of side tables.
    pub fn operand_bound(&self) -> usize {
        self.operands.len()
    }

    /// Returns the data of an operand.
    pub fn operand(&self, operand: Operand) -> &OperandData {
        &self.operands[operand]
    }

    /// Returns true if a value has exactly one use.
    pub fn has_single_use(&self, value: Value) -> bool {
        self.single_use(value).is_some()
    }

    /// Returns the use of a value if it has exactly one.
    pub fn single_use(&self, value: Value) -> Option<Operand> {
        let first = self.values[value].first_use.some()?;
        (self.operands[first].next == Operand::NONE).then_some(first)
    }

    /// Returns the operands of an instruction as entities, in the order of [`Body::operands`].
    pub fn operand_ids(&self, inst: Inst) -> impl ExactSizeIterator<Item = Operand> + Clone + use<> {
        let data = &self.insts[inst];
        let first = data.first_operand.as_u32();
        (first..first + data.operand_count).map(Operand::from_u32)
    }

    /// Returns an operand of an instruction as an entity.
    ///
    /// # Panics
    /// Panics if the instruction has too few operands.
    pub fn operand_id(&self, inst: Inst, index: usize) -> Operand {
        let data = &self.insts[inst];
        assert!(index < data.operand_count as usize, "invariant: the operand exists");
        Operand::from_u32(data.first_operand.as_u32() + index as u32)
    }

    /// Returns the index of an operand among those of its instruction.
    pub fn operand_index(&self, operand: Operand) -> usize {
        let user = self.operands[operand].user;
        (operand.as_u32() - self.insts[user].first_operand.as_u32()) as usize
    }

    /// Returns the index of the operand specification in the table that an operand belongs to; `None` for a
    /// type-dependent operand.
    pub fn operand_spec(&self, operand: Operand) -> Option<usize> {
        let index = self.operand_index(operand);
        let user = self.operands[operand].user;
        let specs = self.info(user).operands;
        // If all specifications before it are single operands, the indices are equal.
        if specs.get(..=index).is_some_and(|first| first.iter().all(|spec| spec.arity == Arity::One)) {
            return Some(index);
        }
        self.operand_ranges(user).position(|range| range.contains(&index))
    }
}
