//! The state of each element before each use: a forward dataflow analysis over the blocks that matter.
//!
//! These are the block of the mark, blocks that initialize elements, and the joins of these (their iterated dominance
//! frontier).

use super::object::Object;
use super::uses::{Use, UseKind};
use silkit_analysis::Joins;
use silkit_analysis::dataflow::{ControlFlow, Problem, Region, Solution};
use silkit_base::{BitSet, Entity, entity};
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

entity!(
    /// An element of an object.
    Element,
    "element"
);

/// The state of all elements at a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The elements that a path leaves uninitialized.
    uninitialized: BitSet<Element>,
    /// The elements that a path initializes.
    initialized: BitSet<Element>,
}

impl State {
    /// Returns the state before any path was found.
    fn unreached(count: usize) -> Self {
        Self { uninitialized: BitSet::with_bound(count), initialized: BitSet::with_bound(count) }
    }

    fn initialize(&mut self, elements: Range<u32>) {
        let elements = elements.start as usize..elements.end as usize;
        self.uninitialized.remove_range(elements.clone());
        self.initialized.insert_range(elements);
    }

    /// Returns the state of an element.
    pub(super) fn of(&self, element: u32) -> ElementState {
        let element = Element::from_index(element as usize);
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
    /// The position of the block in reverse postorder.
    position: usize,
    /// The position in the block; initializations on the edge come first.
    order: u32,
    /// The number of the use.
    number: usize,
    /// True for the effect on the edge of a use in another block.
    is_on_edge: bool,
}

/// The initialization of elements, as a dataflow problem.
struct Initialization<'u> {
    /// The number of elements.
    count: usize,
    /// The events in the blocks that initialize elements.
    blocks: Vec<&'u [Event]>,
    uses: &'u [Use],
}

impl Problem for Initialization<'_> {
    type State = State;

    fn unreached(&self) -> State {
        State::unreached(self.count)
    }

    /// Returns the state after the mark, which is that at the start of its block.
    fn outside(&self) -> State {
        let mut state = self.unreached();
        state.uninitialized.insert_range(0..self.count);
        state
    }

    fn meet(&self, state: &mut State, incoming: &State) {
        state.uninitialized.unite(&incoming.uninitialized);
        state.initialized.unite(&incoming.initialized);
    }

    fn transfer(&self, operations: u32, state: &mut State) {
        let events = self.blocks[operations as usize];
        for event in events.iter().filter(|event| initializes(event, self.uses)) {
            state.initialize(self.uses[event.number].elements.clone());
        }
    }
}

/// Returns the state of the elements before each use, or `None` if its effect on an edge cannot be tracked. In
/// unreachable blocks all elements are initialized.
pub(super) fn compute(
    region: &mut Region<'_>,
    flow: ControlFlow<'_>,
    joins: &mut Joins,
    object: &Object,
    uses: &[Use],
) -> Option<Vec<State>> {
    let events = events(flow, uses)?;
    let count = object.elements.len();
    let blocks: Vec<&[Event]> = events.chunk_by(|a, b| a.block == b.block).collect();
    let home = flow.body.inst_block(object.mark);
    choose(region, flow, joins, home, &blocks, uses)?;
    let problem = Initialization { count, blocks, uses };
    let mut solution = Solution::new(problem.outside());
    solution.solve(region, &problem);
    let mut states = vec![State::unreached(count); uses.len()];
    for in_block in &problem.blocks {
        let block = in_block[0].block;
        let mut state = match region.node(block) {
            Some(node) => solution.start(node).clone(),
            None => solution.end(region.node_at_end(block)).clone(),
        };
        for event in *in_block {
            if !event.is_on_edge {
                states[event.number] = state.clone();
            }
            if initializes(event, uses) {
                state.initialize(uses[event.number].elements.clone());
            }
        }
    }
    Some(states)
}

/// Returns the events in reverse postorder of the blocks, in order within each block.
fn events(flow: ControlFlow<'_>, uses: &[Use]) -> Option<Vec<Event>> {
    let body = flow.body;
    let mut events = Vec::new();
    let mut add = |block: Block, order: u32, number: usize, is_on_edge: bool| {
        if let Some(position) = flow.order.position(block) {
            events.push(Event { block, position, order, number, is_on_edge });
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

/// Makes the region of the block of the mark, the blocks that initialize elements, and the joins of these.
fn choose(
    region: &mut Region<'_>,
    flow: ControlFlow<'_>,
    joins: &mut Joins,
    home: Block,
    blocks: &[&[Event]],
    uses: &[Use],
) -> Option<()> {
    region.clear();
    region.choose_without_operations(flow.order.position(home)? as u32);
    let mut chosen = vec![home];
    for (number, events) in blocks.iter().enumerate() {
        if events.iter().any(|event| initializes(event, uses)) {
            chosen.push(events[0].block);
            region.choose(events[0].position as u32, number as u32);
        }
    }
    for join in joins.iterated(flow.dominators, home, chosen, |block| block != home) {
        region.add_join(flow.order.position(join)? as u32);
    }
    region.connect();
    // What is not dominated by the mark is not valid.
    (region.node(home) == Some(0)).then_some(())
}
