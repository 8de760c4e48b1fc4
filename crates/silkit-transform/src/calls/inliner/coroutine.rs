//! Inlining of coroutines: control continues in the caller at a yield, and in the callee where the caller ends or
//! aborts the coroutine.

use super::exits::{Exits, leave, operand_or_undef, stop};
use super::{CannotInline, Inliner};
use crate::lifetime::forwarded_ownership;
use silkit_ir::conventions::ArgumentConvention;
use silkit_ir::ownership::value_ownership;
use silkit_ir::{Block, Body, Editor, Inst, Loc, Opcode, Ownership, Point, Value};
use silkit_types::SilType;

/// The continuation after a yield, and the values borrowed for the caller.
#[derive(Default)]
pub(super) struct Resumption {
    targets: Vec<Option<Block>>,
    borrows: Vec<Value>,
}

impl Inliner<'_> {
    /// Continues in the caller at the yield of a coroutine. Returns the values that must be borrowed meanwhile.
    pub(super) fn resume(&self, editor: &mut Editor<'_>, exits: &Exits, rest: Block, loc: Loc) -> Resumption {
        let results: Vec<Value> = editor.results(self.call).collect();
        remove_ends_of_token(editor, &results);
        let Some(yields) = exits.yields else {
            for result in results {
                let undef = editor.undef(editor.value(result).ty);
                editor.replace_all_uses(result, undef);
            }
            return Resumption::default();
        };
        let values: Vec<Value> = editor.operands(yields).iter().map(|o| o.value).collect();
        let mut resumed =
            Resumption { targets: editor.successors(yields).map(Some).collect(), borrows: Vec::new() };
        let conventions = self.callee.function.ty.ty().as_function();
        for (index, (&result, value)) in results.iter().zip(values).enumerate() {
            let is_lent = conventions
                .and_then(|ty| ty.yields.get(index))
                .is_some_and(|y| self.addresses.param(y.convention) == ArgumentConvention::Guaranteed);
            let mut given = value;
            if self.has_ossa
                && is_lent
                && value_ownership(editor.body(), value, self.context) == Some(Ownership::Owned)
            {
                let mut builder = editor.builder_at(Point::Before(yields), self.declarations);
                given = builder.begin_borrow(value);
                resumed.borrows.push(given);
            }
            forwarded_ownership::replace_all_uses(editor, self.context, result, given);
        }
        leave(editor, Some(yields), rest, loc, false);
        resumed
    }

    /// Continues in the callee at the end or abort of the coroutine. Returns the blocks after these instructions, the
    /// exits that lead there, and the callee's blocks.
    pub(super) fn end(
        &self,
        editor: &mut Editor<'_>,
        exits: &Exits,
        resumed: &Resumption,
        loc: Loc,
    ) -> Vec<(Block, Option<Inst>, Block)> {
        let mut made = Vec::new();
        for (index, exit) in [exits.returns, exits.unwinds].into_iter().enumerate() {
            let Some(end) = self.ends[index] else {
                stop(editor, exit, loc);
                continue;
            };
            if let Some(result) = editor.first_result(end) {
                let value = operand_or_undef(editor, exit, result);
                forwarded_ownership::replace_all_uses(editor, self.context, result, value);
            }
            let mut builder = editor.builder_at(Point::Before(end), self.declarations);
            for &borrow in resumed.borrows.iter().rev() {
                builder.end_borrow(borrow);
            }
            let Some(next) = editor.next_inst(end) else { continue };
            let behind = editor.split_block(next);
            let block = editor.inst_block(end);
            editor.remove(end);
            match resumed.targets.get(index).copied().flatten() {
                Some(target) => {
                    editor.insert_branch(block, target, &[], loc);
                    made.push((behind, exit, target));
                }
                None => {
                    let unreachable =
                        silkit_ir::NewInst { loc, ..silkit_ir::NewInst::new(Opcode::Unreachable) };
                    editor.insert(Point::End(block), &unreachable);
                }
            }
        }
        made
    }
}

/// Removes the `end_borrow`s of the token of a coroutine, which only mark that it does not end on a path to a dead end.
fn remove_ends_of_token(editor: &mut Editor<'_>, results: &[Value]) {
    let tokens = results.iter().filter(|&&result| editor.value(result).ty == SilType::token());
    let users = tokens.flat_map(|&token| editor.users(token));
    let ends: Vec<Inst> = users.filter(|&user| editor.inst(user).opcode == Opcode::EndBorrow).collect();
    ends.into_iter().for_each(|end| editor.remove(end));
}

/// Returns the `end_apply` and the `abort_apply` of a coroutine.
pub(super) fn ends_of_coroutine(body: &Body, call: Inst) -> Result<[Option<Inst>; 2], CannotInline> {
    let mut ends = [None; 2];
    for user in body.results(call).flat_map(|result| body.users(result)) {
        let end = match body.inst(user).opcode {
            Opcode::EndApply => &mut ends[0],
            Opcode::AbortApply => &mut ends[1],
            Opcode::DeallocStack => return Err(CannotInline::Coroutine),
            _ => continue,
        };
        if end.replace(user).is_some() {
            return Err(CannotInline::Coroutine);
        }
    }
    Ok(ends)
}
