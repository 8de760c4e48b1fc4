//! Values in raw SIL that are moved on one path to a block but not on another: the move checker destroys such values at
//! the end of the predecessors that did not move them.
//!
//! ```text
//! bb1: %2 = copy_value %0; apply %f(%2)   // a move
//!      br bb3
//! bb2: br bb3                             // %0 is destroyed here
//! bb3: … destroy_value %0                 // nothing is left to destroy
//! ```

use super::Translator;
use super::moves::{CopyAs, owner, place};
use crate::op::Op;
use crate::violation::Run;
use silkit_base::{FxHashMap, FxHashSet, Worklist};
use silkit_ir::instructions::{AnyInst, LoadQualifier};
use silkit_ir::{Block, Body, Inst, Value};

/// The state of a value at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    There,
    Gone,
}

impl Translator<'_, '_> {
    /// Returns the values and memory locations to destroy at the end of each block.
    pub(super) fn ends_before_joins(&mut self, body: &Body) -> FxHashMap<Block, Vec<Value>> {
        let mut ends: FxHashMap<Block, Vec<Value>> = FxHashMap::default();
        let mut moves: FxHashMap<Inst, Value> = FxHashMap::default();
        let (mut moved, mut seen) = (Vec::new(), FxHashSet::default());
        for inst in body.insts() {
            if let Some(from) = self.moves_from(body, inst) {
                moves.insert(inst, from);
                moved.extend(seen.insert(from).then_some(from));
            }
        }
        for value in moved {
            for block in blocks_that_keep(body, &moves, value) {
                ends.entry(block).or_default().push(value);
            }
        }
        ends
    }

    /// Returns the value, or the whole variable in memory, that an instruction moves from.
    fn moves_from(&mut self, body: &Body, inst: Inst) -> Option<Value> {
        let from = match body.view(inst) {
            AnyInst::CopyValue(i) => {
                let copy = body.first_result(inst)?;
                if self.copy_as(body, copy) != CopyAs::Move {
                    return None;
                }
                let owner = owner(body, i.operand);
                match body.defining_inst(owner).map(|inst| body.view(inst)) {
                    Some(AnyInst::LoadBorrow(i)) => place(body, i.address),
                    _ => return Some(owner),
                }
            }
            AnyInst::Load(i) if i.qualifier == Some(LoadQualifier::Copy) => {
                let copy = body.first_result(inst)?;
                if self.copy_as(body, copy) != CopyAs::Move {
                    return None;
                }
                place(body, i.address)
            }
            AnyInst::CopyAddr(i) if !i.take => {
                if self.copy_at_as(body, i.source, i.destination) != CopyAs::Move {
                    return None;
                }
                place(body, i.source)
            }
            AnyInst::MarkUnresolvedMoveAddr(i) if self.consume_moves() => place(body, i.source),
            _ => return None,
        };
        let is_variable = |inst| matches!(body.view(inst), AnyInst::ProjectBox(_) | AnyInst::AllocStack(_));
        body.defining_inst(from).is_some_and(is_variable).then_some(from)
    }

    /// Destroys the values that other predecessors of the next block have moved.
    pub(super) fn end_before_join(&mut self, body: &Body, block: Block) -> Run<()> {
        let ends = self.it.instances[self.id.0 as usize].ends.get(&block).cloned();
        for value in ends.unwrap_or_default() {
            if body.value(value).ty.is_address() {
                self.destroy_addr(body, value)?;
                continue;
            }
            self.release_unless_moved(body, value)?;
            if let Some(&to) = self.it.instances[self.id.0 as usize].moved.get(&value) {
                self.emit(Op::Const1 { to, value: 1 });
            }
        }
        Ok(())
    }
}

/// Returns the blocks at whose end a value is live although another predecessor of their successor has moved it. `moves` maps
/// instructions to the values that they move from.
fn blocks_that_keep(body: &Body, moves: &FxHashMap<Inst, Value>, value: Value) -> Vec<Block> {
    let mut effects: FxHashMap<Block, Left> = FxHashMap::default();
    let root = variable(body, value);
    let Some(entry) = body.entry_block() else { return Vec::new() };
    if body.defining_inst(value).is_none() {
        effects.insert(entry, Left::There);
    }
    for block in body.blocks() {
        if body.arguments(block).contains(&value) {
            effects.insert(block, Left::There);
        }
        for inst in body.block_insts(block) {
            if moves.get(&inst).is_some_and(|&from| variable(body, from) == root)
                || ends(body, inst, value, root)
            {
                effects.insert(block, Left::Gone);
            } else if body.results(inst).any(|result| result == value) && value == root
                || defines(body, inst, root)
            {
                effects.insert(block, Left::There);
            }
        }
    }
    // A value is live at the start of a block if it is live at the end of all predecessors.
    let mut gone = Worklist::new();
    if body.defining_inst(value).is_some() {
        gone.push(entry);
    }
    let ending = body.blocks().filter(|block| effects.get(block) == Some(&Left::Gone));
    for next in ending.flat_map(|block| body.block_successors(block)) {
        gone.push(next);
    }
    while let Some(block) = gone.pop() {
        if !effects.contains_key(&block) {
            body.block_successors(block).for_each(|next| _ = gone.push(next));
        }
    }
    let is_live_at_end = |block: Block| match effects.get(&block) {
        Some(left) => *left == Left::There,
        None => !gone.has_seen(block),
    };
    let is_joined =
        |block: Block| body.terminator(block).is_some_and(|last| body.successors(last).len() == 1);
    let joins = body.blocks().filter(|&block| gone.has_seen(block));
    joins.flat_map(|block| body.predecessors(block)).filter(|&b| is_live_at_end(b) && is_joined(b)).collect()
}

/// Returns the box that a value is projected from, or the value itself.
fn variable(body: &Body, value: Value) -> Value {
    match body.defining_inst(value).map(|inst| body.view(inst)) {
        Some(AnyInst::ProjectBox(i)) => owner(body, i.box_value),
        _ => value,
    }
}

/// Returns true if an instruction ends the lifetime of a variable.
fn ends(body: &Body, inst: Inst, value: Value, root: Value) -> bool {
    match body.view(inst) {
        AnyInst::DestroyValue(i) => i.operand == root,
        AnyInst::DeallocBox(i) => i.operand == root,
        AnyInst::DestroyAddr(i) => place(body, i.operand) == value,
        AnyInst::DeallocStack(i) => i.operand == value,
        _ => false,
    }
}

/// Returns true if an instruction writes a whole variable.
fn defines(body: &Body, inst: Inst, root: Value) -> bool {
    let is_it = |address: Value| variable(body, place(body, address)) == root;
    match body.view(inst) {
        AnyInst::Store(i) => is_it(i.destination),
        AnyInst::Assign(i) => is_it(i.destination),
        AnyInst::CopyAddr(i) => is_it(i.destination),
        AnyInst::MarkUnresolvedMoveAddr(i) => is_it(i.destination),
        AnyInst::Apply(_) | AnyInst::TryApply(_) => body.operands(inst).iter().any(|o| is_it(o.value)),
        _ => false,
    }
}
