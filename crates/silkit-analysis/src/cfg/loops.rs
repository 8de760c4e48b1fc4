//! Natural loops.

use crate::{BlockOrder, Dominators};
use silkit_base::{Entity, IdVec, entity};
use silkit_ir::{Block, Body};

entity!(/// A natural loop of a body.
    LoopId, "loop");

/// The natural loops of a body. For each header of a back edge (an edge from a block that the header dominates), the
/// loop consists of all blocks on paths to the header that do not leave the header's dominance region.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    loops: IdVec<LoopId, Loop>,
    /// The innermost loop of each block, or `NONE`.
    innermost: Vec<LoopId>,
    outermost: Vec<LoopId>,
    /// The position of each block in reverse postorder.
    position: Vec<u32>,
}

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The loop header.
    pub header: Block,
    /// The enclosing loop; `NONE` for an outermost loop.
    pub parent: Option<LoopId>,
    /// The nesting depth: 1 for an outermost loop.
    pub depth: u32,
    /// The directly nested loops, in reverse postorder of their headers.
    pub children: Vec<LoopId>,
    /// The blocks that are not in nested loops, in reverse postorder; the header is first.
    pub own_blocks: Vec<Block>,
    /// The preorder interval of the loop among all loops.
    range: (u32, u32),
}

impl Loops {
    /// Computes the loops of a body.
    pub fn compute(body: &Body) -> Self {
        Self::new(body, &Dominators::compute(body), &BlockOrder::compute(body))
    }

    /// Computes the loops of a body from its dominator tree and block order.
    pub fn new(body: &Body, dominators: &Dominators, order: &BlockOrder) -> Self {
        let mut this = Self {
            loops: IdVec::default(),
            innermost: vec![LoopId::NONE; body.block_bound()],
            outermost: Vec::new(),
            position: vec![u32::MAX; body.block_bound()],
        };
        // The outermost loop found so far around each loop, or one nearer to it.
        let mut tops: IdVec<LoopId, LoopId> = IdVec::default();
        // Inner headers come later in reverse postorder than the headers of the enclosing loops.
        for &header in order.blocks().iter().rev() {
            let latches: Vec<Block> = body
                .predecessors(header)
                .filter(|&p| dominators.is_reachable(p) && dominators.dominates(header, p))
                .collect();
            if !latches.is_empty() {
                this.discover(body, dominators, header, latches, &mut tops);
            }
        }
        this.fill(order);
        this
    }

    /// Walks backwards from the latches to the header, skipping over nested loops from their header to its
    /// predecessors.
    fn discover(
        &mut self,
        body: &Body,
        dominators: &Dominators,
        header: Block,
        latches: Vec<Block>,
        tops: &mut IdVec<LoopId, LoopId>,
    ) {
        let (children, own_blocks) = (Vec::new(), Vec::new());
        let id =
            self.loops.push(Loop { header, parent: None, depth: 1, children, own_blocks, range: (0, 0) });
        tops.push(id);
        self.innermost[header.index()] = id;
        let mut work = latches;
        while let Some(block) = work.pop() {
            let entered = match self.innermost[block.index()].some() {
                None => {
                    self.innermost[block.index()] = id;
                    block
                }
                Some(inner) => {
                    let top = top_of(tops, inner);
                    if top == id {
                        continue;
                    }
                    self.loops[top].parent = Some(id);
                    tops[top] = id;
                    self.loops[top].header
                }
            };
            work.extend(body.predecessors(entered).filter(|&p| dominators.is_reachable(p)));
        }
    }

    /// Fills in the blocks and children of the loops in order, and their preorder intervals.
    fn fill(&mut self, order: &BlockOrder) {
        for (position, &block) in order.blocks().iter().enumerate() {
            self.position[block.index()] = position as u32;
            let Some(inner) = self.innermost[block.index()].some() else { continue };
            if self.loops[inner].header == block {
                match self.loops[inner].parent {
                    // Headers of outer loops come first, so that their depth is known.
                    Some(parent) => {
                        self.loops[inner].depth = self.loops[parent].depth + 1;
                        self.loops[parent].children.push(inner);
                    }
                    None => self.outermost.push(inner),
                }
            }
            self.loops[inner].own_blocks.push(block);
        }
        // Inner loops come first: sizes are accumulated upwards, then positions assigned downwards.
        let mut sizes: IdVec<LoopId, u32> = self.loops.values().map(|_| 1).collect();
        for id in self.loops.keys() {
            if let Some(parent) = self.loops[id].parent {
                sizes[parent] += sizes[id];
            }
        }
        let mut next = 0;
        let mut free: IdVec<LoopId, u32> = sizes.values().map(|_| 0).collect();
        for id in self.loops.keys().rev() {
            let place = match self.loops[id].parent {
                Some(parent) => &mut free[parent],
                None => &mut next,
            };
            let start = *place;
            *place += sizes[id];
            free[id] = start + 1;
            self.loops[id].range = (start, start + sizes[id]);
        }
    }

    /// Returns a loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }

    /// Returns the outermost loops, in reverse postorder of their headers.
    pub fn outermost(&self) -> &[LoopId] {
        &self.outermost
    }

    /// Returns all loops, each after its nested loops.
    pub fn inner_first(&self) -> impl Iterator<Item = LoopId> + use<> {
        self.loops.keys()
    }

    /// Returns the number of loops.
    pub fn count(&self) -> usize {
        self.loops.len()
    }

    /// Returns the innermost loop that contains a block.
    pub fn of_block(&self, block: Block) -> Option<LoopId> {
        self.innermost.get(block.index()).and_then(|id| id.some())
    }

    /// Returns the nesting depth of a block.
    pub fn depth(&self, block: Block) -> u32 {
        self.of_block(block).map_or(0, |id| self.loops[id].depth)
    }

    /// Returns true if `inner` is `outer` or nested in it.
    pub fn is_inside(&self, inner: LoopId, outer: LoopId) -> bool {
        let ((start, _), (first, end)) = (self.loops[inner].range, self.loops[outer].range);
        first <= start && start < end
    }

    /// Returns true if a loop, including its nested loops, contains a block.
    pub fn contains(&self, id: LoopId, block: Block) -> bool {
        self.of_block(block).is_some_and(|inner| self.is_inside(inner, id))
    }

    /// Returns the blocks of a loop, including its nested loops, in reverse postorder; the header is first.
    pub fn blocks(&self, id: LoopId) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            blocks.extend(&self.loops[id].own_blocks);
            work.extend(&self.loops[id].children);
        }
        blocks.sort_unstable_by_key(|b: &Block| self.position[b.index()]);
        blocks
    }

    /// Returns the latches of a loop, the blocks with back edges to the header, newest edge first. A block with two
    /// back edges is listed twice.
    pub fn latches<'a>(&'a self, body: &'a Body, id: LoopId) -> impl Iterator<Item = Block> + 'a {
        body.predecessors(self.loops[id].header).filter(move |&p| self.contains(id, p))
    }

    /// Returns the latch if there is only one, even if it has several back edges.
    pub fn latch(&self, body: &Body, id: LoopId) -> Option<Block> {
        the_only(self.latches(body, id))
    }

    /// Returns the blocks from which a loop is entered, newest edge first. A block with two edges is listed twice.
    pub fn entering<'a>(&'a self, body: &'a Body, id: LoopId) -> impl Iterator<Item = Block> + 'a {
        body.predecessors(self.loops[id].header).filter(move |&p| !self.contains(id, p))
    }

    /// Returns the preheader: the only block from which the loop is entered, if it has no other successors.
    pub fn preheader(&self, body: &Body, id: LoopId) -> Option<Block> {
        the_only(self.entering(body, id)).filter(|&b| body.block_successors(b).len() == 1)
    }

    /// Returns true if a block of a loop has an edge out of the loop.
    pub fn is_exiting(&self, body: &Body, id: LoopId, block: Block) -> bool {
        body.block_successors(block).any(|s| !self.contains(id, s))
    }

    /// Returns the blocks of a loop with edges out of the loop.
    pub fn exiting<'a>(&'a self, body: &'a Body, id: LoopId) -> impl Iterator<Item = Block> + 'a {
        self.blocks(id).into_iter().filter(move |&b| self.is_exiting(body, id, b))
    }

    /// Returns the exit blocks: the targets of edges out of the loop, in the order of its blocks. A target of two
    /// edges is listed twice.
    pub fn exits<'a>(&'a self, body: &'a Body, id: LoopId) -> impl Iterator<Item = Block> + 'a {
        let all = self.blocks(id).into_iter().flat_map(|b| body.block_successors(b));
        all.filter(move |&s| !self.contains(id, s))
    }

    /// Returns true if all predecessors of each exit block are in the loop, so that instructions inserted there run
    /// only after the loop.
    pub fn has_dedicated_exits(&self, body: &Body, id: LoopId) -> bool {
        self.exits(body, id).all(|exit| body.predecessors(exit).all(|p| self.contains(id, p)))
    }

    /// Returns true if a loop is in canonical form: it has a preheader, a single latch and dedicated exits.
    pub fn is_canonical(&self, body: &Body, id: LoopId) -> bool {
        self.preheader(body, id).is_some()
            && self.latch(body, id).is_some()
            && self.has_dedicated_exits(body, id)
    }
}

/// Returns the outermost loop around `inner`, with path compression.
fn top_of(tops: &mut IdVec<LoopId, LoopId>, inner: LoopId) -> LoopId {
    let mut at = inner;
    while tops[at] != at {
        tops[at] = tops[tops[at]];
        at = tops[at];
    }
    at
}

/// Returns the block if all blocks are the same.
fn the_only(mut blocks: impl Iterator<Item = Block>) -> Option<Block> {
    let first = blocks.next()?;
    blocks.all(|b| b == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use silkit_ir::Module;

    fn parse(blocks: &str) -> Module {
        let text = format!("sil @f : $@convention(thin) (Builtin.Int1) -> () {{\n{blocks}}}\n");
        silkit_text::parse_module(&text).module
    }

    fn check(blocks: &str, expected: &[&str]) {
        let module = parse(blocks);
        let body = module.functions.values().find_map(|f| f.body.as_ref()).expect("a body");
        let loops = Loops::compute(body);
        let name = |b: Block| format!("bb{}", body.blocks().position(|o| o == b).unwrap_or(99));
        let names = |all: &[Block]| all.iter().map(|&b| name(b)).collect::<Vec<_>>().join(" ");
        let mut found: Vec<String> = loops
            .inner_first()
            .map(|id| {
                let one = loops.get(id);
                let exits: Vec<Block> = loops.exits(body, id).collect();
                let of = |b: Option<Block>| b.map_or("-".to_owned(), name);
                format!(
                    "{}: {} of {} from {} back {} to {}{}",
                    one.depth,
                    names(&loops.blocks(id)),
                    of(one.parent.map(|p| loops.get(p).header)),
                    of(loops.preheader(body, id)),
                    of(loops.latch(body, id)),
                    names(&exits),
                    if loops.is_canonical(body, id) { " canonical" } else { "" }
                )
            })
            .collect();
        found.reverse();
        assert_eq!(found, expected);
    }

    #[test]
    fn nested_loops_know_their_blocks() {
        check(
            "bb0(%0 : $Builtin.Int1):\n  br bb1\nbb1:\n  br bb2\nbb2:\n  cond_br %0, bb2, bb3\nbb3:\n  \
             cond_br %0, bb1, bb4\nbb4:\n  %9 = tuple ()\n  return %9\n",
            &[
                "1: bb1 bb2 bb3 of - from bb0 back bb3 to bb4 canonical",
                "2: bb2 of bb1 from bb1 back bb2 to bb3 canonical",
            ],
        );
    }

    #[test]
    fn what_is_shared_is_not_canonical() {
        check(
            "bb0(%0 : $Builtin.Int1):\n  cond_br %0, bb1, bb4\nbb1:\n  cond_br %0, bb2, bb3\nbb2:\n  \
             cond_br %0, bb1, bb4\nbb3:\n  br bb1\nbb4:\n  %9 = tuple ()\n  return %9\n",
            &["1: bb1 bb3 bb2 of - from - back - to bb4"],
        );
    }

    #[test]
    fn circles_with_two_entries_are_no_loops() {
        check("bb0(%0 : $Builtin.Int1):\n  cond_br %0, bb1, bb2\nbb1:\n  br bb2\nbb2:\n  br bb1\n", &[]);
    }
}
