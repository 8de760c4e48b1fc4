//! Dominance and post-dominance of blocks, and dominance of values over instructions.
//!
//! The tree is built by the algorithm of Lengauer and Tarjan with simple path compression, in O(e log n) for graphs
//! of any shape; preorder intervals of the tree answer queries in constant time.

use silkit_base::{Entity, strong_components};
use silkit_ir::{Block, Body, Inst, Value, ValueDef};
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// The dominator tree (SIL.md, "Basic block dominance").
#[derive(Clone, Debug, Default)]
pub struct Dominators {
    tree: Tree,
}

impl Dominators {
    /// Computes the dominator tree of a body.
    pub fn compute(body: &Body) -> Self {
        let roots: Vec<u32> = body.entry_block().map(|b| b.as_u32()).into_iter().collect();
        let forward = |n: u32, into: &mut Vec<u32>| {
            into.extend(body.block_successors(Block::from_u32(n)).map(Block::as_u32));
        };
        let backward = |n: u32, into: &mut Vec<u32>| {
            into.extend(body.predecessors(Block::from_u32(n)).map(Block::as_u32));
        };
        Self { tree: Tree::compute(body.block_bound(), &roots, &forward, &backward) }
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

    /// Returns the reachable blocks in preorder of the tree: each after its immediate dominator.
    pub fn preorder(&self) -> impl Iterator<Item = Block> + '_ {
        self.tree.preorder.iter().map(|&n| Block::from_u32(n))
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
        let roots: Vec<u32> = body.blocks().filter(ends).map(|b| b.as_u32()).collect();
        Self::with_roots(body, &roots)
    }

    /// Computes a post-dominator tree in which infinite loops have an end as well: of the blocks that cannot be left, the one
    /// that a depth-first search from the first of them visits last.
    pub fn compute_with_endless_loops(body: &Body) -> Self {
        let ends = |b: &Block| body.block_successors(*b).len() == 0;
        let mut roots: Vec<u32> = body.blocks().filter(ends).map(|b| b.as_u32()).collect();
        let mut is_found = vec![false; body.block_bound()];
        let mut seen = vec![false; body.block_bound()];
        let successors = |block| body.block_successors(block);
        // A component comes after all components that are reachable from it.
        strong_components(body.block_bound(), body.entry_block(), successors, |component: &[Block]| {
            let leaves = component.iter().any(|&block| successors(block).any(|to| is_found[to.index()]));
            component.iter().for_each(|block| is_found[block.index()] = true);
            if leaves || ends(&component[0]) {
                return;
            }
            let (mut stack, mut last) = (vec![component[0]], component[0]);
            while let Some(block) = stack.pop() {
                if !std::mem::replace(&mut seen[block.index()], true) {
                    last = block;
                    stack.extend(successors(block));
                }
            }
            roots.push(last.as_u32());
        });
        Self::with_roots(body, &roots)
    }

    fn with_roots(body: &Body, roots: &[u32]) -> Self {
        let forward = |n: u32, into: &mut Vec<u32>| {
            into.extend(body.predecessors(Block::from_u32(n)).map(Block::as_u32));
        };
        let backward = |n: u32, into: &mut Vec<u32>| {
            into.extend(body.block_successors(Block::from_u32(n)).map(Block::as_u32));
        };
        Self { tree: Tree::compute(body.block_bound(), roots, &forward, &backward) }
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
        self.tree.preorder.iter().map(|&n| Block::from_u32(n))
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
    /// The immediate dominator, or `NONE`.
    parent: Vec<u32>,
    /// The position in preorder, or `NONE` for nodes that the roots do not reach.
    enter: Vec<u32>,
    /// The last position in preorder of the subtree.
    leave: Vec<u32>,
    preorder: Vec<u32>,
}

/// Appends the neighbours of a node.
type Neighbours<'a> = &'a dyn Fn(u32, &mut Vec<u32>);

impl Tree {
    fn compute(count: usize, roots: &[u32], forward: Neighbours<'_>, backward: Neighbours<'_>) -> Self {
        // Many bodies have one block.
        if let (1, &[root]) = (count, roots) {
            return Self { parent: vec![NONE], enter: vec![0], leave: vec![0], preorder: vec![root] };
        }
        let mut search = Search::run(count, roots, forward);
        search.semidominators(roots, backward);
        let mut parent = vec![NONE; count];
        for n in 1..search.vertex.len() {
            let idom = search.idom[n];
            if idom != 0 {
                parent[search.vertex[n] as usize] = search.vertex[idom as usize];
            }
        }
        let mut tree =
            Tree { parent, enter: vec![NONE; count], leave: vec![NONE; count], preorder: Vec::new() };
        tree.number(&search);
        tree
    }

    /// Numbers the nodes in preorder. The order of the depth-first search suffices: it visits a node after its
    /// dominator, so that subtree sizes are computed backwards and positions assigned forwards.
    fn number(&mut self, search: &Search) {
        let count = search.vertex.len();
        let mut size = vec![1u32; count];
        for n in (1..count).rev() {
            size[search.idom[n] as usize] += size[n];
        }
        // The next free position below each node.
        let mut free = vec![0u32; count];
        self.preorder = vec![0; count.saturating_sub(1)];
        for n in 1..count {
            let idom = search.idom[n] as usize;
            let at = free[idom];
            free[idom] += size[n];
            free[n] = at + 1;
            let node = search.vertex[n] as usize;
            self.enter[node] = at;
            self.leave[node] = at + size[n] - 1;
            self.preorder[at as usize] = node as u32;
        }
    }

    /// Returns the preorder positions of the subtree of a node.
    fn subtree(&self, block: Block) -> Option<Range<usize>> {
        let enter = self.enter.get(block.index()).copied().filter(|&n| n != NONE)?;
        Some(enter as usize..self.leave[block.index()] as usize + 1)
    }

    fn contains(&self, block: Block) -> bool {
        self.enter.get(block.index()).is_some_and(|&n| n != NONE)
    }

    fn parent(&self, block: Block) -> Option<Block> {
        self.parent.get(block.index()).filter(|&&n| n != NONE).map(|&n| Block::from_u32(n))
    }

    fn is_ancestor(&self, a: Block, b: Block) -> bool {
        if !self.contains(b) {
            return true;
        }
        let (a, b) = (a.index(), b.index());
        self.enter[a] != NONE && self.enter[a] <= self.enter[b] && self.enter[b] <= self.leave[a]
    }
}

/// The state of the algorithm. Nodes are identified by their number in the depth-first search, starting at 1; 0 is
/// the virtual root.
struct Search {
    vertex: Vec<u32>,
    /// The number of each node of the graph, or `NONE`.
    number: Vec<u32>,
    parent: Vec<u32>,
    semi: Vec<u32>,
    idom: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
}

impl Search {
    fn run(count: usize, roots: &[u32], forward: Neighbours<'_>) -> Self {
        let mut number = vec![NONE; count];
        let mut vertex = vec![NONE];
        let mut parent = vec![0];
        // The nodes to visit, each with the node from which it was reached.
        let mut stack: Vec<(u32, u32)> = roots.iter().rev().map(|&r| (r, 0)).collect();
        let mut next = Vec::new();
        while let Some((node, from)) = stack.pop() {
            if number[node as usize] != NONE {
                continue;
            }
            let n = vertex.len() as u32;
            number[node as usize] = n;
            vertex.push(node);
            parent.push(from);
            next.clear();
            forward(node, &mut next);
            stack.extend(next.iter().rev().filter(|&&to| number[to as usize] == NONE).map(|&to| (to, n)));
        }
        let all: Vec<u32> = (0..vertex.len() as u32).collect();
        let nodes = vertex.len();
        Self {
            vertex,
            number,
            parent,
            semi: all.clone(),
            idom: vec![0; nodes],
            ancestor: vec![NONE; nodes],
            label: all,
        }
    }

    fn semidominators(&mut self, roots: &[u32], backward: Neighbours<'_>) {
        let nodes = self.vertex.len();
        let mut is_root = vec![false; nodes];
        for &root in roots {
            is_root[self.number[root as usize] as usize] = true;
        }
        // For each node, the nodes whose semidominator it is.
        let mut bucket = vec![NONE; nodes];
        let mut in_bucket = vec![NONE; nodes];
        let mut preds = Vec::new();
        let mut path = Vec::new();
        for w in (1..nodes).rev() {
            if is_root[w] {
                self.semi[w] = 0;
            } else {
                preds.clear();
                backward(self.vertex[w], &mut preds);
                for &pred in &preds {
                    let v = self.number[pred as usize];
                    if v != NONE {
                        let u = self.evaluate(v, &mut path);
                        self.semi[w] = self.semi[w].min(self.semi[u as usize]);
                    }
                }
            }
            let semi = self.semi[w] as usize;
            in_bucket[w] = std::mem::replace(&mut bucket[semi], w as u32);
            let parent = self.parent[w];
            self.ancestor[w] = parent;
            let mut v = std::mem::replace(&mut bucket[parent as usize], NONE);
            while v != NONE {
                let u = self.evaluate(v, &mut path);
                let is_closer = self.semi[u as usize] < self.semi[v as usize];
                self.idom[v as usize] = if is_closer { u } else { parent };
                v = in_bucket[v as usize];
            }
        }
        for w in 1..nodes {
            if self.idom[w] != self.semi[w] {
                self.idom[w] = self.idom[self.idom[w] as usize];
            }
        }
    }

    /// Returns the node with the minimal semidominator on the path from `v` up to the root of its tree in the forest.
    fn evaluate(&mut self, v: u32, path: &mut Vec<u32>) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        path.clear();
        let mut at = v;
        while self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(node) = path.pop() {
            let node = node as usize;
            let above = self.ancestor[node] as usize;
            if self.semi[self.label[above] as usize] < self.semi[self.label[node] as usize] {
                self.label[node] = self.label[above];
            }
            self.ancestor[node] = self.ancestor[above];
        }
        self.label[v as usize]
    }
}
