//! Removal of unreachable code.
//!
//! ```text
//! bb0(%0 : $Builtin.Int1):
//!   br bb3(%0)
//! bb1:
//!   br bb2
//! bb2:
//!   cond_br %0, bb1, bb2
//! bb3(%4 : $Builtin.Int1):
//!   return %4
//! bb4:
//!   br bb3(%0)
//! ---
//! bb0(%0 : $Builtin.Int1):
//!   br bb1(%0)
//! bb1(%2 : $Builtin.Int1):
//!   return %2
//! ```

use silkit_analysis::BlockOrder;
use silkit_ir::{Block, Body, Inst, Point, Value};
use silkit_types::decl::Declarations;

/// Removes the blocks that are unreachable from the entry and returns their number.
pub fn remove_unreachable_blocks(body: &mut Body) -> usize {
    let order = BlockOrder::compute(body);
    let unreachable: Vec<Block> = body.blocks().filter(|&block| !order.is_reachable(block)).collect();
    if !unreachable.is_empty() {
        body.edit().remove_blocks(&unreachable);
    }
    unreachable.len()
}

/// Ends a block with `unreachable` before an instruction, which is removed with all following ones. Uses of their
/// results in unreachable code become `undef`.
pub fn end_block_before(body: &mut Body, declarations: &Declarations, first: Inst) {
    let block = body.inst_block(first);
    let mut doomed: Vec<Inst> = std::iter::successors(Some(first), |&inst| body.next_inst(inst)).collect();
    while let Some(inst) = doomed.pop() {
        remove_used(body, inst);
    }
    let mut builder = body.builder_at(Point::End(block), declarations);
    // It has no source location.
    builder.set_default_loc(silkit_ir::Loc::NONE);
    builder.unreachable();
}

/// Removes an instruction whose results may still have uses in unreachable code.
pub fn remove_used(body: &mut Body, inst: Inst) {
    let used: Vec<Value> = body.results(inst).filter(|&value| body.is_used(value)).collect();
    let mut editor = body.edit();
    for value in used {
        let ty = editor.value(value).ty;
        let undef = editor.undef(ty);
        editor.replace_all_uses(value, undef);
    }
    editor.remove(inst);
}
