//! The state of each element before each use: a forward dataflow analysis over the blocks that matter.
//!
//! These are the block of the mark, blocks that initialize elements, and the joins of these (their iterated dominance
//! frontier). In any other block the state is the one at the end of the nearest of them that dominates it. So the
//! cost follows the uses of the object, not the size of the body.

use super::object::Object;
use super::uses::{Use, UseKind};
use silkit_analysis::{Dominators, Joins};
use silkit_base::FxHashMap;
use silkit_ir::{Block, Body, Inst};
use std::ops::Range;

/// The state of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementState {
    /// No path initializes it.
    Uninitialized,
    /// All paths initialize it.
    Initialized,
    /// Some paths initialize it.
    Conditional,
}

/// A set of elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Elements(Vec<u64>);

impl Elements {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn insert_range(&mut self, range: Range<u32>) {
        range.for_each(|index| self.0[index as usize / 64] |= 1 << (index % 64));
    }

    fn remove_range(&mut self, range: Range<u32>) {
        range.for_each(|index| self.0[index as usize / 64] &= !(1 << (index % 64)));
    }

    fn contains(&self, index: u32) -> bool {
        self.0[index as usize / 64] & 1 << (index % 64) != 0
    }

    /// Adds the elements of another set. Returns true if this changes the set.
    fn unite(&mut self, other: &Self) -> bool {
        let mut has_changed = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            has_changed |= more & !*word != 0;
            *word |= more;
        }
        has_changed
    }
}

/// The state of all elements at a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The elements that a path leaves uninitialized.
    uninitialized: Elements,
    /// The elements that a path initializes.
    initialized: Elements,
}

impl State {
    /// Returns the state before any path was found.
    fn unreached(count: usize) -> Self {
        Self { uninitialized: Elements::new(count), initialized: Elements::new(count) }
    }

    fn initialize(&mut self, elements: Range<u32>) {
        self.uninitialized.remove_range(elements.clone());
        self.initialized.insert_range(elements);
    }

    fn unite(&mut self, other: &Self) -> bool {
        let has_changed = self.uninitialized.unite(&other.uninitialized);
        self.initialized.unite(&other.initialized) || has_changed
    }

    /// Returns the state of an element.
    pub(super) fn of(&self, element: u32) -> ElementState {
        match (self.uninitialized.contains(element), self.initialized.contains(element)) {
            (true, true) => ElementState::Conditional,
            (true, false) => ElementState::Uninitialized,
            (false, _) => ElementState::Initialized,
        }
    }

    /// Returns true if all of these elements have this state.
    pub(super) fn all_are(&self, elements: Range<u32>, state: ElementState) -> bool {
        elements.into_iter().all(|element| self.of(element) == state)
    }
}

/// An event in a block: a use, or an initialization on the edge into it.
#[derive(Clone, Copy, Debug)]
struct Event {
    block: Block,
    /// The position of the block in the preorder of the dominator tree.
    position: usize,
    /// The position in the block; initializations on the edge come first.
    order: u32,
    /// The number of the use.
    number: usize,
    /// True for the effect on the edge of a use in another block.
    is_on_edge: bool,
}

/// A block with a state of its own.
#[derive(Clone, Debug)]
struct Node {
    block: Block,
    /// The positions of the blocks that it dominates, its own first.
    subtree: Range<usize>,
    /// The state at the start of the block; in the block of the mark, after the mark.
    entry: State,
    /// The ranges of elements that the block initializes.
    initialized: Vec<Range<u32>>,
    is_join: bool,
    /// The nodes whose entry depends on the exit of this one.
    next: Vec<usize>,
}

impl Node {
    fn exit(&self) -> State {
        let mut state = self.entry.clone();
        self.initialized.iter().for_each(|range| state.initialize(range.clone()));
        state
    }
}

/// Returns the state of the elements before each use, or `None` if its effect on an edge cannot be tracked. In
/// unreachable blocks all elements are initialized.
pub(super) fn compute(
    body: &Body,
    dominators: &Dominators,
    joins: &mut Joins,
    object: &Object,
    uses: &[Use],
) -> Option<Vec<State>> {
    let events = events(body, dominators, uses)?;
    let home = body.inst_block(object.mark);
    let mut nodes = nodes(dominators, joins, home, &events, object.elements.len(), uses)?;
    connect(body, dominators, &mut nodes);
    solve(&mut nodes);
    let starts = nearest(&nodes, events.iter().map(|event| event.position));
    let mut states = vec![State::unreached(object.elements.len()); uses.len()];
    let mut state = State::default();
    for (index, event) in events.iter().enumerate() {
        if index == 0 || events[index - 1].block != event.block {
            let node = &nodes[starts[index]];
            state = if node.block == event.block { node.entry.clone() } else { node.exit() };
        }
        if !event.is_on_edge {
            states[event.number] = state.clone();
        }
        if initializes(event, uses) {
            state.initialize(uses[event.number].elements.clone());
        }
    }
    Some(states)
}

/// Returns the events in the preorder of the dominator tree, in order within each block.
fn events(body: &Body, dominators: &Dominators, uses: &[Use]) -> Option<Vec<Event>> {
    let mut events = Vec::new();
    let mut add = |block: Block, order: u32, number: usize, is_on_edge: bool| {
        if let Some(range) = dominators.dominated(block) {
            events.push(Event { block, position: range.start, order, number, is_on_edge });
        }
    };
    for (number, using) in uses.iter().enumerate() {
        let order = body.order_in_block(using.inst).saturating_add(1);
        add(body.inst_block(using.inst), order, number, false);
        if using.kind == UseKind::InitializesOnSuccess {
            add(success(body, using.inst)?, 0, number, true);
        }
    }
    // Of the operands of one instruction, those that read come first.
    events.sort_unstable_by_key(|event| {
        let writes = !uses[event.number].kind.comes_first();
        (event.position, event.order, writes, event.number)
    });
    Some(events)
}

/// Returns the block on the first edge of a terminator if the terminator is its only predecessor.
pub(super) fn success(body: &Body, terminator: Inst) -> Option<Block> {
    let block = body.successors(terminator).next()?;
    (body.predecessors(block).count() == 1).then_some(block)
}

/// Returns true if an event initializes its elements.
fn initializes(event: &Event, uses: &[Use]) -> bool {
    event.is_on_edge || uses[event.number].initializes()
}

/// Returns the blocks with a state of their own, in preorder of the dominator tree. The first is that of the mark.
fn nodes(
    dominators: &Dominators,
    joins: &mut Joins,
    home: Block,
    events: &[Event],
    count: usize,
    uses: &[Use],
) -> Option<Vec<Node>> {
    let mut initialized: FxHashMap<Block, Vec<Range<u32>>> = FxHashMap::default();
    if !dominators.is_reachable(home) {
        return None;
    }
    initialized.entry(home).or_default();
    for event in events.iter().filter(|event| initializes(event, uses)) {
        initialized.entry(event.block).or_default().push(uses[event.number].elements.clone());
    }
    let mut blocks: Vec<Block> = initialized.keys().copied().collect();
    blocks.sort_unstable();
    let joined = joins.iterated(dominators, home, blocks.iter().copied(), |block| block != home);
    blocks.extend(&joined);
    let node = |block: Block| {
        let initialized = initialized.get(&block).cloned().unwrap_or_default();
        let (subtree, entry) = (dominators.dominated(block)?, State::unreached(count));
        let is_join = joined.binary_search(&block).is_ok();
        Some(Node { block, subtree, entry, initialized, is_join, next: Vec::new() })
    };
    let mut nodes: Vec<Node> = blocks.into_iter().map(node).collect::<Option<_>>()?;
    nodes.sort_by_key(|node| node.subtree.start);
    nodes.dedup_by_key(|node| node.block);
    let first = nodes.first_mut().filter(|node| node.block == home)?;
    first.entry.uninitialized.insert_range(0..count as u32);
    Some(nodes)
}

/// Returns, for each position in preorder, the last node that dominates the block there. Positions must be those of
/// blocks that the first node dominates.
fn nearest(nodes: &[Node], positions: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut queries: Vec<(usize, usize)> = positions.enumerate().map(|(at, p)| (p, at)).collect();
    queries.sort_unstable();
    let mut found = vec![0; queries.len()];
    let (mut stack, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
    for (position, at) in queries {
        while nodes.get(next).is_some_and(|node| node.subtree.start <= position) {
            while stack.last().is_some_and(|&top| nodes[top].subtree.end <= nodes[next].subtree.start) {
                stack.pop();
            }
            stack.push(next);
            next += 1;
        }
        while stack.last().is_some_and(|&top| nodes[top].subtree.end <= position) {
            stack.pop();
        }
        found[at] = stack.last().copied().unwrap_or(0);
    }
    found
}

/// Connects each node with those whose entry depends on its exit.
fn connect(body: &Body, dominators: &Dominators, nodes: &mut [Node]) {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (index, node) in nodes.iter().enumerate().skip(1) {
        match node.is_join {
            true => {
                let sources = body.predecessors(node.block).filter_map(|from| dominators.dominated(from));
                edges.extend(sources.map(|range| (range.start, index)));
            }
            false => {
                let above = dominators.immediate(node.block).and_then(|above| dominators.dominated(above));
                edges.extend(above.map(|range| (range.start, index)));
            }
        }
    }
    let sources = nearest(nodes, edges.iter().map(|&(from, _)| from));
    for (&(_, to), from) in edges.iter().zip(sources) {
        nodes[from].next.push(to);
    }
}

/// Propagates the states until they no longer change. The state of a node changes at most twice for each element.
fn solve(nodes: &mut [Node]) {
    let mut work = vec![0];
    while let Some(index) = work.pop() {
        let (exit, next) = (nodes[index].exit(), std::mem::take(&mut nodes[index].next));
        work.extend(next.iter().copied().filter(|&to| nodes[to].entry.unite(&exit)));
        nodes[index].next = next;
    }
}
