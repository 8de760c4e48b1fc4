//! Dominance frontiers, and the nearest dominator in a set of blocks.
//!
//! A property that changes only in a set of blocks has, at any other block, the value of the nearest dominator in the
//! set, unless the block is in the iterated dominance frontier of the set, where different values may meet.

use crate::Dominators;
use silkit_base::Entity;
use silkit_ir::{Block, Body};

/// The dominance frontier of each block: the join blocks where its dominance ends.
#[derive(Clone, Debug, Default)]
pub struct Frontiers {
    /// The start of the frontier of each block in `blocks`, followed by the end of the last one.
    starts: Vec<u32>,
    blocks: Vec<Block>,
}

impl Frontiers {
    /// Computes the dominance frontiers of the reachable blocks. The entry is in no frontier.
    ///
    /// Returns `None` if they have more than `most` members in total: if one block ends many nested loops, the size
    /// of the frontiers is quadratic.
    pub fn compute(body: &Body, dominators: &Dominators, most: usize) -> Option<Self> {
        let count = body.block_bound();
        // The members as linked lists, one for each block, newest first.
        let mut newest = vec![u32::MAX; count];
        let mut members: Vec<(Block, u32)> = Vec::new();
        for join in dominators.preorder() {
            let Some(above) = dominators.immediate(join) else { continue };
            for pred in body.predecessors(join).filter(|&p| dominators.is_reachable(p)) {
                let mut at = Some(pred);
                while let Some(block) = at.filter(|&b| b != above) {
                    let list = &mut newest[block.index()];
                    // The dominators further up have this member too.
                    if members.get(*list as usize).is_some_and(|(member, _)| *member == join) {
                        break;
                    }
                    if members.len() >= most {
                        return None;
                    }
                    members.push((join, *list));
                    *list = members.len() as u32 - 1;
                    at = dominators.immediate(block);
                }
            }
        }
        let mut this =
            Self { starts: Vec::with_capacity(count + 1), blocks: Vec::with_capacity(members.len()) };
        for mut list in newest {
            this.starts.push(this.blocks.len() as u32);
            while let Some(&(member, older)) = members.get(list as usize) {
                this.blocks.push(member);
                list = older;
            }
        }
        this.starts.push(this.blocks.len() as u32);
        Some(this)
    }

    /// Returns the frontier of a block, in no particular order.
    pub fn of(&self, block: Block) -> &[Block] {
        let at = block.index();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.blocks[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// A growing set of blocks with a query for the nearest dominator of a block in the set. Insertion and query take
/// logarithmic time.
#[derive(Clone, Debug, Default)]
pub struct ChosenDominators {
    /// A segment tree over preorder positions. Each segment holds the last block in the set, by position starting at
    /// 1, that dominates the whole segment and for which the segment was visited. Among the dominators of a block,
    /// the nearest has the highest position.
    segments: Vec<u32>,
    /// The segments that are not empty.
    touched: Vec<u32>,
    preorder: Vec<Block>,
}

impl ChosenDominators {
    /// Creates an empty set.
    pub fn new(dominators: &Dominators) -> Self {
        let preorder: Vec<Block> = dominators.preorder().collect();
        Self { segments: vec![0; 2 * preorder.len()], touched: Vec::new(), preorder }
    }

    /// Adds a block to the set. Unreachable blocks are ignored.
    pub fn insert(&mut self, dominators: &Dominators, block: Block) {
        let Some(dominated) = dominators.dominated(block) else { return };
        let name = dominated.start as u32 + 1;
        let count = self.preorder.len();
        let (mut start, mut end) = (dominated.start + count, dominated.end + count);
        while start < end {
            if start & 1 == 1 {
                self.raise(start, name);
                start += 1;
            }
            if end & 1 == 1 {
                end -= 1;
                self.raise(end, name);
            }
            start /= 2;
            end /= 2;
        }
    }

    fn raise(&mut self, segment: usize, name: u32) {
        let nearest = &mut self.segments[segment];
        if *nearest == 0 {
            self.touched.push(segment as u32);
        }
        *nearest = name.max(*nearest);
    }

    /// Returns the nearest dominator of a block in the set, which may be the block itself.
    pub fn nearest(&self, dominators: &Dominators, block: Block) -> Option<Block> {
        let mut segment = dominators.dominated(block)?.start + self.preorder.len();
        let mut nearest = 0;
        while segment > 0 {
            nearest = nearest.max(self.segments[segment]);
            segment /= 2;
        }
        self.preorder.get((nearest as usize).checked_sub(1)?).copied()
    }

    /// Removes all blocks, in time proportional to the size of the set.
    pub fn clear(&mut self) {
        for segment in self.touched.drain(..) {
            self.segments[segment as usize] = 0;
        }
    }
}
