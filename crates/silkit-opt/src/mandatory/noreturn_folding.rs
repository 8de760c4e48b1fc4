//! `noreturn-folding`: ends blocks after calls that never return, and warns about source code after them.
//!
//! ```text
//! sil @exit : $@convention(thin) () -> Never
//! sil [ossa] @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = function_ref @exit : $@convention(thin) () -> Never
//!   %1 = apply %0() : $@convention(thin) () -> Never
//!   ignored_use %1
//!   %3 = tuple ()
//!   return %3
//! }
//! ---
//! sil @exit : $@convention(thin) () -> Never
//! sil [ossa] @f : $@convention(thin) () -> () {
//! bb0:
//!   %0 = function_ref @exit : $@convention(thin) () -> Never
//!   %1 = apply %0() : $@convention(thin) () -> Never
//!   unreachable
//! }
//! ```

use silkit_analysis::BodyView;
use silkit_analysis::calls::never_returns;
use silkit_ir::instructions::{Builtin, TryApply};
use silkit_ir::{Block, Body, Inst, Opcode, ValueDef};
use silkit_pass::FunctionContext;
use silkit_pass::{Pass, ProblemLocation, Severity};
use silkit_transform::{delete, unreachable};

pub(super) const PASS: Pass<'static> = Pass::function(
    "noreturn-folding",
    "Replaces the code after calls that never return by `unreachable`",
    &run,
)
.mandatory();

/// A call that does not return, and the first instruction after it.
struct NoReturnPoint {
    call: Inst,
    first: Inst,
}

fn run(cx: &mut FunctionContext<'_>) {
    let mut has_changed = false;
    for block in cx.body().blocks().collect::<Vec<_>>() {
        let Some(NoReturnPoint { call, first }) = cut(&cx.view(), block) else { continue };
        let written = rest_of_block(cx.body(), first).find(|&inst| is_written(cx.body(), call, inst));
        if let Some(written) = written {
            let note = ProblemLocation::of(cx.body(), call);
            let problem = cx.problem(Severity::Warning, Some(written), "will never be executed");
            cx.diagnose(problem.note(note, "a call to a never-returning function"));
        }
        // The block already ends here, which the reference treats as unchanged.
        if cx.body().inst(first).opcode == Opcode::Unreachable || !cx.may_change() {
            continue;
        }
        has_changed = true;
        end_block(cx, call, first);
        cx.count("blocks terminated", 1);
    }
    if has_changed {
        let count = unreachable::remove_unreachable_blocks(cx.body_mut());
        cx.count("blocks removed", count as u64);
    }
}

/// Ends a block with `unreachable` before an instruction, and deletes the operands of the removed instructions that
/// become dead. If the call is of the builtin `unreachable`, it is removed as well.
fn end_block(cx: &mut FunctionContext<'_>, call: Inst, first: Inst) {
    let body = cx.body();
    let is_unreachable = body.view_as::<Builtin<'_>>(call).is_some_and(|b| b.name == "unreachable");
    let to_remove = rest_of_block(body, first).chain(is_unreachable.then_some(call));
    let mut work: Vec<Inst> = to_remove.flat_map(|inst| operands(body, inst)).collect();
    let (body, declarations) = cx.body_mut_with_declarations();
    unreachable::end_block_before(body, declarations, first);
    if is_unreachable {
        unreachable::remove_used(body, call);
    }
    while let Some(inst) = work.pop() {
        if !cx.body().is_removed(inst) && delete::is_without_effect(&cx.view(), inst) {
            work.extend(operands(cx.body(), inst));
            delete::with_debug_uses(cx, inst);
        }
    }
}

/// Returns the instructions that define the operands of an instruction.
fn operands(body: &Body, inst: Inst) -> impl Iterator<Item = Inst> + '_ {
    body.operands(inst).iter().filter_map(|operand| body.defining_inst(operand.value))
}

/// Returns the point at which a block effectively ends: after a call that does not return, or at its start if it is
/// only reached through such calls.
fn cut(view: &BodyView<'_>, block: Block) -> Option<NoReturnPoint> {
    let body = view.body;
    if let Some(call) = call_before(view, block) {
        return Some(NoReturnPoint { call, first: body.first_inst(block)? });
    }
    let call =
        body.block_insts(block).find(|&inst| !body.is_terminator(inst) && never_returns(view, inst))?;
    Some(NoReturnPoint { call, first: body.next_inst(call)? })
}

/// Returns a `try_apply` that never continues in a block, if it is the only predecessor.
fn call_before(view: &BodyView<'_>, block: Block) -> Option<Inst> {
    let body = view.body;
    let goes_nowhere = |from: Block| {
        let call = body.terminator(from)?;
        let normal = body.view_as::<TryApply<'_>>(call)?.normal;
        (normal == block && never_returns(view, call)).then_some(call)
    };
    let mut calls = body.predecessors(block).map(goes_nowhere);
    let first = calls.next()??;
    calls.all(|call| call.is_some()).then_some(first)
}

/// Returns an instruction and the following instructions of its block.
fn rest_of_block(body: &Body, first: Inst) -> impl Iterator<Item = Inst> + '_ {
    std::iter::successors(Some(first), |&inst| body.next_inst(inst))
}

/// Returns true if an instruction comes from source code that is not meant to follow the call.
fn is_written(body: &Body, call: Inst, inst: Inst) -> bool {
    let is_auto =
        body.loc(body.inst(inst).loc).and_then(|loc| loc.source).is_some_and(|source| source.is_auto);
    if is_auto {
        return false;
    }
    match body.inst(inst).opcode {
        Opcode::Branch | Opcode::Unreachable | Opcode::EndBorrow => false,
        Opcode::IgnoredUse => match body.def(body.operand_value(inst, 0)) {
            ValueDef::Result(of, _) => of != call,
            ValueDef::Argument(block, _) => {
                !body.predecessors(block).any(|from| body.terminator(from) == Some(call))
            }
            ValueDef::Undef | ValueDef::Pending => true,
        },
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::PASSES;
    use silkit_pass::{Runner, Severity};

    /// Returns the messages of the pass, and the resulting code.
    fn messages_and_code(insts: &str) -> (Vec<String>, String) {
        let text = format!(
            "sil_stage raw\nimport Builtin\nimport Swift\nenum Empty {{}}\n\
             sil @exit : $@convention(thin) () -> Never\n\
             sil @empty : $@convention(thin) () -> (Builtin.Int1, Empty)\n\
             sil @make : $@convention(thin) <T> () -> @out T\n\
             sil @throw : $@convention(thin) () -> (Never, @error any Error)\n\
             sil [ossa] @f : $@convention(thin) () -> () {{\nbb0:\n{insts}\n}}\n"
        );
        let mut parsed = silkit_text::parse_module(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        let declarations = silkit_text::decl::declarations(&parsed.module);
        let pass = PASSES.find("noreturn-folding").expect("the pass");
        let outcome = Runner::new().run(&mut parsed.module, &declarations, &[pass.into()]);
        assert!(outcome.problems.iter().all(|p| p.severity == Severity::Warning && p.notes.len() == 1));
        let messages = outcome.problems.into_iter().map(|p| p.message).collect();
        let code = silkit_pass::testing::code(&parsed.module);
        (messages, code[code.find("bb0:").expect("a body")..].to_owned())
    }

    const EXIT: &str = "%0 = function_ref @exit : $@convention(thin) () -> Never\n\
                        %1 = apply %0() : $@convention(thin) () -> Never\n";

    #[test]
    fn following_code_is_reported_once() {
        let (messages, code) = messages_and_code(&format!("{EXIT}%2 = tuple ()\n%3 = tuple ()\nreturn %2"));
        assert_eq!(messages, ["will never be executed"]);
        assert!(code.ends_with("apply %0() : $@convention(thin) () -> Never\n  unreachable\n}\n"), "{code}");
    }

    #[test]
    fn operands_of_removed_code_become_dead() {
        let after = |before: &str, after: &str| {
            let exit = "%e = function_ref @exit : $@convention(thin) () -> Never\n\
                        %n = apply %e() : $@convention(thin) () -> Never";
            messages_and_code(&format!("{before}\n{exit}\n{after}\n%r = tuple ()\nreturn %r")).1
        };
        let code = after(
            "%0 = alloc_stack $Builtin.Int1\n%1 = integer_literal $Builtin.Int1, 0\n%2 = tuple (%1, %1)",
            "fix_lifetime %2\ndealloc_stack %0",
        );
        assert!(!code.contains("alloc_stack") && !code.contains("tuple"), "{code}");
        // Values that they consumed are not destroyed.
        let object = "%0 = alloc_box ${ var Builtin.Int1 }\n%1 = move_value [lexical] %0\n\
                      debug_value %1, let, name \"x\"";
        let code = after(object, "destroy_value %1");
        assert!(!code.contains("alloc_box") && !code.contains("debug_value"), "{code}");
        let code =
            after("%0 = alloc_stack $Builtin.Int1\n%1 = mark_uninitialized [var] %0", "dealloc_stack %0");
        assert!(code.contains("alloc_stack"), "{code}");
    }

    #[test]
    fn required_code_is_not_reported() {
        let (messages, code) = messages_and_code(&format!("{EXIT}ignored_use %1\nunreachable"));
        assert!(messages.is_empty() && !code.contains("ignored_use"), "{messages:?} {code}");
        let (messages, code) = messages_and_code(&format!("{EXIT}br bb1\nbb1:\nbr bb1"));
        assert!(messages.is_empty() && !code.contains("bb1"), "{messages:?} {code}");
        let (messages, _) =
            messages_and_code(&format!("{EXIT}%2 = tuple (), loc * \"a.swift\":1:1\nunreachable"));
        assert!(messages.is_empty(), "{messages:?}");
    }

    #[test]
    fn types_without_values_are_not_returned() {
        let empty = "%0 = function_ref @empty : $@convention(thin) () -> (Builtin.Int1, Empty)\n\
                     %1 = apply %0() : $@convention(thin) () -> (Builtin.Int1, Empty)\n";
        assert_eq!(messages_and_code(&format!("{empty}%2 = tuple ()\nreturn %2")).0.len(), 1);
        let generic = "%0 = alloc_stack $Never\n\
                       %1 = function_ref @make : $@convention(thin) <T> () -> @out T\n\
                       %2 = apply %1<Never>(%0) : $@convention(thin) <T> () -> @out T\n";
        assert_eq!(
            messages_and_code(&format!("{generic}dealloc_stack %0\n%4 = tuple ()\nreturn %4")).0.len(),
            1
        );
    }

    #[test]
    fn a_call_that_only_throws_ends_its_normal_block() {
        let (messages, code) = messages_and_code(
            "%0 = function_ref @throw : $@convention(thin) () -> (Never, @error any Error)\n\
             try_apply %0() : $@convention(thin) () -> (Never, @error any Error), normal bb1, error bb2\n\
             bb1(%2 : $Never):\nignored_use %2\n%4 = tuple ()\nbr bb3\n\
             bb2(%6 : @owned $any Error):\ndestroy_value %6\nbr bb3\nbb3:\n%9 = tuple ()\nreturn %9",
        );
        assert_eq!(messages.len(), 1);
        assert!(code.contains("bb1(%2 : $Never):\n  unreachable\n"), "{code}");
        assert!(code.contains("return"), "{code}");
    }

    #[test]
    fn builtins_that_stop_the_program_end_blocks() {
        let (_, code) = messages_and_code("%0 = builtin \"int_trap\"() : $Never\n%1 = tuple ()\nreturn %1");
        assert!(code.contains("int_trap\"() : $Never\n  unreachable"), "{code}");
        let (_, code) =
            messages_and_code("%0 = builtin \"conditionallyUnreachable\"() : $()\n%1 = tuple ()\nreturn %1");
        assert!(code.contains("conditionallyUnreachable\"() : $()\n  unreachable"), "{code}");
        let (_, code) =
            messages_and_code("%0 = builtin \"unreachable\"() : $Never\n%1 = tuple ()\nreturn %1");
        assert_eq!(code, "bb0:\n  unreachable\n}\n");
    }
}
