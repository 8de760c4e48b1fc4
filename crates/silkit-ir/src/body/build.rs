//! Creation of the entities of a body, and the construction API for readers.
//!
//! A [`BodyBuilder`] does not record changes, since no analysis of its body exists yet. A body that is in use is
//! changed only by an [`crate::Editor`].

use super::{
    ArgFlags, Block, BlockData, Body, Edge, Home, Inst, InstData, Links, List, Loc, LocData, NewInst,
    Operand, Ownership, Value, ValueData, ValueKind,
};
use crate::NONE;
use silkit_base::IdVec;
use silkit_types::{SilType, Type};

/// A builder of bodies from parts in text order, for parsers, binary readers and cloners.
///
/// It gives read access to the [`Body`] under construction.
#[derive(Debug, Default)]
pub struct BodyBuilder {
    body: Body,
}

impl std::ops::Deref for BodyBuilder {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.body
    }
}

impl BodyBuilder {
    /// Creates a body without blocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a body without blocks, with capacity for these numbers of entities.
    pub fn with_capacity(blocks: usize, insts: usize, values: usize, operands: usize) -> Self {
        let body = Body {
            blocks: IdVec::with_capacity(blocks),
            // Most instructions have at most two attributes.
            words: Vec::with_capacity(insts * 2),
            insts: IdVec::with_capacity(insts),
            values: IdVec::with_capacity(values),
            operands: IdVec::with_capacity(operands),
            ..Body::default()
        };
        Self { body }
    }

    /// Returns the finished body.
    pub fn finish(mut self) -> Body {
        self.body.shrink_to_fit();
        self.body.check_integrity();
        self.body
    }

    /// Returns the finished body, in memory of exactly its size. The builder is empty afterwards and keeps its
    /// capacity.
    pub fn finish_exact(&mut self) -> Body {
        let body = self.body.take_exact();
        body.check_integrity();
        body
    }

    /// Creates a block that is not yet in the layout, so that it can be referenced before it is placed.
    pub fn new_block(&mut self) -> Block {
        self.body.make_block()
    }

    /// Appends a block to the layout.
    pub fn append_block(&mut self, block: Block) {
        self.body.place_block_last(block);
    }

    /// Adds an argument to a block.
    ///
    /// # Panics
    /// Panics if the block has more than 65,535 arguments.
    pub fn add_argument(
        &mut self,
        block: Block,
        ty: SilType,
        ownership: Ownership,
        arg_flags: ArgFlags,
    ) -> Value {
        let index = self.body.blocks[block].args.len();
        self.body.make_argument(block, index, ty, ownership, arg_flags)
    }

    /// Appends an instruction to a block.
    ///
    /// # Panics
    /// Panics if the number of words differs from the instruction table.
    pub fn append_inst(&mut self, block: Block, new: &NewInst<'_>) -> Inst {
        let inst = self.body.make_inst(new);
        self.body.link_inst_last(inst, block);
        inst
    }

    /// Stores a list for an attribute and returns its attribute word.
    pub fn new_list(&mut self, items: &[u32]) -> u32 {
        self.body.make_list(items)
    }

    /// Stores a list of types for an attribute and returns its attribute word.
    pub fn new_type_list(&mut self, types: &[Type]) -> u32 {
        let words = &mut self.body.words;
        let word = words.len() as u32;
        words.push(types.len() as u32);
        words.extend(types.iter().map(|ty| ty.as_u32()));
        word
    }

    /// Returns `undef` of a type.
    pub fn undef(&mut self, ty: SilType) -> Value {
        self.body.make_undef(ty)
    }

    /// Returns a placeholder for a value that is used before its definition is read.
    pub fn pending(&mut self, ty: SilType) -> Value {
        self.body.make_detached(ty, ValueKind::Pending)
    }

    /// Replaces a placeholder by the definition. The order of the uses is kept.
    pub fn resolve(&mut self, pending: Value, definition: Value) {
        self.body.relink_uses(pending, definition);
    }

    /// Reorders the use list of a value; `order` gives positions in the current list. Returns false, and changes
    /// nothing, if `order` is not a permutation.
    pub fn reorder_uses(&mut self, value: Value, order: &[u32]) -> bool {
        // Take at most one use more than `order` has, since the list may be long and reordered often.
        let uses: Vec<Operand> = self.body.uses(value).take(order.len() + 1).collect();
        let Some(wanted) = permuted(&uses, order) else { return false };
        // Relinking puts each use at the front.
        for &operand in wanted.iter().rev() {
            self.body.relink_operand(operand, value);
        }
        true
    }

    /// Reorders the incoming edges of a block; `order` gives positions in the current list. Returns false, and
    /// changes nothing, if `order` is not a permutation.
    pub fn reorder_incoming(&mut self, block: Block, order: &[u32]) -> bool {
        let edges: Vec<Edge> = self.body.incoming(block).take(order.len() + 1).collect();
        let Some(wanted) = permuted(&edges, order) else { return false };
        for &edge in wanted.iter().rev() {
            self.body.unlink_edge(edge);
            self.body.link_edge(edge, block);
        }
        true
    }

    /// Sets the type of a value.
    pub fn set_type(&mut self, value: Value, ty: SilType) {
        self.body.values[value].ty = ty;
    }

    /// Stores a location.
    pub fn new_loc(&mut self, data: LocData) -> Loc {
        self.body.make_loc(data)
    }
}

/// Returns the items permuted by `order`, or `None` if `order` is not a permutation.
fn permuted<T: Copy>(items: &[T], order: &[u32]) -> Option<Vec<T>> {
    if order.len() != items.len() {
        return None;
    }
    let mut seen = vec![false; items.len()];
    for &position in order {
        let seen = seen.get_mut(position as usize)?;
        if std::mem::replace(seen, true) {
            return None;
        }
    }
    Some(order.iter().map(|&p| items[p as usize]).collect())
}

impl Body {
    pub(crate) fn make_block(&mut self) -> Block {
        let block = self.blocks.next_key();
        self.blocks.push(BlockData {
            args: Vec::new(),
            insts: List::default(),
            home: Home::from_u32(block.as_u32()),
            resident: block,
            links: Links::NONE,
            first_edge: Edge::NONE,
            edge_count: 0,
            first_pred: Edge::NONE,
        })
    }

    pub(crate) fn make_argument(
        &mut self,
        block: Block,
        index: usize,
        ty: SilType,
        ownership: Ownership,
        arg_flags: ArgFlags,
    ) -> Value {
        let value = self.values.push(ValueData {
            ty,
            def: block.as_u32(),
            first_use: Operand::NONE,
            index: 0,
            kind: ValueKind::Argument,
            ownership,
            arg_flags,
        });
        self.blocks[block].args.insert(index, value);
        self.number_arguments(block, index);
        value
    }

    /// Renumbers the arguments of a block from `start`.
    pub(crate) fn number_arguments(&mut self, block: Block, start: usize) {
        for (i, &arg) in self.blocks[block].args.iter().enumerate().skip(start) {
            self.values[arg].index = u16::try_from(i).expect("invariant: at most 65535 arguments");
        }
    }

    /// Creates an instruction that is not in any block, with its uses and results.
    pub(crate) fn make_inst(&mut self, new: &NewInst<'_>) -> Inst {
        assert_eq!(new.words.len(), new.opcode.info().attrs.len(), "invariant: one word per attribute");
        let inst = self.insts.next_key();
        let first_operand = self.operands.next_key();
        let first_result = self.values.next_key();
        let words = self.words.len() as u32;
        self.words.extend_from_slice(new.words);
        let type_operand_count = u8::try_from(new.type_operands.len()).unwrap_or(u8::MAX);
        let type_operands = &new.type_operands[..usize::from(type_operand_count)];
        self.insts.push(InstData {
            opcode: new.opcode,
            flags: new.flags,
            forwarding: new.forwarding,
            result_count: 0,
            type_operand_count,
            operand_count: (new.operands.len() + type_operands.len()) as u32,
            first_operand,
            first_result,
            words,
            home: Home::NONE,
            links: Links::NONE,
            loc: new.loc,
        });
        for &value in new.operands.iter().chain(type_operands) {
            self.make_operand(inst, value);
        }
        self.make_results(inst, new.results);
        inst
    }

    /// Creates the results of an instruction that was created without them.
    pub(crate) fn make_results(&mut self, inst: Inst, types: &[SilType]) {
        let count = u16::try_from(types.len()).unwrap_or(u16::MAX);
        self.insts[inst].first_result = self.values.next_key();
        self.insts[inst].result_count = count;
        for (index, &ty) in (0..count).zip(types) {
            self.values.push(ValueData {
                ty,
                def: inst.as_u32(),
                first_use: Operand::NONE,
                index,
                kind: ValueKind::Result,
                ownership: Ownership::None,
                arg_flags: ArgFlags::empty(),
            });
        }
    }

    pub(crate) fn make_list(&mut self, items: &[u32]) -> u32 {
        let word = self.words.len() as u32;
        self.words.push(items.len() as u32);
        self.words.extend_from_slice(items);
        word
    }

    pub(crate) fn make_undef(&mut self, ty: SilType) -> Value {
        if let Some(&value) = self.undefs.get(&ty) {
            return value;
        }
        let value = self.make_detached(ty, ValueKind::Undef);
        self.undefs.insert(ty, value);
        value
    }

    pub(crate) fn make_detached(&mut self, ty: SilType, kind: ValueKind) -> Value {
        self.values.push(ValueData {
            ty,
            def: NONE,
            first_use: Operand::NONE,
            index: 0,
            kind,
            ownership: Ownership::None,
            arg_flags: ArgFlags::empty(),
        })
    }

    pub(crate) fn make_loc(&mut self, data: LocData) -> Loc {
        if let Some(last) = self.locs.keys().next_back()
            && self.locs[last] == data
        {
            return last;
        }
        self.locs.push(data)
    }

    /// Moves the entities to a body of exactly their size and keeps this body's capacity for reuse.
    fn take_exact(&mut self) -> Self {
        fn exact(words: &mut Vec<u32>) -> Vec<u32> {
            let mut taken = Vec::with_capacity(words.len());
            taken.append(words);
            taken
        }
        Self {
            insts: self.insts.take_exact(),
            values: self.values.take_exact(),
            operands: self.operands.take_exact(),
            blocks: self.blocks.take_exact(),
            edges: self.edges.take_exact(),
            words: exact(&mut self.words),
            locs: self.locs.take_exact(),
            undefs: std::mem::take(&mut self.undefs),
            layout: std::mem::take(&mut self.layout),
            placed: std::mem::take(&mut self.placed),
            linked: std::mem::take(&mut self.linked),
            opened: std::mem::take(&mut self.opened),
            history: std::mem::take(&mut self.history),
            log: self.log.take(),
        }
    }

    /// Releases unused capacity.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.insts.shrink_to_fit();
        self.values.shrink_to_fit();
        self.operands.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self.edges.shrink_to_fit();
        self.words.shrink_to_fit();
    }
}
