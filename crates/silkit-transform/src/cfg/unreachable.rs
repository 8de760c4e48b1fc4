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

/// Removes the blocks that are unreachable from the entry and returns their number. In SIL that is not valid, reachable code may
/// use their values: such uses become `undef`.
pub fn remove_unreachable_blocks(body: &mut Body) -> usize {
    let order = BlockOrder::compute(body);
    let unreachable: Vec<Block> = body.blocks().filter(|&block| !order.is_reachable(block)).collect();
    if unreachable.is_empty() {
        return 0;
    }
    let is_used = |value: Value| body.users(value).any(|user| order.is_reachable(body.inst_block(user)));
    let mut used: Vec<Value> = Vec::new();
    for &block in &unreachable {
        let results = body.block_insts(block).flat_map(|inst| body.results(inst));
        used.extend(body.arguments(block).iter().copied().chain(results).filter(|&value| is_used(value)));
    }
    let mut editor = body.edit();
    for value in used {
        let ty = editor.value(value).ty;
        let undef = editor.undef(ty);
        editor.replace_all_uses(value, undef);
    }
    editor.remove_blocks(&unreachable);
    unreachable.len()
}

/// Ends a block with `unreachable` before an instruction, which is removed with all following ones. Uses of their
/// results in unreachable code become `undef`.
pub fn end_block_before(body: &mut Body, declarations: &Declarations, first: Inst) {
    let block = body.inst_block(first);
    let mut to_remove: Vec<Inst> = std::iter::successors(Some(first), |&inst| body.next_inst(inst)).collect();
    while let Some(inst) = to_remove.pop() {
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

#[cfg(test)]
mod tests {
    use super::remove_unreachable_blocks;

    #[test]
    fn reachable_uses_of_unreachable_values_become_undef() {
        let text = "sil @f : $@convention(thin) (Builtin.Int1) -> Builtin.Int1 {\nbb0(%0 : $Builtin.Int1):\n  br bb2\n\
                    bb1(%1 : $Builtin.Int1):\n  %2 = struct_extract %1, #S.a\n  br bb2\n\
                    bb2:\n  cond_br %1, bb3, bb4\nbb3:\n  return %1\nbb4:\n  return %0\n}\n";
        let mut module = silkit_text::parse_module(text).module;
        let id = module.functions.keys().next().expect("f");
        let body = module.functions[id].body.as_mut().expect("a body");
        assert_eq!(remove_unreachable_blocks(body), 1);
        let printed = silkit_text::print_module(&module, &silkit_text::PrintOptions::default(), &|_| None);
        assert!(printed.contains("cond_br undef, bb2, bb3") && printed.contains("return undef"), "{printed}");
        assert!(printed.contains("return %0"), "{printed}");
    }
}
