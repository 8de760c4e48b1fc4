//! `sil-moved-async-var-dbginfo-propagator`: propagates debug values of moveable variables to coroutine split points,
//! or marks them as unknown there if paths disagree.
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
//! The cost is that of the blocks times the moveable variables, which are few; a body without places to split costs
//! one look.

use super::moveable_variables::{Variables, is_boundary, points_behind, say_again};
use silkit_base::FxHashMap;
use silkit_ir::{Block, Body, Inst, Point};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> = Pass::function(
    "sil-moved-async-var-dbginfo-propagator",
    "Propagates debug values of moveable variables to coroutine split points",
    &run,
)
.mandatory();

/// The known location of a variable at a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Nothing is known.
    Nothing,
    /// An instruction said where it is.
    Said(Inst),
    /// Paths to this block say different things; the instruction is one of those.
    Lost(Block, Inst),
}

impl Word {
    /// Returns what is to be said: an instruction that says it, or of which all but the place is right.
    fn saying(self) -> Option<(Inst, bool)> {
        match self {
            Self::Nothing => None,
            Self::Said(inst) => Some((inst, true)),
            Self::Lost(_, inst) => Some((inst, false)),
        }
    }
}

fn run(cx: &mut FunctionContext<'_>) {
    let variables = Variables::of(&cx.view());
    if variables.count() == 0 || !cx.body().insts().any(|inst| is_boundary(cx.body(), inst)) {
        return;
    }
    for ((said, is_known), point) in repetitions(cx.body(), &variables) {
        if !cx.may_change() {
            return;
        }
        say_again(cx, said, point, is_known);
        cx.count("variables said again", 1);
    }
}

/// Returns the known locations at the start of each block.
fn at_starts(body: &Body, variables: &Variables) -> FxHashMap<Block, Vec<Word>> {
    let order = body.reverse_postorder();
    let mut at_start: FxHashMap<Block, Vec<Word>> = FxHashMap::default();
    let mut at_end: FxHashMap<Block, Vec<Word>> = FxHashMap::default();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for &block in &order {
            let mut words = vec![Word::Nothing; variables.count()];
            let mut before = body.predecessors(block).filter_map(|from| at_end.get(&from));
            if let Some(first) = before.next() {
                words.clone_from(first);
                for other in before {
                    words.iter_mut().zip(other).for_each(|(word, &other)| join(block, word, other));
                }
            }
            // What was lost here stays lost, so this comes to an end.
            if let Some(old) = at_start.get(&block) {
                let lost = old.iter().zip(&mut words);
                lost.filter(|(old, _)| matches!(old, Word::Lost(at, _) if *at == block))
                    .for_each(|(o, w)| *w = *o);
            }
            let mut end = words.clone();
            for inst in body.block_insts(block) {
                if let Some(variable) = variables.said_by(inst) {
                    end[variable] = Word::Said(inst);
                }
            }
            at_start.insert(block, words);
            has_changed |= at_end.get(&block) != Some(&end);
            at_end.insert(block, end);
        }
    }
    at_start
}

/// Joins what two paths to a block say.
fn join(block: Block, word: &mut Word, other: Word) {
    if *word == other || matches!(word, Word::Lost(at, _) if *at == block) {
        return;
    }
    let sayings = word.saying().or(other.saying());
    if let Some((inst, _)) = sayings {
        *word = Word::Lost(block, inst);
    }
}

/// Returns what is to be said again, and where.
fn repetitions(body: &Body, variables: &Variables) -> Vec<((Inst, bool), Point)> {
    let at_start = at_starts(body, variables);
    let mut found = Vec::new();
    for block in body.blocks() {
        let Some(words) = at_start.get(&block) else { continue };
        let lost = words.iter().filter(|word| matches!(word, Word::Lost(at, _) if *at == block));
        found.extend(lost.filter_map(|word| Some((word.saying()?, Point::Start(block)))));
        let mut words = words.clone();
        for inst in body.block_insts(block) {
            if let Some(variable) = variables.said_by(inst) {
                words[variable] = Word::Said(inst);
            }
            if is_boundary(body, inst) {
                for point in points_behind(body, inst) {
                    found.extend(words.iter().filter_map(|word| Some((word.saying()?, point))));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::changed;

    fn said(insts: &str) -> String {
        let text = format!(
            "sil_stage canonical\nimport Builtin\nimport Swift\n\
             sil @f : $@convention(thin) @async (Builtin.Int64, Builtin.Int1, Builtin.Executor) -> () {{\n\
             bb0(%0 : $Builtin.Int64, %1 : $Builtin.Int1, %2 : $Builtin.Executor):\n{insts}\n}}\n"
        );
        let text = changed("sil-moved-async-var-dbginfo-propagator", &[], &text);
        text[text.find("bb0(").expect("a body")..].to_owned()
    }

    const X: &str = "debug_value [moveable_value_debuginfo] %0, let, (name \"x\", loc \"a.swift\":1:1)\n";
    const HOP: &str = "hop_to_executor %2\n";
    const END: &str = "%r = tuple ()\nreturn %r";

    #[test]
    fn what_all_paths_bring_from_one_place_is_repeated() {
        let text = said(&format!("{X}cond_br %1, bb1, bb2\nbb1:\nbr bb3\nbb2:\nbr bb3\nbb3:\n{HOP}{END}"));
        assert_eq!(text.matches("debug_value").count(), 2, "{text}");
        assert!(!text.contains("undef"), "{text}");
    }

    #[test]
    fn what_paths_say_differently_is_lost() {
        let text = said(&format!("cond_br %1, bb1, bb2\nbb1:\n{X}br bb3\nbb2:\nbr bb3\nbb3:\n{HOP}{END}"));
        assert!(text.contains("bb3:\n  debug_value [moveable_value_debuginfo] undef"), "{text}");
        assert_eq!(text.matches("undef").count(), 2, "{text}");
    }

    #[test]
    fn loops_bring_other_words() {
        let text = said(&format!("{X}br bb1\nbb1:\n{HOP}{X}cond_br %1, bb1, bb2\nbb2:\n{END}"));
        assert!(text.contains("bb1:\n  debug_value [moveable_value_debuginfo] undef"), "{text}");
    }

    #[test]
    fn bodies_without_places_to_split_stay() {
        let text = said(&format!("cond_br %1, bb1, bb2\nbb1:\n{X}br bb3\nbb2:\nbr bb3\nbb3:\n{END}"));
        assert_eq!(text.matches("debug_value").count(), 1, "{text}");
    }

    #[test]
    fn values_that_cannot_be_copied_may_be_moved() {
        let text = "sil_stage canonical\nimport Builtin\nimport Swift\nstruct M : ~Copyable { var x: Int }\n\
            sil [ossa] @f : $@yield_once @convention(method) (@guaranteed M) -> @yields Int {\n\
            bb0(%0 : @guaranteed $M):\ndebug_value %0, let, name \"self\"\n%2 = struct_extract %0, #M.x\n\
            yield %2, resume bb1, unwind bb2\nbb1:\n%4 = tuple ()\nreturn %4\nbb2:\nunwind\n}\n";
        let text = changed("sil-moved-async-var-dbginfo-propagator", &[], text);
        assert_eq!(text.matches("debug_value %0, let, name \"self\"").count(), 3, "{text}");
    }
}
