//! How far a value has to live beyond its last use.

use super::Known;
use super::collect::{Found, Use};
use crate::context::FunctionContext;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::{Behavior, Block, Body, Inst, Opcode, Value};

/// Lets a value live on to where its end may be noticed, but not beyond where it was destroyed: a lexical value to what
/// synchronizes, any value to the end of an access that overlaps its lifetime.
pub(super) fn extend(cx: &FunctionContext<'_>, value: Value, found: &mut Found, known: &Known) {
    let body = cx.body();
    let Some(home) = super::home(body, value) else { return };
    if super::is_lexical(body, value) {
        let behavior = Behavior::new(body, cx.world);
        let is_barrier =
            |inst: Inst| behavior.may_synchronize(inst) || behavior.may_load_weak_or_unowned(inst);
        // Only the ends of the value itself count, not those of its copies.
        let is_own = |&inst: &Inst| body.operand_value(inst, 0) == value;
        let ends: Vec<Inst> = found.destroys.iter().copied().filter(is_own).collect();
        for inst in barriers(body, home, body.defining_inst(value), &ends, &is_barrier) {
            found.extend_to(body, home, inst);
        }
    }
    if known.has_accesses {
        extend_over_accesses(body, value, home, found);
    }
}

fn extend_over_accesses(body: &Body, value: Value, home: Block, found: &mut Found) {
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

/// Whether an access begins before the value is used for the last time.
fn begins_inside(body: &Body, end: Inst, home: Block, found: &Found) -> bool {
    let Some(begin) = body.scope_begin(end) else { return true };
    let block = body.inst(begin).block;
    if found.is_live_out(body, block) {
        return true;
    }
    let is_within = block == home || found.live_in.contains(&block);
    let mut behind = std::iter::successors(body.next_inst(begin), |&i| body.next_inst(i));
    is_within && behind.any(|inst| found.points.contains_key(&inst))
}

/// The instructions behind which a value has to end that ended at these instructions: the nearest barriers before them,
/// and terminators of which only some successors lead to ends without a barrier.
fn barriers(
    body: &Body,
    home: Block,
    definition: Option<Inst>,
    ends: &[Inst],
    is_barrier: &dyn Fn(Inst) -> bool,
) -> Vec<Inst> {
    let mut ends_of: FxHashMap<Block, FxHashSet<Inst>> = FxHashMap::default();
    for &end in ends {
        ends_of.entry(body.inst(end).block).or_default().insert(end);
    }
    let no_ends = FxHashSet::default();
    // The barrier that is met on the way up through a block, and whether its start is reached.
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
    // All blocks that lead to ends are taken for open first; what is not all open behind it is taken back.
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
