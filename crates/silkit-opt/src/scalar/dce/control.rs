//! Control dependence: the branches that decide whether a block is executed.
//!
//! A block is control-dependent on an edge if it post-dominates the target of the edge (or is the target) and does
//! not strictly post-dominate the source. The total size of these sets (the reverse dominance frontiers) may be
//! quadratic, so that they are not materialized: each edge is found once, by the first query that needs it.

use silkit_analysis::PostDominators;
use silkit_base::Entity;
use silkit_ir::{Block, Body};
use std::ops::Range;

/// The control-flow edges that have not been found by a query yet.
pub(super) struct Control {
    post_dominators: PostDominators,
    /// For each block, its depth in the post-dominator tree, starting at 1, and the positions of its subtree.
    places: Vec<(u32, Range<u32>)>,
    /// The index of the first edge into each position, followed by the number of edges.
    starts: Vec<u32>,
    /// The sources of the edges, grouped by target position.
    sources: Vec<Block>,
    /// A segment tree over the edges: the minimal depth of a block that post-dominates the source of an edge.
    least: Vec<u32>,
}

/// Marks an edge that was already found, or no edge.
const FOUND: u32 = u32::MAX;

impl Control {
    /// Computes the control dependences of a body. Infinite loops are treated as if they had an exit.
    pub(super) fn of(body: &Body) -> Self {
        let post_dominators = PostDominators::compute_with_endless_loops(body);
        let mut places = vec![(0, 0..0); body.block_bound()];
        let mut next = 0;
        for block in post_dominators.preorder() {
            let above = post_dominators.immediate(block).map_or(0, |above| places[above.index()].0);
            let range = post_dominators.post_dominated(block).unwrap_or_default();
            places[block.index()] = (above + 1, range.start as u32..range.end as u32);
            next += 1;
        }
        // The blocks of an isolated loop are not in the tree: each stands for itself.
        for block in body.blocks() {
            let place = &mut places[block.index()];
            if place.0 == 0 {
                *place = (1, next..next + 1);
                next += 1;
            }
        }
        let mut this = Self {
            post_dominators,
            places,
            starts: vec![0; next as usize + 1],
            sources: Vec::new(),
            least: Vec::new(),
        };
        this.add_edges(body);
        this
    }

    /// Sorts the edges of all branches by target.
    fn add_edges(&mut self, body: &Body) {
        let decides = |block: &Block| body.block_successors(*block).len() > 1;
        let branches: Vec<Block> = body.blocks().filter(decides).collect();
        let position = |places: &[(u32, Range<u32>)], to: Block| places[to.index()].1.start as usize;
        for to in branches.iter().flat_map(|&from| body.block_successors(from)) {
            self.starts[position(&self.places, to) + 1] += 1;
        }
        for at in 1..self.starts.len() {
            self.starts[at] += self.starts[at - 1];
        }
        let count = self.starts.last().map_or(0, |&end| end as usize);
        let mut free = self.starts.clone();
        self.sources = vec![Block::NONE; count];
        self.least = vec![FOUND; 2 * count];
        for &from in &branches {
            let end = self.post_dominators.immediate(from).map_or(0, |end| self.places[end.index()].0);
            for to in body.block_successors(from) {
                let edge = &mut free[position(&self.places, to)];
                self.sources[*edge as usize] = from;
                self.least[count + *edge as usize] = end;
                *edge += 1;
            }
        }
        for segment in (1..count).rev() {
            self.least[segment] = self.least[2 * segment].min(self.least[2 * segment + 1]);
        }
    }

    /// Appends the blocks whose terminators control whether a block is executed, except for those found before.
    pub(super) fn controlling(&mut self, block: Block, found: &mut Vec<Block>) {
        let (depth, range) = self.places[block.index()].clone();
        let count = self.sources.len();
        let edges = self.starts[range.start as usize] as usize..self.starts[range.end as usize] as usize;
        let (mut start, mut end) = (edges.start + count, edges.end + count);
        while start < end {
            if start & 1 == 1 {
                self.take(start, depth, found);
                start += 1;
            }
            if end & 1 == 1 {
                end -= 1;
                self.take(end, depth, found);
            }
            start /= 2;
            end /= 2;
        }
    }

    /// Removes the edges of a segment whose sources are post-dominated only above a depth.
    fn take(&mut self, segment: usize, depth: u32, found: &mut Vec<Block>) {
        let count = self.sources.len();
        while self.least[segment] < depth {
            let mut at = segment;
            while at < count {
                at *= 2;
                if self.least[at] >= depth {
                    at += 1;
                }
            }
            found.push(self.sources[at - count]);
            self.least[at] = FOUND;
            while at > 1 {
                at /= 2;
                self.least[at] = self.least[2 * at].min(self.least[2 * at + 1]);
            }
        }
    }

    /// Returns for each block the nearest strict post-dominator that satisfies a condition.
    pub(super) fn nearest_post_dominators(
        &self,
        blocks: usize,
        holds: impl Fn(Block) -> bool,
    ) -> Vec<Option<Block>> {
        let mut nearest = vec![None; blocks];
        for block in self.post_dominators.preorder() {
            if let Some(above) = self.post_dominators.immediate(block) {
                nearest[block.index()] = if holds(above) { Some(above) } else { nearest[above.index()] };
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the blocks that control a block, by definition: some path from there avoids it, and some does not.
    fn by_definition(body: &Body, block: Block) -> Vec<Block> {
        let post_dominators = PostDominators::compute_with_endless_loops(body);
        let is_below = |to: Block| post_dominators.post_dominates(block, to);
        let controls = |&from: &Block| {
            let is_avoided = from == block || !post_dominators.post_dominates(block, from);
            body.block_successors(from).len() > 1 && is_avoided && body.block_successors(from).any(is_below)
        };
        body.blocks().filter(controls).collect()
    }

    #[test]
    fn each_edge_is_found_once() {
        let text = "\
sil_stage canonical
import Builtin
sil @f : $@convention(thin) (Builtin.Int1) -> () {
bb0(%0 : $Builtin.Int1):
  cond_br %0, bb1, bb6
bb1:
  cond_br %0, bb2, bb3
bb2:
  br bb4
bb3:
  cond_br %0, bb4, bb1
bb4:
  cond_br %0, bb5, bb7
bb5:
  br bb8
bb6:
  cond_br %0, bb6, bb8
bb7:
  br bb7
bb8:
  %9 = tuple ()
  return %9
}
";
        let module = silkit_text::parse_module(text).module;
        let body = module.functions.values().find_map(|f| f.body.as_ref()).expect("a body");
        for block in body.blocks() {
            let (mut control, mut found) = (Control::of(body), Vec::new());
            control.controlling(block, &mut found);
            found.sort_unstable();
            found.dedup();
            assert_eq!(found, by_definition(body, block), "{block}");
            let before = found.len();
            control.controlling(block, &mut found);
            assert_eq!(found.len(), before);
        }
    }
}
