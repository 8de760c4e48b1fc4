//! Lifetime completion: ends a value after its last use on paths that do not end it.
//!
//! ```text
//! bb1:
//!   fix_lifetime %0
//!   %4 = integer_literal $Builtin.Int64, 1
//!   br bb4
//! ---
//! bb1:
//!   fix_lifetime %0
//!   destroy_value %0
//!   %5 = integer_literal $Builtin.Int64, 1
//!   br bb4
//! ```
//!
//! Values promoted from memory may have such paths: an enum case without payload in memory needs no destroy, and
//! values are not destroyed on paths to dead ends.

use crate::variables;
use silkit_analysis::{Cached, DeadEnds};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::info::OperandOwnership;
use silkit_ir::instructions::DestroyValue;
use silkit_ir::{Block, Inst, Opcode, Operand, Ownership, Point, Value, ValueDef};
use silkit_pass::FunctionContext;

/// The uses of a value, including lifetime-ending uses.
#[derive(Default)]
struct Uses {
    /// The users, with a flag for lifetime-ending uses.
    insts: FxHashMap<Inst, bool>,
    /// Borrows of the value, which must be completed as well.
    borrows: Vec<Value>,
}

/// Ends an owned or borrowed value directly after its last use on each path, unless that use ends it.
///
/// Returns true if an end was inserted.
pub fn complete_at_last_uses(
    cx: &mut FunctionContext<'_>,
    value: Value,
    dead_ends: &Cached<DeadEnds>,
) -> bool {
    let mut has_changed = false;
    // A borrow is completed before its operand.
    let mut stack = vec![(value, false)];
    let mut seen = FxHashSet::default();
    while let Some((value, is_ready)) = stack.pop() {
        if !is_ready && !seen.insert(value) {
            continue;
        }
        let Some(kind) = kind(cx, value) else { continue };
        let uses = uses(cx, value, kind);
        if !is_ready && !uses.borrows.is_empty() {
            stack.push((value, true));
            stack.extend(uses.borrows.iter().map(|&borrow| (borrow, false)));
            continue;
        }
        for point in boundary(cx, value, &uses) {
            end(cx, value, kind, point, dead_ends);
            has_changed = true;
        }
    }
    has_changed
}

/// Returns the ownership that determines how a value is ended; `None` for a value without a lifetime of its own.
fn kind(cx: &FunctionContext<'_>, value: Value) -> Option<Ownership> {
    let ownership = cx.ownership().value(value)?;
    let is_borrow = match cx.body().def(value) {
        ValueDef::Result(inst, _) => cx.body().begins_borrow(inst),
        _ => false,
    };
    match ownership {
        Ownership::Owned => Some(ownership),
        // A stored borrow is ended through its address.
        _ if is_borrow => Some(Ownership::Guaranteed),
        _ => None,
    }
}

fn uses(cx: &FunctionContext<'_>, value: Value, kind: Ownership) -> Uses {
    let body = cx.body();
    let ownership = cx.ownership();
    let mut found = Uses::default();
    let mut work = vec![value];
    let mut seen = FxHashSet::default();
    while let Some(at) = work.pop() {
        let is_address = body.value(at).ty.is_address();
        for operand in body.uses(at) {
            let user = body.operand(operand).user;
            let how = ownership.operand(operand);
            let ends = at == value && how.is_some_and(OperandOwnership::ends_lifetime);
            *found.insts.entry(user).or_default() |= ends;
            if ends {
                continue;
            }
            if how == Some(OperandOwnership::Borrow) || body.begins_borrow(user) {
                borrow_ends(cx, operand, &mut found);
            } else if is_address
                || kind == Ownership::Guaranteed
                || body.inst(user).opcode == Opcode::ProjectBox
            {
                // Terminators forward to the arguments of their successors.
                let forwarded = how.is_some_and(OperandOwnership::is_forwarding);
                let successors = body.successors(user).filter(|_| forwarded);
                let arguments = successors.flat_map(|block| body.arguments(block).iter().copied());
                let results = body.results(user).chain(arguments).filter(|&v| {
                    body.value(v).ty.is_address() || ownership.value(v) == Some(Ownership::Guaranteed)
                });
                work.extend(results.filter(|&v| seen.insert(v)));
            }
        }
    }
    found
}

/// Adds the ends of the scope for which an operand borrows its value.
fn borrow_ends(cx: &FunctionContext<'_>, operand: Operand, found: &mut Uses) {
    let body = cx.body();
    let user = body.operand(operand).user;
    for end in body.results(user).flat_map(|v| body.users(v)) {
        let is_end = body.ends_scope(end).is_some() || body.is_terminator(end);
        if is_end || body.inst(user).opcode == Opcode::Builtin {
            found.insts.entry(end).or_default();
        }
    }
    if matches!(body.inst(user).opcode, Opcode::BeginBorrow | Opcode::LoadBorrow | Opcode::StoreBorrow) {
        found.borrows.extend(body.results(user));
    }
}

/// Returns the points directly after the last non-ending uses of a value, and the starts of blocks in which it is no
/// longer live.
fn boundary(cx: &FunctionContext<'_>, value: Value, uses: &Uses) -> Vec<Point> {
    let body = cx.body();
    let Some(home) = cx.body().defining_block(value) else { return Vec::new() };
    let definition = cx.body().defining_inst(value);
    let mut is_live_in: FxHashSet<Block> = FxHashSet::default();
    let mut blocks = vec![home];
    let mut work: Vec<Block> = uses.insts.keys().map(|&inst| body.inst_block(inst)).collect();
    work.sort_unstable();
    while let Some(block) = work.pop() {
        if block != home && is_live_in.insert(block) {
            blocks.push(block);
            work.extend(body.predecessors(block));
        }
    }
    blocks.sort_unstable();
    let mut points = Vec::new();
    for block in blocks {
        if body.block_successors(block).any(|next| is_live_in.contains(&next)) {
            let done = body.block_successors(block).filter(|next| !is_live_in.contains(next));
            points.extend(done.filter(|&next| next != home).map(Point::Start));
            continue;
        }
        let insts: Vec<Inst> = body.block_insts(block).collect();
        let last = insts.iter().rev().find(|inst| uses.insts.contains_key(inst));
        match last {
            Some(last) if uses.insts[last] => {}
            Some(&last) if body.is_terminator(last) => {
                points.extend(body.block_successors(block).map(Point::Start));
            }
            Some(&last) => points.push(Point::After(last)),
            None => points.push(definition.map_or(Point::Start(block), Point::After)),
        }
    }
    points
}

fn end(
    cx: &mut FunctionContext<'_>,
    value: Value,
    kind: Ownership,
    point: Point,
    dead_ends: &Cached<DeadEnds>,
) {
    let block = cx.body().point_block(point);
    let near = match point {
        Point::After(inst) | Point::Before(inst) => Some(inst),
        Point::Start(block) | Point::End(block) => cx.body().first_inst(block),
    };
    let loc = near.map(|inst| variables::auto_generated(cx.body_mut(), inst));
    let is_dead_end = dead_ends.of(cx.body()).is_dead_end(block);
    let mut builder = cx.at(point);
    if let Some(loc) = loc {
        builder.set_default_loc(loc);
    }
    match kind {
        Ownership::Owned => {
            _ = builder.build(DestroyValue { dead_end: is_dead_end, ..DestroyValue::new(value) })
        }
        _ => _ = builder.end_borrow(value),
    }
}
