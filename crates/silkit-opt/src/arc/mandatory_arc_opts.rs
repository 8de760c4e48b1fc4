//! `mandatory-arc-opts`: removes trivially redundant copies, moves and borrows in builds without optimization.
//!
//! - A borrow whose users can use the borrowed value.
//! - A move whose result is no more lexical or escaping than its operand.
//! - A copy that is only destroyed, or that can take over the value because the value is destroyed nearby.
//! - Instructions that become dead.
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
//! Each instruction is visited once, and again when a user of its results is removed. A visit costs time proportional
//! to the number of uses of the value, which is bounded if several copies share them.

use silkit_analysis::ossa::Borrows;
use silkit_ir::info::OperandOwnership;
use silkit_ir::instructions::{Load, LoadQualifier, MoveValue};
use silkit_ir::{Block, Body, Inst, Opcode, Operand, Ownership, Value};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;
use silkit_pass::options;
use silkit_transform::borrowed_from;
use silkit_transform::canonical_lifetime::LexicalValues;
use silkit_transform::redundant_borrow;

pub(super) const PASS: Pass<'static> =
    Pass::function("mandatory-arc-opts", "Removes redundant copies, moves and borrows", &run)
        .mandatory()
        .with_options(&[options::OPT_MODE]);

/// The maximum number of uses of a value that is joined with its copy.
const MOST_USES: usize = 256;

fn run(cx: &mut FunctionContext<'_>) {
    if !cx.function().has_ossa() {
        return;
    }
    let is_first = |&inst: &Inst| {
        let opcode = cx.body().inst(inst).opcode;
        matches!(
            opcode,
            Opcode::BeginBorrow
                | Opcode::CopyValue
                | Opcode::Load
                | Opcode::MoveValue
                | Opcode::UncheckedOwnershipConversion
        )
    };
    let keeps_variables = cx.options().keeps_variables();
    let lexical = LexicalValues::of(cx.body());
    let mut work: Vec<Inst> = cx.body().insts().filter(is_first).collect();
    let mut has_changed = false;
    while let Some(inst) = work.pop() {
        if cx.body().is_removed(inst) {
            continue;
        }
        let operands: Vec<Value> = cx.body().operands(inst).iter().map(|operand| operand.value).collect();
        let opcode = cx.body().inst(inst).opcode;
        // The users of a removed borrow or move become users of its operand.
        let is_scope = matches!(opcode, Opcode::BeginBorrow | Opcode::MoveValue);
        let results = cx.body().results(inst).filter(|_| is_scope);
        let users: Vec<Inst> = results.flat_map(|value| cx.body().users(value)).collect();
        let what = match opcode {
            Opcode::BeginBorrow if remove_borrow(cx, &lexical, inst) => "borrows removed",
            Opcode::MoveValue if remove_dead_move(cx, inst, keeps_variables) => "moves removed",
            Opcode::MoveValue if remove_move(cx, &lexical, inst) => "moves removed",
            Opcode::CopyValue if remove_dead_copy(cx, inst) || join(cx, &lexical, inst) => "copies removed",
            _ if remove_dead(cx, inst, keeps_variables) => "instructions removed",
            _ => continue,
        };
        cx.count(what, 1);
        has_changed = true;
        work.extend(users.into_iter().filter(|&user| !cx.body().is_removed(user)));
        if opcode == Opcode::BeginBorrow {
            // The borrow may have kept the value from being joined with a copy.
            let body = cx.body();
            let uses = operands.iter().flat_map(|&value| body.users(value).take(MOST_USES));
            work.extend(uses.filter(|&user| body.inst(user).opcode == Opcode::CopyValue));
        }
        for value in operands {
            let body = cx.body();
            let has_lifetime = cx.ownership().value(value).is_some_and(|of| of != Ownership::None);
            let is_visited = has_lifetime || matches!(opcode, Opcode::BeginBorrow | Opcode::CopyValue);
            work.extend(body.defining_inst(value).filter(|_| is_visited));
        }
    }
    if has_changed {
        borrowed_from::complete(cx);
    }
}

/// Removes a borrow that is not more lexical than its operand.
fn remove_borrow(cx: &mut FunctionContext<'_>, lexical: &LexicalValues, borrow: Inst) -> bool {
    let is_needed =
        cx.body().has_flag(borrow, "lexical") && !is_lexical(cx, lexical, cx.body().operand_value(borrow, 0));
    !is_needed && redundant_borrow::remove(cx, borrow)
}

/// Removes a move whose result is never used, since no path leaves the function. The operand is not ended either then.
fn remove_dead_move(cx: &mut FunctionContext<'_>, moved: Inst, keeps_variables: bool) -> bool {
    is_unused(cx, moved, keeps_variables) && remove_unused(cx, moved)
}

/// Removes a move of an owned value with the same lexicality, from which pointers escape only if they escape from the
/// result too. The move of a trivial value stands for a variable.
fn remove_move(cx: &mut FunctionContext<'_>, lexical: &LexicalValues, moved: Inst) -> bool {
    let Some(MoveValue { operand, lexical: is_scope, .. }) = cx.body().view_as(moved) else { return false };
    let Some(result) = cx.body().first_result(moved) else { return false };
    let has_pointer_escape = |value: Value| {
        let ownership = cx.ownership();
        Borrows::new(cx.body(), &ownership).has_pointer_escape(value)
    };
    let is_redundant = cx.ownership().value(operand) == Some(Ownership::Owned)
        && is_scope == is_lexical(cx, lexical, operand)
        && (!has_pointer_escape(operand) || has_pointer_escape(result));
    if !is_redundant || !cx.may_change() {
        return false;
    }
    cx.edit().replace(moved, operand);
    true
}

/// Returns true if a value has a lexical lifetime: that of what a borrowed one is borrowed from. A box has none of its own.
fn is_lexical(cx: &FunctionContext<'_>, lexical: &LexicalValues, value: Value) -> bool {
    let (body, ownership) = (cx.body(), cx.ownership());
    match ownership.value(value) {
        Some(Ownership::None) => false,
        Some(Ownership::Guaranteed) => {
            let introducers = Borrows::new(body, &ownership).introducers(value);
            !introducers.is_empty() && introducers.into_iter().all(|of| lexical.contains(body, of))
        }
        _ => lexical.contains(body, value),
    }
}

/// Returns true if a value has a pointer escape.
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
    let is_end = |&user: &Inst| body.inst(user).opcode == Opcode::DestroyValue;
    if !users.iter().all(is_end) || !cx.may_change() {
        return false;
    }
    let mut editor = cx.edit();
    users.into_iter().for_each(|user| editor.remove(user));
    editor.remove(copy);
    true
}

/// Joins an owned value with its copy if neither has a pointer escape, and the value can be forwarded instead of being
/// destroyed: in the block of the copy, or in that of the only use that ends the copy.
fn join(cx: &mut FunctionContext<'_>, lexical: &LexicalValues, copy: Inst) -> bool {
    let body = cx.body();
    let source = body.operand_value(copy, 0);
    let Some(copied) = body.first_result(copy) else { return false };
    if cx.ownership().value(source) != Some(Ownership::Owned) {
        return false;
    }
    let is_destroy_in = |user: Inst, block: Block| {
        body.inst(user).opcode == Opcode::DestroyValue && body.inst_block(user) == block
    };
    // Visiting many uses for each of several copies would be too expensive.
    if body.uses(source).nth(MOST_USES).is_some() || escapes(cx, source) || escapes(cx, copied) {
        return false;
    }
    let (block, end) = (body.inst_block(copy), single_end(cx, copied));
    let nearby = body.users(source).find(|&user| is_destroy_in(user, block));
    let only = || {
        let destroy = body.operand(single_end(cx, source)?).user;
        is_destroy_in(destroy, body.inst_block(body.operand(end?).user)).then_some(destroy)
    };
    let Some(destroy) = nearby.or_else(only) else { return false };
    // If there are several ends, they are on different paths from the block.
    let fits = end.is_none_or(|end| {
        !is_before(body, end, destroy)
            || may_end_at(cx, lexical, source, body.operand(end).user, destroy) && lasts(cx, end, destroy)
    });
    if !fits || !cx.may_change() {
        return false;
    }
    let mut editor = cx.edit();
    editor.remove(destroy);
    editor.replace(copy, source);
    true
}

/// Returns true if a use comes before an instruction in its block.
fn is_before(body: &Body, operand: Operand, inst: Inst) -> bool {
    let user = body.operand(operand).user;
    body.inst_block(user) == body.inst_block(inst) && body.inst_precedes(user, inst)
}

/// Returns true if a destroyed value may end at an earlier instruction of the block: it has no uses from there on, and a
/// lexical lifetime is not shortened across a deinit barrier.
fn may_end_at(
    cx: &FunctionContext<'_>,
    lexical: &LexicalValues,
    value: Value,
    end: Inst,
    destroy: Inst,
) -> bool {
    let body = cx.body();
    if is_used_between(cx, value, end, destroy) {
        return false;
    }
    let mut between = std::iter::successors(body.next_inst(end), |&inst| body.next_inst(inst))
        .take_while(|&inst| inst != destroy);
    !is_lexical(cx, lexical, value) || !between.any(|inst| cx.view().is_deinit_barrier(inst))
}

/// Returns true if a callee consumes the value, or if the value that a use forwards it to outlives an instruction
/// after the use.
fn lasts(cx: &FunctionContext<'_>, end: Operand, until: Inst) -> bool {
    let body = cx.body();
    let mut end = end;
    while is_before(body, end, until) {
        let user = body.operand(end).user;
        match body.inst(user).opcode {
            Opcode::MoveValue if body.has_flag(user, "lexical") => return false,
            Opcode::PartialApply => {}
            _ if body.info(user).apply.is_some() => return true,
            Opcode::DestructureStruct | Opcode::DestructureTuple => return false,
            _ if !body.is_forwarding(user) => return false,
            _ => {}
        }
        let [result] = body.results(user).collect::<Vec<_>>()[..] else { return false };
        match single_end(cx, result) {
            Some(next) => end = next,
            None => return true,
        }
    }
    true
}

/// Returns true if a value is used, or a scope that borrows it ends, from one instruction up to another one of the block.
fn is_used_between(cx: &FunctionContext<'_>, value: Value, first: Inst, last: Inst) -> bool {
    let (body, ownership) = (cx.body(), cx.ownership());
    let borrows = Borrows::new(body, &ownership);
    let is_between = |operand: Operand| {
        let user = body.operand(operand).user;
        body.inst_block(user) == body.inst_block(first)
            && !body.inst_precedes(user, first)
            && body.inst_precedes(user, last)
    };
    let ends_between = |operand: Operand| {
        let scope = borrows.scope_ends(operand);
        scope.escapes || scope.ends.into_iter().any(is_between)
    };
    body.uses(value)
        .any(|operand| is_between(operand) || borrows.begins_scope(operand) && ends_between(operand))
}

/// Returns the only use that ends the lifetime of a value.
fn single_end(cx: &FunctionContext<'_>, value: Value) -> Option<Operand> {
    let ownership = cx.ownership();
    let mut ends = cx
        .body()
        .uses(value)
        .filter(|&operand| ownership.operand(operand).is_some_and(OperandOwnership::ends_lifetime));
    let end = ends.next()?;
    ends.next().is_none().then_some(end)
}

/// Removes an instruction without side effects whose results are unused, or used by variables that are not kept.
fn remove_dead(cx: &mut FunctionContext<'_>, inst: Inst, keeps_variables: bool) -> bool {
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
    let is_dead = is_plain
        && is_unused(cx, inst, keeps_variables)
        && (reads || !cx.behavior().may_have_side_effects(inst))
        && !consumes(cx, inst);
    is_dead && remove_unused(cx, inst)
}

/// Returns true if the results of an instruction are unused, or used by variables that are not kept.
fn is_unused(cx: &FunctionContext<'_>, inst: Inst, keeps_variables: bool) -> bool {
    let body = cx.body();
    let is_user = |user: Inst| keeps_variables || body.inst(user).opcode != Opcode::DebugValue;
    !body.results(inst).any(|value| body.users(value).any(is_user))
}

/// Removes an instruction with the variables that use its results.
fn remove_unused(cx: &mut FunctionContext<'_>, inst: Inst) -> bool {
    if !cx.may_change() {
        return false;
    }
    let users: Vec<Inst> = cx.body().results(inst).flat_map(|value| cx.body().users(value)).collect();
    let mut editor = cx.edit();
    users.into_iter().for_each(|user| editor.remove(user));
    editor.remove(inst);
    true
}

/// Returns true if an instruction consumes an owned value.
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

    /// Returns the simplified body of a function with an owned and a guaranteed `C` and a number, without its end.
    fn left(insts: &str) -> String {
        left_with(&[], insts)
    }

    fn left_with(options: &[&str], insts: &str) -> String {
        let text = changed(
            "mandatory-arc-opts",
            options,
            &format!(
                "sil_stage canonical\nimport Builtin\nimport Swift\nclass C {{}}\nstruct S {{ var c: C }}\n\
                 sil @take : $@convention(thin) (@owned C) -> ()\n\
                 sil @lend : $@convention(thin) (@guaranteed C) -> ()\n\
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
        assert_eq!(left("%4 = copy_value %1\ndestroy_value %4\ndestroy_value %0"), "destroy_value %0");
        let variable =
            "%4 = copy_value %1\ndebug_value %4, let, name \"x\"\ndestroy_value %4\ndestroy_value %0";
        assert_eq!(left(variable), variable);
    }

    #[test]
    fn values_live_on_as_their_copies() {
        let text = left(&format!(
            "{TAKE}%5 = copy_value %0\ndestroy_value %0\n%7 = apply %f(%5) : $@convention(thin) (@owned C) -> ()"
        ));
        assert!(text.contains("(%0)") && !text.contains("copy_value"), "{text}");
    }

    /// Returns true if a value is joined with its copy `%7`, given a use of the copy and the instructions between.
    fn joins(source: &str, use_of_copy: &str, between: &str, after: &str) -> bool {
        let text = left(&format!(
            "{TAKE}%s = alloc_stack $S\n{source}\nfix_lifetime %5\n%7 = copy_value %5\n{use_of_copy}\n{between}\n\
             destroy_value %5\n{after}\ndealloc_stack %s\ndestroy_value %0"
        ));
        text.matches("copy_value").count() == [source, between].concat().matches("copy_value").count()
    }

    const COPY: &str = "%5 = copy_value %1";
    const LEXICAL: &str = "%4 = copy_value %1\n%5 = move_value [lexical] %4";
    const CALL: &str = "%8 = apply %f(%7) : $@convention(thin) (@owned C) -> ()";
    const BARRIER: &str = "%b = copy_value %1\n%c = apply %f(%b) : $@convention(thin) (@owned C) -> ()";

    #[test]
    fn values_end_earlier_where_callees_take_copies() {
        assert!(joins(COPY, CALL, "", ""));
        assert!(joins(LEXICAL, CALL, "", ""));
        for between in [
            "fix_lifetime %5",
            "debug_value %5, let, name \"x\"",
            "%9 = begin_borrow [lexical] %5\nend_borrow %9",
        ] {
            assert!(!joins(COPY, CALL, between, ""), "{between}");
        }
    }

    #[test]
    fn values_end_earlier_where_parts_of_others_last() {
        let parts = "%8 = struct $S (%7)\n%9 = enum $Optional<S>, #Optional.some!enumelt, %8";
        assert!(joins(COPY, parts, "", "destroy_value %9"));
        assert!(joins(COPY, parts, "", "br bb1\nbb1:\ndestroy_value %9"));
        assert!(!joins(COPY, parts, "destroy_value %9", ""));
        let stored = "%8 = struct $S (%7)\nstore %8 to [init] %s";
        assert!(!joins(COPY, stored, "", "destroy_addr %s"));
        let closure = "%p = function_ref @lend : $@convention(thin) (@guaranteed C) -> ()\n\
                       %8 = partial_apply [callee_guaranteed] %p(%7) : $@convention(thin) (@guaranteed C) -> ()";
        assert!(joins(COPY, closure, "", "destroy_value %8"));
        assert!(!joins(COPY, closure, "destroy_value %8", ""));
        let unpacked = "%8 = struct $S (%7)\n%9 = destructure_struct %8";
        assert!(!joins(COPY, unpacked, "", "destroy_value %9"));
        assert!(!joins(COPY, "%8 = move_value [lexical] %7", "", "fix_lifetime %8\ndestroy_value %8"));
    }

    #[test]
    fn values_are_joined_after_their_borrows_are_removed() {
        let borrowed = format!("{COPY}\n%o = begin_borrow %5\nfix_lifetime %o");
        assert!(joins(&borrowed, CALL, "end_borrow %o", ""));
    }

    #[test]
    fn lexical_values_do_not_end_before_barriers() {
        let part = "%8 = struct $S (%7)";
        assert!(joins(LEXICAL, part, "", "destroy_value %8"));
        assert!(!joins(LEXICAL, part, BARRIER, "destroy_value %8"));
        assert!(joins(COPY, part, "fix_lifetime %1", "destroy_value %8"));
    }

    #[test]
    fn values_to_which_pointers_are_left_do_not_end_earlier() {
        let escaping = format!("{COPY}\n%u = ref_to_unmanaged %5 to $@sil_unmanaged C");
        assert!(!joins(&escaping, "%8 = struct $S (%7)", "", "destroy_value %8"));
        let escaping = format!("%u = ref_to_unmanaged %7 to $@sil_unmanaged C\n{CALL}");
        assert!(!joins(COPY, &escaping, "", ""));
        assert!(!joins(COPY, "%u = ref_to_unmanaged %7 to $@sil_unmanaged C", "", "destroy_value %7"));
        assert!(joins(COPY, "fix_lifetime %7", "", "destroy_value %7"));
    }

    #[test]
    fn lexical_borrows_of_lexical_values_go() {
        let text = left("%4 = begin_borrow [lexical] %0\nfix_lifetime %4\nend_borrow %4\ndestroy_value %0");
        assert_eq!(text, "fix_lifetime %0\ndestroy_value %0");
        let text = left(
            "%4 = copy_value %1\n%5 = begin_borrow [lexical] %4\nfix_lifetime %5\nend_borrow %5\ndestroy_value %4\n\
             destroy_value %0",
        );
        assert!(text.contains("begin_borrow [lexical]"), "{text}");
    }

    #[test]
    fn phis_of_a_changed_function_name_what_they_borrow_from() {
        let phi =
            "%4 = begin_borrow %0\nbr bb1(%4)\nbb1(%5 : @reborrow $C):\nend_borrow %5\ndestroy_value %0";
        assert!(!left(phi).contains("borrowed"));
        let text = left(&format!("%6 = copy_value %1\ndestroy_value %6\n{phi}"));
        assert!(text.contains("%7 = borrowed %6 from (%0)\nend_borrow %7"), "{text}");
    }

    #[test]
    fn loads_that_nothing_uses_go() {
        assert_eq!(left("%4 = load [trivial] %2\ndestroy_value %0"), "destroy_value %0");
    }

    const VARIABLE: &str = "%4 = load [trivial] %2\ndebug_value %4, let, name \"x\"\ndestroy_value %0";

    #[test]
    fn variables_are_kept() {
        let kept = |insts| left_with(&["opt-mode=none"], insts);
        assert_eq!(kept(VARIABLE), VARIABLE);
        assert_eq!(left(VARIABLE), "destroy_value %0");
        let part = "%4 = begin_borrow %3\n%5 = struct_extract %4, #S.c\ndebug_value %5, let, name \"x\"\n\
                    end_borrow %4\ndestroy_value %0";
        assert!(kept(part).contains("debug_value"));
    }
}
