//! Correction of `borrowed … from` instructions, which list the enclosing values of guaranteed phis (Ownership.md).
//!
//! ```text
//! bb3(%8 : @reborrow $Node):
//!   fix_lifetime %8
//!   end_borrow %8
//! ---
//! bb3(%8 : @reborrow $Node):
//!   %9 = borrowed %8 from (%1, %0)
//!   fix_lifetime %9
//!   end_borrow %9
//! ```

use silkit_analysis::ossa::{Borrows, EnclosedPhi, enclosed_phis};
use silkit_ir::{Inst, Loc, Opcode, Operand, Point, Value, ValueDef};
use silkit_pass::FunctionContext;

/// Recreates the `borrowed … from` instructions of all phis, in a canonical order at the start of their blocks, as
/// the reference does.
pub fn renew(cx: &mut FunctionContext<'_>) {
    let phis = enclosed(cx);
    for (known, phi) in &phis {
        if let Some(inst) = *known {
            for value in cx.body().results(inst) {
                replace_uses(cx, value, phi.phi);
            }
            cx.edit().remove(inst);
        }
    }
    for (_, phi) in &phis {
        make(cx, phi);
    }
}

/// Adds missing `borrowed … from` instructions and corrects wrong ones, for passes that create phis.
pub fn complete(cx: &mut FunctionContext<'_>) {
    for (known, phi) in enclosed(cx) {
        let Some(inst) = known else {
            make(cx, &phi);
            continue;
        };
        let listed: Vec<Value> = cx.body().operands(inst).iter().skip(1).map(|o| o.value).collect();
        let is_right =
            listed.len() == phi.enclosing.len() && listed.iter().all(|value| phi.enclosing.contains(value));
        if !is_right {
            cx.edit().set_operands(inst, &[&[phi.phi], &phi.enclosing]);
        }
    }
}

/// Returns the guaranteed phis with their `borrowed … from` and the enclosing values that it must list.
fn enclosed(cx: &FunctionContext<'_>) -> Vec<(Option<Inst>, EnclosedPhi)> {
    if !cx.function().has_ossa() {
        return Vec::new();
    }
    let ownership = cx.view().all_ownership();
    let borrows = Borrows::new(cx.body(), &ownership);
    let all = enclosed_phis(&borrows).into_iter();
    all.map(|phi| (borrows.borrowed_from(phi.phi), phi)).collect()
}

/// Creates the `borrowed … from` of a phi.
fn make(cx: &mut FunctionContext<'_>, phi: &EnclosedPhi) {
    let ValueDef::Argument(block, _) = cx.body().def(phi.phi) else { return };
    let Some(first) = cx.body().first_inst(block) else { return };
    let loc = cx.body().inst(first).loc;
    let borrowed = insert(cx, first, loc, phi);
    // The operand lists contain the phis themselves.
    let is_replaced = |o: &Operand| cx.body().inst(cx.body().operand(*o).user).opcode != Opcode::BorrowedFrom;
    let mut uses: Vec<Operand> = cx.body().uses(phi.phi).filter(is_replaced).collect();
    if phi.rounds % 2 == 1 {
        uses.reverse();
    }
    for operand in uses {
        cx.edit().set_operand(operand, borrowed);
    }
    cx.count("instructions created", 1);
}

/// Replaces all uses of one value by another, newest first, which reverses their order.
fn replace_uses(cx: &mut FunctionContext<'_>, old: Value, new: Value) {
    let uses: Vec<Operand> = cx.body().uses(old).collect();
    for operand in uses {
        cx.edit().set_operand(operand, new);
    }
}

fn insert(cx: &mut FunctionContext<'_>, first: Inst, loc: Loc, phi: &EnclosedPhi) -> Value {
    let mut builder = cx.at(Point::Before(first));
    builder.set_default_loc(loc);
    builder.borrowed(phi.phi, &phi.enclosing[..])
}
