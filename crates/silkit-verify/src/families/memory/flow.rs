//! Data flow of memory states through the blocks, for 64 leaves at a time.
//!
//! States change only at operations and at joins of different states; at other points the state is that of the
//! nearest dominating block with a change. So the cost of a chunk depends on its operations, not on the number of
//! blocks between them.

use super::ops::{Op, Ops, mask};
use super::sparse::Sparse;
use crate::context::FunctionVerifier;
use silkit_analysis::memory::{RequiredState, ResultingState};
use std::collections::BTreeSet;
use std::ops::Range;

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

/// The data of a block for the current chunk.
#[derive(Clone, Copy, Debug)]
struct BlockData {
    /// The index of its transfer function in `transfers`, or `NONE`.
    transfer: u32,
    /// Its position in the region, or `NONE`.
    node: u32,
    /// True if different states may meet at its start.
    is_join: bool,
    /// The leaves that may be initialized at its end.
    reached: u64,
}

/// A block of the region.
#[derive(Debug)]
struct Node {
    start: State,
    end: State,
    /// The range of its incoming states in `inputs`.
    inputs: Range<u32>,
    /// True if its end is an input of itself or of an earlier block.
    goes_back: bool,
}

/// The states of a chunk of leaves at the starts and ends of blocks, which are numbered in reverse postorder.
pub(super) struct Flow<'c, 'a> {
    cx: &'c FunctionVerifier<'a>,
    sparse: Sparse<'c, 'a>,
    at: Vec<BlockData>,
    transfers: Vec<Transfer>,
    /// The blocks of the region under construction.
    chosen: BTreeSet<u32>,
    /// The blocks with operations and the joins of different states, in order.
    pub(super) region: Vec<u32>,
    /// The data of the blocks.
    nodes: Vec<Node>,
    /// The data of the blocks of the region.
    inputs: Vec<u32>,
}

const NONE: u32 = u32::MAX;
const NOTHING: BlockData = BlockData { transfer: NONE, node: NONE, is_join: false, reached: 0 };

impl<'c, 'a> Flow<'c, 'a> {
    pub(super) fn new(cx: &'c FunctionVerifier<'a>) -> Self {
        Self {
            cx,
            sparse: Sparse::new(cx),
            at: vec![NOTHING; cx.block_order().blocks().len()],
            transfers: Vec::new(),
            chosen: BTreeSet::new(),
            region: Vec::new(),
            nodes: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Returns the state at the start of a block of the region, given by its position.
    pub(super) fn start(&self, node: usize) -> State {
        self.nodes[node].start
    }

    /// Returns the state at the end of a block.
    pub(super) fn end(&self, block: u32) -> State {
        self.sparse
            .source(block)
            .map_or(State::default(), |source| self.end_of(self.at[source as usize].node))
    }

    fn end_of(&self, node: u32) -> State {
        self.nodes.get(node as usize).map_or(State::default(), |node| node.end)
    }

    /// Computes the states of a chunk from all its operations, in order.
    pub(super) fn solve(&mut self, ops: &[&Op], words: LeafMasks, chunk: u32) {
        self.reset();
        for in_block in ops.chunk_by(|a, b| a.block == b.block) {
            let block = in_block[0].block;
            self.at[block as usize].transfer = self.transfers.len() as u32;
            self.transfers.push(Transfer::of(in_block.iter().copied(), words, chunk));
            self.choose(block);
        }
        while self.find_joins(words) {}
        self.connect();
        while self.pass() {}
    }

    fn reset(&mut self) {
        for &block in &self.region {
            self.at[block as usize] = NOTHING;
        }
        self.sparse.clear();
        self.region.clear();
        self.transfers.clear();
        self.nodes.clear();
        self.inputs.clear();
    }

    fn choose(&mut self, block: u32) {
        self.chosen.insert(block);
        self.sparse.choose(block);
    }

    fn transfer(&self, block: u32, start: State) -> State {
        match self.at[block as usize].transfer {
            NONE => start,
            at => self.transfers[at as usize].apply(start),
        }
    }

    /// Returns the leaves that may be initialized at the end of a block of the region, or none.
    fn reached(&self, source: Option<u32>) -> u64 {
        source.map_or(0, |source| self.at[source as usize].reached)
    }

    /// Returns the leaves that are checked in a block. In a dead-end block these are the leaves that are used in a
    /// single block.
    fn matter(&self, block: u32, words: LeafMasks) -> u64 {
        let block = self.cx.block_order().blocks()[block as usize];
        if self.cx.dead_ends().is_dead_end(block) { words.local } else { u64::MAX }
    }

    /// Visits the region once and adds the joins where different states may meet. Returns true if another visit is
    /// needed because an earlier block changed.
    fn find_joins(&mut self, words: LeafMasks) -> bool {
        let mut again = false;
        let mut from = 0;
        let mut targets = Vec::new();
        while let Some(&block) = self.chosen.range(from..).next() {
            from = block + 1;
            let start = match self.at[block as usize].is_join {
                true => self.sparse.sources(block).fold(0, |start, source| start | self.reached(source)),
                false => self.reached(self.sparse.above(block)),
            } & self.matter(block, words);
            let end = self.transfer(block, State { full: start, held: start, mixed: start }).any();
            let is_changed = std::mem::replace(&mut self.at[block as usize].reached, end) != end;
            targets.clear();
            self.sparse.frontier(block, &mut targets);
            for &join in &targets {
                let is_new = !self.at[join as usize].is_join
                    && (end | self.reached(self.sparse.above(join))) & self.matter(join, words) != 0;
                if is_new {
                    self.at[join as usize].is_join = true;
                    self.choose(join);
                }
                again |= join <= block && (is_new || is_changed && self.at[join as usize].is_join);
            }
        }
        again
    }

    /// Computes the sources of the incoming states of each block of the region.
    fn connect(&mut self) {
        self.region.extend(std::mem::take(&mut self.chosen));
        for (node, &block) in self.region.iter().enumerate() {
            self.at[block as usize].node = node as u32;
        }
        for &block in &self.region {
            let first = self.inputs.len();
            let at = |source: Option<u32>| source.map_or(NONE, |source| self.at[source as usize].node);
            match self.at[block as usize].is_join {
                true => self.inputs.extend(self.sparse.sources(block).map(at)),
                false => self.inputs.push(at(self.sparse.above(block))),
            }
            self.inputs[first..].sort_unstable();
            let mut last = None;
            let mut end = first;
            for at in first..self.inputs.len() {
                let input = self.inputs[at];
                if last.replace(input) != Some(input) {
                    self.inputs[end] = input;
                    end += 1;
                }
            }
            self.inputs.truncate(end);
            let all = State { full: u64::MAX, held: 0, mixed: 0 };
            let inputs = first as u32..end as u32;
            self.nodes.push(Node { start: all, end: all, inputs, goes_back: false });
        }
        for node in 0..self.nodes.len() {
            for at in self.nodes[node].inputs.clone() {
                let input = self.inputs[at as usize] as usize;
                if input >= node && input < self.nodes.len() {
                    self.nodes[input].goes_back = true;
                }
            }
        }
    }

    /// Computes all states once, in order. Returns true if a state changed that an earlier block depends on.
    fn pass(&mut self) -> bool {
        let mut again = false;
        for node in 0..self.nodes.len() {
            let start = self.joined(node);
            let end = self.transfer(self.region[node], start);
            let node = &mut self.nodes[node];
            again |= node.goes_back && end != node.end;
            (node.start, node.end) = (start, end);
        }
        again
    }

    /// Returns the incoming states of a block of the region.
    fn inputs(&self, node: usize) -> impl Iterator<Item = State> + '_ {
        let inputs = self.nodes[node].inputs.clone();
        self.inputs[inputs.start as usize..inputs.end as usize].iter().map(|&input| self.end_of(input))
    }

    fn joined(&self, node: usize) -> State {
        let mut start = State { full: u64::MAX, held: 0, mixed: 0 };
        for end in self.inputs(node) {
            start.full &= end.full;
            start.held |= end.held;
            start.mixed |= end.mixed;
        }
        start.mixed |= start.held & !start.full;
        start
    }

    /// Returns the leaves that are initialized on one incoming edge of a block of the region and not on another.
    pub(super) fn disagreeing(&self, node: usize) -> u64 {
        let start = self.start(node);
        let (mut held, mut empty) = (0, 0);
        for end in self.inputs(node) {
            held |= end.held & end.full & !end.mixed;
            empty |= !end.held & !end.full & !end.mixed;
        }
        held & !start.full | empty & start.held
    }
}
