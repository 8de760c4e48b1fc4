//! Joint post-dominance: scopes that an instruction or argument begins and other instructions end.
//!
//! The rules are those of SIL.md, "Joint post-dominance". The walk goes backwards from the ends, so that its cost is
//! proportional to the size of the scope, not of the function.

use crate::{DeadEnds, path};
use silkit_base::{BitSet, EntitySet, FxHashSet};
use silkit_ir::{Block, Body, Inst};

/// The beginning of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    /// After an instruction.
    After(Inst),
    /// At the start of a block, for one of its arguments.
    Start(Block),
}

/// The requirement that all paths to a point agree on whether the scope is open there. Paths must always agree at
/// points from which an exit is reachable; in dead-end blocks the requirement is optional.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coherence {
    /// Paths must agree.
    Required,
    /// Paths need not agree.
    NotRequired,
}

/// A violation of joint post-dominance. A path is a list of blocks from the block with the begin or an end of the
/// scope to the block with the violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScopeError {
    /// A path reaches an end without passing the begin, which does not dominate the end.
    Undominated(Inst),
    /// A path from one end reaches another end, or the same end again.
    EndedTwice {
        /// The end that is reached first.
        first: Inst,
        /// The end that is reached second.
        second: Inst,
        /// The path from the first end to the second.
        path: Vec<Block>,
    },
    /// A path exits the function with the scope open.
    Leak {
        /// The path from the begin to the exit.
        path: Vec<Block>,
    },
    /// A path returns to the begin with the scope open.
    BeginsAgain {
        /// The path from the begin back to itself.
        path: Vec<Block>,
    },
    /// A dead-end block is reached both with the scope open and with the scope closed, which violates coherence.
    Incoherent {
        /// The path from the begin to the block on which the scope is open.
        path: Vec<Block>,
    },
}

/// A checker for scopes of a body. After [`Scopes::check`], queries refer to the scope that was checked last.
#[derive(Debug)]
pub struct Scopes<'a> {
    body: &'a Body,
    dead_ends: &'a DeadEnds,
    /// The reachable blocks; other paths are ignored.
    reachable: BitSet<Block>,
    begin: Begin,
    /// The ends in reachable blocks with their blocks, sorted by block and position. Ends that precede the begin in
    /// its block are left out.
    ends: Vec<(Block, Inst)>,
    /// Blocks at whose start the scope is open.
    live_in: EntitySet<Block>,
    /// The blocks of `live_in`, in discovery order.
    live_blocks: Vec<Block>,
    /// The visited blocks of one walk.
    seen: EntitySet<Block>,
    work: Vec<Block>,
    /// Dead-end blocks that are entered with the scope open and from which no end is reachable.
    abandoned: Vec<Block>,
    /// The dead-end blocks inside the scope, computed on demand.
    inside_dead_ends: Option<EntitySet<Block>>,
}

impl<'a> Scopes<'a> {
    /// Creates a checker of the scopes of a body.
    pub fn new(body: &'a Body, dead_ends: &'a DeadEnds) -> Self {
        let mut reachable = BitSet::with_bound(body.block_bound());
        let mut work = Vec::with_capacity(body.block_count().saturating_sub(1));
        let mut next = body.entry_block();
        while let Some(block) = next {
            if reachable.insert(block) {
                work.extend(body.block_successors(block).filter(|&to| !reachable.contains(to)));
            }
            next = work.pop();
        }
        Self {
            body,
            dead_ends,
            reachable,
            begin: Begin::Start(Block::NONE),
            ends: Vec::new(),
            live_in: EntitySet::new(),
            live_blocks: Vec::new(),
            seen: EntitySet::new(),
            work,
            abandoned: Vec::new(),
            inside_dead_ends: None,
        }
    }

    /// Checks that the ends jointly post-dominate the begin. Returns all violations in the order in which they are
    /// found.
    pub fn check(&mut self, begin: Begin, ends: &[Inst], coherence: Coherence) -> Vec<ScopeError> {
        let mut errors = Vec::new();
        self.start(begin, ends, &mut errors);
        // Most scopes end in the block in which they begin.
        let begin_block = self.begin_block();
        if !self.ends.is_empty() && self.ends.iter().all(|&(block, _)| block == begin_block) {
            return errors;
        }
        let is_open_behind = self.walk_back(&mut errors);
        if self.end_after_begin().is_none() {
            self.find_leaks(is_open_behind, &mut errors);
            self.follow_dead_ends(coherence, &mut errors);
        }
        errors
    }

    /// Returns true if the point before an instruction is inside the scope that was checked last.
    pub fn contains(&mut self, inst: Inst) -> bool {
        let block = self.body.inst_block(inst);
        let position = self.body.order_in_block(inst);
        if block == self.begin_block() && self.is_after_begin(inst) {
            return self.end_after_begin().is_none_or(|end| position <= self.body.order_in_block(end));
        }
        if self.live_in.contains(block) {
            let first = self.first_end(block);
            return first.is_none_or(|end| position <= self.body.order_in_block(end));
        }
        if self.abandoned.is_empty() || !self.dead_ends.is_dead_end(block) {
            return false;
        }
        if self.inside_dead_ends.is_none() {
            self.inside_dead_ends = Some(self.dead_ends_inside());
        }
        self.inside_dead_ends.as_ref().is_some_and(|set| set.contains(block))
    }

    /// Returns the blocks in which the scope that was checked last is open: the block with the begin, and those from
    /// whose start an end is reachable. Dead-end blocks from which no end is reachable are not included.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let begin = self.begin_block();
        std::iter::once(begin).chain(self.live_blocks.iter().copied().filter(move |&block| block != begin))
    }

    fn begin_block(&self) -> Block {
        match self.begin {
            Begin::After(inst) => self.body.inst_block(inst),
            Begin::Start(block) => block,
        }
    }

    /// Returns true if an instruction of the block with the begin follows the begin.
    fn is_after_begin(&self, inst: Inst) -> bool {
        match self.begin {
            Begin::After(begin) => self.body.inst_precedes(begin, inst),
            Begin::Start(_) => true,
        }
    }

    /// Returns the first end after the begin in the same block; ends before the begin are not in the list.
    fn end_after_begin(&self) -> Option<Inst> {
        self.first_end(self.begin_block())
    }

    /// Returns the ends in a block, in order.
    fn ends_in(&self, block: Block) -> &[(Block, Inst)] {
        let start = self.ends.partition_point(|&(of, _)| of < block);
        let count = self.ends[start..].partition_point(|&(of, _)| of == block);
        &self.ends[start..start + count]
    }

    /// Returns the first end in a block.
    fn first_end(&self, block: Block) -> Option<Inst> {
        self.ends_in(block).first().map(|&(_, end)| end)
    }

    fn start(&mut self, begin: Begin, ends: &[Inst], errors: &mut Vec<ScopeError>) {
        self.begin = begin;
        self.live_in.clear();
        self.live_blocks.clear();
        self.work.clear();
        self.abandoned.clear();
        self.inside_dead_ends = None;
        let (body, begin_block) = (self.body, self.begin_block());
        let mut sorted = std::mem::take(&mut self.ends);
        sorted.clear();
        let ends = ends.iter().map(|&end| (body.inst_block(end), end));
        sorted.extend(ends.filter(|&(block, _)| self.reachable.contains(block)));
        sorted.sort_unstable_by_key(|&(block, end)| (block, body.order_in_block(end)));
        let mut previous = (Block::NONE, Inst::NONE);
        sorted.retain(|&(block, end)| {
            if block == begin_block && !self.is_after_begin(end) {
                errors.push(ScopeError::Undominated(end));
                return false;
            }
            if previous.0 == block {
                errors.push(ScopeError::EndedTwice { first: previous.1, second: end, path: vec![block] });
            }
            previous = (block, end);
            true
        });
        self.ends = sorted;
    }

    /// Adds a block to the blocks at whose start the scope is open.
    fn open(&mut self, block: Block) {
        if self.live_in.insert(block) {
            self.live_blocks.push(block);
            self.work.push(block);
        }
    }

    /// Marks the blocks from whose start an end is reachable. Returns true if the end of the block with the begin is
    /// reached.
    fn walk_back(&mut self, errors: &mut Vec<ScopeError>) -> bool {
        let begin_block = self.begin_block();
        let mut is_open_behind = false;
        let mut undominated = false;
        let mut reported = FxHashSet::default();
        if self.ends.is_empty() {
            return false;
        }
        // The lists get their final size when the first scope with several blocks is checked. The block with the
        // begin is not in them.
        let (body, count) = (self.body, self.body.block_count().saturating_sub(1));
        self.live_in.reserve(body.block_bound());
        self.live_blocks.reserve(count);
        self.work.reserve(count);
        for at in 0..self.ends.len() {
            let block = self.ends[at].0;
            if block != begin_block {
                self.open(block);
            }
        }
        while let Some(block) = self.work.pop() {
            for pred in body.predecessors(block) {
                if !self.reachable.contains(pred) {
                    continue;
                }
                if let Some(&(_, first)) = self.ends_in(pred).last() {
                    let (second, mut path) = self.next_end(block);
                    path.insert(0, pred);
                    // Several paths from one end to another are one violation.
                    if reported.insert((first, second)) {
                        errors.push(ScopeError::EndedTwice { first, second, path });
                    }
                } else if pred == begin_block {
                    is_open_behind = true;
                } else {
                    self.open(pred);
                }
            }
            let is_entry = self.body.is_entry_block(block);
            if is_entry && !undominated {
                undominated = true;
                errors.push(ScopeError::Undominated(self.next_end(block).0));
            }
        }
        is_open_behind
    }

    /// Returns the end that is reached from the start of a block, and the blocks on the path to it.
    fn next_end(&self, start: Block) -> (Inst, Vec<Block>) {
        let path = self.path(start, |b| self.first_end(b).is_some(), |b| self.live_in.contains(b));
        let last = path.last().copied().unwrap_or(start);
        // An end is reachable from every marked block.
        (self.first_end(last).unwrap_or(Inst::NONE), path)
    }

    /// Reports edges that leave the blocks in which the scope is open.
    fn find_leaks(&mut self, is_open_behind: bool, errors: &mut Vec<ScopeError>) {
        let begin_block = self.begin_block();
        let mut seen = std::mem::take(&mut self.seen);
        seen.clear();
        seen.reserve(self.body.block_bound());
        let mut open = std::mem::take(&mut self.work);
        open.push(begin_block);
        let (mut leaked, mut came_back) = (false, false);
        seen.insert(begin_block);
        if !is_open_behind && self.leaves(begin_block) {
            errors.push(ScopeError::Leak { path: vec![begin_block] });
            open.clear();
        }
        while let Some(block) = open.pop() {
            for next in self.body.block_successors(block) {
                if next == begin_block && std::mem::replace(&mut came_back, true) {
                    continue;
                }
                if next == begin_block {
                    let path = self.path_from_begin(block);
                    let path = path.into_iter().chain([begin_block]).collect();
                    errors.push(ScopeError::BeginsAgain { path });
                    continue;
                }
                if !seen.insert(next) {
                    continue;
                }
                if self.live_in.contains(next) {
                    if self.first_end(next).is_none() {
                        open.push(next);
                    }
                } else if !self.dead_ends.is_dead_end(next) {
                    if !std::mem::replace(&mut leaked, true) {
                        errors.push(self.leak(block, next));
                    }
                } else {
                    self.abandoned.push(next);
                }
            }
        }
        self.seen = seen;
        self.work = open;
    }

    /// Returns the violation on an edge from a block with the scope open to a block from which an exit is reached
    /// without an end.
    fn leak(&self, from: Block, to: Block) -> ScopeError {
        let begin_block = self.begin_block();
        let mut path = self.path_from_begin(from);
        match crate::path(self.body, &[to], |b| self.leaves(b), |b| b != begin_block) {
            Some(rest) => {
                path.extend(rest);
                ScopeError::Leak { path }
            }
            None => {
                path.extend(self.path(to, |b| b == begin_block, |_| true));
                ScopeError::BeginsAgain { path }
            }
        }
    }

    /// Follows dead-end blocks that are entered with the scope open.
    fn follow_dead_ends(&self, coherence: Coherence, errors: &mut Vec<ScopeError>) {
        let begin_block = self.begin_block();
        let mut follow = |wanted: &dyn Fn(Block) -> bool, error: fn(Vec<Block>) -> ScopeError| {
            let Some(rest) = path(self.body, &self.abandoned, wanted, |b| b != begin_block) else { return };
            let mut path = self.path_from_begin(rest[0]);
            path.extend(&rest[1..]);
            errors.push(error(path));
        };
        // A dead-end block has only dead-end successors.
        if self.dead_ends.is_dead_end(begin_block) {
            follow(&|b| b == begin_block, |path| ScopeError::BeginsAgain { path });
        }
        if coherence == Coherence::Required && !self.abandoned.is_empty() {
            let closed = self.closed_before();
            follow(&|b| closed.contains(b), |path| ScopeError::Incoherent { path });
        }
    }

    fn leaves(&self, block: Block) -> bool {
        self.body.last_inst(block).is_some_and(|i| self.body.inst(i).opcode.leaves_function())
    }

    /// Returns the blocks at whose start the scope is closed on some path.
    fn closed_before(&self) -> EntitySet<Block> {
        let mut closed = EntitySet::new();
        let mut work: Vec<Block> = self.ends.iter().map(|&(block, _)| block).collect();
        while let Some(block) = work.pop() {
            for next in self.body.block_successors(block) {
                if closed.insert(next) && next != self.begin_block() {
                    work.push(next);
                }
            }
        }
        closed
    }

    /// Returns the dead-end blocks in which the scope is open on all paths.
    fn dead_ends_inside(&self) -> EntitySet<Block> {
        let closed = self.closed_before();
        let mut inside = EntitySet::new();
        let mut work = self.abandoned.clone();
        while let Some(block) = work.pop() {
            if !closed.contains(block) && inside.insert(block) {
                work.extend(self.body.block_successors(block));
            }
        }
        inside
    }

    fn path_from_begin(&self, to: Block) -> Vec<Block> {
        self.path(self.begin_block(), |b| b == to, |b| self.live_in.contains(b))
    }

    /// Returns a shortest path, or only the start block if there is none.
    fn path(
        &self,
        from: Block,
        wanted: impl Fn(Block) -> bool,
        allowed: impl Fn(Block) -> bool,
    ) -> Vec<Block> {
        path(self.body, &[from], wanted, allowed).unwrap_or_else(|| vec![from])
    }
}

#[cfg(test)]
mod tests;
