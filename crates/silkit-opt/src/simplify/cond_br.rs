//! Folds `cond_br` on a literal.
//!
//! ```text
//! %0 = integer_literal $Builtin.Int1, -1
//! cond_br %0, bb1, bb2
//! ---
//! br bb1
//! ```

use super::always;
use silkit_ir::instructions::{Branch, CondBranch, IntegerLiteral};
use silkit_ir::{Inst, Opcode, Point, Value};
use silkit_transform::patterns::{Pattern, Rewriter};

pub(super) const PATTERNS: &[Pattern] = &[always(Opcode::CondBranch, "cond_br of literal", simplify)];

fn simplify(rw: &mut Rewriter<'_, '_>, inst: Inst) {
    let body = rw.body();
    let Some(branch) = body.view_as::<CondBranch>(inst) else { return };
    let Some(IntegerLiteral { value, .. }) = body.def_as(branch.condition) else { return };
    let is_taken = value.as_str() != "0";
    let (target, args) = match is_taken {
        true => (branch.true_target, branch.true_args),
        false => (branch.false_target, branch.false_args),
    };
    let args: Vec<Value> = args.iter().collect();
    if !rw.may_change() {
        return;
    }
    let block = rw.body().inst_block(inst);
    let loc = rw.body().inst(inst).loc;
    rw.remove(inst);
    let mut builder = rw.at(Point::End(block));
    builder.set_default_loc(loc);
    builder.build(Branch::new(target, &args[..]));
}
