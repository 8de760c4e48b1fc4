//! Editing of blocks, their arguments and the edges between them.

use super::{Editor, Point};
use crate::body::Changes;
use crate::body::{
    ArgFlags, Block, Edge, EdgeData, Inst, Loc, NewInst, Operand, Ownership, Slot, Value, ValueKind,
};
use crate::generated::Opcode;
use silkit_types::SilType;

impl Editor<'_> {
    /// Appends an empty block to the layout.
    pub fn append_block(&mut self) -> Block {
        let block = self.body.make_block();
        self.body.place_block_last(block);
        self.record(Changes::BRANCHES);
        block
    }

    /// Inserts an empty block after another one.
    ///
    /// # Panics
    /// Panics if the other block was removed.
    pub fn insert_block_after(&mut self, other: Block) -> Block {
        let block = self.body.make_block();
        self.body.place_block_after(block, other);
        self.record(Changes::BRANCHES);
        block
    }

    /// Inserts an empty block before another one.
    ///
    /// # Panics
    /// Panics if the other block was removed or is the entry.
    pub fn insert_block_before(&mut self, other: Block) -> Block {
        let prev =
            self.body.prev_block(other).expect("invariant: a block that is not the entry has one before it");
        self.insert_block_after(prev)
    }

    /// Inserts several empty blocks after another one, in order.
    ///
    /// # Panics
    /// Panics if the other block was removed.
    pub fn insert_blocks_after(&mut self, other: Block, count: usize) -> Vec<Block> {
        let mut last = other;
        (0..count)
            .map(|_| {
                last = self.insert_block_after(last);
                last
            })
            .collect()
    }

    /// Sets the order of the blocks.
    ///
    /// # Panics
    /// Panics if `order` is not a permutation of the blocks or does not begin with the entry.
    pub fn reorder_blocks(&mut self, order: &[Block]) {
        let mut blocks: Vec<Block> = self.body.blocks().collect();
        assert_eq!(order.first(), blocks.first(), "invariant: the entry stays the first block");
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        blocks.sort_unstable();
        assert!(sorted == blocks, "invariant: a new order has the same blocks");
        self.body.place_blocks(order);
        self.record(Changes::BRANCHES);
    }

    /// Moves a block after another one.
    ///
    /// # Panics
    /// Panics if one of them was removed, if both are the same, or if `block` is the entry.
    pub fn move_block_after(&mut self, block: Block, other: Block) {
        assert!(!self.body.is_entry_block(block), "invariant: the entry stays the first block");
        self.body.displace_block(block);
        self.body.place_block_after(block, other);
        self.record(Changes::BRANCHES);
    }

    /// Splits a block: moves an instruction and all following ones to a new block after it. The first block is left
    /// without a terminator.
    ///
    /// Takes time proportional to the smaller of the two parts.
    pub fn split_block(&mut self, first: Inst) -> Block {
        let new = self.insert_block_after(self.body.inst_block(first));
        self.body.move_tail(first, new);
        new
    }

    /// Splits a block before an instruction and connects the two parts with a `br`.
    pub fn split_block_with_branch(&mut self, first: Inst, loc: Loc) -> Block {
        let old = self.body.inst_block(first);
        let new = self.split_block(first);
        self.insert_branch(old, new, &[], loc);
        new
    }

    /// Ends a block with a `br` to another one.
    pub fn insert_branch(&mut self, from: Block, to: Block, args: &[Value], loc: Loc) -> Inst {
        let new = NewInst { words: &[to.as_u32()], operands: args, loc, ..NewInst::new(Opcode::Branch) };
        self.insert(Point::End(from), &new)
    }

    /// Splits an edge with a new block that forwards the edge's arguments.
    ///
    /// # Panics
    /// Panics if the terminator itself defines an argument of the successor, such as a payload.
    pub fn split_edge(&mut self, edge: Edge, loc: Loc) -> Block {
        let EdgeData { from, to, .. } = *self.body.edge(edge);
        let index = self.body.edge_index(edge);
        let terminator = self.body.terminator(from).expect("invariant: an edge starts at a terminator");
        let args: Vec<Value> = self.body.edge_args(terminator, index).collect();
        assert_eq!(args.len(), self.body.arguments(to).len(), "invariant: the edge passes all arguments");
        let middle = self.insert_block_after(from);
        self.set_edge_args(terminator, index, &[]);
        self.set_successor(terminator, index, middle);
        self.insert_branch(middle, to, &args, loc);
        middle
    }

    /// Splits several edges of a terminator that passes no arguments along them, in time proportional to the number of
    /// its successors. See [`Self::split_edge`].
    ///
    /// # Panics
    /// Panics if one of the successors takes arguments.
    pub fn split_edges(&mut self, terminator: Inst, edges: &[Edge], loc: Loc) {
        let from = self.body.inst_block(terminator);
        let mut targets = Vec::with_capacity(edges.len());
        let mut branches = Vec::with_capacity(edges.len());
        for &edge in edges {
            let to = self.body.edge(edge).to;
            assert!(self.body.arguments(to).is_empty(), "invariant: the edge passes all arguments");
            let middle = self.insert_block_after(from);
            targets.push((self.body.edge_index(edge), middle));
            branches.push((middle, to));
        }
        self.set_successors(terminator, &targets);
        for (middle, to) in branches {
            self.insert_branch(middle, to, &[], loc);
        }
    }

    /// Merges a block into its only predecessor, which ends with a `br` to it, and returns the predecessor.
    ///
    /// Takes time proportional to the shorter of the two blocks and the number of uses of the arguments.
    ///
    /// # Panics
    /// Panics if it has another predecessor or is its own predecessor.
    pub fn merge_into_predecessor(&mut self, block: Block) -> Block {
        let pred =
            self.body.single_predecessor(block).expect("invariant: a merged block has one predecessor");
        let branch = self.body.terminator(pred).expect("invariant: a predecessor has a terminator");
        assert!(
            pred != block && self.body.inst(branch).opcode == Opcode::Branch,
            "invariant: a block is merged into another one that ends with `br`"
        );
        let args: Vec<Value> = self.body.edge_args(branch, 0).collect();
        for (param, arg) in self.body.arguments(block).to_vec().into_iter().zip(args) {
            self.replace_all_uses(param, arg);
        }
        self.remove(branch);
        self.body.append_insts(block, pred);
        self.forget_block(block);
        pred
    }

    /// Removes blocks, with their instructions, that have no incoming edges from other blocks.
    ///
    /// # Panics
    /// Panics if another block branches to one of them or uses one of their values.
    pub fn remove_blocks(&mut self, blocks: &[Block]) {
        self.record(Changes::INSTRUCTIONS | Changes::CALLS | Changes::BRANCHES);
        for &block in blocks {
            for inst in self.body.block_insts(block).collect::<Vec<_>>() {
                self.drop_operands(inst);
            }
            self.body.unlink_edges(block);
        }
        for &block in blocks {
            while let Some(last) = self.body.last_inst(block) {
                self.remove(last);
            }
            assert!(
                self.body.predecessors(block).next().is_none(),
                "invariant: nothing goes to a removed block"
            );
            for &arg in self.body.arguments(block) {
                assert!(!self.body.is_used(arg), "invariant: a removed argument has no uses");
            }
            self.body.blocks[block].edge_count = 0;
        }
        blocks.iter().for_each(|&block| self.forget_block(block));
    }

    /// Removes one block without incoming edges.
    ///
    /// # Panics
    /// Panics if it has incoming edges or one of its values is used elsewhere.
    pub fn remove_block(&mut self, block: Block) {
        self.remove_blocks(&[block]);
    }

    fn forget_block(&mut self, block: Block) {
        self.body.displace_block(block);
        for arg in std::mem::take(&mut self.body.blocks[block].args) {
            self.body.values[arg].kind = ValueKind::Pending;
        }
        self.record(Changes::BRANCHES);
    }

    // ---- arguments ----

    /// Adds an argument to a block without passing a value on its edges: for the entry block, and for arguments that
    /// a terminator defines.
    pub fn add_argument(
        &mut self,
        block: Block,
        ty: SilType,
        ownership: Ownership,
        flags: ArgFlags,
    ) -> Value {
        let index = self.body.arguments(block).len();
        self.insert_argument(block, index, ty, ownership, flags)
    }

    /// Inserts an argument at an index, without passing a value on the edges.
    pub fn insert_argument(
        &mut self,
        block: Block,
        index: usize,
        ty: SilType,
        ownership: Ownership,
        flags: ArgFlags,
    ) -> Value {
        self.record(if self.body.is_entry_block(block) {
            Changes::INSTRUCTIONS | Changes::BRANCHES | Changes::FUNCTION
        } else {
            Changes::INSTRUCTIONS | Changes::BRANCHES
        });
        self.body.make_argument(block, index, ty, ownership, flags)
    }

    /// Adds a phi to a block and passes on each incoming edge the value that a function returns for it.
    ///
    /// # Panics
    /// Panics if an edge comes from a terminator that passes no values, such as `switch_enum`.
    pub fn add_phi(
        &mut self,
        block: Block,
        ty: SilType,
        ownership: Ownership,
        flags: ArgFlags,
        mut value: impl FnMut(&Self, Edge) -> Value,
    ) -> Value {
        // Adding an argument to an edge changes the operands of its terminator, not the edges.
        let edges: Vec<Edge> = self.body.incoming(block).collect();
        for edge in edges {
            let passed = value(self, edge);
            let (terminator, index) = self.edge_source(edge);
            let mut args: Vec<Value> = self.body.edge_args(terminator, index).collect();
            args.push(passed);
            self.set_edge_args(terminator, index, &args);
        }
        self.add_argument(block, ty, ownership, flags)
    }

    /// Removes an argument without uses, and the values that are passed for it.
    ///
    /// # Panics
    /// Panics if it is used.
    pub fn remove_argument(&mut self, block: Block, index: usize) {
        let arg = self.body.arguments(block)[index];
        assert!(!self.body.is_used(arg), "invariant: a removed argument has no uses");
        let edges: Vec<Edge> = self.body.incoming(block).collect();
        for edge in edges {
            let (terminator, successor) = self.edge_source(edge);
            let mut args: Vec<Value> = self.body.edge_args(terminator, successor).collect();
            if index < args.len() {
                args.remove(index);
                self.set_edge_args(terminator, successor, &args);
            }
        }
        self.record(Changes::INSTRUCTIONS | Changes::BRANCHES);
        self.body.blocks[block].args.remove(index);
        self.body.values[arg].kind = ValueKind::Pending;
        self.body.number_arguments(block, index);
    }

    /// Changes the ownership and flags of an argument.
    pub fn set_argument_ownership(&mut self, arg: Value, ownership: Ownership, flags: ArgFlags) {
        self.body.values[arg].ownership = ownership;
        self.body.values[arg].arg_flags = flags;
        self.record(Changes::INSTRUCTIONS);
    }

    fn edge_source(&self, edge: Edge) -> (Inst, usize) {
        let from = self.body.edge(edge).from;
        let terminator = self.body.terminator(from).expect("invariant: an edge starts at a terminator");
        (terminator, self.body.edge_index(edge))
    }

    // ---- edges ----

    /// Sets the successor of a terminator at an index to another block. The passed values are kept.
    ///
    /// # Panics
    /// Panics if the terminator has no such successor.
    pub fn set_successor(&mut self, terminator: Inst, index: usize, target: Block) {
        self.set_successors(terminator, &[(index, target)]);
    }

    /// Replaces several successors of a terminator, given by index, in time proportional to the number of its
    /// successors. The passed arguments are kept.
    ///
    /// # Panics
    /// Panics if the terminator has no such successor.
    pub fn set_successors(&mut self, terminator: Inst, targets: &[(usize, Block)]) {
        let words = self.body.insts[terminator].words as usize;
        let block = self.body.inst_block(terminator);
        let mut lists: Vec<(usize, Vec<u32>)> = Vec::new();
        for &(index, target) in targets {
            let slot = self.body.target(terminator, index);
            let Slot { attr, item } = slot.expect("invariant: the terminator has this successor");
            match item {
                None => self.body.words[words + attr] = target.as_u32(),
                Some(item) => {
                    let at = lists.iter().position(|(of, _)| *of == attr).unwrap_or_else(|| {
                        // Another instruction may hold the same list.
                        lists.push((attr, self.body.list(self.body.words[words + attr]).to_vec()));
                        lists.len() - 1
                    });
                    lists[at].1[item] = target.as_u32();
                }
            }
            self.body.relink_edge(block, index, target);
        }
        for (attr, list) in lists {
            self.body.words[words + attr] = self.body.make_list(&list);
        }
        self.touch(terminator);
    }

    /// Redirects all edges from one block to another.
    pub fn redirect(&mut self, old: Block, new: Block) {
        if old == new {
            return;
        }
        while let Some(edge) = self.body.blocks[old].first_pred.some() {
            let (terminator, index) = self.edge_source(edge);
            self.set_successor(terminator, index, new);
        }
    }

    /// Sets the values that an edge of `br` or `cond_br` passes. As if the terminator was new, its edges become the newest
    /// of their targets.
    ///
    /// # Panics
    /// Panics if `args` is not empty and the terminator cannot pass values.
    pub fn set_edge_args(&mut self, terminator: Inst, index: usize, args: &[Value]) {
        match self.body.edge_operands(terminator, index) {
            None => assert!(args.is_empty(), "invariant: only `br` and `cond_br` pass values"),
            Some(spec) => {
                if args.is_empty() && self.body.operand_range(terminator, spec).is_empty() {
                    return;
                }
                let mut lists = self.operand_lists(terminator);
                lists[spec] = args.to_vec();
                let lists: Vec<&[Value]> = lists.iter().map(Vec::as_slice).collect();
                self.set_operands(terminator, &lists);
                let block = self.body.inst_block(terminator);
                for (index, target) in self.body.block_successors(block).enumerate().collect::<Vec<_>>() {
                    self.body.relink_edge(block, index, target);
                }
            }
        }
    }
}

impl crate::Body {
    /// Returns the index of the operand specification for the values that an edge passes.
    pub(crate) fn edge_operands(&self, terminator: Inst, index: usize) -> Option<usize> {
        let attr = self.target(terminator, index)?.attr;
        self.info(terminator).form.iter().find_map(|piece| match *piece {
            crate::info::Piece::Target(a, args) if usize::from(a) == attr && args != 255 => {
                Some(usize::from(args))
            }
            _ => None,
        })
    }

    /// Returns the values that a terminator passes to the successor with this index (`br`, `cond_br`).
    pub fn edge_args(
        &self,
        terminator: Inst,
        index: usize,
    ) -> impl ExactSizeIterator<Item = Value> + Clone + '_ {
        let range =
            self.edge_operands(terminator, index).map_or(0..0, |spec| self.operand_range(terminator, spec));
        self.operands(terminator)[range].iter().map(|o| o.value)
    }

    /// Returns the operand that passes a block's argument along an edge; `None` if the terminator itself defines the
    /// argument.
    pub fn edge_operand(&self, edge: Edge, argument: usize) -> Option<Operand> {
        let terminator = self.terminator(self.edge(edge).from)?;
        let spec = self.edge_operands(terminator, self.edge_index(edge))?;
        let range = self.operand_range(terminator, spec);
        (argument < range.len()).then(|| self.operand_id(terminator, range.start + argument))
    }
}

impl NewInst<'_> {
    /// Creates an instruction without operands, attributes, results or location, to be completed by struct update.
    pub fn new(opcode: Opcode) -> Self {
        Self {
            opcode,
            flags: 0,
            forwarding: None,
            operands: &[],
            type_operands: &[],
            words: &[],
            results: &[],
            loc: Loc::NONE,
        }
    }
}
