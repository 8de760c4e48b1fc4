//! Sparse dataflow by definition: what a solver that visits every block computes.

use silkit_analysis::dataflow::{ControlFlow, Problem, ReachingBlock, ReachingBlocks, Region, Solution};
use silkit_analysis::{BlockOrder, Dominators, Joins};
use silkit_ir::{Block, Body};
use std::collections::BTreeMap;

/// Lanes that all paths set, and lanes that a path sets.
type Lanes = (u64, u64);

/// Operations that keep some lanes and set others, the same in both rows.
struct KeepAndSet(Vec<(u64, u64)>);

impl Problem for KeepAndSet {
    type State = Lanes;

    fn unreached(&self) -> Lanes {
        (u64::MAX, 0)
    }

    fn outside(&self) -> Lanes {
        (0, 0)
    }

    fn meet(&self, state: &mut Lanes, incoming: &Lanes) {
        *state = (state.0 & incoming.0, state.1 | incoming.1);
    }

    fn transfer(&self, operations: u32, state: &mut Lanes) {
        let (keep, set) = self.0[operations as usize];
        *state = (state.0 & keep | set, state.1 & keep | set);
    }
}

/// Chooses about a third of the reachable blocks; returns their operations.
fn choose(order: &BlockOrder, seed: u64) -> BTreeMap<usize, (u64, u64)> {
    let mut state = seed | 1;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 29
    };
    let mut chosen = BTreeMap::new();
    for block in 0..order.blocks().len() {
        let (is_chosen, keep, set) = (random() % 3 == 0, random() | random(), random() & random() & random());
        if is_chosen {
            chosen.insert(block, (keep, set));
        }
    }
    chosen
}

/// Returns the states at the starts and ends of the blocks.
fn dense(flow: ControlFlow<'_>, chosen: &BTreeMap<usize, (u64, u64)>) -> Vec<(Lanes, Lanes)> {
    let blocks = flow.order.blocks();
    let mut states = vec![((u64::MAX, 0), (u64::MAX, 0)); blocks.len()];
    loop {
        let before = states.clone();
        for at in 0..blocks.len() {
            let preds = flow.body.predecessors(blocks[at]).filter_map(|pred| flow.order.position(pred));
            let entry = if at == 0 { (0, 0) } else { (u64::MAX, 0) };
            let start = preds
                .map(|pred| states[pred].1)
                .fold(entry, |state: Lanes, end| (state.0 & end.0, state.1 | end.1));
            let (keep, set) = chosen.get(&at).copied().unwrap_or((u64::MAX, 0));
            states[at] = (start, (start.0 & keep | set, start.1 & keep | set));
        }
        if states == before {
            return states;
        }
    }
}

/// The sparse solution is the dense one, both with all joins and with those that a set lane reaches.
pub(crate) fn agrees_with_dense(body: &Body, seed: u64) {
    let (dominators, order) = (Dominators::compute(body), BlockOrder::compute(body));
    let flow = ControlFlow { body, dominators: &dominators, order: &order };
    let Some(&entry) = order.blocks().first() else { return };
    let (mut all, mut reached) = (Region::new(flow), Region::with_reached_joins(flow));
    let mut joins = Joins::compute(body, &dominators);
    let mut solution = Solution::new((0, 0));
    // The regions are used again.
    for seed in [seed, seed + 1] {
        let chosen = choose(&order, seed);
        let problem = KeepAndSet(chosen.values().copied().collect());
        let expected = dense(flow, &chosen);
        for region in [&mut all, &mut reached] {
            region.clear();
            for (number, &block) in chosen.keys().enumerate() {
                region.choose(block as u32, number as u32);
            }
        }
        let blocks: Vec<Block> = chosen.keys().map(|&at| order.blocks()[at]).collect();
        for join in joins.iterated(&dominators, entry, blocks.iter().copied(), |_| true) {
            all.add_join(order.position(join).expect("a reachable block") as u32);
        }
        let reach = |operations: u32, start| {
            let (keep, set) = problem.0[operations as usize];
            start & keep | set
        };
        reached.add_reached_joins(reach, |_, _| u64::MAX);
        for region in [&mut all, &mut reached] {
            region.connect();
            solution.solve(region, &problem);
            for (at, &block) in order.blocks().iter().enumerate() {
                assert_eq!(*solution.end(region.node_at_end(block)), expected[at].1, "{block}");
                if let Some(node) = region.node(block) {
                    assert_eq!(*solution.start(node), expected[at].0, "{block}");
                }
            }
        }
    }
}

/// A definition reaches a block if all paths come from it without another definition; where several do, there is a phi.
pub(crate) fn definitions_reach(body: &Body, seed: u64) {
    let (dominators, order) = (Dominators::compute(body), BlockOrder::compute(body));
    let Some(&entry) = order.blocks().first() else { return };
    let mut reaching = ReachingBlocks::new(&dominators);
    for seed in [seed, seed + 1] {
        reaching.clear();
        let chosen = choose(&order, seed);
        let defining: Vec<Block> = chosen.keys().map(|&at| order.blocks()[at]).collect();
        let phis = Joins::compute(body, &dominators).iterated(&dominators, entry, defining.clone(), |_| true);
        defining.iter().for_each(|&block| reaching.define(&dominators, block));
        phis.iter().for_each(|&block| reaching.add_phi(&dominators, block));
        for &block in order.blocks() {
            let start = reaching.at_start(&dominators, block);
            let end = reaching.at_end(&dominators, block);
            match defining.contains(&block) {
                true => assert_eq!(end, Some(ReachingBlock::Definition(block)), "{block}"),
                false => assert_eq!(end, start, "{block}"),
            }
            match phis.contains(&block) {
                true => assert_eq!(start, Some(ReachingBlock::Phi(block)), "{block}"),
                false => {
                    let preds = body.predecessors(block).filter(|&pred| order.is_reachable(pred));
                    preds.for_each(|pred| assert_eq!(reaching.at_end(&dominators, pred), start, "{block}"));
                }
            }
        }
    }
}
