//! `mandatory-arc-opts`: removes copies, moves and borrows that are plainly redundant, in builds without optimization.
//!
//! - A borrow of a value that its users may use themselves.
//! - A move of a value that lives and escapes as what was moved.
//! - A copy that is only destroyed, or that lives on where the copied value is destroyed.
//! - What nothing uses any more.
//!
//! ```text
//! class C {}
//! sil [ossa] @f : $@convention(thin) (@owned C) -> @owned C {
//! bb0(%0 : @owned $C):
//!   %1 = begin_borrow %0
//!   fix_lifetime %1
//!   end_borrow %1
//!   %4 = copy_value %0
//!   destroy_value %0
//!   return %4
//! }
//! ---
//! sil [ossa] @f : $@convention(thin) (@owned C) -> @owned C {
//! bb0(%0 : @owned $C):
//!   fix_lifetime %0
//!   return %0
//! }
//! ```
//!
//! Each instruction is looked at once, and again when a user of its results goes. Looking costs what the uses of the value
//! are, which are bounded where several copies have the same ones.

use silkit_ir::info::OperandOwnership;
use silkit_ir::instructions::{Load, LoadQualifier, MoveValue};
use silkit_ir::{ArgFlags, Body, Inst, Opcode, Operand, Ownership, Value, ValueDef};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_transform::redundant_borrow;

pub(super) const PASS: Pass<'static> = Pass::function(
    "mandatory-arc-opts",
    "Removes copies, moves and borrows that are plainly redundant",
    &run,
)
.mandatory();

/// The number of uses up to which a value may live on as its copy.
const MOST_USES: usize = 256;

fn run(cx: &mut FunctionContext<'_>) {
    if !cx.function().has_ossa() {
        return;
    }
    let is_first = |&inst: &Inst| {
        let opcode = cx.body().inst(inst).opcode;
        matches!(opcode, Opcode::BeginBorrow | Opcode::CopyValue | Opcode::Load | Opcode::MoveValue)
    };
    let mut work: Vec<Inst> = cx.body().insts().filter(is_first).collect();
    while let Some(inst) = work.pop() {
        if cx.body().is_removed(inst) {
            continue;
        }
        let operands: Vec<Value> = cx.body().operands(inst).iter().map(|operand| operand.value).collect();
        let opcode = cx.body().inst(inst).opcode;
        let what = match opcode {
            Opcode::BeginBorrow if remove_borrow(cx, inst) => "borrows removed",
            Opcode::MoveValue if remove_move(cx, inst) => "moves removed",
            Opcode::CopyValue if remove_dead_copy(cx, inst) || join(cx, inst) => "copies removed",
            _ if remove_dead(cx, inst) => "instructions removed",
            _ => continue,
        };
        cx.count(what, 1);
        for value in operands {
            let body = cx.body();
            let has_lifetime = cx.ownership().value(value).is_some_and(|of| of != Ownership::None);
            work.extend(body.defining_inst(value).filter(|_| has_lifetime));
        }
    }
}

/// Removes a borrow that is no variable of its own.
fn remove_borrow(cx: &mut FunctionContext<'_>, borrow: Inst) -> bool {
    !cx.body().has_flag(borrow, "lexical") && redundant_borrow::remove(cx, borrow)
}

/// Removes a move of a value that is as lexical and escapes no more than its result.
fn remove_move(cx: &mut FunctionContext<'_>, moved: Inst) -> bool {
    let Some(MoveValue { operand, lexical, pointer_escape, .. }) = cx.body().view_as(moved) else {
        return false;
    };
    let is_redundant = cx.ownership().value(operand)
        == cx.body().first_result(moved).and_then(|v| cx.ownership().value(v))
        && lexical == is_lexical(cx, operand)
        && (pointer_escape || !escapes(cx, operand));
    if !is_redundant || !cx.may_change() {
        return false;
    }
    cx.edit().replace(moved, operand);
    true
}

/// Returns true if a value has a lexical lifetime.
fn is_lexical(cx: &FunctionContext<'_>, value: Value) -> bool {
    let body = cx.body();
    match body.def(value) {
        ValueDef::Argument(block, _) if body.is_entry_block(block) => {
            !body.value(value).arg_flags.contains(ArgFlags::EAGER_MOVE)
                && cx.ownership().value(value) != Some(Ownership::None)
        }
        ValueDef::Result(inst, _) => match body.inst(inst).opcode {
            Opcode::MoveValue | Opcode::BeginBorrow => body.has_flag(inst, "lexical"),
            Opcode::AllocBox => true,
            Opcode::MarkUninitialized => is_lexical(cx, body.operand_value(inst, 0)),
            _ => false,
        },
        _ => false,
    }
}

/// Returns true if a pointer to a value may outlive its uses.
fn escapes(cx: &FunctionContext<'_>, value: Value) -> bool {
    let ownership = cx.ownership();
    cx.body().uses(value).any(|operand| {
        matches!(
            ownership.operand(operand),
            Some(
                OperandOwnership::PointerEscape
                    | OperandOwnership::BitwiseEscape
                    | OperandOwnership::ForwardingUnowned
            )
        )
    })
}

/// Removes a copy that is only destroyed.
fn remove_dead_copy(cx: &mut FunctionContext<'_>, copy: Inst) -> bool {
    let body = cx.body();
    let Some(copied) = body.first_result(copy) else { return false };
    let users: Vec<Inst> = body.users(copied).collect();
    let is_end = |&user: &Inst| matches!(body.inst(user).opcode, Opcode::DestroyValue | Opcode::DebugValue);
    if !users.iter().all(is_end) || !cx.may_change() {
        return false;
    }
    let mut editor = cx.edit();
    users.into_iter().for_each(|user| editor.remove(user));
    editor.remove(copy);
    true
}

/// Lets an owned value live on as its copy, where it is destroyed in the block of the copy, and nothing between that and the
/// end of the copy needs both.
fn join(cx: &mut FunctionContext<'_>, copy: Inst) -> bool {
    let body = cx.body();
    let source = body.operand_value(copy, 0);
    let Some(copied) = body.first_result(copy) else { return false };
    if cx.ownership().value(source) != Some(Ownership::Owned) {
        return false;
    }
    let block = body.inst_block(copy);
    let is_destroy =
        |&user: &Inst| body.inst(user).opcode == Opcode::DestroyValue && body.inst_block(user) == block;
    // Of a value with so many uses that looking at them for each of its copies would cost too much, none is joined.
    if body.uses(source).nth(MOST_USES).is_some() {
        return false;
    }
    let Some(destroy) = body.users(source).find(is_destroy) else { return false };
    let Some(end) = single_end(cx, copied).map(|end| body.operand(end).user) else { return false };
    // What is made of the copy lives on.
    let is_destroyed = !body.is_forwarding(end);
    let fits = body.inst_block(end) != block
        || body.inst_precedes(destroy, end)
        || is_destroyed && is_copy(body, source) && !is_used_between(body, source, end, destroy);
    if !fits || !cx.may_change() {
        return false;
    }
    let mut editor = cx.edit();
    editor.remove(destroy);
    editor.replace(copy, source);
    true
}

/// Returns true if a value is a copy, which may end earlier: what it was copied from lives on.
fn is_copy(body: &Body, value: Value) -> bool {
    body.defining_inst(value).is_some_and(|inst| body.inst(inst).opcode == Opcode::CopyValue)
}

/// Returns true if a value, or a borrow of it, is used between two instructions of one block.
fn is_used_between(body: &Body, value: Value, first: Inst, last: Inst) -> bool {
    let is_between = |user: Inst| {
        body.inst_block(user) == body.inst_block(first)
            && body.inst_precedes(first, user)
            && body.inst_precedes(user, last)
    };
    body.users(value).any(|user| {
        is_between(user)
            || body.begins_borrow(user) && body.results(user).any(|borrow| body.users(borrow).any(is_between))
    })
}

/// Returns the use that ends a value, if there is one.
fn single_end(cx: &FunctionContext<'_>, value: Value) -> Option<Operand> {
    let ownership = cx.ownership();
    let mut ends = cx
        .body()
        .uses(value)
        .filter(|&operand| ownership.operand(operand).is_some_and(OperandOwnership::ends_lifetime));
    let end = ends.next()?;
    ends.next().is_none().then_some(end)
}

/// Removes an instruction without effects whose results nothing uses.
fn remove_dead(cx: &mut FunctionContext<'_>, inst: Inst) -> bool {
    let body = cx.body();
    let is_plain = body.results(inst).len() > 0
        && !body.is_terminator(inst)
        && !matches!(
            body.inst(inst).opcode,
            Opcode::MarkUninitialized | Opcode::AllocStack | Opcode::BeginAccess
        );
    let reads = body
        .view_as::<Load>(inst)
        .is_some_and(|load| matches!(load.qualifier, Some(LoadQualifier::Trivial | LoadQualifier::Copy)));
    let is_user = |user: Inst| body.inst(user).opcode != Opcode::DebugValue;
    let has_users = body.results(inst).any(|value| body.users(value).any(is_user));
    let is_dead = is_plain
        && !has_users
        && (reads || !cx.behavior().may_have_side_effects(inst))
        && !consumes(cx, inst);
    if !is_dead || !cx.may_change() {
        return false;
    }
    let users: Vec<Inst> = cx.body().results(inst).flat_map(|value| cx.body().users(value)).collect();
    let mut editor = cx.edit();
    users.into_iter().for_each(|user| editor.remove(user));
    editor.remove(inst);
    true
}

/// Returns true if an instruction ends an owned value.
fn consumes(cx: &FunctionContext<'_>, inst: Inst) -> bool {
    let ownership = cx.ownership();
    cx.body().operand_ids(inst).any(|operand| {
        ownership.operand(operand).is_some_and(OperandOwnership::ends_lifetime)
            && ownership.value(cx.body().operand(operand).value) == Some(Ownership::Owned)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the body of a function of an owned and a guaranteed `C` and a number, without its end.
    fn left(insts: &str) -> String {
        let text = changed(
            "mandatory-arc-opts",
            &[],
            &format!(
                "sil_stage canonical\nimport Builtin\nimport Swift\nclass C {{}}\nstruct S {{ var c: C }}\n\
                 sil @take : $@convention(thin) (@owned C) -> ()\n\
                 sil [ossa] @f : $@convention(thin) (@owned C, @guaranteed C, @inout Int, @guaranteed S) -> () {{\n\
                 bb0(%0 : @owned $C, %1 : @guaranteed $C, %2 : $*Int, %3 : @guaranteed $S):\n\
                 {insts}\n%r = tuple ()\nreturn %r\n}}\n"
            ),
        );
        let body = &text[text.find("bb0(").expect("a body")..];
        let lines = body.lines().skip(1).map(str::trim).take_while(|line| !line.ends_with("= tuple ()"));
        lines.collect::<Vec<_>>().join("\n")
    }

    const TAKE: &str = "%f = function_ref @take : $@convention(thin) (@owned C) -> ()\n";

    #[test]
    fn borrows_that_users_do_not_need_go() {
        let text = left("%4 = begin_borrow %0\nfix_lifetime %4\nend_borrow %4\ndestroy_value %0");
        assert_eq!(text, "fix_lifetime %0\ndestroy_value %0");
        let text = left(
            "%4 = begin_borrow %3\n%5 = struct_extract %4, #S.c\nfix_lifetime %5\nend_borrow %4\ndestroy_value %0",
        );
        assert!(text.starts_with("%4 = struct_extract %3"), "{text}");
        let text = left("%4 = begin_borrow [lexical] %0\nfix_lifetime %4\nend_borrow %4\ndestroy_value %0");
        assert!(text.contains("begin_borrow"), "{text}");
    }

    #[test]
    fn moves_that_change_nothing_go() {
        let text = left(
            "%4 = copy_value %1\n%5 = move_value [var_decl] %4\nfix_lifetime %5\ndestroy_value %5\ndestroy_value %0",
        );
        assert!(!text.contains("move_value") && text.contains("fix_lifetime %4"), "{text}");
        let text = left(
            "%4 = copy_value %1\n%5 = move_value [lexical] %4\nfix_lifetime %5\ndestroy_value %5\ndestroy_value %0",
        );
        assert!(text.contains("move_value [lexical]"), "{text}");
        let text = left("%5 = move_value [lexical] [pointer_escape] %0\nfix_lifetime %5\ndestroy_value %5");
        assert!(!text.contains("move_value"), "{text}");
    }

    #[test]
    fn copies_that_are_only_destroyed_go() {
        let text =
            left("%4 = copy_value %1\ndebug_value %4, let, name \"x\"\ndestroy_value %4\ndestroy_value %0");
        assert_eq!(text, "destroy_value %0");
    }

    #[test]
    fn values_live_on_as_their_copies() {
        let text = left(&format!(
            "{TAKE}%5 = copy_value %0\ndestroy_value %0\n%7 = apply %f(%5) : $@convention(thin) (@owned C) -> ()"
        ));
        assert!(text.contains("(%0)") && !text.contains("copy_value"), "{text}");
        let late = |between: &str| {
            left(&format!(
                "{TAKE}%5 = copy_value %1\nfix_lifetime %5\n%7 = copy_value %5\n\
                 %8 = apply %f(%7) : $@convention(thin) (@owned C) -> ()\n{between}destroy_value %5\ndestroy_value %0"
            ))
        };
        assert_eq!(late("").matches("copy_value").count(), 1);
        assert_eq!(late("fix_lifetime %5\n").matches("copy_value").count(), 2);
    }

    #[test]
    fn values_that_are_passed_on_do_not_end_earlier() {
        let text = left(
            "%4 = copy_value %1\nfix_lifetime %4\n%6 = copy_value %4\n%7 = struct $S (%6)\ndestroy_value %4\n\
             fix_lifetime %7\ndestroy_value %7\ndestroy_value %0",
        );
        assert_eq!(text.matches("copy_value").count(), 2, "{text}");
    }

    #[test]
    fn loads_that_nothing_uses_go() {
        assert_eq!(left("%4 = load [trivial] %2\ndestroy_value %0"), "destroy_value %0");
    }
}
