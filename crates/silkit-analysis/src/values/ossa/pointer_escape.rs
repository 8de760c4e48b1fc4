//! Pointer escapes: a pointer into a value that may outlive its visible uses.
//!
//! ```text
//! %1 = begin_borrow %0
//! %2 = ref_element_addr %1, #C.x
//! %3 = address_to_pointer %2 to $Builtin.RawPointer   // %0 has a pointer escape
//! ```

use super::{Borrows, Incomplete, Liveness};
use silkit_base::Worklist;
use silkit_ir::info::OperandOwnership as O;
use silkit_ir::{Opcode, Ownership, Value};

impl Borrows<'_> {
    /// Returns true if a use of a value, of a borrow of it, or of a forwarded value is a pointer escape.
    pub fn has_pointer_escape(&self, value: Value) -> bool {
        if !matches!(self.ownership.value(value), Some(Ownership::Owned | Ownership::Guaranteed)) {
            return false;
        }
        let mut work = Worklist::new();
        work.push(value);
        if self.body.is_phi(value) {
            self.push_incoming_phis(&mut work, value);
        }
        while let Some(value) = work.pop() {
            for operand in self.body.uses(value) {
                match self.using(operand) {
                    Some(O::PointerEscape | O::ForwardingUnowned) => return true,
                    Some(O::ForwardingConsume | O::Reborrow) => {
                        self.body.passed_to(operand).into_iter().for_each(|phi| _ = work.push(phi));
                    }
                    Some(O::Borrow) => {
                        let user = self.body.operand(operand).user;
                        let begins =
                            matches!(self.body.inst(user).opcode, Opcode::BeginBorrow | Opcode::BorrowedFrom);
                        self.body.results(user).filter(|_| begins).for_each(|borrow| _ = work.push(borrow));
                    }
                    Some(O::GuaranteedForwarding) => {
                        let forwarded = self.forwarded_values(operand).into_iter();
                        let owning =
                            forwarded.filter(|&value| self.ownership.value(value) != Some(Ownership::None));
                        owning.for_each(|value| _ = work.push(value));
                    }
                    Some(O::InteriorPointer) if self.interior_escapes(operand) => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// Adds the phis that are passed to a phi, directly or indirectly.
    fn push_incoming_phis(&self, work: &mut Worklist<Value>, phi: Value) {
        let mut stack = vec![phi];
        while let Some(phi) = stack.pop() {
            for value in self.body.phi_values(phi) {
                if self.body.is_phi(value) && work.push(value) {
                    stack.push(value);
                }
            }
        }
    }

    /// Returns true if an interior address that a use derives, or an address derived from it, escapes.
    pub fn interior_escapes(&self, operand: silkit_ir::Operand) -> bool {
        let user = self.body.operand(operand).user;
        let Some(address) = self.body.first_result(user) else { return false };
        self.add_address_uses(&mut Liveness::of_several(), address) != Incomplete::Complete
    }
}
