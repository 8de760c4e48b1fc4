//! Lifetime completion in dead ends: values that are live at an `unreachable` are ended directly before it.
//!
//! ```text
//! bb1:
//!   unreachable
//! ---
//! bb1:
//!   end_borrow %1
//!   destroy_value [dead_end] %0
//!   unreachable
//! ```
//!
//! The cost for a value is proportional to the number of blocks in which it is live.

use crate::variables;
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::info::OperandOwnership;
use silkit_ir::instructions::{DeallocBox, DestroyValue};
use silkit_ir::{Block, Inst, Opcode, Ownership, Point, Value, ValueDef};
use silkit_pass::FunctionContext;
use silkit_types::{SilType, TypeKind};

/// The kind of instruction that ends a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Destroy,
    DeallocateBox,
    Borrow,
    Access,
    /// The call of a coroutine, by its token.
    Call,
    /// A variable of trivial type whose lifetime is extended on some path.
    Variable,
}

/// Ends owned values, borrows and accesses that are live at an `unreachable`, in reverse order of their begins.
/// Returns the number of inserted ends.
pub fn complete(cx: &mut FunctionContext<'_>) -> usize {
    let body = cx.body();
    let ends_nowhere = |block: Block| {
        body.terminator(block).is_some_and(|inst| body.inst(inst).opcode == Opcode::Unreachable)
    };
    if !body.blocks().any(ends_nowhere) {
        return 0;
    }
    let mut values: Vec<Value> = Vec::new();
    for block in body.reverse_postorder().into_iter().rev() {
        values.extend(body.block_insts(block).rev().flat_map(|inst| body.results(inst)));
        values.extend(body.arguments(block));
    }
    let mut count = 0;
    for value in values {
        let Some(kind) = kind(cx, value) else { continue };
        let points = boundary(cx, value, kind);
        if points.is_empty() {
            continue;
        }
        if !cx.may_change() {
            break;
        }
        count += points.len();
        points.into_iter().for_each(|point| end(cx, value, kind, point));
    }
    count
}

/// Returns the kind of end of a value; `None` for a value without a lifetime of its own.
fn kind(cx: &FunctionContext<'_>, value: Value) -> Option<End> {
    let body = cx.body();
    if let ValueDef::Result(inst, _) = body.def(value) {
        if body.inst(inst).opcode == Opcode::BeginAccess {
            return Some(End::Access);
        }
        if body.inst(inst).opcode == Opcode::BeginApply {
            // A yielded value ends with the call, unless it is owned.
            if body.value(value).ty == SilType::token() {
                return Some(End::Call);
            }
        }
        let is_variable = body.inst(inst).opcode == Opcode::MoveValue && body.has_flag(inst, "var_decl");
        if is_variable && cx.ownership().value(value) == Some(Ownership::None) {
            let is_end = |user: Inst| body.inst(user).opcode == Opcode::ExtendLifetime;
            return body.users(value).any(is_end).then_some(End::Variable);
        }
        if matches!(body.inst(inst).opcode, Opcode::BeginBorrow | Opcode::LoadBorrow | Opcode::StoreBorrow) {
            return Some(End::Borrow);
        }
    }
    let is_box = matches!(body.value(value).ty.ty().kind(), TypeKind::Box(_));
    let is_owned =
        !body.value(value).ty.is_address() && cx.ownership().value(value) == Some(Ownership::Owned);
    is_owned.then_some(if is_box { End::DeallocateBox } else { End::Destroy })
}

/// Returns true if an instruction ends a value.
fn ends(cx: &FunctionContext<'_>, value: Value, kind: End, user: Inst) -> bool {
    let body = cx.body();
    match kind {
        End::Access => body.inst(user).opcode == Opcode::EndAccess,
        End::Variable => body.inst(user).opcode == Opcode::ExtendLifetime,
        _ => {
            let ownership = cx.ownership();
            let mut operands = body.operand_ids(user).filter(|&operand| body.operand(operand).value == value);
            operands.any(|operand| ownership.operand(operand).is_some_and(OperandOwnership::ends_lifetime))
        }
    }
}

/// Returns the points at which a value must be ended: before the terminators of blocks at whose end it is live and
/// after which it is not.
fn boundary(cx: &FunctionContext<'_>, value: Value, kind: End) -> Vec<Point> {
    let body = cx.body();
    let home = match body.def(value) {
        ValueDef::Result(inst, _) => body.inst_block(inst),
        ValueDef::Argument(block, _) => block,
        ValueDef::Undef | ValueDef::Pending => return Vec::new(),
    };
    let ended: FxHashSet<Block> = body
        .users(value)
        .filter(|&user| ends(cx, value, kind, user))
        .map(|user| body.inst_block(user))
        .collect();
    if ended.contains(&home) {
        return Vec::new();
    }
    // The blocks at whose start the value is live on some path, with a flag that is true if it is live on all paths.
    let mut alive: FxHashMap<Block, bool> = FxHashMap::default();
    let mut order = vec![home];
    let mut work = vec![home];
    while let Some(block) = work.pop() {
        for next in body.block_successors(block).filter(|&next| next != home) {
            if alive.insert(next, true).is_none() {
                order.push(next);
                if !ended.contains(&next) {
                    work.push(next);
                }
            }
        }
    }
    let is_out = |alive: &FxHashMap<Block, bool>, block: Block| {
        block == home || (alive.get(&block) == Some(&true) && !ended.contains(&block))
    };
    let mut work: Vec<Block> = order.clone();
    while let Some(block) = work.pop() {
        let fails = block != home
            && alive.get(&block) == Some(&true)
            && !body.predecessors(block).all(|from| is_out(&alive, from));
        if fails {
            alive.insert(block, false);
            work.extend(body.block_successors(block).filter(|next| alive.contains_key(next)));
        }
    }
    let mut points = Vec::new();
    for block in order.into_iter().filter(|&block| is_out(&alive, block)) {
        let Some(terminator) = body.terminator(block) else { continue };
        let is_in = |next: Block| alive.get(&next) == Some(&true);
        if !body.block_successors(block).any(is_in) && !returns(body.inst(terminator).opcode) {
            points.push(Point::Before(terminator));
        }
    }
    points
}

/// Returns true if a terminator exits the function normally: no lifetime is open there in valid SIL.
fn returns(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Return | Opcode::Throw | Opcode::ThrowAddr | Opcode::Unwind)
}

fn end(cx: &mut FunctionContext<'_>, value: Value, kind: End, point: Point) {
    let near = match point {
        Point::Before(inst) | Point::After(inst) => Some(inst),
        Point::Start(_) | Point::End(_) => None,
    };
    let loc = near.map(|inst| variables::auto_generated(cx.body_mut(), inst));
    let mut builder = cx.at(point);
    if let Some(loc) = loc {
        builder.set_default_loc(loc);
    }
    match kind {
        End::Destroy => _ = builder.build(DestroyValue { dead_end: true, ..DestroyValue::new(value) }),
        End::DeallocateBox => _ = builder.build(DeallocBox { dead_end: true, ..DeallocBox::new(value) }),
        // The reference ends coroutine calls in the same way.
        End::Borrow | End::Call => _ = builder.end_borrow(value),
        End::Variable => _ = builder.extend_lifetime(value),
        End::Access => _ = builder.end_access(value),
    }
}
