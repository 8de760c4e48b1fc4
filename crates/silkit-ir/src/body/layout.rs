//! The order of blocks in a body and of instructions in their blocks.
//!
//! Both are linked lists with order numbers ([`List`]): inserting, moving and removing a member takes constant time, and so
//! does the question which of two comes first.

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

    /// Returns one more than the largest index of a block, also of a removed one: the size for side tables.
    pub fn block_bound(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the block in which a function begins: the first one.
    pub fn entry_block(&self) -> Option<Block> {
        self.layout.first.some()
    }

    /// Returns true if a block is the entry.
    pub fn is_entry_block(&self, block: Block) -> bool {
        self.layout.first == block
    }

    /// Returns the arguments of the entry, which are those of the function; none where there is no block.
    pub fn entry_arguments(&self) -> &[Value] {
        self.entry_block().map_or(&[], |entry| self.arguments(entry))
    }

    /// Returns the number of the function's argument that a value is.
    pub fn entry_argument_index(&self, value: Value) -> Option<usize> {
        match self.def(value) {
            ValueDef::Argument(block, index) if self.is_entry_block(block) => Some(index.into()),
            _ => None,
        }
    }

    /// Returns the block after all others.
    pub fn last_block(&self) -> Option<Block> {
        self.layout.last.some()
    }

    /// Returns the block after a block.
    pub fn next_block(&self, block: Block) -> Option<Block> {
        self.blocks[block].links.next.some()
    }

    /// Returns the block before a block.
    pub fn prev_block(&self, block: Block) -> Option<Block> {
        self.blocks[block].links.prev.some()
    }

    /// Returns true if a block is part of the body: it was placed, and not removed since.
    pub fn has_block(&self, block: Block) -> bool {
        self.layout.first == block || self.blocks[block].links.prev.is_some()
    }

    /// Returns true if one block of the body comes before another one.
    pub fn block_precedes(&self, first: Block, second: Block) -> bool {
        self.blocks[first].links.number < self.blocks[second].links.number
    }

    /// Places a block that is not part of the body yet after all others.
    pub(crate) fn place_block_last(&mut self, block: Block) {
        debug_assert!(!self.has_block(block), "invariant: a block is placed once");
        self.layout.push_back(&mut self.blocks, block);
        self.placed += 1;
    }

    /// Places a block that is not part of the body yet after another one.
    pub(crate) fn place_block_after(&mut self, block: Block, other: Block) {
        assert!(self.has_block(other), "invariant: the block is part of the body");
        self.layout.insert_after(&mut self.blocks, block, other);
        self.placed += 1;
    }

    /// Takes a block out of the order.
    pub(crate) fn displace_block(&mut self, block: Block) {
        assert!(self.has_block(block), "invariant: the block is part of the body");
        self.layout.remove(&mut self.blocks, block);
        self.placed -= 1;
    }

    /// Places all blocks anew, in the order that is given.
    pub(crate) fn place_blocks(&mut self, order: &[Block]) {
        self.layout = List::of(&mut self.blocks, order);
        self.placed = order.len() as u32;
    }

    // ---- instructions ----

    /// Returns all instructions, block after block.
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

    /// Returns the last instruction of a block: its terminator, in a complete body.
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

    /// Returns the block that an instruction is in; [`Block::NONE`] once it was removed.
    #[inline]
    pub fn inst_block(&self, inst: Inst) -> Block {
        self.insts[inst].home.some().map_or(Block::NONE, |home| self.homes[home])
    }

    /// Returns true if an instruction was removed, or is not part of a block yet.
    pub fn is_removed(&self, inst: Inst) -> bool {
        self.insts[inst].home == Home::NONE
    }

    /// Returns true if one instruction comes before another one, of the same block or of another.
    ///
    /// # Panics
    /// Where one of them was removed and the other one was not.
    pub fn inst_precedes(&self, first: Inst, second: Inst) -> bool {
        match (self.inst_block(first), self.inst_block(second)) {
            (a, b) if a == b => self.order_in_block(first) < self.order_in_block(second),
            (a, b) => self.block_precedes(a, b),
        }
    }

    /// Returns a number by which instructions of one block sort in their order. Inserting an instruction may change
    /// it.
    #[inline]
    pub fn order_in_block(&self, inst: Inst) -> u32 {
        self.insts[inst].links.number
    }

    /// Makes a new block the home of its instructions.
    pub(super) fn make_home(&mut self, block: Block) {
        self.blocks[block].home = self.homes.push(block);
    }

    /// Appends an instruction to a block, with the edges of a terminator.
    pub(crate) fn link_inst_last(&mut self, inst: Inst, block: Block) {
        let data = &mut self.blocks[block];
        data.insts.push_back(&mut self.insts, inst);
        self.insts[inst].home = data.home;
        let has_edges = data.edge_count > 0;
        self.add_opened(inst);
        // A block that goes on after a terminator (only a file that is wrong has one) goes where its
        // last instruction says.
        if has_edges || self.insts[inst].opcode.is_terminator() {
            self.unlink_edges(block);
            self.link_edges(block);
        }
    }

    /// Inserts an instruction that is in no block before another one.
    pub(crate) fn link_inst_before(&mut self, inst: Inst, next: Inst) {
        let block = self.inst_block(next);
        let data = &mut self.blocks[block];
        data.insts.insert_before(&mut self.insts, inst, next);
        self.insts[inst].home = data.home;
        self.add_opened(inst);
    }

    /// Takes an instruction out of its block; its uses and results stay.
    pub(crate) fn unlink_inst(&mut self, inst: Inst) {
        self.remove_opened(inst);
        let block = self.inst_block(inst);
        if self.blocks[block].insts.last == inst {
            self.unlink_edges(block);
        }
        self.blocks[block].insts.remove(&mut self.insts, inst);
        self.insts[inst].home = Home::NONE;
    }

    /// Moves an instruction and all after it into an empty block, in time proportional to the fewer of those that move and
    /// those that stay.
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

    /// Appends all instructions of a block to another one without a terminator, in time proportional to the fewer of both.
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
        self.homes[home_a] = b;
        self.homes[home_b] = a;
    }

    fn set_home(&mut self, insts: List<Inst>, home: Home) {
        let mut inst = insts.first;
        while inst.is_some() {
            self.insts[inst].home = home;
            inst = self.insts[inst].links.next;
        }
    }
}
