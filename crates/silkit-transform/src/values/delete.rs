//! Deletion of instructions with their users, or with operands that become dead.
//!
//! Deleting `%1` with its users:
//!
//! ```text
//! bb0(%0 : $Builtin.Int64):
//!   %1 = alloc_stack $(Builtin.Int64, Builtin.Int64)
//!   %2 = tuple_element_addr %1, 0
//!   store %0 to %2
//!   %4 = tuple_element_addr %1, 1
//!   copy_addr %2 to %4
//!   debug_value %1, let, name "x"
//!   dealloc_stack %1
//!   %9 = tuple ()
//!   return %9
//! ---
//! bb0(%0 : $Builtin.Int64):
//!   %1 = tuple ()
//!   return %1
//! ```

use crate::variables;
use silkit_analysis::BodyView;
use silkit_base::FxHashSet;
use silkit_ir::instructions::Builtin;
use silkit_ir::{Body, Editor, Inst, Opcode, Ownership, Point, Value, ValueDef};
use silkit_pass::FunctionContext;

/// Deletes an instruction and all direct and indirect users of its results.
pub fn with_users(body: &mut Body, inst: Inst) {
    let mut stack = vec![inst];
    let mut is_on_stack: FxHashSet<Inst> = FxHashSet::from_iter([inst]);
    while let Some(&top) = stack.last() {
        let user =
            body.results(top).flat_map(|result| body.users(result)).find(|user| !is_on_stack.contains(user));
        if let Some(user) = user {
            stack.push(user);
            is_on_stack.insert(user);
            continue;
        }
        // In unreachable code, definitions may be cyclic.
        let in_a_ring: Vec<Value> = body.results(top).filter(|&result| body.is_used(result)).collect();
        let mut editor = body.edit();
        for result in in_a_ring {
            let undef = editor.undef(editor.value(result).ty);
            editor.replace_all_uses(result, undef);
        }
        editor.remove(top);
        stack.pop();
        is_on_stack.remove(&top);
    }
}

/// Deletes the dead instructions among some instructions, with the lifetime ends of their results, and then operands
/// that become dead. Returns the number of deleted instructions, not counting lifetime ends.
///
/// Values that a deleted instruction consumed are destroyed instead. Debug variables are redirected to the source of
/// a copy, move or borrow if that is still live, or described by the parts of an aggregate; otherwise they lose their value.
pub fn dead(cx: &mut FunctionContext<'_>, insts: impl IntoIterator<Item = Inst>) -> usize {
    dead_with(cx, insts, &mut |_, _| {})
}

/// Like [`dead`], with a callback for each instruction before it is deleted.
pub fn dead_with(
    cx: &mut FunctionContext<'_>,
    insts: impl IntoIterator<Item = Inst>,
    removing: &mut dyn FnMut(&Body, Inst),
) -> usize {
    dead_but(cx, insts, &|_, _| false, removing)
}

/// Like [`dead_with`], but keeps the instructions for which `keeps` returns true.
pub fn dead_but(
    cx: &mut FunctionContext<'_>,
    insts: impl IntoIterator<Item = Inst>,
    keeps: &dyn Fn(&Body, Inst) -> bool,
    removing: &mut dyn FnMut(&Body, Inst),
) -> usize {
    let mut work: Vec<Inst> = insts.into_iter().collect();
    let mut count = 0;
    while let Some(inst) = work.pop() {
        if cx.body().is_removed(inst) || keeps(cx.body(), inst) || !is_dead(cx, inst) {
            continue;
        }
        let consumed = consumed(cx, inst);
        keep_variables(cx, inst);
        let ends: Vec<Inst> = cx.body().results(inst).flat_map(|v| cx.body().users(v)).collect();
        for end in ends {
            if cx.body().inst_block(end).is_some() {
                removing(cx.body(), end);
                cx.edit().remove(end);
            }
        }
        let mut builder = cx.at(Point::Before(inst));
        for value in consumed {
            builder.destroy_value(value);
        }
        let body = cx.body();
        work.extend(body.operands(inst).iter().filter_map(|operand| body.defining_inst(operand.value)));
        removing(body, inst);
        cx.edit().remove(inst);
        count += 1;
    }
    count
}

/// Deletes the trivially dead instructions among some instructions, and then operands that become trivially dead. Borrows,
/// copies and moves whose lifetime ends somewhere are kept.
pub fn trivially_dead(cx: &mut FunctionContext<'_>, insts: impl IntoIterator<Item = Inst>) {
    let mut work: Vec<Inst> = insts.into_iter().collect();
    while let Some(inst) = work.pop() {
        if cx.body().inst_block(inst).some().is_none() || !is_trivially_dead(&cx.view(), inst) {
            continue;
        }
        keep_variables(cx, inst);
        let body = cx.body();
        work.extend(body.operands(inst).iter().filter_map(|operand| body.defining_inst(operand.value)));
        with_debug_uses(cx, inst);
    }
}

/// Returns true if an instruction has no effect other than defining values that are only destroyed or used by debug
/// instructions.
fn is_dead(cx: &FunctionContext<'_>, inst: Inst) -> bool {
    let body = cx.body();
    let does_nothing = match body.inst(inst).opcode {
        Opcode::DebugValue | Opcode::DebugStep | Opcode::FixLifetime | Opcode::EndAccess => false,
        Opcode::EndBorrow | Opcode::EndLifetime | Opcode::DestroyValue => false,
        // A guaranteed phi needs its `borrowed … from` even without uses.
        Opcode::BorrowedFrom => false,
        Opcode::AllocRef | Opcode::AllocRefDynamic | Opcode::MarkUnresolvedMoveAddr => false,
        Opcode::MoveValue | Opcode::BeginBorrow => !body.has_flag(inst, "lexical"),
        Opcode::BeginAccess | Opcode::CopyValue => true,
        // In OSSA, the captured values are destroyed instead.
        Opcode::PartialApply => {
            let mut captures = body.operands(inst)[body.operand_range(inst, 1)].iter();
            cx.function().has_ossa() && !captures.any(|operand| body.value(operand.value).ty.is_address())
        }
        _ => !body.is_terminator(inst) && !cx.behavior().may_have_side_effects(inst),
    };
    let is_end = |user: Inst| match body.inst(user).opcode {
        Opcode::DebugValue | Opcode::EndBorrow | Opcode::DestroyValue | Opcode::EndAccess => true,
        // `end_lifetime` of an address ends the lifetime of the value in memory.
        Opcode::EndLifetime => !body.value(body.operand_value(user, 0)).ty.is_address(),
        _ => false,
    };
    does_nothing && body.results(inst).flat_map(|value| body.users(value)).all(is_end)
}

/// Returns true if an instruction has no side effects and its results are used only by `debug_value`. An instruction
/// that ends the lifetime of an operand is not trivially dead.
pub fn is_trivially_dead(view: &BodyView<'_>, inst: Inst) -> bool {
    let body = view.body;
    let ends_lifetime = || {
        let ownership = view.ownership();
        let ends = |operand| ownership.operand(operand).is_some_and(|how| how.ends_lifetime());
        let is_owned = |operand| ownership.value(body.operand(operand).value) == Some(Ownership::Owned);
        view.function.has_ossa() && body.operand_ids(inst).any(|operand| ends(operand) && is_owned(operand))
    };
    is_without_effect(view, inst) && !ends_lifetime()
}

/// Returns true if an instruction has no side effects and its results are used only by `debug_value`. It may end the
/// lifetime of an operand.
pub fn is_without_effect(view: &BodyView<'_>, inst: Inst) -> bool {
    let body = view.body;
    let is_kept = match body.inst(inst).opcode {
        Opcode::DebugValue | Opcode::DebugStep | Opcode::FixLifetime | Opcode::EndAccess => true,
        Opcode::EndBorrow | Opcode::EndLifetime | Opcode::DestroyValue => true,
        // A guaranteed phi needs its `borrowed … from` even without uses.
        Opcode::BorrowedFrom => true,
        Opcode::MarkUninitialized | Opcode::MarkUnresolvedMoveAddr => true,
        // Markers describe the code around them.
        Opcode::Builtin if is_marker(body, inst) => true,
        // As in the reference, even if projecting the payload overwrites the tag.
        Opcode::UncheckedTakeEnumDataAddr => false,
        _ => body.is_terminator(inst) || view.behavior().may_have_side_effects(inst),
    };
    let is_debug = |user: Inst| body.inst(user).opcode == Opcode::DebugValue;
    !is_kept && body.results(inst).flat_map(|value| body.users(value)).all(is_debug)
}

fn is_marker(body: &Body, inst: Inst) -> bool {
    body.view_as::<Builtin<'_>>(inst).is_some_and(|b| matches!(b.name.as_str(), "onFastPath" | "willThrow"))
}

/// Deletes an access whose other users than its ends take the accessed address `base` instead.
pub fn access(editor: &mut Editor<'_>, begin: Inst, base: Value) {
    let users = editor.results(begin).flat_map(|address| editor.users(address));
    let ends: Vec<Inst> = users.filter(|&user| editor.inst(user).opcode == Opcode::EndAccess).collect();
    ends.into_iter().for_each(|end| editor.remove(end));
    editor.replace(begin, base);
}

/// Deletes an instruction whose results are used only by `debug_value`, with these uses.
pub fn with_debug_uses(cx: &mut FunctionContext<'_>, inst: Inst) {
    let users: Vec<Inst> = cx.body().results(inst).flat_map(|value| cx.body().users(value)).collect();
    let mut editor = cx.edit();
    users.into_iter().for_each(|user| editor.remove(user));
    editor.remove(inst);
}

/// Returns the owned values that an instruction consumes.
fn consumed(cx: &FunctionContext<'_>, inst: Inst) -> Vec<Value> {
    if !cx.function().has_ossa() {
        return Vec::new();
    }
    let body = cx.body();
    let ownership = cx.ownership();
    let consumes = |&operand: &_| {
        ownership.operand(operand).is_some_and(|how| how.ends_lifetime())
            && ownership.value(body.operand(operand).value) == Some(Ownership::Owned)
    };
    body.operand_ids(inst).filter(consumes).map(|operand| body.operand(operand).value).collect()
}

/// Redirects `debug_value` to the source of a copy, move or borrow that is still live, or describes variables by the
/// parts of an aggregate.
fn keep_variables(cx: &mut FunctionContext<'_>, inst: Inst) {
    let body = cx.body();
    if !matches!(body.inst(inst).opcode, Opcode::CopyValue | Opcode::MoveValue | Opcode::BeginBorrow) {
        variables::keep_value(cx, inst);
        return;
    }
    let source = body.operand_value(inst, 0);
    let lives_on = match cx.ownership().value(source) {
        Some(Ownership::None) => true,
        // A value that the caller borrows is live to the end.
        Some(Ownership::Guaranteed) => {
            matches!(body.def(source), ValueDef::Argument(block, _) if body.is_entry_block(block))
        }
        _ => false,
    };
    if !lives_on {
        return;
    }
    let uses = body.results(inst).flat_map(|value| body.uses(value));
    let is_variable = |operand: &_| body.inst(body.operand(*operand).user).opcode == Opcode::DebugValue;
    let variables: Vec<_> = uses.filter(is_variable).collect();
    for operand in variables {
        cx.edit().set_operand(operand, source);
    }
}
