//! The uses of a value and of its copies.

use super::ownership;
use silkit_analysis::ossa::Borrows;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::info::OperandOwnership as O;
use silkit_ir::{Block, Body, Inst, Opcode, Value};
use silkit_pass::FunctionContext;

/// How an instruction affects the lifetime of the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// Consumes it, if it is the last use.
    Consumes,
    /// Uses it.
    Uses,
    /// Extends the lifetime without a use.
    Extends,
}

/// The uses and copies found by a walk.
#[derive(Debug, Default)]
pub(super) struct CollectedUses {
    /// The instructions up to which the value must live.
    pub(super) points: FxHashMap<Inst, Use>,
    /// The destroys, which do not extend the lifetime, in discovery order.
    pub(super) destroys: Vec<Inst>,
    pub(super) is_destroy: FxHashSet<Inst>,
    /// Debug instructions.
    pub(super) variables: Vec<Inst>,
    /// The blocks at whose start the value is live.
    pub(super) live_in: FxHashSet<Block>,
}

impl CollectedUses {
    /// Adds a use. A non-consuming use takes precedence over a consuming one.
    fn add(&mut self, inst: Inst, how: Use) {
        let known = self.points.entry(inst).or_insert(how);
        if how == Use::Uses {
            *known = how;
        }
    }

    /// Returns true if a use ends the lifetime. A value without such a use may not need an end.
    pub(super) fn is_ended(&self) -> bool {
        !self.destroys.is_empty() || self.points.values().any(|&how| how == Use::Consumes)
    }

    /// Extends the lifetime to an instruction.
    pub(super) fn extend_to(&mut self, body: &Body, home: Block, inst: Inst) {
        let how = if self.is_destroy.contains(&inst) { Use::Consumes } else { Use::Extends };
        self.points.entry(inst).or_insert(how);
        self.mark(body, home, body.inst_block(inst));
    }

    /// Marks the blocks on paths from the definition to a block with a use.
    pub(super) fn mark(&mut self, body: &Body, home: Block, block: Block) {
        let mut work = vec![block];
        while let Some(block) = work.pop() {
            if block != home && self.live_in.insert(block) {
                work.extend(body.predecessors(block));
            }
        }
    }

    /// Returns true if the value is live at the end of a block.
    pub(super) fn is_live_out(&self, body: &Body, block: Block) -> bool {
        body.block_successors(block).any(|next| self.live_in.contains(&next))
    }
}

/// Returns the uses of a value and of its copies; `None` if it escapes.
pub(super) fn collect(cx: &FunctionContext<'_>, value: Value) -> Option<CollectedUses> {
    let body = cx.body();
    let ownership = ownership(cx);
    let borrows = Borrows::new(body, &ownership);
    let mut found = CollectedUses::default();
    let mut work = vec![value];
    while let Some(at) = work.pop() {
        for operand in body.uses(at) {
            let user = body.operand(operand).user;
            match body.inst(user).opcode {
                Opcode::CopyValue => {
                    work.extend(body.results(user));
                    continue;
                }
                Opcode::DebugValue => {
                    found.variables.push(user);
                    continue;
                }
                Opcode::DestroyValue => {
                    if found.is_destroy.insert(user) {
                        found.destroys.push(user);
                    }
                    continue;
                }
                // The lifetime of a phi that the value encloses is not tracked here.
                Opcode::BorrowedFrom => return None,
                _ => {}
            }
            match ownership.operand(operand)? {
                O::NonUse => {}
                O::UnownedInstantaneousUse | O::InstantaneousUse | O::BitwiseEscape => {
                    found.add(user, Use::Uses);
                }
                O::ForwardingConsume | O::DestroyingConsume => found.add(user, Use::Consumes),
                O::Borrow => {
                    let scope = borrows.scope_ends(operand);
                    let is_passed_on = |&o: &_| borrows.using(o) == Some(O::Reborrow);
                    // A scope without an end may last forever.
                    if scope.escapes || scope.ends.is_empty() || scope.ends.iter().any(is_passed_on) {
                        return None;
                    }
                    found.add(user, Use::Uses);
                    scope.ends.iter().for_each(|&end| found.add(body.operand(end).user, Use::Uses));
                }
                _ => return None,
            }
        }
    }
    let home = body.defining_block(value)?;
    let blocks: Vec<Block> = found.points.keys().map(|&inst| body.inst_block(inst)).collect();
    blocks.into_iter().for_each(|block| found.mark(body, home, block));
    Some(found)
}
