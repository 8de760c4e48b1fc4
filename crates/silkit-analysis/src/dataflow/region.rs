//! The blocks at which facts change, with the edges between them.

use crate::{BlockOrder, ChosenDominators, Dominators, Frontiers};
use silkit_ir::{Block, Body};
use std::collections::BTreeSet;
use std::ops::Range;

/// The control flow of a body.
#[derive(Clone, Copy, Debug)]
pub struct ControlFlow<'g> {
    /// The body.
    pub body: &'g Body,
    /// Its dominator tree.
    pub dominators: &'g Dominators,
    /// Its blocks in reverse postorder.
    pub order: &'g BlockOrder,
}

/// The maximum average number of frontier members per block.
const MOST_MEMBERS: usize = 8;

/// The number of no node and of no operation.
const NONE: u32 = u32::MAX;

/// The blocks at which facts change, numbered in reverse postorder: blocks with operations, and joins where different
/// states may meet. At the end of any other block, the state is the one at the end of its nearest dominator in the
/// region; without such a dominator, it is the state outside of the region.
///
/// The blocks are chosen first ([`Self::choose`], then [`Self::add_join`] or [`Self::add_reached_joins`]), then
/// connected ([`Self::connect`]). The memory is kept for the next set of blocks ([`Self::clear`]).
#[derive(Clone, Debug)]
pub struct Region<'g> {
    flow: ControlFlow<'g>,
    joins: Joins,
    nearest: ChosenDominators,
    /// The data of each block, by its number.
    at: Vec<BlockData>,
    /// The blocks of the region under construction.
    chosen: BTreeSet<u32>,
    blocks: Vec<u32>,
    nodes: Vec<Node>,
    /// The sources of the incoming states of all nodes.
    inputs: Vec<u32>,
}

/// The way in which joins are found.
#[derive(Clone, Debug)]
enum Joins {
    /// The user adds them.
    Given,
    /// By dominance frontiers.
    Frontiers(Frontiers),
    /// Since the frontiers would be too large, each block has a state of its own, and its frontier is its successors.
    /// Then the region consists of all blocks that a lane reaches.
    Successors,
}

/// The data of a block.
#[derive(Clone, Copy, Debug)]
struct BlockData {
    /// The number of its operations, or `NONE`.
    operations: u32,
    /// Its node, or `NONE`.
    node: u32,
    /// True if different states may meet at its start.
    is_join: bool,
    /// The lanes that are reached at its end.
    reached: u64,
}

const NOTHING: BlockData = BlockData { operations: NONE, node: NONE, is_join: false, reached: 0 };

/// A block of the connected region.
#[derive(Clone, Debug)]
struct Node {
    /// The number of its operations, or `NONE`.
    operations: u32,
    /// The range of its incoming states in `inputs`.
    inputs: Range<u32>,
    /// True if its end is an input of itself or of an earlier node.
    goes_back: bool,
}

impl<'g> Region<'g> {
    /// Creates an empty region whose joins the user adds.
    pub fn new(flow: ControlFlow<'g>) -> Self {
        Self::with(flow, Joins::Given)
    }

    /// Creates an empty region that finds its joins ([`Self::add_reached_joins`]).
    pub fn with_reached_joins(flow: ControlFlow<'g>) -> Self {
        let most = MOST_MEMBERS * flow.order.blocks().len();
        let frontiers = Frontiers::compute(flow.body, flow.dominators, most);
        Self::with(flow, frontiers.map_or(Joins::Successors, Joins::Frontiers))
    }

    fn with(flow: ControlFlow<'g>, joins: Joins) -> Self {
        Self {
            flow,
            joins,
            nearest: ChosenDominators::new(flow.dominators),
            at: vec![NOTHING; flow.order.blocks().len()],
            chosen: BTreeSet::new(),
            blocks: Vec::new(),
            nodes: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// Removes all blocks, in time proportional to their number.
    pub fn clear(&mut self) {
        for block in std::mem::take(&mut self.chosen).into_iter().chain(self.blocks.drain(..)) {
            self.at[block as usize] = NOTHING;
        }
        self.nearest.clear();
        self.nodes.clear();
        self.inputs.clear();
    }

    /// Adds a block with operations; `operations` is their number for the problem.
    pub fn choose(&mut self, block: u32, operations: u32) {
        self.at[block as usize].operations = operations;
        self.insert(block);
    }

    /// Adds a block without operations.
    pub fn choose_without_operations(&mut self, block: u32) {
        self.insert(block);
    }

    /// Adds a block where different states may meet.
    pub fn add_join(&mut self, block: u32) {
        self.at[block as usize].is_join = true;
        self.insert(block);
    }

    fn insert(&mut self, block: u32) {
        self.chosen.insert(block);
        self.nearest.insert(self.flow.dominators, self.flow.order.blocks()[block as usize]);
    }

    /// Adds the joins where paths meet of which at least one is reached. `reach(operations, start)` returns the lanes
    /// that are reached at the end of a block, and `wanted(block)` the lanes that matter at the start of a block.
    pub fn add_reached_joins(
        &mut self,
        reach: impl Fn(u32, u64) -> u64,
        wanted: impl Fn(&ControlFlow<'g>, u32) -> u64,
    ) {
        while self.visit(&reach, &wanted) {}
    }

    /// Visits the region once, in order, and adds joins. Returns true if another visit is needed because an earlier
    /// block changed.
    fn visit(
        &mut self,
        reach: &impl Fn(u32, u64) -> u64,
        wanted: &impl Fn(&ControlFlow<'g>, u32) -> u64,
    ) -> bool {
        let mut again = false;
        let mut from = 0;
        let mut targets = Vec::new();
        while let Some(&block) = self.chosen.range(from..).next() {
            from = block + 1;
            let start = match self.at[block as usize].is_join {
                true => self.sources(block).fold(0, |start, source| start | self.reached(source)),
                false => self.reached(self.above(block)),
            } & wanted(&self.flow, block);
            let end = match self.at[block as usize].operations {
                NONE => start,
                operations => reach(operations, start),
            };
            let is_changed = std::mem::replace(&mut self.at[block as usize].reached, end) != end;
            targets.clear();
            self.frontier(block, &mut targets);
            for &join in &targets {
                let is_new = !self.at[join as usize].is_join
                    && (end | self.reached(self.above(join))) & wanted(&self.flow, join) != 0;
                if is_new {
                    self.add_join(join);
                }
                again |= join <= block && (is_new || is_changed && self.at[join as usize].is_join);
            }
        }
        again
    }

    /// Returns the lanes that are reached at the end of a block of the region, or none.
    fn reached(&self, source: Option<u32>) -> u64 {
        source.map_or(0, |source| self.at[source as usize].reached)
    }

    /// Returns the block of the region whose end has the same state as the end of a block.
    fn source(&self, block: u32) -> Option<u32> {
        let at = self.flow.order.blocks()[block as usize];
        let nearest = self.nearest.nearest(self.flow.dominators, at)?;
        if matches!(self.joins, Joins::Successors) && nearest != at {
            return None;
        }
        self.flow.order.position(nearest).map(|at| at as u32)
    }

    /// Returns the block of the region whose end has the same state as the start of a block, unless different states
    /// meet there.
    fn above(&self, block: u32) -> Option<u32> {
        if matches!(self.joins, Joins::Successors) {
            return None;
        }
        let above = self.flow.dominators.immediate(self.flow.order.blocks()[block as usize])?;
        self.source(self.flow.order.position(above)? as u32)
    }

    /// Returns the blocks of the region whose ends have the same states as the incoming edges of a block.
    fn sources(&self, block: u32) -> impl Iterator<Item = Option<u32>> + '_ {
        let order = self.flow.order;
        let preds = self.flow.body.predecessors(order.blocks()[block as usize]);
        preds.filter_map(|pred| order.position(pred)).map(|pred| self.source(pred as u32))
    }

    /// Adds the dominance frontier of a block, without the entry.
    fn frontier(&self, block: u32, into: &mut Vec<u32>) {
        let order = self.flow.order;
        let block = order.blocks()[block as usize];
        let position = |block| order.position(block).map(|at| at as u32).filter(|&at| at != 0);
        match &self.joins {
            Joins::Given => {}
            Joins::Frontiers(frontiers) => {
                into.extend(frontiers.of(block).iter().filter_map(|&b| position(b)));
            }
            Joins::Successors => into.extend(self.flow.body.block_successors(block).filter_map(position)),
        }
    }

    /// Computes the edges between the blocks, after all were added.
    pub fn connect(&mut self) {
        self.blocks.extend(std::mem::take(&mut self.chosen));
        for (node, &block) in self.blocks.iter().enumerate() {
            self.at[block as usize].node = node as u32;
        }
        for at in 0..self.blocks.len() {
            let (block, first) = (self.blocks[at], self.inputs.len());
            let BlockData { is_join, operations, .. } = self.at[block as usize];
            let mut inputs = std::mem::take(&mut self.inputs);
            let node = |source: Option<u32>| source.map_or(NONE, |source| self.at[source as usize].node);
            match is_join {
                true => inputs.extend(self.sources(block).map(node)),
                false => inputs.push(node(self.above(block))),
            }
            inputs[first..].sort_unstable();
            let mut last = None;
            let mut end = first;
            for at in first..inputs.len() {
                let input = inputs[at];
                if last.replace(input) != Some(input) {
                    inputs[end] = input;
                    end += 1;
                }
            }
            inputs.truncate(end);
            self.inputs = inputs;
            self.nodes.push(Node { operations, inputs: first as u32..end as u32, goes_back: false });
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

    /// Returns the blocks of the connected region in reverse postorder, by number. The position of a block is the
    /// number of its node.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// Returns the node whose end has the same state as the end of a block; `None` outside of the region.
    pub fn node_at_end(&self, block: Block) -> Option<usize> {
        let source = self.source(self.flow.order.position(block)? as u32)?;
        Some(self.at[source as usize].node as usize)
    }

    /// Returns the node of a block of the region.
    pub fn node(&self, block: Block) -> Option<usize> {
        let node = self.at.get(self.flow.order.position(block)?)?.node;
        (node != NONE).then_some(node as usize)
    }

    /// Returns the nodes whose ends are the states on the edges into a node, without duplicates; `None` for an edge
    /// from outside of the region.
    pub fn inputs(&self, node: usize) -> impl Iterator<Item = Option<usize>> + '_ {
        let inputs = self.nodes[node].inputs.clone();
        let inputs = &self.inputs[inputs.start as usize..inputs.end as usize];
        inputs.iter().map(|&input| (input != NONE).then_some(input as usize))
    }

    /// Returns the number of the operations of a node.
    pub(super) fn operations(&self, node: usize) -> Option<u32> {
        Some(self.nodes[node].operations).filter(|&operations| operations != NONE)
    }

    /// Returns true if the end of a node is an input of itself or of an earlier node.
    pub(super) fn goes_back(&self, node: usize) -> bool {
        self.nodes[node].goes_back
    }
}
