//! The control-flow graph of a body: edges from terminators to their successors, stored in two ways.
//!
//! The outgoing edges of a terminator are stored contiguously, in text order. The incoming edges of a block form a
//! list, newest first: the order in which the reference prints `// Preds:`.

use super::{Block, Body, Edge, EdgeData, Inst};
use crate::NONE;
use crate::info::AttrKind;
use silkit_base::BitSet;

/// The location of a successor in an instruction: an attribute word, or an element of a list attribute.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    /// The attribute.
    pub(crate) attr: usize,
    /// The position in the list attribute.
    pub(crate) item: Option<usize>,
}

impl Body {
    /// Returns the successors of an instruction, in text order. Only terminators have successors.
    pub fn successors(&self, inst: Inst) -> impl ExactSizeIterator<Item = Block> + Clone + '_ {
        self.edges_of(inst).iter().map(|e| e.to)
    }

    /// Returns the successor of an instruction at a position in text order.
    pub fn successor(&self, inst: Inst, index: usize) -> Option<Block> {
        self.edges_of(inst).get(index).map(|e| e.to)
    }

    /// Returns the edges of an instruction, in the order of its successors.
    pub fn edges_of(&self, inst: Inst) -> &[EdgeData] {
        match self.inst_block(inst).some().filter(|_| self.next_inst(inst).is_none()) {
            Some(block) => &self.edges.as_slice()[self.edge_range(block)],
            None => &[],
        }
    }

    /// Returns the successors of a block, in the text order of its terminator.
    pub fn block_successors(&self, block: Block) -> impl ExactSizeIterator<Item = Block> + Clone + '_ {
        self.edges.as_slice()[self.edge_range(block)].iter().map(|e| e.to)
    }

    /// Returns the edges into a block, newest first.
    pub fn incoming(&self, block: Block) -> impl Iterator<Item = Edge> + Clone + '_ {
        std::iter::successors(self.blocks[block].first_pred.some(), |&e| self.edges[e].next.some())
    }

    /// Returns the predecessors of a block, newest edge first. A block with two edges to it is listed twice.
    pub fn predecessors(&self, block: Block) -> impl Iterator<Item = Block> + Clone + '_ {
        self.incoming(block).map(|e| self.edges[e].from)
    }

    /// Returns the predecessor of a block if it has exactly one incoming edge.
    pub fn single_predecessor(&self, block: Block) -> Option<Block> {
        let mut all = self.predecessors(block);
        all.next().filter(|_| all.next().is_none())
    }

    /// Returns the successor of a block if it has exactly one outgoing edge.
    pub fn single_successor(&self, block: Block) -> Option<Block> {
        let mut all = self.block_successors(block);
        all.next().filter(|_| all.len() == 0)
    }

    /// Returns the blocks reachable from the entry in reverse postorder: a block comes before the blocks that it
    /// dominates, and before its successors except along back edges.
    pub fn reverse_postorder(&self) -> Vec<Block> {
        let mut order = Vec::with_capacity(self.block_count());
        let Some(entry) = self.entry_block() else { return order };
        let mut seen = BitSet::with_bound(self.block_bound());
        seen.insert(entry);
        // The block that is visited is not on the stack, which a body of one block does not need.
        let mut stack = Vec::with_capacity(self.block_count() - 1);
        let mut at = (entry, self.block_successors(entry));
        loop {
            match at.1.next() {
                Some(next) if seen.insert(next) => {
                    stack.push(std::mem::replace(&mut at, (next, self.block_successors(next))));
                }
                Some(_) => {}
                None => {
                    order.push(at.0);
                    let Some(above) = stack.pop() else { break };
                    at = above;
                }
            }
        }
        order.reverse();
        order
    }

    /// Returns the edges out of a block, in the order of its successors.
    pub fn outgoing(&self, block: Block) -> impl ExactSizeIterator<Item = Edge> + Clone + use<> {
        let range = self.edge_range(block);
        (range.start as u32..range.end as u32).map(Edge::from_u32)
    }

    /// Returns an edge.
    pub fn edge(&self, edge: Edge) -> &EdgeData {
        &self.edges[edge]
    }

    /// Returns the index of an edge among the edges of its terminator.
    pub fn edge_index(&self, edge: Edge) -> usize {
        (edge.as_u32() - self.blocks[self.edges[edge].from].first_edge.as_u32()) as usize
    }

    /// Returns the terminator of a block, or `None` if the block is incomplete.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.last_inst(block).filter(|&i| self.insts[i].opcode.is_terminator())
    }

    fn edge_range(&self, block: Block) -> std::ops::Range<usize> {
        let data = &self.blocks[block];
        if data.edge_count == 0 {
            return 0..0;
        }
        let start = data.first_edge.as_u32() as usize;
        start..start + data.edge_count as usize
    }

    /// Calls a function with every successor in an instruction's attributes and its slot.
    pub(crate) fn each_target(&self, inst: Inst, mut f: impl FnMut(Slot, Block)) {
        for (attr, (spec, &word)) in self.info(inst).attrs.iter().zip(self.words(inst)).enumerate() {
            let step = match spec.kind {
                AttrKind::Block | AttrKind::OptBlock if word != NONE => {
                    f(Slot { attr, item: None }, Block::from_u32(word));
                    continue;
                }
                AttrKind::ListBlock => 1,
                AttrKind::ListDeclBlock => 2,
                _ => continue,
            };
            for (item, &block) in self.list(word).iter().enumerate().skip(step - 1).step_by(step) {
                f(Slot { attr, item: Some(item) }, Block::from_u32(block));
            }
        }
    }

    /// Returns the slot of the successor with this index.
    pub(crate) fn target(&self, inst: Inst, index: usize) -> Option<Slot> {
        let mut rest = index;
        for (attr, (spec, &word)) in self.info(inst).attrs.iter().zip(self.words(inst)).enumerate() {
            let (count, step) = match spec.kind {
                AttrKind::Block | AttrKind::OptBlock => (usize::from(word != NONE), 0),
                AttrKind::ListBlock => (self.list(word).len(), 1),
                AttrKind::ListDeclBlock => (self.list(word).len() / 2, 2),
                _ => continue,
            };
            if rest < count {
                return Some(Slot { attr, item: (step > 0).then(|| rest * step + step - 1) });
            }
            rest -= count;
        }
        None
    }

    /// Creates the edges of the terminator of a block that has no edges yet.
    pub(crate) fn link_edges(&mut self, block: Block) {
        let Some(last) = self.last_inst(block) else { return };
        let first = self.edges.next_key();
        let mut targets = Vec::new();
        self.each_target(last, |_, to| targets.push(to));
        for &to in &targets {
            let edge = self.edges.push(EdgeData { from: block, to, prev: Edge::NONE, next: Edge::NONE });
            self.link_edge(edge, to);
        }
        let data = &mut self.blocks[block];
        data.first_edge = first;
        data.edge_count = targets.len() as u32;
    }

    /// Removes the outgoing edges of a block.
    pub(crate) fn unlink_edges(&mut self, block: Block) {
        for index in self.edge_range(block) {
            self.unlink_edge(Edge::from_u32(index as u32));
        }
        self.blocks[block].edge_count = 0;
    }

    /// Prepends an edge to the incoming edges of a block.
    pub(crate) fn link_edge(&mut self, edge: Edge, to: Block) {
        let first = std::mem::replace(&mut self.blocks[to].first_pred, edge);
        let data = &mut self.edges[edge];
        data.to = to;
        data.prev = Edge::NONE;
        data.next = first;
        if first.is_some() {
            self.edges[first].prev = edge;
        }
    }

    pub(crate) fn unlink_edge(&mut self, edge: Edge) {
        let EdgeData { to, prev, next, .. } = self.edges[edge];
        match prev.some() {
            Some(prev) => self.edges[prev].next = next,
            None => self.blocks[to].first_pred = next,
        }
        if next.is_some() {
            self.edges[next].prev = prev;
        }
    }

    /// Redirects an edge and prepends it to the incoming edges of its new target.
    pub(crate) fn relink_edge(&mut self, from: Block, index: usize, to: Block) {
        let edge = Edge::from_u32(self.blocks[from].first_edge.as_u32() + index as u32);
        self.unlink_edge(edge);
        self.link_edge(edge, to);
    }

    /// Moves the terminator's edges from one block to another block without edges.
    pub(crate) fn move_edges(&mut self, from: Block, to: Block) {
        let range = self.edge_range(from);
        for index in range.clone() {
            self.edges[Edge::from_u32(index as u32)].from = to;
        }
        let first_edge = self.blocks[from].first_edge;
        self.blocks[from].edge_count = 0;
        let data = &mut self.blocks[to];
        data.first_edge = first_edge;
        data.edge_count = range.len() as u32;
    }
}
