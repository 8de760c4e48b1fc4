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
//! The time is proportional to the number of blocks times the number of moveable variables, which is small; a body
//! without split points is scanned once.

use super::moveable_variables::{Variable, Variables, is_boundary, points_after, repeat_description};
use silkit_analysis::Dominators;
use silkit_base::FxHashMap;
use silkit_ir::{Block, Inst, Point};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> = Pass::function(
    "sil-onone-debuginfo-canonicalizer",
    "Repeats the debug values of movable variables after coroutine split points",
    &run,
)
.mandatory();

fn run(cx: &mut FunctionContext<'_>) {
    let variables = Variables::of(&cx.view());
    if variables.count() == 0 || !cx.body().insts().any(|inst| is_boundary(cx.body(), inst)) {
        return;
    }
    for (description, point) in repetitions(cx, &variables) {
        if !cx.may_change() {
            return;
        }
        repeat_description(cx, description, point, true);
        cx.count("debug values repeated", 1);
    }
}

/// Returns the descriptions to repeat, with the insertion points.
fn repetitions(cx: &FunctionContext<'_>, variables: &Variables) -> Vec<(Inst, Point)> {
    let body = cx.body();
    let dominators = cx.get::<Dominators>();
    let dominators = dominators.of(body);
    // The descriptions at the end of a block, and those that calls in other blocks repeat at its start.
    let mut at_end: FxHashMap<Block, Descriptions> = FxHashMap::default();
    let mut at_start: FxHashMap<Block, Descriptions> = FxHashMap::default();
    let mut found = Vec::new();
    for block in body.reverse_postorder() {
        let before = dominators.immediate(block).and_then(|dominator| at_end.get(&dominator));
        let before = before.cloned().unwrap_or_default();
        let mut current = at_start.remove(&block).unwrap_or_default();
        for inst in body.block_insts(block) {
            if let Some(variable) = variables.described_by(inst) {
                current.set(variable, inst);
            }
            if is_boundary(body, inst) {
                let all = current.followed_by(&before);
                for point in points_after(body, inst) {
                    found.extend(all.0.iter().map(|&(_, inst)| (inst, point)));
                    // Each is inserted before the previous ones.
                    let repeated = all.0.iter().rev();
                    let next = match point {
                        Point::Start(block) => at_start.entry(block).or_default(),
                        _ => &mut current,
                    };
                    repeated.for_each(|&(variable, inst)| next.set(variable, inst));
                }
            }
        }
        at_end.insert(block, current.followed_by(&before));
    }
    found
}

/// The last description of each variable, in the order of their first descriptions.
#[derive(Clone, Default)]
struct Descriptions(Vec<(Variable, Inst)>);

impl Descriptions {
    fn set(&mut self, variable: Variable, description: Inst) {
        match self.0.iter_mut().find(|(known, _)| *known == variable) {
            Some((_, inst)) => *inst = description,
            None => self.0.push((variable, description)),
        }
    }

    /// Returns these descriptions, followed by earlier ones of other variables.
    fn followed_by(&self, earlier: &Self) -> Self {
        let is_other = |(variable, _): &&(Variable, Inst)| self.0.iter().all(|(known, _)| known != variable);
        Self(self.0.iter().chain(earlier.0.iter().filter(is_other)).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::moveable_variables::tests::{END, HOP, NO_X, X, body_after};

    fn after(insts: &str) -> String {
        body_after("sil-onone-debuginfo-canonicalizer", insts)
    }

    #[test]
    fn the_last_description_of_dominating_code_counts() {
        let text = after(&format!("{X}br bb1\nbb1:\n{NO_X}{HOP}{END}"));
        assert_eq!(text.matches("undef").count(), 2, "{text}");
        assert_eq!(text.matches("debug_value").count(), 3, "{text}");
    }

    #[test]
    fn descriptions_on_some_paths_are_not_repeated() {
        let text = after(&format!("cond_br %1, bb1, bb2\nbb1:\n{X}br bb3\nbb2:\nbr bb3\nbb3:\n{HOP}{END}"));
        assert_eq!(text.matches("debug_value").count(), 1, "{text}");
    }

    #[test]
    fn descriptions_of_the_block_come_first() {
        let y = X.replace("\"x\"", "\"y\"");
        let text = after(&format!("{X}{y}br bb1\nbb1:\n{y}{HOP}{y}{HOP}{END}"));
        let order: Vec<&str> = text.split("name \"").skip(1).map(|rest| &rest[..1]).collect();
        assert_eq!(order.concat(), "xyyxyyxy", "{text}");
    }

    #[test]
    fn memory_and_other_variables() {
        let text = after(&format!(
            "%3 = alloc_stack [moveable_value_debuginfo] $Builtin.Int64, var, name \"y\"\n\
             debug_value %0, let, name \"z\"\n{HOP}dealloc_stack %3\n{END}"
        ));
        assert!(text.contains("debug_value [moveable_value_debuginfo] %3, var, name \"y\""), "{text}");
        assert_eq!(text.matches("name \"z\"").count(), 1, "{text}");
    }
}
