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
    /// The start of the frontier of each block in `blocks`, followed by the end of the last one. Empty if all
    /// frontiers are empty.
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
        // The members as linked lists, one for each block, newest first. Most bodies have no members.
        let mut newest = Vec::new();
        let mut members: Vec<(Block, u32)> = Vec::new();
        for join in dominators.preorder() {
            let Some(above) = dominators.immediate(join) else { continue };
            for pred in body.predecessors(join).filter(|&p| dominators.is_reachable(p)) {
                let mut at = Some(pred);
                while let Some(block) = at.filter(|&b| b != above) {
                    if newest.is_empty() {
                        newest.resize(count + 1, u32::MAX);
                        members.reserve(count.min(most));
                    }
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
        // Each list becomes a slice, and its head the start of the slice. The last list is empty.
        let mut starts = newest;
        let mut blocks = Vec::with_capacity(members.len());
        for start in &mut starts {
            let mut list = std::mem::replace(start, blocks.len() as u32);
            while let Some(&(member, older)) = members.get(list as usize) {
                blocks.push(member);
                list = older;
            }
        }
        Some(Self { starts, blocks })
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
    /// A segment tree over preorder positions.
    segments: Vec<Segment>,
    /// The segment that was used last, or 0, which is not a segment.
    last_used: u32,
}

/// A segment of the tree of [`ChosenDominators`].
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    /// The last block in the set, by position starting at 1, that dominates the whole segment and for which the
    /// segment was visited; 0 if the segment is not used. Among the dominators of a block, the nearest has the
    /// highest position.
    nearest: u32,
    /// The segment that was used before this one, or 0.
    used_before: u32,
}

impl ChosenDominators {
    /// Creates an empty set.
    pub fn new(dominators: &Dominators) -> Self {
        let count = dominators.preorder().count();
        Self { segments: vec![Segment::default(); 2 * count], last_used: 0 }
    }

    /// Adds a block to the set. Unreachable blocks are ignored.
    pub fn insert(&mut self, dominators: &Dominators, block: Block) {
        let Some(dominated) = dominators.dominated(block) else { return };
        let name = dominated.start as u32 + 1;
        let count = self.segments.len() / 2;
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
        let at = &mut self.segments[segment];
        if at.nearest == 0 {
            at.used_before = std::mem::replace(&mut self.last_used, segment as u32);
        }
        at.nearest = name.max(at.nearest);
    }

    /// Returns the nearest dominator of a block in the set, which may be the block itself.
    pub fn nearest(&self, dominators: &Dominators, block: Block) -> Option<Block> {
        let mut segment = dominators.dominated(block)?.start + self.segments.len() / 2;
        let mut nearest = 0;
        while segment > 0 {
            nearest = nearest.max(self.segments[segment].nearest);
            segment /= 2;
        }
        dominators.at_position((nearest as usize).checked_sub(1)?)
    }

    /// Removes all blocks, in time proportional to the size of the set.
    pub fn clear(&mut self) {
        while self.last_used != 0 {
            let used = std::mem::take(&mut self.segments[self.last_used as usize]);
            self.last_used = used.used_before;
        }
    }
}
