//! Dominance and post-dominance of blocks, and dominance of values over instructions.
//!
//! The tree is built by the algorithm of Lengauer and Tarjan with simple path compression, in O(e log n) for graphs
//! of any shape; preorder intervals of the tree answer queries in constant time.

use silkit_base::{BitSet, Entity, strong_components};
use silkit_ir::{Block, Body, Inst, Value, ValueDef};
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// The dominator tree (SIL.md, "Basic block dominance"). Two trees are equal if they have the same blocks, immediate
/// dominators and preorder.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Dominators {
    tree: Tree,
}

impl Dominators {
    /// Computes the dominator tree of a body.
    pub fn compute(body: &Body) -> Self {
        let root = body.entry_block();
        let (forward, backward) = (|block| body.block_successors(block), |block| body.predecessors(block));
        Self { tree: Tree::compute(body.block_bound(), root.as_slice(), forward, backward) }
    }

    /// Returns the immediate dominator of a block; `None` for the entry and for unreachable blocks.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        self.tree.parent(block)
    }

    /// Returns true if `a` dominates `b`: every path from the entry to `b` passes through `a`. A block dominates
    /// itself. Every block dominates an unreachable block.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        self.tree.is_ancestor(a, b)
    }

    /// Returns true if a block is reachable from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.tree.contains(block)
    }

    /// Returns the range in [`Self::preorder`] of the blocks that a block dominates, the block itself first; `None`
    /// if it is unreachable.
    pub fn dominated(&self, block: Block) -> Option<Range<usize>> {
        self.tree.subtree(block)
    }

    /// Returns the block at a position in [`Self::preorder`].
    pub(super) fn at_position(&self, position: usize) -> Option<Block> {
        self.tree.nodes.get(position)?.at_position.some()
    }

    /// Returns the reachable blocks in preorder of the tree: each after its immediate dominator.
    pub fn preorder(&self) -> impl Iterator<Item = Block> + '_ {
        self.tree.preorder()
    }
}

/// The post-dominator tree. Paths end in blocks without successors, whether these exit the function or are
/// unreachable. A block from which no such block is reachable (an infinite loop) is post-dominated by every block.
#[derive(Clone, Debug, Default)]
pub struct PostDominators {
    tree: Tree,
}

impl PostDominators {
    /// Computes the post-dominator tree of a body.
    pub fn compute(body: &Body) -> Self {
        let ends = |b: &Block| body.block_successors(*b).len() == 0;
        let roots: Vec<Block> = body.blocks().filter(ends).collect();
        Self::with_roots(body, &roots)
    }

    /// Computes a post-dominator tree in which infinite loops have an end as well: of the blocks that cannot be left, the one
    /// that a depth-first search from the first of them visits last.
    pub fn compute_with_endless_loops(body: &Body) -> Self {
        let ends = |b: &Block| body.block_successors(*b).len() == 0;
        let mut roots: Vec<Block> = body.blocks().filter(ends).collect();
        let mut found = BitSet::with_bound(body.block_bound());
        let mut seen = BitSet::with_bound(body.block_bound());
        let successors = |block| body.block_successors(block);
        // A component comes after all components that are reachable from it.
        strong_components(body.block_bound(), body.entry_block(), successors, |component: &[Block]| {
            let leaves = component.iter().any(|&block| successors(block).any(|to| found.contains(to)));
            component.iter().for_each(|&block| _ = found.insert(block));
            if leaves || ends(&component[0]) {
                return;
            }
            let (mut stack, mut last) = (vec![component[0]], component[0]);
            while let Some(block) = stack.pop() {
                if seen.insert(block) {
                    last = block;
                    stack.extend(successors(block));
                }
            }
            roots.push(last);
        });
        Self::with_roots(body, &roots)
    }

    fn with_roots(body: &Body, roots: &[Block]) -> Self {
        let (forward, backward) = (|block| body.predecessors(block), |block| body.block_successors(block));
        Self { tree: Tree::compute(body.block_bound(), roots, forward, backward) }
    }

    /// Returns the immediate post-dominator of a block; `None` if the paths from it have only the virtual end in
    /// common, or no end.
    pub fn immediate(&self, block: Block) -> Option<Block> {
        self.tree.parent(block)
    }

    /// Returns true if `a` post-dominates `b`: every path from `b` to an end passes through `a`. A block
    /// post-dominates itself.
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        self.tree.is_ancestor(a, b)
    }

    /// Returns the range in [`Self::preorder`] of the blocks that a block post-dominates, the block itself first;
    /// `None` for a block that is not in the tree.
    pub fn post_dominated(&self, block: Block) -> Option<Range<usize>> {
        self.tree.subtree(block)
    }

    /// Returns the blocks in preorder of the tree: each after its immediate post-dominator.
    pub fn preorder(&self) -> impl Iterator<Item = Block> + '_ {
        self.tree.preorder()
    }
}

/// Returns true if the definition of a value dominates an instruction (SIL.md, "Value and instruction dominance"). In
/// an unreachable block, only the order within the block matters.
pub fn value_dominates(body: &Body, dominators: &Dominators, value: Value, inst: Inst) -> bool {
    let block = body.inst_block(inst);
    match body.def(value) {
        ValueDef::Undef => true,
        ValueDef::Pending => false,
        ValueDef::Argument(of, _) => dominators.dominates(of, block),
        ValueDef::Result(def, _) => {
            let at = body.inst_block(def);
            if at != block {
                return at.is_some() && dominators.dominates(at, block);
            }
            body.inst_precedes(def, inst)
        }
    }
}

/// A dominator tree with a virtual root whose children are the given roots.
#[derive(Clone, Debug, Default)]
struct Tree {
    /// The nodes by block.
    nodes: Vec<Node>,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        // Positions follow from the order and the parents.
        let blocks =
            |tree: &Self| tree.preorder().map(|block| (block, tree.parent(block))).collect::<Vec<_>>();
        blocks(self) == blocks(other)
    }
}

/// The node of a block in the dominator tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The immediate dominator, or `Block::NONE`.
    parent: Block,
    /// The position in preorder, or `NONE` for blocks that the roots do not reach. Before positions are assigned: the
    /// number in the depth-first search.
    enter: u32,
    /// The last position in preorder of the subtree.
    leave: u32,
    /// The block whose position in preorder is the index of this node, or `Block::NONE`.
    at_position: Block,
}

impl Tree {
    fn compute<F: Iterator<Item = Block>, B: Iterator<Item = Block>>(
        count: usize,
        roots: &[Block],
        forward: impl Fn(Block) -> F,
        backward: impl Fn(Block) -> B,
    ) -> Self {
        // Many bodies have one block.
        if let (1, &[root]) = (count, roots) {
            return Self { nodes: vec![Node { parent: Block::NONE, enter: 0, leave: 0, at_position: root }] };
        }
        let unreached = Node { parent: Block::NONE, enter: NONE, leave: NONE, at_position: Block::NONE };
        let mut tree = Self { nodes: vec![unreached; count] };
        let mut search = tree.search(roots, forward);
        let nodes = &tree.nodes;
        search.find_dominators(|block| backward(block).map(|pred| nodes[pred.index()].enter));
        tree.number(&mut search);
        tree
    }

    /// Numbers the blocks in the order of a depth-first search.
    fn search<I: Iterator<Item = Block>>(&mut self, roots: &[Block], forward: impl Fn(Block) -> I) -> Search {
        let count = self.nodes.len();
        let mut search = Search { nodes: Vec::with_capacity(count + 1) };
        search.push(Block::NONE, 0);
        // The blocks to visit, each with the node from which it was reached. The next one is at the end.
        let mut stack = Vec::with_capacity(count.max(roots.len()));
        stack.extend(roots.iter().rev().map(|&root| (root, 0)));
        while let Some((block, from)) = stack.pop() {
            if self.contains(block) {
                continue;
            }
            let n = search.push(block, from);
            self.nodes[block.index()].enter = n;
            let start = stack.len();
            stack.extend(forward(block).filter(|&to| !self.contains(to)).map(|to| (to, n)));
            stack[start..].reverse();
        }
        for &root in roots {
            search.nodes[self.nodes[root.index()].enter as usize].is_root = true;
        }
        search
    }

    /// Sets the immediate dominators and numbers the blocks in preorder. The order of the depth-first search
    /// suffices: it visits a node after its dominator, so that subtree sizes are computed backwards and positions
    /// assigned forwards.
    fn number(&mut self, search: &mut Search) {
        let nodes = &mut search.nodes;
        for n in (1..nodes.len()).rev() {
            let SearchNode { idom, size, .. } = nodes[n];
            nodes[idom as usize].size += size;
        }
        for n in 1..nodes.len() {
            let SearchNode { block, idom, size, .. } = nodes[n];
            let above = &mut nodes[idom as usize];
            let (parent, at) = (above.block, above.free);
            above.free += size;
            nodes[n].free = at + 1;
            let node = &mut self.nodes[block.index()];
            (node.parent, node.enter, node.leave) = (parent, at, at + size - 1);
            self.nodes[at as usize].at_position = block;
        }
    }

    /// Returns the blocks in preorder.
    fn preorder(&self) -> impl Iterator<Item = Block> + '_ {
        self.nodes.iter().map_while(|node| node.at_position.some())
    }

    /// Returns the node of a block that the roots reach.
    fn node(&self, block: Block) -> Option<&Node> {
        self.nodes.get(block.index()).filter(|node| node.enter != NONE)
    }

    /// Returns the preorder positions of the subtree of a node.
    fn subtree(&self, block: Block) -> Option<Range<usize>> {
        self.node(block).map(|node| node.enter as usize..node.leave as usize + 1)
    }

    fn contains(&self, block: Block) -> bool {
        self.node(block).is_some()
    }

    fn parent(&self, block: Block) -> Option<Block> {
        self.node(block)?.parent.some()
    }

    fn is_ancestor(&self, a: Block, b: Block) -> bool {
        let Some(b) = self.node(b) else { return true };
        let a = self.nodes[a.index()];
        a.enter != NONE && a.enter <= b.enter && b.enter <= a.leave
    }
}

/// The state of the algorithm. Nodes are identified by their number in the depth-first search, starting at 1; 0 is
/// the virtual root.
struct Search {
    nodes: Vec<SearchNode>,
}

/// A node in the algorithm.
#[derive(Clone, Copy)]
struct SearchNode {
    block: Block,
    /// True if the block is a root.
    is_root: bool,
    /// The node from which the depth-first search reached this one.
    parent: u32,
    /// The semidominator.
    semi: u32,
    /// The immediate dominator.
    idom: u32,
    /// A node above in the forest, or `NONE` for the root of a tree of the forest.
    ancestor: u32,
    /// The node with the minimal semidominator on the compressed path.
    label: u32,
    /// The node below on the path that is compressed.
    below: u32,
    /// The first of the nodes whose semidominator this is, or `NONE`.
    bucket: u32,
    /// The next node in the same bucket, or `NONE`.
    next_in_bucket: u32,
    /// The number of nodes of the subtree in the dominator tree.
    size: u32,
    /// The next free position in preorder below this node.
    free: u32,
}

impl Search {
    /// Adds a node and returns its number.
    fn push(&mut self, block: Block, parent: u32) -> u32 {
        let n = self.nodes.len() as u32;
        self.nodes.push(SearchNode {
            block,
            is_root: false,
            parent,
            semi: n,
            idom: 0,
            ancestor: NONE,
            label: n,
            below: NONE,
            bucket: NONE,
            next_in_bucket: NONE,
            size: 1,
            free: 0,
        });
        n
    }

    fn node(&mut self, n: u32) -> &mut SearchNode {
        &mut self.nodes[n as usize]
    }

    /// Computes the immediate dominators. `backward` returns the numbers of the predecessors of a block, `NONE` for
    /// blocks that are not reached.
    fn find_dominators<I: Iterator<Item = u32>>(&mut self, backward: impl Fn(Block) -> I) {
        let count = self.nodes.len() as u32;
        for w in (1..count).rev() {
            let SearchNode { block, is_root, parent, mut semi, .. } = *self.node(w);
            if is_root {
                semi = 0;
            } else {
                for v in backward(block).filter(|&v| v != NONE) {
                    let u = self.evaluate(v);
                    semi = semi.min(self.node(u).semi);
                }
            }
            let next_in_bucket = std::mem::replace(&mut self.node(semi).bucket, w);
            let node = self.node(w);
            (node.semi, node.next_in_bucket, node.ancestor) = (semi, next_in_bucket, parent);
            let mut v = std::mem::replace(&mut self.node(parent).bucket, NONE);
            while v != NONE {
                let u = self.evaluate(v);
                let is_closer = self.node(u).semi < self.node(v).semi;
                let node = self.node(v);
                node.idom = if is_closer { u } else { parent };
                v = node.next_in_bucket;
            }
        }
        for w in 1..count {
            let SearchNode { semi, idom, .. } = *self.node(w);
            if idom != semi {
                self.node(w).idom = self.node(idom).idom;
            }
        }
    }

    /// Returns the node with the minimal semidominator on the path from `v` up to the root of its tree in the forest,
    /// and compresses the path.
    fn evaluate(&mut self, v: u32) -> u32 {
        let mut above = self.node(v).ancestor;
        if above == NONE {
            return v;
        }
        // Upwards to the node below the root, with links for the way back.
        let mut at = v;
        while self.node(above).ancestor != NONE {
            self.node(above).below = at;
            at = above;
            above = self.node(at).ancestor;
        }
        while at != v {
            let upper = *self.node(at);
            let upper_semi = self.node(upper.label).semi;
            at = upper.below;
            let label = self.node(at).label;
            if upper_semi < self.node(label).semi {
                self.node(at).label = upper.label;
            }
            self.node(at).ancestor = upper.ancestor;
        }
        self.node(v).label
    }
}
