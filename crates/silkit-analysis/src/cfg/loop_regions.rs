//! Loop regions: the tree of blocks, loops and the function, with the edges between siblings.
//!
//! In the region of a loop, each inner loop is a single child region, so that an algorithm treats blocks and inner
//! loops alike. Back edges are left out. Edges that exit a region are stored as indices of the parent's edges, so
//! that a region is processed without the regions outside it.

use crate::{BlockOrder, Dominators, LoopId, Loops};
use silkit_base::Entity;
use silkit_ir::{Block, Body};

/// The kind of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionKind {
    /// A block.
    Block(Block),
    /// A natural loop.
    Loop(LoopId),
    /// The whole body.
    Function,
}

/// The target of an edge of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionEdge {
    /// To a region with the same parent.
    Local(usize),
    /// To the target of the parent's edge with this index.
    OfParent(usize),
    /// A back edge of the enclosing loop or of an outer loop, which is ignored.
    Around,
}

/// A region.
#[derive(Clone, Debug)]
pub struct Region {
    /// The kind of the region.
    pub kind: RegionKind,
    /// The enclosing region; `None` for the function.
    pub parent: Option<usize>,
    /// The predecessors with the same parent, sorted.
    pub predecessors: Vec<usize>,
    /// The successors. Their positions matter: see [`RegionEdge::OfParent`].
    pub successors: Vec<RegionEdge>,
    /// The child regions, in reverse postorder of their first blocks.
    pub children: Vec<usize>,
    /// The children with edges out of the region, sorted.
    pub exiting: Vec<usize>,
    /// The children with back edges, sorted.
    pub latches: Vec<usize>,
    /// True if it has irregular incoming edges: into the middle of a cycle, or one of several back edges.
    pub is_unknown_head: bool,
    /// True if it has irregular outgoing edges.
    pub is_unknown_tail: bool,
}

/// The regions of a body. Reachable blocks come first, in reverse postorder, then the function, then loops by their
/// headers.
#[derive(Clone, Debug, Default)]
pub struct LoopRegions {
    regions: Vec<Region>,
    function: usize,
}

/// The loops and blocks that regions are built from.
struct Source<'a> {
    body: &'a Body,
    order: &'a BlockOrder,
    loops: &'a Loops,
    /// The region of each loop.
    of_loop: Vec<usize>,
}

impl LoopRegions {
    /// Computes the regions of a body.
    pub fn compute(body: &Body) -> Self {
        let order = BlockOrder::compute(body);
        let loops = Loops::new(body, &Dominators::compute(body), &order);
        let mut of_loop = vec![0; loops.count()];
        let mut inner_first: Vec<LoopId> = loops.inner_first().collect();
        inner_first.sort_by_key(|&id| order.position(loops.get(id).header));
        for (at, id) in inner_first.iter().enumerate() {
            of_loop[id.index()] = order.blocks().len() + 1 + at;
        }
        let source = Source { body, order: &order, loops: &loops, of_loop };
        let mut this = Self { regions: Vec::new(), function: order.blocks().len() };
        let blocks = order.blocks().iter().map(|&b| RegionKind::Block(b));
        let headers = inner_first.iter().map(|&id| RegionKind::Loop(id));
        for kind in blocks.chain([RegionKind::Function]).chain(headers) {
            this.regions.push(source.region(kind, this.function));
        }
        this.link_children(&source);
        this.mark_unknown(&source);
        // Edges out of a loop become edges of the enclosing region.
        for &id in inner_first.iter().rev() {
            this.propagate_edges(&source, id);
        }
        for region in this.function + 1..this.regions.len() {
            this.leave_out_around(region);
        }
        this.resolve(&source);
        this
    }

    fn link_children(&mut self, source: &Source<'_>) {
        for (position, &block) in source.order.blocks().iter().enumerate() {
            // A loop takes the position of its header.
            let headed = source.headed(block);
            for region in headed.map(|id| source.of_loop[id.index()]).into_iter().chain([position]) {
                if let Some(parent) = self.regions[region].parent {
                    self.regions[parent].children.push(region);
                }
            }
        }
    }

    fn mark_unknown(&mut self, source: &Source<'_>) {
        for (head, &block) in source.order.blocks().iter().enumerate() {
            let headed = source.headed(block);
            let tails = source.body.predecessors(block).filter_map(|p| source.order.position(p));
            let back: Vec<usize> = tails.filter(|&tail| tail >= head).collect();
            match headed {
                None => {
                    for &tail in &back {
                        for region in [head, tail] {
                            self.regions[region].is_unknown_head = true;
                            self.regions[region].is_unknown_tail = true;
                        }
                    }
                }
                Some(id) => {
                    if source.loops.latch(source.body, id).is_none() {
                        self.regions[head].is_unknown_head = true;
                        for latch in source.loops.latches(source.body, id) {
                            if let Some(tail) = source.order.position(latch) {
                                self.regions[tail].is_unknown_tail = true;
                            }
                        }
                    }
                    let region = source.of_loop[id.index()];
                    let latches = source.loops.latches(source.body, id);
                    let latches = latches.filter_map(|b| self.child_with(region, source.order.position(b)?));
                    self.regions[region].latches = sorted(latches.collect());
                }
            }
        }
    }

    /// Returns the child of a region that is, or contains, the region `inner`.
    fn child_with(&self, region: usize, inner: usize) -> Option<usize> {
        let mut at = inner;
        loop {
            let parent = self.regions[at].parent?;
            if parent == region {
                return Some(at);
            }
            at = parent;
        }
    }

    /// Computes the edges of a loop from the edges of its children that exit it.
    fn propagate_edges(&mut self, source: &Source<'_>, id: LoopId) {
        let region = source.of_loop[id.index()];
        if let Some(header) = source.order.position(source.loops.get(id).header) {
            self.regions[region].is_unknown_head = self.regions[header].is_unknown_head;
        }
        for child in sorted(self.regions[region].children.clone()) {
            let leaves = match self.regions[child].kind {
                RegionKind::Block(block) => source.loops.is_exiting(source.body, id, block),
                // Edges to an outer header are removed, but the mark remains.
                RegionKind::Loop(inner) => {
                    let mut exits = source.loops.exits(source.body, inner);
                    exits.any(|exit| !source.loops.contains(id, exit))
                }
                RegionKind::Function => false,
            };
            self.regions[region].is_unknown_tail |= leaves && self.regions[child].is_unknown_tail;
            for at in 0..self.regions[child].successors.len() {
                let RegionEdge::Local(target) = self.regions[child].successors[at] else { continue };
                // Until all edges are propagated, their targets are blocks.
                let block = source.order.blocks()[target];
                let edge = &mut self.regions[child].successors[at];
                if block == source.loops.get(id).header {
                    *edge = RegionEdge::Around;
                } else if !source.loops.contains(id, block) {
                    let position = add(&mut self.regions[region].successors, RegionEdge::Local(target));
                    self.regions[child].successors[at] = RegionEdge::OfParent(position);
                }
            }
        }
    }

    /// Removes the back edges of outer loops and collects the exiting children.
    fn leave_out_around(&mut self, region: usize) {
        for child in sorted(self.regions[region].children.clone()) {
            for at in 0..self.regions[child].successors.len() {
                let RegionEdge::OfParent(position) = self.regions[child].successors[at] else { continue };
                if self.regions[region].successors[position] == RegionEdge::Around {
                    self.regions[child].successors[at] = RegionEdge::Around;
                }
            }
            if self.regions[child].successors.iter().any(|e| matches!(e, RegionEdge::OfParent(_))) {
                self.regions[region].exiting.push(child);
            }
        }
    }

    /// Redirects edges to loop headers to the loops, and sets the predecessors of regions.
    fn resolve(&mut self, source: &Source<'_>) {
        for region in 0..self.regions.len() {
            for at in 0..self.regions[region].successors.len() {
                let RegionEdge::Local(block) = self.regions[region].successors[at] else { continue };
                let parent = self.regions[region].parent;
                let headed = source.headed(source.order.blocks()[block]).map(|id| source.of_loop[id.index()]);
                let target = headed.filter(|&l| self.regions[l].parent == parent).unwrap_or(block);
                self.regions[region].successors[at] = RegionEdge::Local(target);
                // Regions are visited in order, so that predecessors are sorted.
                add(&mut self.regions[target].predecessors, region);
            }
        }
    }

    /// Returns a region by its number.
    pub fn get(&self, region: usize) -> &Region {
        &self.regions[region]
    }

    /// Returns the number of the function region.
    pub fn function(&self) -> usize {
        self.function
    }
}

impl Source<'_> {
    /// Returns the loop with this header.
    fn headed(&self, block: Block) -> Option<LoopId> {
        self.loops.of_block(block).filter(|&id| self.loops.get(id).header == block)
    }

    /// Creates a region whose edges go to blocks for now.
    fn region(&self, kind: RegionKind, function: usize) -> Region {
        let region_of = |id: Option<LoopId>| Some(id.map_or(function, |id| self.of_loop[id.index()]));
        let mut successors = Vec::new();
        let parent = match kind {
            RegionKind::Function => None,
            RegionKind::Loop(id) => region_of(self.loops.get(id).parent),
            RegionKind::Block(block) => {
                for to in self.body.block_successors(block).filter_map(|to| self.order.position(to)) {
                    add(&mut successors, RegionEdge::Local(to));
                }
                region_of(self.loops.of_block(block))
            }
        };
        Region {
            kind,
            parent,
            predecessors: Vec::new(),
            successors,
            children: Vec::new(),
            exiting: Vec::new(),
            latches: Vec::new(),
            is_unknown_head: false,
            is_unknown_tail: false,
        }
    }
}

/// Adds an element unless it is present, and returns its position.
fn add<T: Copy + PartialEq>(all: &mut Vec<T>, new: T) -> usize {
    all.iter().position(|&old| old == new).unwrap_or_else(|| {
        all.push(new);
        all.len() - 1
    })
}

fn sorted(mut regions: Vec<usize>) -> Vec<usize> {
    regions.sort_unstable();
    regions.dedup();
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_out_of_a_loop_are_those_of_the_loop() {
        let text = "\
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  br bb1
bb1:
  br bb2
bb2:
  cond_br %0, bb2, bb3
bb3:
  cond_br %0, bb1, bb4
bb4:
  unreachable
}
";
        let module = silkit_text::parse_module(text).module;
        let body = module.functions.values().find_map(|f| f.body.as_ref()).expect("a body");
        let regions = LoopRegions::compute(body);
        // Blocks 0 to 4, the function 5, the loops 6 and 7.
        assert_eq!(regions.function(), 5);
        assert_eq!(regions.get(5).children, [0, 6, 4]);
        assert_eq!(regions.get(6).children, [1, 7, 3]);
        assert_eq!(regions.get(7).successors, [RegionEdge::Local(3)]);
        assert_eq!(regions.get(2).successors, [RegionEdge::Around, RegionEdge::OfParent(0)]);
        assert_eq!((&regions.get(6).latches, &regions.get(6).exiting), (&vec![3], &vec![3]));
        assert_eq!(regions.get(4).predecessors, [6]);
    }
}
