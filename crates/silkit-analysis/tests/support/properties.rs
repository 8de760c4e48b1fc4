//! Analyses of generated programs agree with their definitions, by search without any cleverness.

use super::{Subject, each_view, with_borrows};
use silkit_analysis::ossa::Liveness;
use silkit_analysis::{BlockOrder, Components, DeadEnds, Dominators, Frontiers, Loops, PostDominators};
use silkit_ir::{Block, Body, Inst};
use silkit_testkit::generate::{Profile, generate};
use std::collections::BTreeSet;

/// Runs a check on each body of generated programs.
fn each_body(profile: &Profile, seeds: u64, check: impl Fn(&Body)) {
    for seed in 0..seeds {
        let subject = Subject::parse(&generate(seed, profile));
        subject.functions().for_each(|(_, body)| check(body));
    }
}

/// Returns the blocks that a search from some blocks comes to, which does not enter one block.
fn reached<I: Iterator<Item = Block>>(
    from: impl IntoIterator<Item = Block>,
    without: Option<Block>,
    next: impl Fn(Block) -> I,
) -> BTreeSet<Block> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<Block> = from.into_iter().filter(|&b| Some(b) != without).collect();
    while let Some(block) = work.pop() {
        if seen.insert(block) {
            work.extend(next(block).filter(|&b| Some(b) != without));
        }
    }
    seen
}

#[test]
fn dominance_is_what_cannot_be_reached_without() {
    each_body(&Profile::control_flow().sized(24), 24, |body| {
        let (dominators, order) = (Dominators::compute(body), BlockOrder::compute(body));
        let frontiers = Frontiers::compute(body, &dominators, usize::MAX).expect("no limit");
        let all = reached(body.entry_block(), None, |b| body.block_successors(b));
        for a in body.blocks() {
            assert_eq!(order.is_reachable(a), all.contains(&a));
            let others = reached(body.entry_block(), Some(a), |b| body.block_successors(b));
            for &b in &all {
                assert_eq!(dominators.dominates(a, b), !others.contains(&b), "{a} {b}");
            }
            let is_below = |b: Block| all.contains(&b) && !others.contains(&b);
            let mut frontier: Vec<Block> = frontiers.of(a).to_vec();
            frontier.sort_unstable();
            let at_end = |b: &Block| {
                let comes_from = body.predecessors(*b).any(is_below);
                comes_from && (*b == a || !is_below(*b))
            };
            let expected: Vec<Block> = all.iter().copied().filter(at_end).collect();
            assert_eq!(frontier, expected, "{a}");
        }
    });
}

#[test]
fn post_dominance_is_what_no_end_is_reached_without() {
    each_body(&Profile::control_flow().sized(24), 24, |body| {
        let post = PostDominators::compute(body);
        let ends = || body.blocks().filter(|&b| body.block_successors(b).len() == 0);
        let all = reached(ends(), None, |b| body.predecessors(b));
        for a in body.blocks() {
            let others = reached(ends(), Some(a), |b| body.predecessors(b));
            for &b in &all {
                assert_eq!(post.post_dominates(a, b), !others.contains(&b), "{a} {b}");
            }
        }
    });
}

#[test]
fn components_dead_ends_and_loops_are_sets_of_paths() {
    each_body(&Profile::control_flow().sized(24), 24, |body| {
        let (components, dead_ends) = (Components::compute(body), DeadEnds::compute(body));
        let (loops, dominators) = (Loops::compute(body), Dominators::compute(body));
        let all = reached(body.entry_block(), None, |b| body.block_successors(b));
        for &a in &all {
            let from_a = reached([a], None, |b| body.block_successors(b));
            let leaves =
                |b: &Block| body.last_inst(*b).is_some_and(|i| body.inst(i).opcode.leaves_function());
            assert_eq!(dead_ends.is_dead_end(a), !from_a.iter().any(leaves), "{a}");
            for &b in &all {
                let from_b = reached([b], None, |b| body.block_successors(b));
                assert_eq!(
                    components.are_together(a, b),
                    from_a.contains(&b) && from_b.contains(&a),
                    "{a} {b}"
                );
            }
            let is_latch = |p: &Block| all.contains(p) && dominators.dominates(a, *p);
            let latches: Vec<Block> = body.predecessors(a).filter(is_latch).collect();
            let own = loops.of_block(a).filter(|&id| loops.get(id).header == a);
            assert_eq!(own.is_some(), !latches.is_empty(), "{a}");
            if let Some(id) = own {
                let mut expected = reached(latches, Some(a), |b| body.predecessors(b));
                expected.insert(a);
                assert_eq!(loops.blocks(id).into_iter().collect::<BTreeSet<_>>(), expected, "{a}");
            }
        }
    });
}

#[test]
fn values_live_where_a_user_comes() {
    for seed in 0..12 {
        let subject = Subject::parse(&generate(seed, &Profile::ownership().sized(16)));
        with_borrows(&subject, |borrows| {
            let body = borrows.body;
            let dominators = Dominators::compute(body);
            for block in body.blocks() {
                for &value in body.arguments(block).iter() {
                    let mut liveness = Liveness::of_value(body, value);
                    borrows.add_simple_uses(&mut liveness, value);
                    for inst in body.insts().filter(|&i| dominators.dominates(block, body.inst_block(i))) {
                        // A value that is defined again on the way is another one.
                        let is_inside = comes_to_user(body, &dominators, block, inst, &liveness);
                        assert_eq!(liveness.contains(body, inst), is_inside, "seed {seed}");
                    }
                }
            }
        });
    }
}

/// Returns true if a path leads from behind an instruction to a user without coming to the block of the definition again.
fn comes_to_user(body: &Body, dominators: &Dominators, home: Block, inst: Inst, liveness: &Liveness) -> bool {
    let is_user = |i: Inst| liveness.user(i).is_some();
    if !dominators.is_reachable(home) {
        return liveness.contains(body, inst);
    }
    let mut seen = BTreeSet::from([home]);
    let mut work = vec![(body.inst_block(inst), body.next_inst(inst))];
    while let Some((block, first)) = work.pop() {
        if std::iter::successors(first, |&i| body.next_inst(i)).any(is_user) {
            return true;
        }
        for next in body.block_successors(block).filter(|&b| seen.insert(b)) {
            work.push((next, body.first_inst(next)));
        }
    }
    false
}

#[test]
fn aliases_are_the_same_both_ways() {
    for seed in 0..6 {
        let subject = Subject::parse(&generate(seed, &Profile::memory().sized(12)));
        each_view(&subject, |view, names| {
            let aliases = view.aliases();
            for &a in names.all_values().iter().filter(|&&v| view.ty(v).is_address()) {
                for &b in names.all_values().iter().filter(|&&v| view.ty(v).is_address()) {
                    assert_eq!(aliases.may_alias(a, b), aliases.may_alias(b, a), "seed {seed}");
                }
            }
            String::new()
        });
    }
}
