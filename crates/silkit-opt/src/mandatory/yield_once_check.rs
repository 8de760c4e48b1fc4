//! `yield-once-check`: reports coroutines that do not yield exactly once on each path to a `return`.
//!
//! ```text
//! sil @f : $@yield_once @convention(thin) (Builtin.Int64, Builtin.Int1) -> @yields Builtin.Int64 {
//! bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int1):
//!   cond_br %1, bb1, bb3                 // note: missing yield when the condition is false
//! bb1:
//!   yield %0, resume bb2, unwind bb5
//! bb2:
//!   br bb4
//! bb3:
//!   br bb4
//! bb4:
//!   %6 = tuple ()
//!   return %6                            // error: accessor must yield on all paths before returning
//! bb5:
//!   unwind
//! }
//! ```
//!
//! The pass does not change the code.

use silkit_analysis::Dominators;
use silkit_base::FxHashMap;
use silkit_ir::instructions::{AnyInst, SwitchEnum};
use silkit_ir::{Block, Body, Inst};
use silkit_pass::{FunctionContext, Pass, ProblemLocation, Severity};
use silkit_types::FnFlags;

pub(super) const PASS: Pass<'static> =
    Pass::function("yield-once-check", "Reports coroutines that do not yield exactly once", &run).mandatory();

/// The yields on the paths to a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No path yields.
    Before,
    /// All paths yield; the instruction is one of the yields.
    After(Inst),
    /// Some paths yield.
    Conflict(Inst),
}

impl State {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Before, Self::Before) => Self::Before,
            (Self::After(inst), Self::After(_)) => Self::After(inst),
            (Self::Before, Self::After(inst) | Self::Conflict(inst)) => Self::Conflict(inst),
            (Self::After(inst) | Self::Conflict(inst), _) => Self::Conflict(inst),
        }
    }
}

fn run(cx: &mut FunctionContext<'_>) {
    let ty = cx.function().ty.ty().as_function();
    if !ty.is_some_and(|ty| ty.flags.intersects(FnFlags::YIELD_ONCE | FnFlags::YIELD_ONCE_2)) {
        return;
    }
    let states = states(cx.body());
    let order = cx.body().reverse_postorder();
    for block in order {
        let (Some(&state), Some(end)) = (states.get(&block), cx.body().terminator(block)) else { continue };
        let is_yield = matches!(cx.body().view(end), AnyInst::Yield(_));
        let is_return = matches!(cx.body().view(end), AnyInst::Return(_));
        let problem = |cx: &FunctionContext<'_>, message| cx.problem(Severity::Error, Some(end), message);
        let found = match state {
            State::After(previous) | State::Conflict(previous) if is_yield => {
                let problem = problem(cx, "accessor must not yield more than once");
                problem.note(ProblemLocation::of(cx.body(), previous), "previous yield was here")
            }
            State::Before if is_return => problem(cx, "accessor must yield before returning"),
            State::Conflict(_) if is_return => {
                let problem = problem(cx, "accessor must yield on all paths before returning");
                match missing(cx, &states, block) {
                    Some((inst, message)) => problem.note(ProblemLocation::of(cx.body(), inst), message),
                    None => problem,
                }
            }
            _ => continue,
        };
        return cx.diagnose(found);
    }
}

/// Returns the state at the start of each reachable block.
fn states(body: &Body) -> FxHashMap<Block, State> {
    let mut states: FxHashMap<Block, State> = FxHashMap::default();
    let mut work: Vec<Block> = body.entry_block().into_iter().collect();
    work.iter().for_each(|&entry| _ = states.insert(entry, State::Before));
    // The state of a block changes at most twice.
    while let Some(block) = work.pop() {
        let end = body.terminator(block);
        for next in body.block_successors(block) {
            let after = at_end(body, &states, block, end);
            let joined = states.get(&next).map_or(after, |&known| known.join(after));
            if states.insert(next, joined) != Some(joined) {
                work.push(next);
            }
        }
    }
    states
}

fn at_end(body: &Body, states: &FxHashMap<Block, State>, block: Block, end: Option<Inst>) -> State {
    match end.filter(|&end| matches!(body.view(end), AnyInst::Yield(_))) {
        Some(end) => State::After(end),
        None => states.get(&block).copied().unwrap_or(State::Before),
    }
}

/// Returns the instruction at which the paths to a block diverge, and the branch that does not yield.
fn missing(
    cx: &FunctionContext<'_>,
    states: &FxHashMap<Block, State>,
    block: Block,
) -> Option<(Inst, String)> {
    let body = cx.body();
    let end = |block: Block| at_end(body, states, block, body.terminator(block));
    // The first join of paths that disagree.
    let mut join = block;
    for _ in 0..body.block_bound() {
        match body.predecessors(join).find(|&from| matches!(end(from), State::Conflict(_))) {
            Some(from) => join = from,
            None => break,
        }
    }
    let without = body.predecessors(join).find(|&from| end(from) == State::Before)?;
    let with = body.predecessors(join).find(|&from| matches!(end(from), State::After(_)))?;
    let dominators = cx.get::<Dominators>();
    let dominators = dominators.of(body);
    let mut fork = without;
    while !dominators.dominates(fork, with) {
        fork = dominators.immediate(fork)?;
    }
    let terminator = body.terminator(fork)?;
    let leads_there = |to: Block| to == join && fork == without || dominators.dominates(to, without);
    match body.view(terminator) {
        AnyInst::CondBranch(branch) => {
            let condition = !leads_there(branch.false_target);
            Some((terminator, format!("missing yield when the condition is {condition}")))
        }
        AnyInst::TryApply(call) => {
            let not = if leads_there(call.error) { "" } else { "not " };
            Some((terminator, format!("missing yield when error is {not}thrown")))
        }
        AnyInst::SwitchEnum(switch) => {
            let case = body.successors(terminator).find(|&to| leads_there(to))?;
            Some((body.first_inst(case)?, format!("missing yield in {} case", name(cx, switch, case))))
        }
        _ => None,
    }
}

/// Returns the name of the `switch_enum` case that leads to a block.
fn name(cx: &FunctionContext<'_>, switch: SwitchEnum<'_>, block: Block) -> &'static str {
    let ty = cx.body().value(switch.operand).ty.ty();
    let is_optional = cx.declarations().path_of(ty).is_some_and(|path| path == "Optional");
    let case = switch.cases.iter().find(|&(_, to)| to == block).and_then(|(case, _)| case.name());
    match case.map(|case| case.as_str()).filter(|_| is_optional) {
        Some("none") => "the nil",
        Some("some") => "the non-nil",
        _ => "this",
    }
}

#[cfg(test)]
mod tests {
    use crate::PASSES;
    use silkit_pass::Runner;

    /// Returns the messages for a coroutine with a number and a condition: errors, and notes after dashes.
    fn messages(body: &str) -> Vec<String> {
        let text = format!(
            "sil_stage raw\nimport Builtin\nimport Swift\nsil @g : $@convention(thin) () -> @error any Error\n\
             sil @f : $@yield_once @convention(thin) (Builtin.Int64, Builtin.Int1, Optional<Int>) -> \
             @yields Builtin.Int64 {{\nbb0(%0 : $Builtin.Int64, %1 : $Builtin.Int1, %2 : $Optional<Int>):\n{body}\n}}\n"
        );
        let mut module = silkit_text::parse_module(&text).module;
        let declarations = silkit_text::decl::declarations(&module);
        let pass = PASSES.find("yield-once-check").expect("the pass");
        let outcome = Runner::new().run(&mut module, &declarations, &[pass.into()]);
        let notes = |problem: &silkit_pass::Problem| -> Vec<String> {
            let notes = problem.notes.iter().map(|(_, note)| format!("- {note}"));
            std::iter::once(problem.message.clone()).chain(notes).collect()
        };
        outcome.problems.iter().flat_map(notes).collect()
    }

    const YIELD: &str = "yield %0, resume bb2, unwind bb9\nbb9:\nunwind\nbb2:\n";
    const RETURN: &str = "%r = tuple ()\nreturn %r";
    const SOME_PATHS: &str = "accessor must yield on all paths before returning";

    #[test]
    fn one_yield_is_right() {
        assert!(messages(&format!("{YIELD}{RETURN}")).is_empty());
    }

    #[test]
    fn none_is_an_error() {
        assert_eq!(messages(RETURN), ["accessor must yield before returning"]);
    }

    #[test]
    fn another_one_is_an_error() {
        let error = ["accessor must not yield more than once", "- previous yield was here"];
        let twice = "yield %0, resume bb3, unwind bb8\nbb8:\nunwind\nbb3:\n";
        assert_eq!(messages(&format!("{YIELD}{twice}{RETURN}")), error);
        assert_eq!(
            messages(&format!("br bb1\nbb1:\n{YIELD}cond_br %1, bb3, bb4\nbb3:\nbr bb1\nbb4:\n{RETURN}")),
            error
        );
    }

    #[test]
    fn the_fork_is_named() {
        let forked = |fork: &str, first: &str, second: &str| {
            messages(&format!("{fork}\n{first}\n{YIELD}br bb5\n{second}\nbr bb5\nbb5:\n{RETURN}"))
        };
        let fork = forked("cond_br %1, bb1, bb3", "bb1:", "bb3:");
        assert_eq!(fork, [SOME_PATHS, "- missing yield when the condition is false"]);
        let fork = forked("cond_br %1, bb3, bb1", "bb1:", "bb3:");
        assert_eq!(fork, [SOME_PATHS, "- missing yield when the condition is true"]);
        let switch = |yielding: &str| {
            let (some, none) = if yielding == "some" { ("bb1", "bb3") } else { ("bb3", "bb1") };
            let switch = format!(
                "switch_enum %2, case #Optional.some!enumelt: {some}, case #Optional.none!enumelt: {none}"
            );
            let block =
                |name: &str| if name == some { format!("{name}(%x : $Int):") } else { format!("{name}:") };
            forked(&switch, &block("bb1"), &block("bb3"))
        };
        assert_eq!(switch("some"), [SOME_PATHS, "- missing yield in the nil case"]);
        assert_eq!(switch("none"), [SOME_PATHS, "- missing yield in the non-nil case"]);
        let call = "%c = function_ref @g : $@convention(thin) () -> @error any Error\n\
            try_apply %c() : $@convention(thin) () -> @error any Error, normal bb1, error bb3";
        let fork = forked(call, "bb1(%n : $()):", "bb3(%e : $any Error):");
        assert_eq!(fork, [SOME_PATHS, "- missing yield when error is thrown"]);
    }

    #[test]
    fn the_first_join_of_different_paths_counts() {
        let nested = format!(
            "cond_br %1, bb1, bb3\nbb1:\ncond_br %1, bb4, bb6\nbb4:\n{YIELD}br bb5\nbb6:\nbr bb5\nbb5:\nbr bb7\n\
             bb3:\nbr bb7\nbb7:\n{RETURN}"
        );
        assert_eq!(messages(&nested), [SOME_PATHS, "- missing yield when the condition is false"]);
    }
}
