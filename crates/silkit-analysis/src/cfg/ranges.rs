//! Ranges: the blocks and instructions between a dominating definition and a set of ends.

use silkit_base::EntitySet;
use silkit_ir::{Block, Body, Inst};

/// The blocks from a first block to inserted ones, found while these are inserted.
///
/// The first block must dominate what is inserted; [`BlockRange::is_valid`] tells whether it does.
#[derive(Clone, Debug)]
pub struct BlockRange<'a> {
    body: &'a Body,
    begin: Block,
    work: Vec<Block>,
    reached: EntitySet<Block>,
    /// Blocks from whose end a path leads to an inserted block.
    passed: EntitySet<Block>,
    inclusive: Vec<Block>,
    was_inserted: EntitySet<Block>,
    inserted: Vec<Block>,
}

impl<'a> BlockRange<'a> {
    /// Creates a range that begins with a block and holds nothing else.
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

    /// Returns the first block.
    pub fn begin(&self) -> Block {
        self.begin
    }

    /// Widens the range to a block.
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

    /// Returns true if a path through the whole block, or from its start, leads on to an inserted one.
    pub fn contains(&self, block: Block) -> bool {
        self.passed.contains(block)
    }

    /// Like [`Self::contains`], but also true for inserted blocks and the first one.
    pub fn contains_or_ends(&self, block: Block) -> bool {
        self.reached.contains(block)
    }

    /// Returns true if the first block dominates the inserted ones.
    pub fn is_valid(&self) -> bool {
        let entry = self.body.entry_block();
        entry == Some(self.begin) || entry.is_none_or(|entry| !self.contains_or_ends(entry))
    }

    /// Returns the blocks of the range and its ends, backwards from the ends.
    pub fn inclusive(&self) -> &[Block] {
        &self.inclusive
    }

    /// Returns the blocks of the range without its ends.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        self.inclusive.iter().copied().filter(|&b| self.contains(b))
    }

    /// Returns the inserted blocks, in the order of their insertion.
    pub fn inserted(&self) -> &[Block] {
        &self.inserted
    }

    /// Returns the inserted blocks from which no other one is reached.
    pub fn ends(&self) -> impl Iterator<Item = Block> + '_ {
        self.inserted.iter().copied().filter(|&b| !self.contains(b))
    }

    /// Returns the inserted blocks that are no ends, without the first block.
    pub fn interiors(&self) -> impl Iterator<Item = Block> + '_ {
        self.inserted.iter().copied().filter(|&b| self.contains(b) && b != self.begin)
    }

    /// Returns the blocks after the range into which paths leave it before its ends, once for each edge.
    pub fn exits(&self) -> impl Iterator<Item = Block> + '_ {
        self.blocks()
            .filter_map(|block| self.body.last_inst(block))
            .flat_map(|last| self.body.successors(last))
            .filter(|&b| !self.contains_or_ends(b) || b == self.begin)
    }
}

/// The instructions from a first one to inserted ones.
#[derive(Clone, Debug)]
pub struct InstRange<'a> {
    body: &'a Body,
    begin: Inst,
    blocks: BlockRange<'a>,
    inserted: EntitySet<Inst>,
    /// Instructions of the first block and of the blocks of inserted ones that precede an inserted one.
    passed: EntitySet<Inst>,
}

impl<'a> InstRange<'a> {
    /// Creates a range that begins with an instruction and holds nothing else.
    pub fn new(body: &'a Body, begin: Inst) -> Self {
        let blocks = BlockRange::new(body, body.inst_block(begin));
        Self { body, begin, blocks, inserted: EntitySet::default(), passed: EntitySet::default() }
    }

    /// Returns the first instruction.
    pub fn begin(&self) -> Inst {
        self.begin
    }

    /// Returns the blocks that its instructions stand in.
    pub fn blocks(&self) -> &BlockRange<'a> {
        &self.blocks
    }

    /// Widens the range to an instruction.
    pub fn insert(&mut self, inst: Inst) {
        let body = self.body;
        self.inserted.insert(inst);
        self.blocks.insert(body.inst_block(inst));
        if body.inst_block(inst) != self.blocks.begin {
            // The first block may be in the range already up to some instruction.
            let mut next = body.last_inst(self.blocks.begin);
            while let Some(inst) = next.filter(|&inst| self.passed.insert(inst) && inst != self.begin) {
                next = body.prev_inst(inst);
            }
        }
        // Instructions that are in the range already have those before them in it.
        let mut next = body.prev_inst(inst).filter(|_| inst != self.begin);
        while let Some(inst) = next.filter(|&inst| self.passed.insert(inst) && inst != self.begin) {
            next = body.prev_inst(inst);
        }
    }

    /// Returns true if an inserted instruction comes after it.
    pub fn contains(&self, inst: Inst) -> bool {
        let block = self.body.inst_block(inst);
        self.passed.contains(inst) || (block != self.blocks.begin && self.blocks.contains(block))
    }

    /// Like [`Self::contains`], but also true for inserted instructions and the first one.
    pub fn contains_or_ends(&self, inst: Inst) -> bool {
        inst == self.begin || self.contains(inst) || self.inserted.contains(inst)
    }

    /// Returns true if the first instruction dominates the inserted ones.
    pub fn is_valid(&self) -> bool {
        self.blocks.is_valid() && self.passed.contains(self.begin)
    }

    /// Returns the inserted instructions from which no other one is reached.
    pub fn ends(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks.ends().filter_map(|block| self.inserted_backwards(block).next())
    }

    /// Returns the first instructions after the range where paths leave it before its ends, once for each edge.
    pub fn exits(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks.exits().filter_map(|block| self.body.block_insts(block).next())
    }

    /// Returns the inserted instructions that are no ends.
    pub fn interiors(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks.inserted.iter().flat_map(|&block| {
            let ends = usize::from(!self.blocks.contains(block));
            self.inserted_backwards(block).skip(ends)
        })
    }

    /// Returns the inserted instructions of a block, the last one first.
    fn inserted_backwards(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        let last = self.body.last_inst(block);
        std::iter::successors(last, |&inst| self.body.prev_inst(inst))
            .filter(|&inst| self.inserted.contains(inst))
    }
}
