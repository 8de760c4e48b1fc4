//! Dominance frontiers, and the nearest dominator among chosen blocks.
//!
//! What holds at a block and changes only at chosen blocks is what holds at the nearest of these that dominates it,
//! unless the block is in the iterated dominance frontier of the chosen ones, where different things may meet.

use crate::Dominators;
use silkit_base::Entity;
use silkit_ir::{Block, Body};

/// The dominance frontier of each block: where paths from it meet paths that avoid it.
#[derive(Clone, Debug, Default)]
pub struct Frontiers {
    /// The start of the frontier of each block in `blocks`, and the end of the last.
    starts: Vec<u32>,
    blocks: Vec<Block>,
}

impl Frontiers {
    /// Creates the frontiers of the blocks that can be reached. The entry is in none.
    ///
    /// `None` if they have more than `most` members together: loops that are nested in a way that one block ends
    /// many of them have frontiers of quadratic size.
    pub fn compute(body: &Body, dominators: &Dominators, most: usize) -> Option<Self> {
        let count = body.block_bound();
        // The members as pairs, those of a block in a list from the newest.
        let mut newest = vec![u32::MAX; count];
        let mut members: Vec<(Block, u32)> = Vec::new();
        for join in dominators.preorder() {
            let Some(above) = dominators.immediate(join) else { continue };
            for pred in body.predecessors(join).filter(|&p| dominators.is_reachable(p)) {
                let mut at = Some(pred);
                while let Some(block) = at.filter(|&b| b != above) {
                    let list = &mut newest[block.index()];
                    // The blocks above have it too.
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

    /// Returns the frontier of a block, in no order.
    pub fn of(&self, block: Block) -> &[Block] {
        let at = block.index();
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.blocks[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// Blocks of a body that are chosen one by one, asked which of them dominates a block most closely. Both take
/// logarithmic time.
#[derive(Clone, Debug, Default)]
pub struct ChosenDominators {
    /// A tree of segments over the positions in preorder: the last of the chosen blocks that dominate all of a segment
    /// and for which it was visited, by its position, from 1. Of those that dominate a block the nearest comes last.
    segments: Vec<u32>,
    /// The segments that say something.
    touched: Vec<u32>,
    preorder: Vec<Block>,
}

impl ChosenDominators {
    /// Creates an empty set of reachable blocks.
    pub fn new(dominators: &Dominators) -> Self {
        let preorder: Vec<Block> = dominators.preorder().collect();
        Self { segments: vec![0; 2 * preorder.len()], touched: Vec::new(), preorder }
    }

    /// Chooses a block. One that cannot be reached is left out.
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

    /// Returns the chosen block that dominates a block most closely, which may be the block itself.
    pub fn nearest(&self, dominators: &Dominators, block: Block) -> Option<Block> {
        let mut segment = dominators.dominated(block)?.start + self.preorder.len();
        let mut nearest = 0;
        while segment > 0 {
            nearest = nearest.max(self.segments[segment]);
            segment /= 2;
        }
        self.preorder.get((nearest as usize).checked_sub(1)?).copied()
    }

    /// Clears the set, in time proportional to its size.
    pub fn clear(&mut self) {
        for segment in self.touched.drain(..) {
            self.segments[segment as usize] = 0;
        }
    }
}
