//! Data flow of memory states through the blocks, for 64 leaves at a time ([`silkit_analysis::dataflow`]).

use super::ops::{Op, Ops, mask};
use crate::context::FunctionVerifier;
use silkit_analysis::dataflow::{ControlFlow, Problem, Region, Solution};
use silkit_analysis::memory::{RequiredState, ResultingState};

/// The state of 64 leaves at a point.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct State {
    /// Leaves that are initialized on every path.
    pub(super) full: u64,
    /// Leaves that are initialized on some path with a value that must be destroyed.
    pub(super) held: u64,
    /// Leaves with a reported disagreement between paths; they get no further findings.
    pub(super) mixed: u64,
}

/// Properties of the leaves themselves.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct LeafMasks {
    /// Leaves with non-trivial types.
    pub(super) owns: u64,
    /// Leaves of known types.
    pub(super) known: u64,
    /// Leaves with operations in a single block.
    local: u64,
}

impl LeafMasks {
    pub(super) fn new(ops: &Ops, chunk: u32) -> Self {
        let first = chunk as usize * 64;
        let mut words = Self::default();
        for (bit, leaf) in ops.locations.leaves[first..].iter().take(64).enumerate() {
            words.owns |= u64::from(leaf.owns) << bit;
            words.known |= u64::from(leaf.is_known) << bit;
            words.local |= u64::from(ops.is_local(leaf.location)) << bit;
        }
        words
    }
}

impl State {
    /// Returns the leaves that violate the requirement of an operation.
    pub(super) fn violations(self, op: &Op, words: LeafMasks, chunk: u32) -> u64 {
        let leaves = mask(&op.leaves, chunk) & words.known & !self.mixed;
        match op.needs {
            RequiredState::Any => 0,
            RequiredState::Initialized => leaves & !self.full,
            RequiredState::Owned => leaves & words.owns & !self.full,
            RequiredState::Empty => leaves & self.held,
        }
    }

    /// Returns the state after an operation. A missing value is assumed to be present afterwards, so that a violation
    /// is reported once.
    pub(super) fn after(self, op: &Op, words: LeafMasks, chunk: u32) -> Self {
        let leaves = mask(&op.leaves, chunk);
        let mut state = self;
        match op.needs {
            RequiredState::Any => {}
            RequiredState::Initialized if op.recovers => state.full |= leaves,
            RequiredState::Initialized => {}
            RequiredState::Owned => state.full |= leaves & words.owns,
            RequiredState::Empty => state.held &= !leaves,
        }
        match op.then {
            ResultingState::Unchanged => {}
            ResultingState::KnownTrivial => state.held &= !leaves,
            ResultingState::Uninitialized => {
                state = Self {
                    full: state.full & !leaves,
                    held: state.held & !leaves,
                    mixed: state.mixed & !leaves,
                };
            }
            ResultingState::Trivial | ResultingState::Initialized => {
                let held = if op.stores_owned() { leaves & words.owns } else { 0 };
                state = Self {
                    full: state.full | leaves,
                    held: state.held & !leaves | held,
                    mixed: state.mixed & !leaves,
                };
            }
        }
        state
    }

    fn any(self) -> u64 {
        self.full | self.held | self.mixed
    }
}

/// The composed transfer function of a block: each word keeps some bits and sets others.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    keep: State,
    get: State,
}

impl Transfer {
    fn of<'o>(ops: impl Iterator<Item = &'o Op>, words: LeafMasks, chunk: u32) -> Self {
        // Each bit is independent of other bits, and each word of the other words. So the results for all zeros and
        // all ones determine the function.
        let ones = State { full: u64::MAX, held: u64::MAX, mixed: u64::MAX };
        let (mut from_none, mut from_all) = (State::default(), ones);
        for op in ops {
            from_none = from_none.after(op, words, chunk);
            from_all = from_all.after(op, words, chunk);
        }
        Self { keep: from_all, get: from_none }
    }

    fn apply(self, state: State) -> State {
        State {
            full: state.full & self.keep.full | self.get.full,
            held: state.held & self.keep.held | self.get.held,
            mixed: state.mixed & self.keep.mixed | self.get.mixed,
        }
    }
}

/// The states of a chunk as a dataflow problem.
struct Chunk<'t> {
    /// The transfer functions of the blocks with operations.
    transfers: &'t [Transfer],
}

impl Problem for Chunk<'_> {
    type State = State;

    fn unreached(&self) -> State {
        State { full: u64::MAX, held: 0, mixed: 0 }
    }

    fn outside(&self) -> State {
        State::default()
    }

    fn meet(&self, state: &mut State, incoming: &State) {
        state.full &= incoming.full;
        state.held |= incoming.held;
        state.mixed |= incoming.mixed | state.held & !state.full;
    }

    fn transfer(&self, operations: u32, state: &mut State) {
        *state = self.transfers[operations as usize].apply(*state);
    }
}

/// The states of a chunk of leaves at the starts and ends of blocks, which are numbered in reverse postorder.
pub(super) struct Flow<'c, 'a> {
    cx: &'c FunctionVerifier<'a>,
    region: Region<'c>,
    solution: Solution<State>,
    transfers: Vec<Transfer>,
}

impl<'c, 'a> Flow<'c, 'a> {
    pub(super) fn new(cx: &'c FunctionVerifier<'a>) -> Self {
        let flow = ControlFlow { body: cx.body, dominators: cx.dominators(), order: cx.block_order() };
        let (region, solution) = (Region::with_reached_joins(flow), Solution::new(State::default()));
        Self { cx, region, solution, transfers: Vec::new() }
    }

    /// Returns the blocks with operations and the joins of different states, in order.
    pub(super) fn blocks(&self) -> &[u32] {
        self.region.blocks()
    }

    /// Returns the state at the start of a block of the region, given by its position.
    pub(super) fn start(&self, node: usize) -> State {
        *self.solution.start(node)
    }

    /// Returns the state at the end of a block.
    pub(super) fn end(&self, block: u32) -> State {
        let block = self.cx.block_order().blocks()[block as usize];
        *self.solution.end(self.region.node_at_end(block))
    }

    /// Computes the states of a chunk from all its operations, in order.
    pub(super) fn solve(&mut self, ops: &[&Op], words: LeafMasks, chunk: u32) {
        self.region.clear();
        self.transfers.clear();
        for in_block in ops.chunk_by(|a, b| a.block == b.block) {
            self.region.choose(in_block[0].block, self.transfers.len() as u32);
            self.transfers.push(Transfer::of(in_block.iter().copied(), words, chunk));
        }
        let (cx, transfers) = (self.cx, &self.transfers);
        let reach = |operations: u32, start| {
            let start = State { full: start, held: start, mixed: start };
            transfers[operations as usize].apply(start).any()
        };
        // In a dead-end block, only the leaves that are used in a single block are checked.
        let wanted = |flow: &ControlFlow<'_>, block: u32| {
            let block = flow.order.blocks()[block as usize];
            if cx.dead_ends().is_dead_end(block) { words.local } else { u64::MAX }
        };
        self.region.add_reached_joins(reach, wanted);
        self.region.connect();
        self.solution.solve(&self.region, &Chunk { transfers });
    }

    /// Returns the leaves that are initialized on one incoming edge of a block of the region and not on another.
    pub(super) fn disagreeing(&self, node: usize) -> u64 {
        let start = self.start(node);
        let (mut held, mut empty) = (0, 0);
        for input in self.region.inputs(node) {
            let end = self.solution.end(input);
            held |= end.held & end.full & !end.mixed;
            empty |= !end.held & !end.full & !end.mixed;
        }
        held & !start.full | empty & start.held
    }
}
