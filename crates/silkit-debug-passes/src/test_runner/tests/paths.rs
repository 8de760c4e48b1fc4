//! A test of how a path between two instructions lies relative to a linear lifetime.

use super::{Test, TestFn};
use silkit_analysis::ossa::{Borrows, Liveness};
use silkit_base::FxHashSet;

use silkit_ir::{Block, Body, Inst, Ownership, Value, ValueDef};

pub(super) const TESTS: &[(&str, TestFn)] = &[("range_overlaps_path", range_overlaps_path)];

/// Prints how the linear lifetime of a value lies relative to the paths from an instruction to the ends of its scope,
/// or to the ends of the lifetime of its owned result.
fn range_overlaps_path(test: &mut Test<'_, '_>) -> Result<(), String> {
    let value = test.value()?;
    test.print_value("Range of: ", value);
    let begin = test.instruction()?;
    test.print_inst("Path begin: ", begin);
    let (ends, range) = {
        let ownership = test.ownership();
        let borrows = Borrows::new(test.body(), &ownership);
        let mut range = Liveness::of_value(test.body(), value);
        borrows.add_linear_uses(&mut range, value);
        (path_ends(test.body(), &borrows, begin), range)
    };
    match ends {
        Some(ends) => {
            for end in ends {
                let kind = overlap(test.body(), &range, value, begin, end);
                test.print(format!("Overlap kind: {kind}\n"));
            }
        }
        None => test.print_inst("Test specification error: not a scoped or owned instruction: ", begin),
    }
    Ok(())
}

fn path_ends(body: &Body, borrows: &Borrows<'_>, begin: Inst) -> Option<Vec<Inst>> {
    if body.begins_scope(begin).is_some() {
        return Some(body.scope_ends(begin).collect());
    }
    let mut results = body.results(begin);
    let value = results.next().filter(|&v| results.len() == 0 && borrows.has(v, Ownership::Owned))?;
    let ending = body.uses(value).filter(|&operand| borrows.ends_lifetime(operand));
    Some(ending.map(|operand| body.operand(operand).user).collect())
}

/// Returns the relation between the lifetime of a value and the path from `begin` to `end`, both exclusive.
fn overlap(body: &Body, range: &Liveness, value: Value, begin: Inst, end: Inst) -> &'static str {
    let is_def = |inst: Inst| body.defining_inst(value) == Some(inst);
    let contains = |inst: Inst| is_def(inst) || range.contains(body, inst);
    if contains(begin) {
        return if contains(end) { "containsPath" } else { "containsBegin" };
    }
    if contains(end) {
        return if is_def(end) { "disjoint" } else { "containsEnd" };
    }
    // The lifetime may begin and end on the path.
    let mut visited: FxHashSet<Block> = FxHashSet::default();
    let mut work = vec![(body.inst_block(end), body.prev_inst(end))];
    while let Some((block, from)) = work.pop() {
        let mut reached_begin = false;
        for inst in std::iter::successors(from, |&i| body.prev_inst(i)) {
            if inst == begin {
                reached_begin = true;
                break;
            }
            if contains(inst) {
                return "overlappedByPath";
            }
        }
        if reached_begin {
            continue;
        }
        if matches!(body.def(value), ValueDef::Argument(of, _) if of == block) {
            return "overlappedByPath";
        }
        for pred in body.predecessors(block).filter(|&pred| visited.insert(pred)) {
            work.push((pred, body.last_inst(pred)));
        }
    }
    "disjoint"
}
