//! `sil-onone-debuginfo-canonicalizer`: repeats dominating debug values of moveable variables at coroutine split
//! points.
//!
//! ```text
//! sil @f : $@convention(thin) @async (Builtin.Int64, Builtin.Executor) -> () {
//! bb0(%0 : $Builtin.Int64, %1 : $Builtin.Executor):
//!   debug_value [moveable_value_debuginfo] %0, let, name "x"
//!   hop_to_executor %1
//!   %4 = tuple ()
//!   return %4
//! }
//! ---
//! sil @f : $@convention(thin) @async (Builtin.Int64, Builtin.Executor) -> () {
//! bb0(%0 : $Builtin.Int64, %1 : $Builtin.Executor):
//!   debug_value [moveable_value_debuginfo] %0, let, name "x"
//!   hop_to_executor %1
//!   debug_value [moveable_value_debuginfo] %0, let, name "x"
//!   %5 = tuple ()
//!   return %5
//! }
//! ```
//!
//! The cost is that of the body and of what is said.

use super::moveable_variables::{Variables, is_boundary, points_behind, say_again};
use silkit_analysis::Dominators;
use silkit_base::FxHashMap;
use silkit_ir::{Block, Inst, Point};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> = Pass::function(
    "sil-onone-debuginfo-canonicalizer",
    "Repeats debug values of moveable variables at coroutine split points",
    &run,
)
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let variables = Variables::of(&cx.view());
    if variables.count() == 0 {
        return;
    }
    for (said, point) in repetitions(cx, &variables) {
        if !cx.may_change() {
            return;
        }
        say_again(cx, said, point, true);
        cx.count("variables said again", 1);
    }
}

/// Returns what is to be said again, and where.
fn repetitions(cx: &FunctionContext<'_>, variables: &Variables) -> Vec<(Inst, Point)> {
    let body = cx.body();
    let dominators = cx.get::<Dominators>();
    let dominators = dominators.of(body);
    // What was said at the end of each block of which others are known to be dominated: in the order of first words.
    let mut at_end: FxHashMap<Block, Vec<(usize, Inst)>> = FxHashMap::default();
    let mut found = Vec::new();
    for block in body.reverse_postorder() {
        let before = dominators.immediate(block).and_then(|dominator| at_end.get(&dominator));
        let mut said = before.cloned().unwrap_or_default();
        for inst in body.block_insts(block) {
            if let Some(variable) = variables.said_by(inst) {
                match said.iter_mut().find(|(known, _)| *known == variable) {
                    Some((_, place)) => *place = inst,
                    None => said.push((variable, inst)),
                }
            }
            if is_boundary(body, inst) {
                let points = points_behind(body, inst);
                found.extend(points.iter().flat_map(|&p| said.iter().map(move |&(_, inst)| (inst, p))));
            }
        }
        at_end.insert(block, said);
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the lines of a body that begin with `debug_value` or end a block.
    fn said(insts: &str) -> String {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nimport Swift\n\
             sil @f : $@convention(thin) @async (Builtin.Int64, Builtin.Int1, Builtin.Executor) -> () {{\n\
             bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int1, %2 : $Builtin.Executor):\n{insts}\n}}\n"
        );
        let text = changed("sil-onone-debuginfo-canonicalizer", &[], &text);
        text[text.find("bb0(").expect("a body")..].to_owned()
    }

    const X: &str = "debug_value [moveable_value_debuginfo] %0, let, (name \"x\", loc \"a.swift\":1:1)\n";
    const HOP: &str = "hop_to_executor %2\n";
    const END: &str = "%r = tuple ()\nreturn %r";

    #[test]
    fn the_last_word_of_dominating_code_counts() {
        let lost = "debug_value [moveable_value_debuginfo] undef : $Builtin.Int64, let, (name \"x\", loc \"a.swift\":1:1)\n";
        let text = said(&format!("{X}br bb1\nbb1:\n{lost}{HOP}{END}"));
        assert_eq!(text.matches("undef").count(), 2, "{text}");
        assert_eq!(text.matches("debug_value").count(), 3, "{text}");
    }

    #[test]
    fn what_only_some_paths_say_is_not_repeated() {
        let text = said(&format!("cond_br %1, bb1, bb2\nbb1:\n{X}br bb3\nbb2:\nbr bb3\nbb3:\n{HOP}{END}"));
        assert_eq!(text.matches("debug_value").count(), 1, "{text}");
    }

    #[test]
    fn memory_and_other_variables() {
        let text = said(&format!(
            "%3 = alloc_stack [moveable_value_debuginfo] $Builtin.Int64, var, name \"y\"\n\
             debug_value %0, let, name \"z\"\n{HOP}dealloc_stack %3\n{END}"
        ));
        assert!(text.contains("debug_value [moveable_value_debuginfo] %3, var, name \"y\""), "{text}");
        assert_eq!(text.matches("name \"z\"").count(), 1, "{text}");
    }
}
