//! Extension of a lifetime beyond the last use.

use super::collect::{CollectedUses, Use};
use super::{LifetimeFacts, Limits};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::info::OperandOwnership;
use silkit_ir::{Block, Body, Inst, Opcode, Value};
use silkit_pass::FunctionContext;

/// Extends a lifetime up to barriers that could observe its end, but not beyond the original destroys: a lexical
/// value to deinit barriers, any value to the end of an access that overlaps its lifetime.
pub(super) fn extend(
    cx: &FunctionContext<'_>,
    value: Value,
    found: &mut CollectedUses,
    facts: &LifetimeFacts,
    limits: Limits<'_>,
) {
    let body = cx.body();
    let Some(home) = body.defining_block(value) else { return };
    let is_lexical = facts.lexical.contains(body, value);
    if facts.dead_ends.of(body).any() {
        if is_lexical {
            extend_to_dead_ends(body, value, home, &own_ends(cx, value), found);
        }
        extend_to_dead_ends(body, value, home, &final_ends(body, found), found);
    }
    if is_lexical {
        let behavior = cx.behavior();
        let is_barrier =
            |inst: Inst| behavior.may_synchronize(inst) || behavior.may_load_weak_or_unowned(inst);
        let ends: Vec<Inst> = if limits.ends.is_empty() {
            // Only the ends of the value itself count, not those of its copies.
            let is_own = |&inst: &Inst| body.operand_value(inst, 0) == value;
            found.destroys.iter().copied().filter(is_own).collect()
        } else {
            unconsumed(body, home, found, limits.ends)
                .into_iter()
                .flat_map(|inst| following(body, inst))
                .collect()
        };
        for inst in barriers(body, home, body.defining_inst(value), &ends, &is_barrier) {
            found.extend_to(body, home, inst);
        }
    }
    if facts.has_accesses {
        extend_over_accesses(body, value, home, found);
    }
    let ty = body.value(value).ty.ty();
    let signature = cx.function().ty.ty().as_function().and_then(|ty| ty.sig);
    if limits.is_longest || cx.declarations().is_move_only(ty, signature) == Some(true) {
        let consumed = |(inst, how): (&Inst, &Use)| (*how == Use::Consumes).then_some(*inst);
        let consumes: Vec<Inst> = found.points.iter().filter_map(consumed).collect();
        for inst in unconsumed(body, home, found, &consumes) {
            found.extend_to(body, home, inst);
        }
    }
}

/// Returns the blocks in which uses of the value itself end its lifetime. Its copies are ignored.
fn own_ends(cx: &FunctionContext<'_>, value: Value) -> FxHashSet<Block> {
    let body = cx.body();
    let ownership = super::ownership(cx);
    let ends =
        body.uses(value).filter(|&o| ownership.operand(o).is_some_and(OperandOwnership::ends_lifetime));
    ends.map(|o| body.inst_block(body.operand(o).user)).collect()
}

/// Returns the blocks in which the last of the value and its copies ends.
fn final_ends(body: &Body, found: &CollectedUses) -> FxHashSet<Block> {
    let consumes = found.points.iter().filter(|(_, how)| **how == Use::Consumes).map(|(&inst, _)| inst);
    let blocks = found.destroys.iter().copied().chain(consumes).map(|inst| body.inst_block(inst));
    blocks.filter(|&block| !found.is_live_out(body, block)).collect()
}

/// Extends the lifetime of a value to each `unreachable` before which it has not ended.
fn extend_to_dead_ends(
    body: &Body,
    value: Value,
    home: Block,
    is_end: &FxHashSet<Block>,
    found: &mut CollectedUses,
) {
    // Optimistically assume availability in all reachable blocks, then remove blocks with an edge on which the value
    // is not available.
    let mut available: FxHashSet<Block> = FxHashSet::default();
    let mut region = Vec::new();
    let mut work = vec![home];
    while let Some(block) = work.pop() {
        if available.insert(block) {
            region.push(block);
            if !is_end.contains(&block) {
                work.extend(body.block_successors(block));
            }
        }
    }
    let brings = |available: &FxHashSet<Block>, block| available.contains(&block) && !is_end.contains(&block);
    let mut work = region.clone();
    while let Some(block) = work.pop() {
        let is_brought = block == home || body.predecessors(block).all(|before| brings(&available, before));
        if !is_brought && available.remove(&block) {
            work.extend(body.block_successors(block));
        }
    }
    for block in region.into_iter().filter(|&block| brings(&available, block)) {
        let exit = body.terminator(block).filter(|&inst| body.inst(inst).opcode == Opcode::Unreachable);
        let Some(exit) = exit else { continue };
        match body.prev_inst(exit) {
            Some(last) if Some(last) == body.defining_inst(value) => {}
            Some(last) => found.extend_to(body, home, last),
            None if block != home => {
                let before = body.predecessors(block).filter_map(|before| body.terminator(before));
                before.for_each(|inst| found.extend_to(body, home, inst));
            }
            None => {}
        }
    }
}

/// Returns the next instructions.
fn following(body: &Body, inst: Inst) -> Vec<Inst> {
    match body.next_inst(inst) {
        Some(next) => vec![next],
        None => body.successors(inst).filter_map(|block| body.first_inst(block)).collect(),
    }
}

/// Returns the boundary of the original lifetime if these instructions had not consumed the value: the destroys that
/// are not reachable from them, and the last non-terminator instructions of blocks from which only some edges are
/// inside.
fn unconsumed(body: &Body, home: Block, found: &CollectedUses, consumes: &[Inst]) -> Vec<Inst> {
    let block_of = |inst: Inst| body.inst_block(inst);
    let is_consume = |(inst, how): (&Inst, &Use)| (*how == Use::Consumes).then_some(*inst);
    let ended = found.destroys.iter().copied().chain(found.points.iter().filter_map(is_consume));
    let mut was_live: FxHashSet<Block> = FxHashSet::default();
    let mut work: Vec<Block> = ended.chain(consumes.iter().copied()).map(block_of).collect();
    while let Some(block) = work.pop() {
        if was_live.insert(block) && block != home {
            work.extend(body.predecessors(block));
        }
    }
    let mut is_consumed: FxHashSet<Block> = FxHashSet::default();
    let mut entered: Vec<Block> = Vec::new();
    let mut work: Vec<Block> = consumes.iter().map(|&inst| block_of(inst)).collect();
    while let Some(block) = work.pop() {
        if is_consumed.insert(block) {
            let next = body.block_successors(block).filter(|next| was_live.contains(next) && *next != home);
            entered.extend(next.clone());
            work.extend(next);
        }
    }
    entered.sort_unstable();
    entered.dedup();
    let before = entered.into_iter().flat_map(|block| body.predecessors(block));
    let mut last = Vec::new();
    for block in before.filter(|block| !is_consumed.contains(block)) {
        let terminator = body.last_inst(block);
        match terminator.and_then(|inst| body.prev_inst(inst)) {
            Some(inst) => last.push(inst),
            // The value comes from the predecessors.
            None => last.extend(body.predecessors(block).filter_map(|before| body.last_inst(before))),
        }
    }
    let is_apart = |inst: &Inst| !is_consumed.contains(&block_of(*inst));
    last.extend(found.destroys.iter().copied().filter(is_apart));
    last
}

fn extend_over_accesses(body: &Body, value: Value, home: Block, found: &mut CollectedUses) {
    let consumed: Vec<Inst> =
        found.points.iter().filter(|(_, how)| **how == Use::Consumes).map(|(&i, _)| i).collect();
    let ends: Vec<Inst> = found.destroys.iter().copied().chain(consumed).collect();
    loop {
        let overlaps = |inst: Inst| match body.inst(inst).opcode {
            Opcode::EndUnpairedAccess => true,
            Opcode::EndAccess => begins_inside(body, inst, home, found),
            _ => false,
        };
        let found_now = barriers(body, home, body.defining_inst(value), &ends, &overlaps);
        let is_new = |inst: &Inst| match body.inst(*inst).opcode {
            Opcode::EndAccess | Opcode::EndUnpairedAccess => !found.points.contains_key(inst),
            _ => false,
        };
        let new: Vec<Inst> = found_now.into_iter().filter(is_new).collect();
        if new.is_empty() {
            return;
        }
        for inst in new {
            found.extend_to(body, home, inst);
        }
    }
}

/// Returns true if an access begins before the last use of the value.
fn begins_inside(body: &Body, end: Inst, home: Block, found: &CollectedUses) -> bool {
    let Some(begin) = body.scope_begin(end) else { return true };
    let block = body.inst_block(begin);
    if found.is_live_out(body, block) {
        return true;
    }
    let is_within = block == home || found.live_in.contains(&block);
    let mut following = std::iter::successors(body.next_inst(begin), |&i| body.next_inst(i));
    is_within && following.any(|inst| found.points.contains_key(&inst))
}

/// Returns the instructions after which a lifetime with these original ends must end: the nearest preceding barriers,
/// and terminators of which only some successors reach ends without a barrier.
fn barriers(
    body: &Body,
    home: Block,
    definition: Option<Inst>,
    ends: &[Inst],
    is_barrier: &dyn Fn(Inst) -> bool,
) -> Vec<Inst> {
    let mut ends_of: FxHashMap<Block, FxHashSet<Inst>> = FxHashMap::default();
    for &end in ends {
        ends_of.entry(body.inst_block(end)).or_default().insert(end);
    }
    let no_ends = FxHashSet::default();
    // Returns the barrier found walking up through a block, and whether the start of the block is reached.
    let walk = |block: Block, from_end: bool| -> (Vec<Inst>, bool) {
        let own = ends_of.get(&block).unwrap_or(&no_ends);
        let (mut found, mut is_reached) = (Vec::new(), from_end);
        let mut at = body.last_inst(block);
        while let Some(inst) = at {
            if is_reached && (is_barrier(inst) || Some(inst) == definition) {
                found.push(inst);
                is_reached = false;
            }
            is_reached |= own.contains(&inst);
            at = body.prev_inst(inst);
        }
        (found, is_reached)
    };
    // Optimistically assume that all blocks leading to the ends are open, then remove those with a closed successor.
    let mut region: Vec<Block> = Vec::new();
    let mut is_open: FxHashSet<Block> = FxHashSet::default();
    let mut work: Vec<Block> = ends_of.keys().copied().collect();
    work.sort_unstable();
    while let Some(block) = work.pop() {
        if is_open.insert(block) {
            region.push(block);
            if block != home {
                work.extend(body.predecessors(block));
            }
        }
    }
    let is_open_end = |block: Block, is_open: &FxHashSet<Block>| {
        let mut next = body.block_successors(block);
        next.len() > 0 && next.all(|to| is_open.contains(&to) && to != home)
    };
    let mut work = region.clone();
    while let Some(block) = work.pop() {
        if is_open.contains(&block) && !walk(block, is_open_end(block, &is_open)).1 {
            is_open.remove(&block);
            work.extend(body.predecessors(block));
        }
    }
    let mut found = Vec::new();
    for block in region {
        let is_open_behind = is_open_end(block, &is_open);
        found.extend(walk(block, is_open_behind).0);
        let has_open_successor = body.block_successors(block).any(|to| is_open.contains(&to) && to != home);
        if has_open_successor && !is_open_behind {
            found.extend(body.terminator(block));
        }
    }
    found.retain(|&inst| Some(inst) != definition);
    found
}
