//! Closures on the stack: in ownership SSA they borrow what they capture and end with their values.

use super::Lowering;
use silkit_analysis::ossa::Borrows;
use silkit_base::FxHashSet;
use silkit_ir::{Body, Inst, Opcode, Operand, Point, Value, instructions as inst};
use silkit_pass::FunctionContext;
use silkit_transform::counting::Counting;
use silkit_types::{FnFlags, SilType};

/// Returns the closure on the stack that a value is, perhaps under another type.
pub(super) fn on_stack(body: &Body, value: Value) -> Option<Value> {
    let mut value = value;
    if !is_noescape(body.value(value).ty) {
        return None;
    }
    loop {
        let def = body.defining_inst(value)?;
        match body.inst(def).opcode {
            Opcode::PartialApply => return body.has_flag(def, "on_stack").then_some(value),
            Opcode::MarkDependence
            | Opcode::ConvertFunction
            | Opcode::BeginBorrow
            | Opcode::MoveValue
            | Opcode::BorrowedFrom
            | Opcode::CopyValue
            | Opcode::UncheckedOwnershipConversion => value = body.operand_value(def, 0),
            _ => return None,
        }
    }
}

/// Returns the destructions of closures on the stack that leave copies behind: the last of these ends the closure.
pub(super) fn outlived(cx: &FunctionContext<'_>) -> FxHashSet<Inst> {
    let body = cx.body();
    let is_closure = |inst: Inst, opcode| {
        body.inst(inst).opcode == opcode && on_stack(body, body.operand_value(inst, 0)).is_some()
    };
    if !body.insts().any(|inst| is_closure(inst, Opcode::CopyValue)) {
        return FxHashSet::default();
    }
    let ownership = cx.view().all_ownership();
    let borrows = Borrows::new(body, &ownership);
    let closures = body
        .insts()
        .filter(|&inst| body.inst(inst).opcode == Opcode::PartialApply && body.has_flag(inst, "on_stack"));
    let ends: FxHashSet<Inst> = closures
        .flat_map(|closure| borrows.closure_ends(closure))
        .map(|end| body.operand(end).user)
        .collect();
    let destructions = body.insts().filter(|&inst| is_closure(inst, Opcode::DestroyValue));
    destructions.filter(|inst| !ends.contains(inst)).collect()
}

/// Returns true if values of a type are functions that do not escape, which nobody counts.
pub(super) fn is_noescape(ty: SilType) -> bool {
    ty.ty().as_function().is_some_and(|f| f.flags.contains(FnFlags::NOESCAPE))
}

impl Lowering<'_> {
    /// Says on what a closure depends, now that no borrow does. As in the reference this ends at the first capture that
    /// needs no memory management.
    pub(super) fn captures(&mut self, closure: Inst) {
        let Some(mut value) = self.b.first_result(closure) else { return };
        let uses: Vec<Operand> = self.b.uses(value).collect();
        let captures: Vec<Value> =
            self.b.operands(closure)[self.b.operand_range(closure, 1)].iter().map(|o| o.value).collect();
        self.b.move_to(Point::After(closure));
        let loc = self.b.inst(closure).loc;
        self.b.set_default_loc(loc);
        let first = value;
        for capture in captures {
            let data = self.b.value(capture);
            if data.ty.is_address() || self.counting(capture) == Counting::Trivial {
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
