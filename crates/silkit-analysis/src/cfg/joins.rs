//! Iterated dominance frontiers: the blocks where paths from some blocks meet others, or meet again.

use crate::{Dominators, Frontiers};
use silkit_base::{Entity, FxHashSet};
use silkit_ir::{Block, Body};

/// Frontiers have at most so many members for each block, on average. Where they would have more, they are not made.
const MOST_MEMBERS: usize = 8;

/// Finds iterated dominance frontiers of many sets of blocks: the places of phis.
#[derive(Clone, Debug)]
pub struct Joins {
    way: Representation,
}

#[derive(Clone, Debug)]
enum Representation {
    /// All frontiers are known.
    Frontiers(Frontiers),
    /// The edges, because the frontiers are too large together.
    Edges(Edges),
}

impl Joins {
    /// Returns those of a body.
    pub fn compute(body: &Body, dominators: &Dominators) -> Self {
        let most = MOST_MEMBERS * body.block_count();
        let way = Frontiers::compute(body, dominators, most).map_or_else(
            || Representation::Edges(Edges::compute(body, dominators)),
            Representation::Frontiers,
        );
        Self { way }
    }

    /// Returns the blocks that a block `home` dominates (itself included) and where paths from some blocks, which it
    /// dominates too, meet other paths; those where paths from these meet others, and so on; in the order of their
    /// numbers. What is not wanted is left out, and what only follows from it.
    ///
    /// The time it takes is about that of the edges into what is found, and does not depend on what is around `home`.
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

/// The edges to blocks where paths meet, in the order of their sources in the dominator tree.
///
/// A block's frontier are the targets of edges from what it dominates whose immediate dominators are above it. By the depth
/// of these, sorted in each segment of a tree over the edges, they are found without looking at others.
#[derive(Clone, Debug, Default)]
struct Edges {
    /// The depth of each block in the dominator tree.
    depth: Vec<u32>,
    /// The number of the first edge from each position in preorder, and the end of all.
    starts: Vec<u32>,
    /// The edges, sorted within segments of 1, 2, 4 … of them: the depth of the target's dominator, and the target.
    levels: Vec<Vec<(u32, Block)>>,
    /// The number of the next edge of each segment, from 1, since the last home was cleared.
    read: Vec<Vec<u32>>,
    /// The segments that were read, by level and number.
    touched: Vec<(usize, usize)>,
    /// The start of the sources of the edges to each block, and the end of the last.
    incoming: Vec<u32>,
    /// The sources, by their positions in preorder, those of a block sorted.
    sources: Vec<u32>,
}

impl Edges {
    /// Creates the edges from blocks that can be reached.
    fn compute(body: &Body, dominators: &Dominators) -> Self {
        let mut depth = vec![0; body.block_bound()];
        for block in dominators.preorder() {
            depth[block.index()] = dominators.immediate(block).map_or(0, |above| depth[above.index()] + 1);
        }
        let (mut starts, mut edges, mut into) = (vec![0], Vec::new(), Vec::new());
        for (position, from) in dominators.preorder().enumerate() {
            for to in body.block_successors(from) {
                // The target of the only edge to it is in the frontier of nothing.
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

    /// Appends the frontier of a block as far as it is dominated by a block that dominates this one, but for edges that were
    /// found before for the same home.
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
        // All others have the home or a block below it as their dominator.
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

    /// Ends the questions about one home.
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

    /// Ends a block with a branch to one block or, by chance, to one of two.
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
                // Mostly forward, so that much can be reached.
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

    /// Both ways find the same.
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
