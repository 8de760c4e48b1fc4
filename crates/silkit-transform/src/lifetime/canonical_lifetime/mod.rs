//! Canonicalization of OSSA lifetimes: an owned value and its copies become one value that is destroyed after its
//! last use; copies remain only for earlier consuming uses.
//!
//! ```text
//!   %0 = alloc_ref $Node
//!   %1 = copy_value %0
//!   fix_lifetime %0
//!   fix_lifetime %1
//!   %4 = integer_literal $Builtin.Int64, 1
//!   %5 = integer_literal $Builtin.Int64, 2
//!   destroy_value %1
//!   destroy_value %0
//! ---
//!   %0 = alloc_ref $Node
//!   fix_lifetime %0
//!   fix_lifetime %0
//!   destroy_value %0
//!   %4 = integer_literal $Builtin.Int64, 1
//!   %5 = integer_literal $Builtin.Int64, 2
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `collect` | finds the uses of a value and of its copies |
//! | `extend` | extends the lifetime beyond the last use where required |
//! | `lexical` | finds lexical values |
//! | `rewrite` | inserts the ends, and removes copies |

mod collect;
mod extend;
mod lexical;
mod rewrite;

pub use lexical::LexicalValues;
pub(crate) use rewrite::destroy_after;

use silkit_analysis::{Cached, DeadEnds, Dominators};
use silkit_ir::instructions::CopyValue;
use silkit_ir::ownership::{BodyOwnership, forwarded_operands};
use silkit_ir::{Inst, Opcode, Ownership, Value, ValueDef, chain};
use silkit_pass::FunctionContext;

/// Returns the value that is the root of a chain of copies of owned values; `None` for a copy of a borrowed value,
/// whose lifetime is not its own.
pub fn copied(cx: &FunctionContext<'_>, value: Value) -> Option<Value> {
    let ownership = ownership(cx);
    let source = |value| cx.body().def_as::<CopyValue>(value).map(|copy| copy.operand);
    let owned = |value| source(value).filter(|&source| ownership.value(source) == Some(Ownership::Owned));
    let root = chain(value, owned).last()?;
    let Some(source) = source(root) else { return Some(root) };
    let is_part_of_another = ownership.value(source)? == Ownership::Guaranteed && is_borrowed(cx, source);
    (!is_part_of_another).then_some(root)
}

/// Returns true if a guaranteed value is a function argument, a borrow, or a part of one.
fn is_borrowed(cx: &FunctionContext<'_>, value: Value) -> bool {
    let body = cx.body();
    let is_borrow = |inst: Inst| body.inst(inst).opcode == Opcode::BeginBorrow;
    let step = |inst| {
        let mut forwarded = forwarded_operands(body, inst).filter(|_| !is_borrow(inst));
        let only = forwarded.next().filter(|_| forwarded.next().is_none())?;
        Some(body.operand(only).value)
    };
    match body.chain(value, step).last().map(|root| body.def(root)) {
        Some(ValueDef::Argument(block, _)) => body.is_entry_block(block),
        Some(ValueDef::Result(inst, _)) => is_borrow(inst),
        Some(ValueDef::Undef | ValueDef::Pending) | None => false,
    }
}

/// Canonicalizes the lifetime of an owned value that is not a copy of another owned value. Escaping values are not
/// changed.
pub fn canonicalize(cx: &mut FunctionContext<'_>, value: Value, facts: &mut LifetimeFacts) {
    canonicalize_to(cx, value, facts, Limits::default());
}

/// Canonicalizes a lifetime like [`canonicalize`], with restrictions.
pub fn canonicalize_to(
    cx: &mut FunctionContext<'_>,
    value: Value,
    facts: &mut LifetimeFacts,
    limits: Limits<'_>,
) {
    if ownership(cx).value(value) != Some(Ownership::Owned) {
        return;
    }
    let Some(mut found) = collect::collect(cx, value) else { return };
    if !found.is_ended() {
        return;
    }
    extend::extend(cx, value, &mut found, facts, limits);
    rewrite::rewrite(cx, value, found, facts);
    facts.lexical.spread(cx.body(), value);
}

/// Restrictions on a canonicalized lifetime.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'e> {
    /// True if the lifetime is kept up to the original destroys unless the value is consumed before. This always
    /// holds for non-copyable values: programs may rely on when they are destroyed.
    pub is_longest: bool,
    /// Uses at which a lexical value may end, regardless of barriers after them.
    pub ends: &'e [Inst],
}

/// Cached facts about the function.
#[derive(Debug)]
pub struct LifetimeFacts {
    /// The dominator tree.
    pub dominators: Cached<Dominators>,
    /// The dead-end blocks.
    pub dead_ends: Cached<DeadEnds>,
    /// True if the function has accesses whose scopes matter.
    pub has_accesses: bool,
    /// The lexical values.
    pub lexical: LexicalValues,
}

fn ownership<'a>(cx: &'a FunctionContext<'_>) -> BodyOwnership<'a> {
    cx.ownership()
}
