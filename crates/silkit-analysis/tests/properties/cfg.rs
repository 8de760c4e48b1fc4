//! Control flow by definition: what a search without any cleverness comes to.

use silkit_analysis::{BlockOrder, Components, DeadEnds, Dominators, Frontiers, Loops, PostDominators};
use silkit_ir::{Block, Body};
use std::collections::BTreeSet;

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

/// A block dominates those that cannot be reached without it; its frontier is where that ends.
pub(crate) fn dominance(body: &Body) {
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
}

/// A block post-dominates those from which no end is reached without it.
pub(crate) fn post_dominance(body: &Body) {
    let post = PostDominators::compute(body);
    let ends = || body.blocks().filter(|&b| body.block_successors(b).len() == 0);
    let all = reached(ends(), None, |b| body.predecessors(b));
    for a in body.blocks() {
        let others = reached(ends(), Some(a), |b| body.predecessors(b));
        for &b in &all {
            assert_eq!(post.post_dominates(a, b), !others.contains(&b), "{a} {b}");
        }
    }
}

/// Components, dead ends and loops are sets of paths.
pub(crate) fn regions(body: &Body) {
    let (components, dead_ends) = (Components::compute(body), DeadEnds::compute(body));
    let (loops, dominators) = (Loops::compute(body), Dominators::compute(body));
    let all = reached(body.entry_block(), None, |b| body.block_successors(b));
    for &a in &all {
        let from_a = reached([a], None, |b| body.block_successors(b));
        let leaves = |b: &Block| body.last_inst(*b).is_some_and(|i| body.inst(i).opcode.leaves_function());
        assert_eq!(dead_ends.is_dead_end(a), !from_a.iter().any(leaves), "{a}");
        let after_a = reached(body.block_successors(a), None, |b| body.block_successors(b));
        assert_eq!(components.is_in_cycle(a), after_a.contains(&a), "{a}");
        for &b in &all {
            let from_b = reached([b], None, |b| body.block_successors(b));
            assert_eq!(components.are_together(a, b), from_a.contains(&b) && from_b.contains(&a), "{a} {b}");
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
}
