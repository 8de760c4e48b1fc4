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
use silkit_ir::{Inst, Opcode, Ownership, Value, ValueDef};
use silkit_pass::FunctionContext;

/// Returns the value that is the root of a chain of copies of owned values; `None` for a copy of a borrowed value,
/// whose lifetime is not its own.
pub fn copied(cx: &FunctionContext<'_>, value: Value) -> Option<Value> {
    let ownership = ownership(cx);
    let mut at = value;
    // Invalid SIL may copy a value from itself.
    for _ in 0..cx.body().inst_bound() {
        let Some(copy) = cx.body().def_as::<CopyValue>(at) else { break };
        match ownership.value(copy.operand)? {
            Ownership::Owned => at = copy.operand,
            Ownership::Guaranteed if is_borrowed(cx, copy.operand) => return None,
            _ => break,
        }
    }
    Some(at)
}

/// Returns true if a guaranteed value is a function argument, a borrow, or a part of one.
fn is_borrowed(cx: &FunctionContext<'_>, value: Value) -> bool {
    let body = cx.body();
    let mut at = value;
    for _ in 0..body.inst_bound() {
        let inst = match body.def(at) {
            ValueDef::Argument(block, _) => return body.is_entry_block(block),
            ValueDef::Result(inst, _) => inst,
            ValueDef::Undef | ValueDef::Pending => return false,
        };
        if body.inst(inst).opcode == Opcode::BeginBorrow {
            return true;
        }
        let mut forwarded = forwarded_operands(body, inst);
        match (forwarded.next(), forwarded.next()) {
            (Some(only), None) => at = body.operand(only).value,
            _ => return false,
        }
    }
    false
}

/// Canonicalizes the lifetime of an owned value that is not a copy of another owned value. Escaping values are not
/// changed.
pub fn canonicalize(cx: &mut FunctionContext<'_>, value: Value, known: &mut LifetimeFacts) {
    canonicalize_to(cx, value, known, Limits::default());
}

/// Canonicalizes a lifetime like [`canonicalize`], with restrictions.
pub fn canonicalize_to(
    cx: &mut FunctionContext<'_>,
    value: Value,
    known: &mut LifetimeFacts,
    limits: Limits<'_>,
) {
    if ownership(cx).value(value) != Some(Ownership::Owned) {
        return;
    }
    let Some(mut found) = collect::collect(cx, value) else { return };
    if !found.is_ended() {
        return;
    }
    extend::extend(cx, value, &mut found, known, limits);
    rewrite::rewrite(cx, value, found, known);
    known.lexical.spread(cx.body(), value);
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
