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
//! The time is proportional to the number of blocks times the number of moveable variables, which is small; a body
//! without split points is scanned once.

use super::moveable_variables::{Variables, is_boundary, points_after, repeat_description};
use silkit_base::{FxHashMap, FxHashSet};
use silkit_ir::instructions::DebugValue;
use silkit_ir::{Block, Body, Inst, Point, ValueDef};
use silkit_pass::FunctionContext;
use silkit_pass::Pass;

pub(super) const PASS: Pass<'static> = Pass::function(
    "sil-moved-async-var-dbginfo-propagator",
    "Propagates the debug values of movable variables to coroutine split points",
    &run,
)
.mandatory();

/// The known location of a variable at a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Location {
    /// Unknown.
    Unknown,
    /// Described by the instruction.
    Described(Inst),
    /// Paths to this block have different descriptions; the instruction is one of them.
    Conflicting(Block, Inst),
}

impl Location {
    /// Returns the description to repeat, with a flag that is true if its location is valid.
    fn description(self) -> Option<(Inst, bool)> {
        match self {
            Self::Unknown => None,
            Self::Described(inst) => Some((inst, true)),
            Self::Conflicting(_, inst) => Some((inst, false)),
        }
    }
}

fn run(cx: &mut FunctionContext<'_>) {
    let variables = Variables::of(&cx.view());
    if variables.count() == 0 || !cx.body().insts().any(|inst| is_boundary(cx.body(), inst)) {
        return;
    }
    for ((description, is_known), point) in repetitions(cx.body(), &variables) {
        if !cx.may_change() {
            return;
        }
        repeat_description(cx, description, point, is_known);
        cx.count("debug values repeated", 1);
    }
}

/// Returns the known locations at the start of each block.
fn at_starts(body: &Body, variables: &Variables) -> FxHashMap<Block, Vec<Location>> {
    let mut order = body.reverse_postorder();
    let reachable: FxHashSet<Block> = order.iter().copied().collect();
    order.extend(body.blocks().filter(|block| !reachable.contains(block)));
    let mut at_start: FxHashMap<Block, Vec<Location>> = FxHashMap::default();
    let mut at_end: FxHashMap<Block, Vec<Location>> = FxHashMap::default();
    let nothing = vec![Location::Unknown; variables.count()];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for &block in &order {
            let mut before = body.predecessors(block);
            // As in the reference, nothing is known in a predecessor that was not visited yet if it is the first one;
            // others do not count. At the header of a loop, that is the latch.
            let first = before.next().and_then(|first| at_end.get(&first));
            let mut locations = first.unwrap_or(&nothing).clone();
            for other in before.filter_map(|from| at_end.get(&from)) {
                let pairs = locations.iter_mut().zip(other);
                pairs.for_each(|(location, &other)| join(body, block, location, other));
            }
            // A conflict is never resolved, so that the iteration terminates.
            if let Some(old) = at_start.get(&block) {
                let conflicts = old.iter().zip(&mut locations);
                conflicts
                    .filter(|(old, _)| matches!(old, Location::Conflicting(at, _) if *at == block))
                    .for_each(|(o, w)| *w = *o);
            }
            let mut end = locations.clone();
            for inst in body.block_insts(block) {
                if let Some(variable) = variables.described_by(inst) {
                    end[variable] = Location::Described(inst);
                }
            }
            at_start.insert(block, locations);
            has_changed |= at_end.get(&block) != Some(&end);
            at_end.insert(block, end);
        }
    }
    at_start
}

/// Joins the locations on two paths to a block. `undef` agrees with no location, not even with itself.
fn join(body: &Body, block: Block, location: &mut Location, other: Location) {
    if matches!(location, Location::Conflicting(at, _) if *at == block) {
        return;
    }
    let is_valid = match *location {
        Location::Unknown => true,
        Location::Described(inst) => !is_undef(body, inst),
        Location::Conflicting(..) => false,
    };
    if *location == other && is_valid {
        return;
    }
    let description = location.description().or(other.description());
    if let Some((inst, _)) = description {
        *location = Location::Conflicting(block, inst);
    }
}

/// Returns true if an instruction describes the location of a variable as `undef`.
fn is_undef(body: &Body, description: Inst) -> bool {
    let variable = body.view_as::<DebugValue>(description);
    variable.is_some_and(|variable| matches!(body.def(variable.operand), ValueDef::Undef))
}

/// Returns the descriptions to repeat, with the insertion points.
fn repetitions(body: &Body, variables: &Variables) -> Vec<((Inst, bool), Point)> {
    let at_start = at_starts(body, variables);
    let mut found = Vec::new();
    for block in body.blocks() {
        let Some(locations) = at_start.get(&block) else { continue };
        let conflicts = locations
            .iter()
            .filter(|location| matches!(location, Location::Conflicting(at, _) if *at == block));
        found.extend(conflicts.filter_map(|location| Some((location.description()?, Point::Start(block)))));
        let mut locations = locations.clone();
        for inst in body.block_insts(block) {
            if let Some(variable) = variables.described_by(inst) {
                locations[variable] = Location::Described(inst);
            }
            if is_boundary(body, inst) {
                for point in points_after(body, inst) {
                    found.extend(
                        locations.iter().filter_map(|location| Some((location.description()?, point))),
                    );
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::moveable_variables::tests::{END, HOP, NO_X, X, body_after};
    use crate::testing::changed;

    fn after(insts: &str) -> String {
        body_after("sil-moved-async-var-dbginfo-propagator", insts)
    }

    #[test]
    fn a_description_that_reaches_on_all_paths_is_repeated() {
        let text = after(&format!("{X}cond_br %1, bb1, bb2\nbb1:\nbr bb3\nbb2:\nbr bb3\nbb3:\n{HOP}{END}"));
        assert_eq!(text.matches("debug_value").count(), 2, "{text}");
        assert!(!text.contains("undef"), "{text}");
    }

    #[test]
    fn descriptions_that_differ_by_path_become_undefined() {
        let text = after(&format!("cond_br %1, bb1, bb2\nbb1:\n{X}br bb3\nbb2:\nbr bb3\nbb3:\n{HOP}{END}"));
        assert!(text.contains("bb3:\n  debug_value [moveable_value_debuginfo] undef"), "{text}");
        assert_eq!(text.matches("undef").count(), 2, "{text}");
    }

    #[test]
    fn undefined_locations_never_agree() {
        let text =
            after(&format!("{NO_X}cond_br %1, bb1, bb2\nbb1:\nbr bb3\nbb2:\nbr bb3\nbb3:\n{HOP}{END}"));
        assert!(text.contains("bb3:\n  debug_value [moveable_value_debuginfo] undef"), "{text}");
        assert_eq!(text.matches("undef").count(), 3, "{text}");
    }

    #[test]
    fn unreachable_blocks_count() {
        let text = after(&format!("{X}br bb2\nbb1:\n{NO_X}br bb2\nbb2:\n{HOP}{END}"));
        assert!(text.contains("bb2:\n  debug_value [moveable_value_debuginfo] undef"), "{text}");
    }

    #[test]
    fn descriptions_in_loops_conflict_with_those_before() {
        let text = after(&format!("{X}br bb1\nbb1:\n{HOP}{X}cond_br %1, bb1, bb2\nbb2:\n{END}"));
        assert!(text.contains("bb1:\n  debug_value [moveable_value_debuginfo] undef"), "{text}");
        let text = after(&format!("{X}br bb1\nbb1:\ncond_br %1, bb2, bb3\nbb2:\nbr bb1\nbb3:\n{HOP}{END}"));
        assert!(text.contains("bb1:\n  debug_value [moveable_value_debuginfo] undef"), "{text}");
    }

    #[test]
    fn bodies_without_places_to_split_stay() {
        let text = after(&format!("cond_br %1, bb1, bb2\nbb1:\n{X}br bb3\nbb2:\nbr bb3\nbb3:\n{END}"));
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
