//! Ranges: the blocks and instructions between a dominating definition and a set of ends.

use silkit_base::EntitySet;
use silkit_ir::{Block, Body, Inst};

/// The blocks on paths from a begin block to inserted blocks, computed incrementally as blocks are inserted.
///
/// The begin block must dominate the inserted blocks; [`BlockRange::is_valid`] checks this.
#[derive(Clone, Debug)]
pub struct BlockRange<'a> {
    body: &'a Body,
    begin: Block,
    work: Vec<Block>,
    reached: EntitySet<Block>,
    /// Blocks from whose end an inserted block is reachable.
    passed: EntitySet<Block>,
    inclusive: Vec<Block>,
    was_inserted: EntitySet<Block>,
    inserted: Vec<Block>,
}

impl<'a> BlockRange<'a> {
    /// Creates a range that contains only the begin block.
    pub fn new(body: &'a Body, begin: Block) -> Self {
        let mut reached = EntitySet::default();
        reached.insert(begin);
        Self {
            body,
            begin,
            work: vec![begin],
            reached,
            passed: EntitySet::default(),
            inclusive: Vec::new(),
            was_inserted: EntitySet::default(),
            inserted: Vec::new(),
        }
    }

    /// Returns the begin block.
    pub fn begin(&self) -> Block {
        self.begin
    }

    /// Extends the range to a block.
    pub fn insert(&mut self, block: Block) {
        if self.was_inserted.insert(block) {
            self.inserted.push(block);
        }
        if self.reached.insert(block) {
            self.work.push(block);
        }
        while let Some(block) = self.work.pop() {
            self.inclusive.push(block);
            if block == self.begin {
                continue;
            }
            for pred in self.body.predecessors(block) {
                self.passed.insert(pred);
                if self.reached.insert(pred) {
                    self.work.push(pred);
                }
            }
        }
    }

    /// Returns true if the whole block is in the range: an inserted block is reachable from its end.
    pub fn contains(&self, block: Block) -> bool {
        self.passed.contains(block)
    }

    /// Like [`Self::contains`], but also returns true for inserted blocks and the begin block.
    pub fn contains_or_ends(&self, block: Block) -> bool {
        self.reached.contains(block)
    }

    /// Returns true if the begin block dominates the inserted blocks.
    pub fn is_valid(&self) -> bool {
        let entry = self.body.entry_block();
        entry == Some(self.begin) || entry.is_none_or(|entry| !self.contains_or_ends(entry))
    }

    /// Returns the blocks of the range, including its ends, backwards from the ends.
    pub fn inclusive(&self) -> &[Block] {
        &self.inclusive
    }

    /// Returns the blocks of the range, excluding its ends.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        self.inclusive.iter().copied().filter(|&b| self.contains(b))
    }

    /// Returns the inserted blocks in insertion order.
    pub fn inserted(&self) -> &[Block] {
        &self.inserted
    }

    /// Returns the ends: the inserted blocks from which no other inserted block is reached.
    pub fn ends(&self) -> impl Iterator<Item = Block> + '_ {
        self.inserted.iter().copied().filter(|&b| !self.contains(b))
    }

    /// Returns the inserted blocks that are not ends, without the begin block.
    pub fn interiors(&self) -> impl Iterator<Item = Block> + '_ {
        self.inserted.iter().copied().filter(|&b| self.contains(b) && b != self.begin)
    }

    /// Returns the exit blocks, where paths leave the range before its ends, once for each edge.
    pub fn exits(&self) -> impl Iterator<Item = Block> + '_ {
        self.blocks()
            .filter_map(|block| self.body.last_inst(block))
            .flat_map(|last| self.body.successors(last))
            .filter(|&b| !self.contains_or_ends(b) || b == self.begin)
    }
}

/// The instructions on paths from a begin instruction to inserted instructions.
#[derive(Clone, Debug)]
pub struct InstRange<'a> {
    body: &'a Body,
    begin: Inst,
    blocks: BlockRange<'a>,
    inserted: EntitySet<Inst>,
    /// Instructions of the begin block and of the blocks of inserted instructions that precede an inserted
    /// instruction.
    passed: EntitySet<Inst>,
}

impl<'a> InstRange<'a> {
    /// Creates a range that contains only the begin instruction.
    pub fn new(body: &'a Body, begin: Inst) -> Self {
        let blocks = BlockRange::new(body, body.inst_block(begin));
        Self { body, begin, blocks, inserted: EntitySet::default(), passed: EntitySet::default() }
    }

    /// Returns the begin instruction.
    pub fn begin(&self) -> Inst {
        self.begin
    }

    /// Returns the range of the blocks that contain its instructions.
    pub fn blocks(&self) -> &BlockRange<'a> {
        &self.blocks
    }

    /// Extends the range to an instruction.
    pub fn insert(&mut self, inst: Inst) {
        let body = self.body;
        self.inserted.insert(inst);
        self.blocks.insert(body.inst_block(inst));
        if body.inst_block(inst) != self.blocks.begin {
            // The begin block may already be in the range up to some instruction.
            let mut next = body.last_inst(self.blocks.begin);
            while let Some(inst) = next.filter(|&inst| self.passed.insert(inst) && inst != self.begin) {
                next = body.prev_inst(inst);
            }
        }
        // If an instruction is already in the range, so are the preceding ones.
        let mut next = body.prev_inst(inst).filter(|_| inst != self.begin);
        while let Some(inst) = next.filter(|&inst| self.passed.insert(inst) && inst != self.begin) {
            next = body.prev_inst(inst);
        }
    }

    /// Returns true if an inserted instruction follows.
    pub fn contains(&self, inst: Inst) -> bool {
        let block = self.body.inst_block(inst);
        self.passed.contains(inst) || (block != self.blocks.begin && self.blocks.contains(block))
    }

    /// Like [`Self::contains`], but also returns true for inserted instructions and the begin instruction.
    pub fn contains_or_ends(&self, inst: Inst) -> bool {
        inst == self.begin || self.contains(inst) || self.inserted.contains(inst)
    }

    /// Returns true if the begin instruction dominates the inserted instructions.
    pub fn is_valid(&self) -> bool {
        self.blocks.is_valid() && self.passed.contains(self.begin)
    }

    /// Returns the ends: the inserted instructions from which no other inserted instruction is reached.
    pub fn ends(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks.ends().filter_map(|block| self.inserted_backwards(block).next())
    }

    /// Returns the first instructions of the exit blocks, where paths leave the range before its ends, once for each
    /// edge.
    pub fn exits(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks.exits().filter_map(|block| self.body.block_insts(block).next())
    }

    /// Returns the inserted instructions that are not ends.
    pub fn interiors(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks.inserted.iter().flat_map(|&block| {
            let ends = usize::from(!self.blocks.contains(block));
            self.inserted_backwards(block).skip(ends)
        })
    }

    /// Returns the inserted instructions of a block, last first.
    fn inserted_backwards(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        let last = self.body.last_inst(block);
        std::iter::successors(last, |&inst| self.body.prev_inst(inst))
            .filter(|&inst| self.inserted.contains(inst))
    }
}
