//! `redundant-phi-elimination`: merges phis of a block that always have the same value.
//!
//! ```text
//!   br bb1(%0, %0)
//! bb1(%2 : $Builtin.Int64, %3 : $Builtin.Int64):
//!   %4 = builtin "add_Int64"(%2, %3) : $Builtin.Int64
//!   br bb1(%4, %4)
//! ---
//!   br bb1(%0)
//! bb1(%2 : $Builtin.Int64):
//!   %3 = builtin "add_Int64"(%2, %2) : $Builtin.Int64
//!   br bb1(%3)
//! ```

use silkit_analysis::BodyView;
use silkit_base::FxHashSet;
use silkit_ir::{Block, Inst, Ownership, Value, ValueDef};
use silkit_pass::{FunctionContext, Pass};
use silkit_transform::delete;

pub(super) const PASS: Pass<'static> =
    Pass::function("redundant-phi-elimination", "Merges block arguments that always have equal values", &run);

/// The maximum number of arguments of a block, since each pair of arguments is compared.
const MOST_ARGUMENTS: usize = 48;
/// The maximum number of pairs of values that a comparison visits.
const MOST_PAIRS: usize = 1000;

fn run(cx: &mut FunctionContext<'_>) {
    let blocks: Vec<Block> = cx.body().blocks().skip(1).collect();
    for block in blocks {
        let mut first = 0;
        while first < cx.body().arguments(block).len() {
            let mut second = first + 1;
            while second < cx.body().arguments(block).len() {
                if !merge(cx, block, first, second) {
                    second += 1;
                }
            }
            first += 1;
        }
    }
}

/// Merges the second argument into the first if they are equal.
fn merge(cx: &mut FunctionContext<'_>, block: Block, first: usize, second: usize) -> bool {
    let arguments = cx.body().arguments(block);
    let (kept, dropped) = (arguments[first], arguments[second]);
    let is_plain =
        |value: Value| cx.body().value(value).ownership == Ownership::None && cx.body().is_phi(value);
    if arguments.len() > MOST_ARGUMENTS
        || cx.body().value(kept).ty != cx.body().value(dropped).ty
        || !is_plain(kept)
        || !is_plain(dropped)
        || !are_equal(&cx.view(), kept, dropped)
        || !cx.may_change()
    {
        return false;
    }
    let passed = cx.body().phi_values(dropped);
    let mut editor = cx.edit();
    editor.replace_all_uses(dropped, kept);
    editor.remove_argument(block, second);
    let passed: Vec<Inst> = passed.into_iter().filter_map(|value| cx.body().defining_inst(value)).collect();
    delete::dead(cx, passed);
    cx.count("arguments removed", 1);
    true
}

/// Returns true if two values are equal on all paths.
fn are_equal(view: &BodyView<'_>, a: Value, b: Value) -> bool {
    let body = view.body;
    let mut work = vec![(a, b)];
    let mut seen: FxHashSet<(Value, Value)> = FxHashSet::default();
    while let Some((a, b)) = work.pop() {
        if a == b || !seen.insert((a, b)) {
            continue;
        }
        if seen.len() > MOST_PAIRS {
            return false;
        }
        match (body.def(a), body.def(b)) {
            (ValueDef::Argument(of_a, _), ValueDef::Argument(of_b, _))
                if of_a == of_b && body.is_phi(a) && body.is_phi(b) =>
            {
                work.extend(body.phi_values(a).into_iter().zip(body.phi_values(b)));
            }
            // Different results of one instruction differ.
            (ValueDef::Result(of_a, 0), ValueDef::Result(of_b, 0)) if of_a != of_b => {
                let is_pure = |inst| {
                    let behavior = view.behavior();
                    body.results(inst).len() == 1
                        && !body.is_allocation(inst)
                        && !behavior.may_have_side_effects(inst)
                        && !behavior.may_read(inst)
                };
                let mut operands = Vec::new();
                let collect = |a, b| {
                    operands.push((a, b));
                    true
                };
                if !is_pure(of_a) || !is_pure(of_b) || !body.is_identical(of_a, of_b, collect) {
                    return false;
                }
                work.extend(operands);
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    /// Returns the number of arguments of the last block after the pass, for a function with two numbers, a condition
    /// and unknown calls.
    fn arguments(insts: &str) -> usize {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nclass C {{}}\nsil @get : $@convention(thin) () -> Builtin.Int64\n\
             sil @f : $@convention(thin) (Builtin.Int64, Builtin.Int64, Builtin.Int1) -> () {{\n\
             bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int64, %2 : $Builtin.Int1):\n{insts}\n}}\n"
        );
        let text = changed("redundant-phi-elimination", &[], &text);
        let last = text.lines().rfind(|line| line.starts_with("bb1")).expect("bb1");
        last.matches(" : $").count()
    }

    const INTS: &str = "bb1(%8 : $Builtin.Int64, %9 : $Builtin.Int64):\n";
    const END: &str = "%10 = builtin \"add_Int64\"(%8, %9) : $Builtin.Int64\n%11 = tuple ()\nreturn %11";

    #[test]
    fn equal_arguments_are_merged() {
        assert_eq!(arguments(&format!("br bb1(%0, %0)\n{INTS}{END}")), 1);
        assert_eq!(arguments(&format!("br bb1(%0, %1)\n{INTS}{END}")), 2);
    }

    #[test]
    fn identical_computations_are_equal() {
        let sums = |second: &str| {
            format!(
                "%3 = builtin \"add_Int64\"(%0, %1) : $Builtin.Int64\n\
                 %4 = builtin \"add_Int64\"({second}, %1) : $Builtin.Int64\nbr bb1(%3, %4)\n{INTS}{END}"
            )
        };
        assert_eq!(arguments(&sums("%0")), 1);
        assert_eq!(arguments(&sums("%1")), 2);
    }

    #[test]
    fn calls_and_allocations_differ() {
        let calls = "%3 = function_ref @get : $@convention(thin) () -> Builtin.Int64\n\
            %4 = apply %3() : $@convention(thin) () -> Builtin.Int64\n\
            %5 = apply %3() : $@convention(thin) () -> Builtin.Int64\n";
        assert_eq!(arguments(&format!("{calls}br bb1(%4, %5)\n{INTS}{END}")), 2);
        let objects = "%3 = alloc_ref $C\n%4 = alloc_ref $C\nbr bb1(%3, %4)\n\
            bb1(%8 : $C, %9 : $C):\n%10 = tuple (%8, %9)\n%11 = tuple ()\nreturn %11";
        assert_eq!(arguments(objects), 2);
    }

    #[test]
    fn loops_are_followed() {
        let rounds = |second: &str| {
            format!(
                "br bb1(%0, {second})\n{INTS}%3 = builtin \"add_Int64\"(%8, %1) : $Builtin.Int64\n\
                 %4 = builtin \"add_Int64\"(%9, %1) : $Builtin.Int64\ncond_br %2, bb2, bb3\n\
                 bb2:\nbr bb1(%3, %4)\nbb3:\n{END}"
            )
        };
        assert_eq!(arguments(&rounds("%0")), 1);
        assert_eq!(arguments(&rounds("%1")), 2);
    }
}
