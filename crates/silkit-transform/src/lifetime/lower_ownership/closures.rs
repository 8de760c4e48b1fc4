//! On-stack closures: in OSSA they borrow their captures and end with their values.

use super::Lowering;
use crate::values::counting::Counting;
use silkit_analysis::ossa::Borrows;
use silkit_base::FxHashMap;
use silkit_ir::ownership::{BodyOwnership, OwnershipContext};
use silkit_ir::{Body, Inst, Opcode, Operand, Point, Value, instructions as inst};
use silkit_types::{FnFlags, SilType};

/// Returns the instructions that end each on-stack closure, after which it is deallocated: its destroys, and ends of
/// values that contain it, such as another closure that captures it.
pub(super) fn ends(body: &Body, context: OwnershipContext<'_>) -> FxHashMap<Inst, Vec<Inst>> {
    let is_on_stack =
        |&inst: &Inst| body.inst(inst).opcode == Opcode::PartialApply && body.has_flag(inst, "on_stack");
    let mut closures = body.insts().filter(is_on_stack).peekable();
    if closures.peek().is_none() {
        return FxHashMap::default();
    }
    let ownership = BodyOwnership::new(body, context);
    let borrows = Borrows::new(body, &ownership);
    let ends = |closure| {
        let users = borrows.closure_ends(closure).into_iter().map(|end| body.operand(end).user);
        users.filter(|&user| !body.is_terminator(user)).collect()
    };
    closures.map(|closure| (closure, ends(closure))).collect()
}

/// Returns true if values of a type are non-escaping functions, which are not reference counted.
pub(super) fn is_noescape(ty: SilType) -> bool {
    ty.ty().as_function().is_some_and(|f| f.flags.contains(FnFlags::NOESCAPE))
}

impl Lowering<'_> {
    /// Lowers an on-stack closure.
    pub(super) fn closure(&mut self, closure: Inst) {
        let Some(value) = self.b.first_result(closure) else { return };
        let uses: Vec<Operand> = self.b.uses(value).collect();
        for end in self.ends.remove(&closure).into_iter().flatten() {
            self.b.move_to(Point::After(end));
            self.has_closures |= self.b.try_build(inst::DeallocStack::new(value)).is_ok();
        }
        self.captures(closure, value, uses);
    }

    /// Adds the dependences of a closure that borrows expressed before. As in the reference, this stops at the first
    /// trivial capture.
    fn captures(&mut self, closure: Inst, mut value: Value, uses: Vec<Operand>) {
        let captures: Vec<Value> =
            self.b.operands(closure)[self.b.operand_range(closure, 1)].iter().map(|o| o.value).collect();
        self.b.move_to(Point::After(closure));
        let loc = self.b.inst(closure).loc;
        self.b.set_default_loc(loc);
        let first = value;
        for capture in captures {
            let data = self.b.value(capture);
            // An on-stack closure is not reference counted, but must not be deallocated before this one.
            let is_trivial = self.counting(capture) == Counting::Trivial && !is_noescape(data.ty);
            if data.ty.is_address() || is_trivial {
                break;
            }
            let ty = [self.b.value(value).ty];
            match self.b.build_typed(inst::MarkDependence::new(value, capture), &ty) {
                Ok(dependent) => value = dependent,
                Err(_) => break,
            }
            if let Some(made) = self.b.defining_inst(value) {
                self.b.move_to(Point::After(made));
            }
        }
        if value != first {
            uses.into_iter().for_each(|operand| self.b.set_operand(operand, value));
        }
    }
}
