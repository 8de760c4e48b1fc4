//! The order of blocks in a body and of instructions in their blocks.
//!
//! Both are linked lists with order numbers ([`List`]): inserting, moving and removing a member takes constant time,
//! and so does comparing the order of two members.

use super::{Block, Body, Home, Inst, List, Value, ValueDef};

#[cfg(test)]
mod tests;

impl Body {
    // ---- blocks ----

    /// Returns the blocks in order; the first is the entry.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + Clone + '_ {
        self.layout.members(&self.blocks)
    }

    /// Returns the number of blocks.
    pub fn block_count(&self) -> usize {
        self.placed as usize
    }

    /// Returns one more than the largest block index, including removed blocks: the size for side tables.
    pub fn block_bound(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the entry block.
    pub fn entry_block(&self) -> Option<Block> {
        self.layout.first.some()
    }

    /// Returns true if a block is the entry.
    pub fn is_entry_block(&self, block: Block) -> bool {
        self.layout.first == block
    }

    /// Returns the arguments of the entry block, which are those of the function. A body without blocks has none.
    pub fn entry_arguments(&self) -> &[Value] {
        self.entry_block().map_or(&[], |entry| self.arguments(entry))
    }

    /// Returns the index of the function argument that a value is.
    pub fn entry_argument_index(&self, value: Value) -> Option<usize> {
        match self.def(value) {
            ValueDef::Argument(block, index) if self.is_entry_block(block) => Some(index.into()),
            _ => None,
        }
    }

    /// Returns the last block of the layout.
    pub fn last_block(&self) -> Option<Block> {
        self.layout.last.some()
    }

    /// Returns the block after this one in the layout.
    pub fn next_block(&self, block: Block) -> Option<Block> {
        self.blocks[block].links.next.some()
    }

    /// Returns the block before this one in the layout.
    pub fn prev_block(&self, block: Block) -> Option<Block> {
        self.blocks[block].links.prev.some()
    }

    /// Returns true if a block is in the layout: it was placed and not removed.
    pub fn has_block(&self, block: Block) -> bool {
        self.layout.first == block || self.blocks[block].links.prev.is_some()
    }

    /// Returns true if `first` comes before `second` in the layout.
    pub fn block_precedes(&self, first: Block, second: Block) -> bool {
        self.blocks[first].links.number < self.blocks[second].links.number
    }

    /// Places a block that is not in the layout at its end.
    pub(crate) fn place_block_last(&mut self, block: Block) {
        debug_assert!(!self.has_block(block), "invariant: a block is placed once");
        self.layout.push_back(&mut self.blocks, block);
        self.placed += 1;
    }

    /// Places a block that is not in the layout after another one.
    pub(crate) fn place_block_after(&mut self, block: Block, other: Block) {
        assert!(self.has_block(other), "invariant: the block is part of the body");
        self.layout.insert_after(&mut self.blocks, block, other);
        self.placed += 1;
    }

    /// Removes a block from the layout.
    pub(crate) fn displace_block(&mut self, block: Block) {
        assert!(self.has_block(block), "invariant: the block is part of the body");
        self.layout.remove(&mut self.blocks, block);
        self.placed -= 1;
    }

    /// Replaces the layout by the blocks of `order`.
    pub(crate) fn place_blocks(&mut self, order: &[Block]) {
        self.layout = List::of(&mut self.blocks, order);
        self.placed = order.len() as u32;
    }

    // ---- instructions ----

    /// Returns all instructions in layout order.
    pub fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks().flat_map(|block| self.block_insts(block))
    }

    /// Returns the instructions of a block in order.
    pub fn block_insts(&self, block: Block) -> impl DoubleEndedIterator<Item = Inst> + Clone + '_ {
        self.blocks[block].insts.members(&self.insts)
    }

    /// Returns the first instruction of a block.
    pub fn first_inst(&self, block: Block) -> Option<Inst> {
        self.blocks[block].insts.first.some()
    }

    /// Returns the last instruction of a block, which is its terminator if the block is complete.
    pub fn last_inst(&self, block: Block) -> Option<Inst> {
        self.blocks[block].insts.last.some()
    }

    /// Returns the instruction after this one in its block.
    pub fn next_inst(&self, inst: Inst) -> Option<Inst> {
        self.insts[inst].links.next.some()
    }

    /// Returns the instruction before this one in its block.
    pub fn prev_inst(&self, inst: Inst) -> Option<Inst> {
        self.insts[inst].links.prev.some()
    }

    /// Returns the block of an instruction; [`Block::NONE`] if it was removed.
    #[inline]
    pub fn inst_block(&self, inst: Inst) -> Block {
        self.insts[inst].home.some().map_or(Block::NONE, |home| self.resident(home))
    }

    /// Returns true if an instruction was removed or is not yet in a block.
    pub fn is_removed(&self, inst: Inst) -> bool {
        self.insts[inst].home == Home::NONE
    }

    /// Returns true if `first` comes before `second` in layout order.
    ///
    /// # Panics
    /// Panics if exactly one of them was removed.
    pub fn inst_precedes(&self, first: Inst, second: Inst) -> bool {
        match (self.inst_block(first), self.inst_block(second)) {
            (a, b) if a == b => self.order_in_block(first) < self.order_in_block(second),
            (a, b) => self.block_precedes(a, b),
        }
    }

    /// Returns a key that orders instructions in layout order. Inserting instructions or blocks may change it.
    pub fn layout_key(&self, inst: Inst) -> (u32, u32) {
        (self.blocks[self.inst_block(inst)].links.number, self.order_in_block(inst))
    }

    /// Returns the order number of an instruction in its block, which increases along the block. Inserting
    /// instructions may change it.
    #[inline]
    pub fn order_in_block(&self, inst: Inst) -> u32 {
        self.insts[inst].links.number
    }

    /// Returns the block that has a home.
    #[inline]
    pub(super) fn resident(&self, home: Home) -> Block {
        self.blocks[Block::from_u32(home.as_u32())].resident
    }

    /// Appends an instruction to a block, with its edges if it is a terminator.
    pub(crate) fn link_inst_last(&mut self, inst: Inst, block: Block) {
        let data = &mut self.blocks[block];
        data.insts.push_back(&mut self.insts, inst);
        self.linked += 1;
        self.insts[inst].home = data.home;
        let has_edges = data.edge_count > 0;
        self.add_opened(inst);
        // A block that continues after a terminator (only in an invalid file) gets the edges of its last instruction.
        if has_edges || self.insts[inst].opcode.is_terminator() {
            self.unlink_edges(block);
            self.link_edges(block);
        }
    }

    /// Inserts an instruction that is not in a block before another one.
    pub(crate) fn link_inst_before(&mut self, inst: Inst, next: Inst) {
        let block = self.inst_block(next);
        let data = &mut self.blocks[block];
        data.insts.insert_before(&mut self.insts, inst, next);
        self.linked += 1;
        self.insts[inst].home = data.home;
        self.add_opened(inst);
    }

    /// Removes an instruction from its block; its uses and results are kept.
    pub(crate) fn unlink_inst(&mut self, inst: Inst) {
        self.remove_opened(inst);
        let block = self.inst_block(inst);
        if self.blocks[block].insts.last == inst {
            self.unlink_edges(block);
        }
        self.blocks[block].insts.remove(&mut self.insts, inst);
        self.linked -= 1;
        self.insts[inst].home = Home::NONE;
    }

    /// Moves an instruction and all following ones to an empty block, in time proportional to the smaller of the two
    /// parts.
    pub(crate) fn move_tail(&mut self, first: Inst, to: Block) {
        let from = self.inst_block(first);
        let tail = self.blocks[from].insts.split_off(&mut self.insts, first);
        self.blocks[to].insts = tail;
        let head = self.blocks[from].insts;
        if head.is_shorter(&self.insts, tail) {
            self.swap_homes(from, to);
            self.set_home(head, self.blocks[from].home);
        } else {
            self.set_home(tail, self.blocks[to].home);
        }
        self.move_edges(from, to);
    }

    /// Appends all instructions of a block to another block without a terminator, in time proportional to the smaller
    /// of the two.
    pub(crate) fn append_insts(&mut self, from: Block, to: Block) {
        let tail = std::mem::take(&mut self.blocks[from].insts);
        let head = self.blocks[to].insts;
        if head.is_shorter(&self.insts, tail) {
            self.swap_homes(from, to);
            self.set_home(head, self.blocks[to].home);
        } else {
            self.set_home(tail, self.blocks[to].home);
        }
        self.blocks[to].insts.append(&mut self.insts, tail);
        self.move_edges(from, to);
    }

    fn swap_homes(&mut self, a: Block, b: Block) {
        let (home_a, home_b) = (self.blocks[a].home, self.blocks[b].home);
        self.blocks[a].home = home_b;
        self.blocks[b].home = home_a;
        self.blocks[Block::from_u32(home_a.as_u32())].resident = b;
        self.blocks[Block::from_u32(home_b.as_u32())].resident = a;
    }

    fn set_home(&mut self, insts: List<Inst>, home: Home) {
        let mut inst = insts.first;
        while inst.is_some() {
            self.insts[inst].home = home;
            inst = self.insts[inst].links.next;
        }
    }
}
