//! Replacement of an owned value by an identical one that dominates it.
//!
//! The other value is copied, since it may be consumed before the new uses. Replacing `%5` by `%1`:
//!
//! ```text
//!   %1 = upcast %0 to $Base
//!   destroy_value %1
//!   %5 = upcast %4 to $Base
//!   fix_lifetime %5
//!   destroy_value %5
//! ---
//!   %1 = upcast %0 to $Base
//!   %2 = copy_value %1
//!   destroy_value %1
//!   destroy_value %4
//!   fix_lifetime %2
//!   destroy_value %2
//! ```
//!
//! The copy is destroyed on paths that do not reach the old value, except in dead ends.

use silkit_analysis::ossa::Borrows;
use silkit_analysis::{BodyView, DeadEnds};
use silkit_base::FxHashSet;
use silkit_ir::{Block, Body, Inst, Ownership, Point, Value};
use silkit_pass::FunctionContext;

/// Returns true if an owned value can be replaced by another one: no pointer to it escapes. Raw SIL keeps its lifetimes.
pub fn can_be_replaced(view: &BodyView<'_>, value: Value, other: Value) -> bool {
    let ownership = view.ownership();
    let borrows = Borrows::new(view.body, &ownership);
    !view.program.module.is_raw() && !borrows.has_pointer_escape(value) && !borrows.has_pointer_escape(other)
}

/// Replaces the result of an instruction by a copy of an identical value, and destroys the values that the instruction
/// consumes. [`can_be_replaced`] must hold.
pub fn replace(cx: &mut FunctionContext<'_>, old: Inst, new_value: Value) {
    let start = cx.body().point_after(new_value).unwrap_or(Point::Before(old));
    let block = cx.body().inst_block(old);
    let paths = Paths::between(cx.body(), cx.body().point_block(start), block);
    let dead_ends = cx.get::<DeadEnds>();
    let dead_ends = dead_ends.of(cx.body());
    let leaks: Vec<Block> = paths.leaks.into_iter().filter(|&block| !dead_ends.is_dead_end(block)).collect();
    let copy = cx.at(start).copy_value(new_value);
    let value = match paths.is_loop {
        true => cx.at(Point::Start(block)).copy_value(copy),
        false => copy,
    };
    let consumed = consumed_by(&cx.view(), old);
    for value in consumed {
        cx.at(Point::Before(old)).destroy_value(value);
    }
    cx.edit().replace(old, value);
    for block in leaks {
        cx.at(Point::Start(block)).destroy_value(copy);
    }
}

/// Returns the owned values that an instruction consumes.
fn consumed_by(view: &BodyView<'_>, inst: Inst) -> Vec<Value> {
    let ownership = view.ownership();
    let borrows = Borrows::new(view.body, &ownership);
    let consumed = view.body.operand_ids(inst).filter(|&operand| borrows.ends_lifetime(operand));
    let values = consumed.map(|operand| view.body.operand(operand).value);
    // An aggregate also takes values without ownership.
    values.filter(|&value| ownership.value(value) == Some(Ownership::Owned)).collect()
}

/// The blocks on the paths from one block to another one that it dominates.
#[derive(Debug, Default)]
struct Paths {
    /// True if the paths can continue from the last block to itself.
    is_loop: bool,
    /// Blocks outside of the paths that a path can leave to.
    leaks: Vec<Block>,
}

impl Paths {
    fn between(body: &Body, first: Block, last: Block) -> Self {
        let mut this = Self::default();
        if first == last {
            return this;
        }
        let mut reached: FxHashSet<Block> = FxHashSet::default();
        let mut order = Vec::new();
        let mut work = vec![last];
        while let Some(block) = work.pop() {
            for pred in body.predecessors(block) {
                this.is_loop |= pred == last;
                if reached.insert(pred) {
                    order.push(pred);
                    if pred != first {
                        work.push(pred);
                    }
                }
            }
        }
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        for block in order {
            for next in body.block_successors(block) {
                if next != last && !reached.contains(&next) && seen.insert(next) {
                    this.leaks.push(next);
                }
            }
        }
        this
    }
}
