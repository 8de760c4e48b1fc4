//! Iterated dominance frontiers: the blocks that need phis.

use crate::{Dominators, Frontiers};
use silkit_base::{Entity, FxHashSet};
use silkit_ir::{Block, Body};

/// The maximum average number of frontier members per block. If there are more, the frontiers are not materialized.
const MOST_MEMBERS: usize = 8;

/// Computes iterated dominance frontiers of many sets of blocks: the blocks that need phis.
#[derive(Clone, Debug)]
pub struct Joins {
    way: Representation,
}

#[derive(Clone, Debug)]
enum Representation {
    /// All frontiers, materialized.
    Frontiers(Frontiers),
    /// Only the edges, since the frontiers are too large in total.
    Edges(Edges),
}

impl Joins {
    /// Computes the join edges of a body.
    pub fn compute(body: &Body, dominators: &Dominators) -> Self {
        let most = MOST_MEMBERS * body.block_count();
        let way = Frontiers::compute(body, dominators, most).map_or_else(
            || Representation::Edges(Edges::compute(body, dominators)),
            Representation::Frontiers,
        );
        Self { way }
    }

    /// Returns the part of the iterated dominance frontier of a set of blocks that `home` dominates (`home`
    /// included), sorted by block number. `home` must dominate the set. Blocks that are not wanted are left out, and
    /// their frontiers are not followed.
    ///
    /// The time is about proportional to the number of edges into the result and does not depend on the blocks
    /// outside `home`.
    pub fn iterated(
        &mut self,
        dominators: &Dominators,
        home: Block,
        blocks: impl IntoIterator<Item = Block>,
        mut is_wanted: impl FnMut(Block) -> bool,
    ) -> Vec<Block> {
        let is_inside = |block: Block| dominators.is_reachable(block) && dominators.dominates(home, block);
        let mut work: Vec<Block> = blocks.into_iter().filter(|&block| is_inside(block)).collect();
        let mut seen = FxHashSet::default();
        let (mut found, mut joins) = (Vec::new(), Vec::new());
        while let Some(block) = work.pop() {
            match &mut self.way {
                Representation::Frontiers(frontiers) => joins.extend_from_slice(frontiers.of(block)),
                Representation::Edges(edges) => edges.within(dominators, home, block, &mut joins),
            }
            for join in joins.drain(..) {
                if seen.insert(join) && dominators.dominates(home, join) && is_wanted(join) {
                    found.push(join);
                    work.push(join);
                }
            }
        }
        if let Representation::Edges(edges) = &mut self.way {
            edges.forget();
        }
        found.sort_unstable();
        found
    }
}

/// The join edges (edges to blocks with several predecessors), in the order of their sources in the dominator tree.
///
/// The frontier of a block consists of the targets of edges from blocks that it dominates whose immediate dominators
/// are above it. A segment tree over the edges, sorted by the depth of these dominators, finds them without visiting
/// other edges.
#[derive(Clone, Debug, Default)]
struct Edges {
    /// The depth of each block in the dominator tree.
    depth: Vec<u32>,
    /// The number of the first edge from each preorder position, followed by the number of edges.
    starts: Vec<u32>,
    /// The edges, sorted within segments of 1, 2, 4, … edges: the depth of the target's immediate dominator, and the
    /// target.
    levels: Vec<Vec<(u32, Block)>>,
    /// The number of the next unread edge of each segment, starting at 1, for the current home.
    read: Vec<Vec<u32>>,
    /// The segments that were read, by level and number.
    touched: Vec<(usize, usize)>,
    /// The start of the sources of the edges to each block, followed by the end of the last.
    incoming: Vec<u32>,
    /// The sources by preorder position, sorted for each block.
    sources: Vec<u32>,
}

impl Edges {
    /// Computes the join edges from reachable blocks.
    fn compute(body: &Body, dominators: &Dominators) -> Self {
        let mut depth = vec![0; body.block_bound()];
        for block in dominators.preorder() {
            depth[block.index()] = dominators.immediate(block).map_or(0, |above| depth[above.index()] + 1);
        }
        let (mut starts, mut edges, mut into) = (vec![0], Vec::new(), Vec::new());
        for (position, from) in dominators.preorder().enumerate() {
            for to in body.block_successors(from) {
                // The target of its only incoming edge is in no frontier.
                if let Some(above) =
                    dominators.immediate(to).filter(|_| body.predecessors(to).nth(1).is_some())
                {
                    edges.push((depth[above.index()], to));
                    into.push((to, position as u32));
                }
            }
            starts.push(edges.len() as u32);
        }
        let mut levels = vec![edges];
        while let Some(last) = levels.last().filter(|last| 1 << (levels.len() - 1) < last.len()) {
            let mut next = last.clone();
            next.chunks_mut(1 << levels.len())
                .for_each(|segment| segment.sort_unstable_by_key(|edge| edge.0));
            levels.push(next);
        }
        into.sort_by_key(|&(to, _)| to);
        let mut incoming = vec![0; body.block_bound() + 1];
        into.iter().for_each(|&(to, _)| incoming[to.index() + 1] += 1);
        (1..incoming.len()).for_each(|at| incoming[at] += incoming[at - 1]);
        let sources = into.into_iter().map(|(_, position)| position).collect();
        let count = levels[0].len();
        let read = (0..levels.len()).map(|level| vec![0; count.div_ceil(1 << level)]).collect();
        Self { depth, starts, levels, read, touched: Vec::new(), incoming, sources }
    }

    /// Appends the part of the frontier of `block` that `home` dominates, except for edges that were found before for
    /// the same home.
    fn within(&mut self, dominators: &Dominators, home: Block, block: Block, found: &mut Vec<Block>) {
        let Some(range) = dominators.dominated(block) else { return };
        let back = self.incoming[home.index()] as usize..self.incoming[home.index() + 1] as usize;
        let back = &self.sources[back];
        if back
            .get(back.partition_point(|&s| (s as usize) < range.start))
            .is_some_and(|&s| (s as usize) < range.end)
        {
            found.push(home);
        }
        // The other edges have `home` or a block below it as immediate dominator.
        let (least, most) = (self.depth[home.index()], self.depth[block.index()]);
        let (mut start, end) = (self.starts[range.start] as usize, self.starts[range.end] as usize);
        while start < end {
            let fits = (end - start).ilog2().min(start.trailing_zeros());
            let level = (fits as usize).min(self.levels.len() - 1);
            let segment = &self.levels[level][start..start + (1 << level)];
            let next = &mut self.read[level][start >> level];
            if *next == 0 {
                *next = segment.partition_point(|edge| edge.0 < least) as u32 + 1;
                self.touched.push((level, start >> level));
            }
            let rest = segment[*next as usize - 1..].iter().take_while(|edge| edge.0 < most);
            let before = found.len();
            found.extend(rest.map(|edge| edge.1));
            *next += (found.len() - before) as u32;
            start += 1 << level;
        }
    }

    /// Resets the state for the current home.
    fn forget(&mut self) {
        for (level, segment) in self.touched.drain(..) {
            self.read[level][segment] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use silkit_ir::{Editor, Loc, NewInst, Opcode, Value};

    /// Ends a block with a branch to one block or a conditional branch to two.
    fn end(editor: &mut Editor<'_>, from: Block, to: &[Block]) {
        let &[one, other] = to else {
            editor.insert_branch(from, to[0], &[], Loc::NONE);
            return;
        };
        let condition = editor.undef(silkit_types::SilType::unknown());
        let counts = editor.new_list(&[]);
        let word = |name: &str| match name {
            "true_target" => one.as_u32(),
            "false_target" => other.as_u32(),
            "counts" => counts,
            _ => 0,
        };
        let words: Vec<u32> = Opcode::CondBranch.info().attrs.iter().map(|attr| word(attr.name)).collect();
        let operands: &[Value] = &[condition];
        let new = NewInst { operands, words: &words, ..NewInst::new(Opcode::CondBranch) };
        editor.insert(silkit_ir::Point::End(from), &new);
    }

    #[test]
    fn joins_are_frontiers_within_a_region() {
        let mut seed = 7u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..60 {
            let mut body = Body::new();
            let mut editor = body.edit();
            let blocks: Vec<Block> = (0..12).map(|_| editor.append_block()).collect();
            for (at, &from) in blocks.iter().enumerate() {
                // Mostly forward edges, so that many blocks are reachable.
                let next = blocks[(at + 1).min(blocks.len() - 1)];
                match random(3) {
                    _ if at + 1 == blocks.len() => {}
                    0 => end(&mut editor, from, &[next]),
                    _ => end(&mut editor, from, &[blocks[1 + random(11)], next]),
                }
            }
            let dominators = Dominators::compute(&body);
            let frontiers = Frontiers::compute(&body, &dominators, 1000).expect("few members");
            let mut edges = Edges::compute(&body, &dominators);
            for &home in &blocks {
                for &block in
                    blocks.iter().filter(|&&b| dominators.is_reachable(b) && dominators.dominates(home, b))
                {
                    let mut found = Vec::new();
                    edges.within(&dominators, home, block, &mut found);
                    edges.within(&dominators, home, home, &mut Vec::new());
                    edges.forget();
                    found.sort_unstable();
                    found.dedup();
                    let mut expected = frontiers.of(block).to_vec();
                    expected.retain(|&join| dominators.dominates(home, join));
                    expected.sort_unstable();
                    assert_eq!(found, expected, "{home} {block}");
                }
                iterated(&dominators, &frontiers, &mut edges, home, &blocks);
            }
        }
    }

    /// Both representations give the same result.
    fn iterated(
        dominators: &Dominators,
        frontiers: &Frontiers,
        edges: &mut Edges,
        home: Block,
        blocks: &[Block],
    ) {
        let ways = [Representation::Frontiers(frontiers.clone()), Representation::Edges(edges.clone())];
        let found = ways.map(|way| {
            Joins { way }
                .iterated(dominators, home, blocks.iter().copied().step_by(3), |block| block != blocks[7])
        });
        assert_eq!(found[0], found[1], "{home}");
    }
}
