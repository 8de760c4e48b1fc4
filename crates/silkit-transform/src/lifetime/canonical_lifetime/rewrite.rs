//! Insertion of lifetime ends after last uses, and removal of copies.

use super::LifetimeFacts;
use super::collect::{CollectedUses, Use};
use crate::variables;
use silkit_analysis::DeadEnds;
use silkit_base::FxHashSet;
use silkit_ir::instructions::DestroyValue;
use silkit_ir::{Block, Body, Inst, Opcode, Operand, Point, Value};
use silkit_pass::FunctionContext;

/// An end of the lifetime.
enum End {
    /// At an existing instruction.
    At(Inst),
    /// At a new destroy.
    New(Point),
}

/// Ends a value after its last uses and removes the copies and destroys that are no longer needed.
pub(super) fn rewrite(
    cx: &mut FunctionContext<'_>,
    value: Value,
    found: CollectedUses,
    facts: &LifetimeFacts,
) {
    let Some(home) = cx.body().defining_block(value) else { return };
    let ends = ends(cx.body(), value, home, &found, facts);
    let leads_to_plain = leads_to_plain(cx.body(), home, &found, facts.dead_ends.of(cx.body()));
    let mut found = found;
    let mut last: FxHashSet<Inst> = FxHashSet::default();
    for end in ends {
        match end {
            End::At(inst) => _ = last.insert(inst),
            End::New(point) => {
                let block = cx.body().point_block(point);
                let is_dead_end = facts.dead_ends.of(cx.body()).is_dead_end(block)
                    && !leads_to_plain.contains(&block)
                    && !plain_follows(cx.body(), point, &found);
                let destroy = destroy(cx, value, point, is_dead_end);
                found.is_destroy.insert(destroy);
                last.insert(destroy);
            }
        }
    }
    for &end in &last {
        found.extend_to(cx.body(), home, end);
    }
    remove_variables(cx, home, &found);
    rewrite_copies(cx, value, &found, last);
}

fn ends(body: &Body, value: Value, home: Block, found: &CollectedUses, facts: &LifetimeFacts) -> Vec<End> {
    let dead_ends = facts.dead_ends.of(body);
    let leads_to_destroy = leads_to_destroy(body, home, found, dead_ends);
    // On paths to a dead end, the value is destroyed only if it was destroyed before.
    let is_ended = |block: Block| !dead_ends.is_dead_end(block) || leads_to_destroy.contains(&block);
    let mut blocks: Vec<Block> = found.live_in.iter().copied().chain([home]).collect();
    blocks.sort_unstable();
    let mut ends = Vec::new();
    // Destroys of copies become dead.
    let is_destroy = |inst: Inst| found.is_destroy.contains(&inst) && body.operand_value(inst, 0) == value;
    // One instruction may precede an existing destroy at the start of a block.
    let at_start = |block: Block| {
        let first = body.first_inst(block);
        let destroy = first.filter(|&inst| is_destroy(inst));
        match destroy.or_else(|| destroy_after(body, first?, is_destroy)) {
            Some(destroy) => Some(End::At(destroy)),
            None => is_ended(block).then_some(End::New(Point::Start(block))),
        }
    };
    for block in blocks {
        if found.is_live_out(body, block) {
            let done = body.block_successors(block).filter(|to| !found.live_in.contains(to) && *to != home);
            ends.extend(done.filter_map(at_start));
            continue;
        }
        let mut at = body.last_inst(block);
        while let Some(inst) = at.filter(|inst| !found.points.contains_key(inst)) {
            at = if body.defining_inst(value) == Some(inst) { None } else { body.prev_inst(inst) };
        }
        match at.map(|inst| (inst, found.points[&inst])) {
            Some((inst, Use::Consumes)) => ends.push(End::At(inst)),
            Some((inst, _)) if body.is_terminator(inst) => {
                ends.extend(body.block_successors(block).filter_map(at_start));
            }
            place => {
                let after = place.map(|(inst, _)| inst).or(body.defining_inst(value));
                let Some(after) = after else {
                    ends.extend(at_start(block));
                    continue;
                };
                match destroy_after(body, after, is_destroy) {
                    Some(destroy) => ends.push(End::At(destroy)),
                    None if is_ended(block) => ends.push(End::New(Point::After(after))),
                    None => {}
                }
            }
        }
    }
    ends
}

/// Returns an existing destroy after an instruction, ignoring instructions that do not delay it.
pub(crate) fn destroy_after(body: &Body, inst: Inst, is_destroy: impl Fn(Inst) -> bool) -> Option<Inst> {
    let mut at = body.next_inst(inst);
    while let Some(inst) = at {
        if is_destroy(inst) {
            return Some(inst);
        }
        at = if is_bookkeeping(body, inst) { body.next_inst(inst) } else { None };
    }
    None
}

/// Returns true if an instruction before a destroy does not delay it.
fn is_bookkeeping(body: &Body, inst: Inst) -> bool {
    matches!(
        body.inst(inst).opcode,
        Opcode::DebugValue
            | Opcode::DestroyValue
            | Opcode::CopyValue
            | Opcode::BeginBorrow
            | Opcode::EndBorrow
            | Opcode::FunctionRef
            | Opcode::Struct
            | Opcode::Enum
    )
}

/// Returns true if a destroy is not a `[dead_end]` destroy.
fn is_plain(body: &Body, destroy: Inst) -> bool {
    body.view_as::<DestroyValue>(destroy).is_some_and(|destroy| !destroy.dead_end)
}

/// Returns the dead-end blocks from which a plain destroy is reached. If there is none, all destroys of the value are
/// `[dead_end]`.
fn leads_to_plain(body: &Body, home: Block, found: &CollectedUses, dead_ends: &DeadEnds) -> FxHashSet<Block> {
    let plain = found.destroys.iter().filter(|&&destroy| is_plain(body, destroy));
    let before = plain.map(|&destroy| body.inst_block(destroy)).filter(|&block| block != home);
    leads_to(body, home, before.flat_map(|block| body.predecessors(block)).collect(), dead_ends)
}

/// Returns true if a plain destroy follows a point in its block.
fn plain_follows(body: &Body, point: Point, found: &CollectedUses) -> bool {
    let first = match point {
        Point::After(inst) => body.next_inst(inst),
        Point::Before(inst) => Some(inst),
        Point::Start(block) => body.first_inst(block),
        Point::End(_) => None,
    };
    std::iter::successors(first, |&inst| body.next_inst(inst))
        .any(|inst| found.is_destroy.contains(&inst) && is_plain(body, inst))
}

/// Returns the dead-end blocks from which a destroy is reached.
fn leads_to_destroy(
    body: &Body,
    home: Block,
    found: &CollectedUses,
    dead_ends: &DeadEnds,
) -> FxHashSet<Block> {
    let blocks = found.destroys.iter().map(|&inst| body.inst_block(inst));
    leads_to(body, home, blocks.collect(), dead_ends)
}

/// Returns the dead-end blocks from which other blocks are reached, as far as the value is live.
fn leads_to(body: &Body, home: Block, mut work: Vec<Block>, dead_ends: &DeadEnds) -> FxHashSet<Block> {
    let mut reached = FxHashSet::default();
    while let Some(block) = work.pop() {
        if dead_ends.is_dead_end(block) && reached.insert(block) && block != home {
            work.extend(body.predecessors(block));
        }
    }
    reached
}

/// Removes debug variables that would have a value after its end.
fn remove_variables(cx: &mut FunctionContext<'_>, home: Block, found: &CollectedUses) {
    let body = cx.body();
    let is_inside = |variable: Inst| {
        let block = body.inst_block(variable);
        if block != home && !found.live_in.contains(&block) {
            return false;
        }
        let mut following = std::iter::successors(Some(variable), |&inst| body.next_inst(inst));
        found.is_live_out(body, block) || following.any(|inst| found.points.contains_key(&inst))
    };
    let to_remove: Vec<Inst> = found.variables.iter().copied().filter(|&inst| !is_inside(inst)).collect();
    for inst in to_remove {
        if cx.body().inst_block(inst).is_some() {
            cx.edit().remove(inst);
        }
    }
}

fn destroy(cx: &mut FunctionContext<'_>, value: Value, point: Point, dead_end: bool) -> Inst {
    let block = cx.body().point_block(point);
    let next = match point {
        Point::After(inst) => cx.body().next_inst(inst),
        _ => cx.body().first_inst(block),
    };
    let loc = next.map(|inst| variables::auto_generated(cx.body_mut(), inst));
    let mut builder = cx.at(point);
    if let Some(loc) = loc {
        builder.set_default_loc(loc);
    }
    builder.build(DestroyValue { dead_end, ..DestroyValue::new(value) })
}

/// Replaces uses of copies by the value itself, except for consuming uses before its end.
fn rewrite_copies(
    cx: &mut FunctionContext<'_>,
    value: Value,
    found: &CollectedUses,
    mut last: FxHashSet<Inst>,
) {
    let mut to_remove: Vec<Inst> = Vec::new();
    let mut copies: Vec<Inst> = Vec::new();
    let uses: Vec<Operand> = cx.body().uses(value).collect();
    for operand in uses {
        if !may_use(cx, operand, found, &mut last, &mut copies, &mut to_remove) {
            copy_for(cx, operand);
        }
    }
    let mut next = 0;
    while let Some(&copy) = copies.get(next) {
        next += 1;
        let Some(result) = cx.body().first_result(copy) else { continue };
        let mut reused = None;
        let uses: Vec<Operand> = cx.body().uses(result).collect();
        for operand in uses {
            let user = cx.body().operand(operand).user;
            if may_use(cx, operand, found, &mut last, &mut copies, &mut to_remove) {
                cx.edit().set_operand(operand, value);
            } else if reused.is_none() && cx.body().inst_block(user) == cx.body().inst_block(copy) {
                reused = Some(operand);
            } else {
                copy_for(cx, operand);
            }
        }
        if reused.is_some() && cx.body().has_single_use(result) {
            continue;
        }
        cx.edit().replace_all_uses(result, value);
        match reused {
            Some(operand) => cx.edit().set_operand(operand, result),
            None => to_remove.push(copy),
        }
    }
    for inst in to_remove {
        cx.edit().remove(inst);
    }
}

/// Returns true if a use can use the value itself. Collects copies and unneeded destroys.
fn may_use(
    cx: &FunctionContext<'_>,
    operand: Operand,
    found: &CollectedUses,
    last: &mut FxHashSet<Inst>,
    copies: &mut Vec<Inst>,
    to_remove: &mut Vec<Inst>,
) -> bool {
    let user = cx.body().operand(operand).user;
    if cx.body().inst(user).opcode == Opcode::CopyValue {
        copies.push(user);
        return true;
    }
    if found.is_destroy.contains(&user) {
        if !last.remove(&user) {
            to_remove.push(user);
        }
        return true;
    }
    let how = super::ownership(cx).operand(operand);
    if !how.is_some_and(silkit_ir::info::OperandOwnership::ends_lifetime) {
        return true;
    }
    last.remove(&user)
}

/// Creates a copy for a use.
fn copy_for(cx: &mut FunctionContext<'_>, operand: Operand) {
    let data = cx.body().operand(operand);
    let (user, value) = (data.user, data.value);
    let loc = variables::auto_generated(cx.body_mut(), user);
    let mut builder = cx.at(Point::Before(user));
    builder.set_default_loc(loc);
    let copy = builder.copy_value(value);
    cx.edit().set_operand(operand, copy);
}
