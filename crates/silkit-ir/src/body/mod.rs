//! The body of a function: blocks, instructions, values, operands.

mod build;
mod cfg;
mod changes;
mod integrity;
mod layout;
mod list;
mod log;
pub mod opened;
mod use_lists;

pub use build::BodyBuilder;
pub(crate) use cfg::Slot;
pub use changes::{Changes, Epoch};
pub use log::EditLog;

use crate::NONE;
use crate::debug::SourceLoc;
use crate::generated::Opcode;
use crate::info::InstInfo;
use bitflags::bitflags;
use changes::History;
use list::{Links, List, Member};
use opened::OpenedTypes;
use silkit_base::{FxHashMap, IdVec, Symbol, entity};
use silkit_types::{SilType, Type};

entity!(/// A basic block.
    Block, "bb");
entity!(/// An instruction.
    Inst, "inst");
entity!(/// A value: a result of an instruction, an argument of a block, or `undef`.
    Value, "%v");
entity!(/// One use of a value by an instruction.
    Operand, "op");
entity!(/// The way from a terminator to one of its successors.
    Edge, "edge");
entity!(/// A source location with its scope.
    Loc, "loc");
entity!(/// What the instructions of a block have in common. They name it in place of the block, so that a split or a merge
    /// changes the fewer of them.
    Home, "home");

/// The body of a function, or the static initializer of a global variable.
#[derive(Clone, Debug, Default)]
pub struct Body {
    pub(crate) insts: IdVec<Inst, InstData>,
    pub(crate) values: IdVec<Value, ValueData>,
    pub(crate) operands: IdVec<Operand, OperandData>,
    pub(crate) blocks: IdVec<Block, BlockData>,
    pub(crate) edges: IdVec<Edge, EdgeData>,
    /// The attribute words of all instructions, and the lists that they refer to, each preceded by its length.
    pub(crate) words: Vec<u32>,
    pub(crate) locs: IdVec<Loc, LocData>,
    undefs: FxHashMap<SilType, Value>,
    /// The block list, in order.
    pub(crate) layout: List<Block>,
    /// The number of blocks in the layout.
    placed: u32,
    /// The number of instructions in blocks.
    linked: u32,
    /// The values that open types.
    pub(crate) opened: OpenedTypes,
    /// The epoch of the last change of each kind.
    pub(crate) history: History,
    /// The instructions that edits touched, if they are logged.
    pub(crate) log: Option<Box<EditLog>>,
}

/// An instruction. [`Opcode::info`] describes its parts.
#[derive(Clone, Debug)]
pub struct InstData {
    /// The kind of instruction.
    pub opcode: Opcode,
    /// The flags that are set.
    pub flags: u8,
    /// The ownership that it forwards, if it differs from the ownership of its operand.
    pub forwarding: Option<Ownership>,
    /// The number of type-dependent operands, which come last.
    pub(crate) type_operand_count: u8,
    pub(crate) result_count: u16,
    pub(crate) operand_count: u32,
    pub(crate) first_operand: Operand,
    pub(crate) first_result: Value,
    pub(crate) words: u32,
    /// The home of its block; `NONE` after removal.
    home: Home,
    /// Links to its neighbors in the block.
    links: Links<Inst>,
    /// Its source location.
    pub loc: Loc,
}

/// A value.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: SilType,
    pub(crate) def: u32,
    /// The first use in its list.
    pub(crate) first_use: Operand,
    pub(crate) index: u16,
    pub(crate) kind: ValueKind,
    /// The ownership of a block argument, as spelled.
    pub ownership: Ownership,
    /// The flags of a block argument.
    pub arg_flags: ArgFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum ValueKind {
    Result,
    Argument,
    Undef,
    Pending,
}

/// The definition of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueDef {
    /// A result of an instruction, with its index.
    Result(Inst, u16),
    /// An argument of a block, with its index.
    Argument(Block, u16),
    /// `undef`, which has no definition.
    Undef,
    /// No definition: not yet defined while a body is read, or removed.
    Pending,
}

/// The spelled ownership of an argument (Ownership.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[repr(u8)]
pub enum Ownership {
    /// No ownership; not spelled.
    #[default]
    None,
    /// `@owned`.
    Owned,
    /// `@guaranteed`.
    Guaranteed,
    /// `@unowned`.
    Unowned,
}

bitflags! {
    /// Flags of a block argument.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct ArgFlags: u8 {
        /// `@noImplicitCopy`.
        const NO_IMPLICIT_COPY = 1;
        /// `@_lexical`.
        const LEXICAL = 1 << 1;
        /// `@_eagerMove`.
        const EAGER_MOVE = 1 << 2;
        /// `@closureCapture`.
        const CLOSURE_CAPTURE = 1 << 3;
        /// `@reborrow`.
        const REBORROW = 1 << 4;
        /// `@pointer_escape`.
        const POINTER_ESCAPE = 1 << 5;
        /// `@inferredImmutable`.
        const INFERRED_IMMUTABLE = 1 << 6;
    }
}

/// A use of a value by an operand of an instruction.
#[derive(Clone, Debug)]
pub struct OperandData {
    /// The used value.
    pub value: Value,
    /// The user.
    pub user: Inst,
    pub(crate) prev: Operand,
    pub(crate) next: Operand,
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct BlockData {
    pub(crate) args: Vec<Value>,
    pub(crate) insts: List<Inst>,
    /// The home of its instructions. At first each block has the home with its own number.
    home: Home,
    /// The block that has the home with the number of this block.
    resident: Block,
    /// Links to its neighbors in the layout.
    links: Links<Block>,
    /// The first of its terminator's edges, which are stored contiguously.
    pub(crate) first_edge: Edge,
    pub(crate) edge_count: u32,
    /// The most recently created incoming edge.
    pub(crate) first_pred: Edge,
}

/// A control-flow edge from a terminator to one of its successors.
#[derive(Clone, Debug)]
pub struct EdgeData {
    /// The block of the terminator.
    pub from: Block,
    /// The successor.
    pub to: Block,
    pub(crate) prev: Edge,
    pub(crate) next: Edge,
}

/// A source location and its debug scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocData {
    /// The source position, if known.
    pub source: Option<SourceLoc>,
    /// The number of the debug scope, or [`NONE`].
    pub scope: u32,
}

/// The parts of an instruction to be created.
#[derive(Clone, Debug)]
pub struct NewInst<'a> {
    /// The kind of instruction.
    pub opcode: Opcode,
    /// Its flags.
    pub flags: u8,
    /// The ownership that it forwards, if it differs from the ownership of its operand.
    pub forwarding: Option<Ownership>,
    /// The operands, in table order.
    pub operands: &'a [Value],
    /// The values that opened the types in its attributes.
    pub type_operands: &'a [Value],
    /// The attribute words.
    pub words: &'a [u32],
    /// The types of its results.
    pub results: &'a [SilType],
    /// Its location.
    pub loc: Loc,
}

impl Member<Inst> for InstData {
    #[inline]
    fn links(&self) -> &Links<Inst> {
        &self.links
    }

    #[inline]
    fn links_mut(&mut self) -> &mut Links<Inst> {
        &mut self.links
    }
}

impl Member<Block> for BlockData {
    #[inline]
    fn links(&self) -> &Links<Block> {
        &self.links
    }

    #[inline]
    fn links_mut(&mut self) -> &mut Links<Block> {
        &mut self.links
    }
}

impl Body {
    /// Creates a body without blocks.
    pub fn new() -> Self {
        Self::default()
    }

    // ---- blocks ----

    /// Returns the arguments of a block.
    pub fn arguments(&self, block: Block) -> &[Value] {
        &self.blocks[block].args
    }

    // ---- instructions ----

    /// Returns the data of an instruction.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }

    /// Returns the row of the instruction table for an instruction.
    #[inline]
    pub fn info(&self, inst: Inst) -> &'static InstInfo {
        self.insts[inst].opcode.info()
    }

    /// Returns the number of instructions in blocks, without removed ones: the size of a body for limits and budgets.
    pub fn inst_count(&self) -> usize {
        self.linked as usize
    }

    /// Returns one more than the largest instruction index, including removed instructions: the size for side tables.
    pub fn inst_bound(&self) -> usize {
        self.insts.len()
    }

    /// Returns the operands of an instruction, in table order.
    #[inline]
    pub fn operands(&self, inst: Inst) -> &[OperandData] {
        let data = &self.insts[inst];
        let start = data.first_operand.as_u32() as usize;
        &self.operands.as_slice()[start..start + data.operand_count as usize]
    }

    /// Returns the type-dependent operands of an instruction, which are its last operands.
    pub fn type_operands(&self, inst: Inst) -> &[OperandData] {
        let operands = self.operands(inst);
        &operands[operands.len() - self.insts[inst].type_operand_count as usize..]
    }

    /// Returns the value of one operand of an instruction.
    #[inline]
    pub fn operand_value(&self, inst: Inst, index: usize) -> Value {
        self.operands(inst)[index].value
    }

    /// Returns the results of an instruction.
    pub fn results(&self, inst: Inst) -> impl ExactSizeIterator<Item = Value> + Clone + use<> {
        let data = &self.insts[inst];
        let first = data.first_result.as_u32();
        (first..first + u32::from(data.result_count)).map(Value::from_u32)
    }

    /// Returns the first result of an instruction, or `None` if it has no results.
    #[inline]
    pub fn first_result(&self, inst: Inst) -> Option<Value> {
        let data = &self.insts[inst];
        (data.result_count > 0).then_some(data.first_result)
    }

    /// Returns the attribute words of an instruction.
    #[inline]
    pub fn words(&self, inst: Inst) -> &[u32] {
        let data = &self.insts[inst];
        let start = data.words as usize;
        &self.words[start..start + data.opcode.info().attrs.len()]
    }

    /// Returns the word of an attribute by its table name; `None` if instructions of this kind have no such attribute
    /// or the attribute is missing.
    #[inline]
    pub fn word(&self, inst: Inst, name: &str) -> Option<u32> {
        let index = self.info(inst).attr(name)?;
        Some(self.words(inst)[index]).filter(|&w| w != NONE)
    }

    /// Returns true if an instruction has a flag, by its table name.
    pub fn has_flag(&self, inst: Inst, name: &str) -> bool {
        let flags = self.insts[inst].flags;
        self.info(inst).flag(name).is_some_and(|bit| flags & 1 << bit != 0)
    }

    /// Returns the range in `operands` that belongs to the operand specification with this index.
    pub fn operand_range(&self, inst: Inst, spec: usize) -> std::ops::Range<usize> {
        let mut ranges = self.operand_ranges(inst);
        match ranges.nth(spec) {
            Some(range) => range,
            None => {
                let end = self.operand_ranges(inst).last().map_or(0, |range| range.end);
                end..end
            }
        }
    }

    /// Returns the ranges in `operands` that belong to the operand specifications, in order.
    #[inline]
    pub(crate) fn operand_ranges(&self, inst: Inst) -> impl Iterator<Item = std::ops::Range<usize>> {
        let specs = self.info(inst).operands;
        let mut start = 0;
        specs.iter().enumerate().map(move |(i, operand)| {
            let len = match (operand.arity, operand.count) {
                (crate::info::Arity::One, _) => 1,
                (_, Some(attr)) => self.words(inst)[attr as usize] as usize,
                // The list without a count takes the operands that are left by the single operands after it.
                _ => {
                    let total = self.operands(inst).len() - self.type_operands(inst).len();
                    total - start - (specs.len() - i - 1)
                }
            };
            start += len;
            start - len..start
        })
    }

    // ---- lists and attributes ----

    /// Returns the list that a word refers to; empty if the word is [`NONE`].
    #[inline]
    pub fn list(&self, word: u32) -> &[u32] {
        if word == NONE {
            return &[];
        }
        let start = word as usize;
        let len = self.words[start] as usize;
        &self.words[start + 1..start + 1 + len]
    }

    /// Returns the list of types that a word refers to.
    pub fn type_list(&self, word: u32) -> Vec<Type> {
        self.list(word).iter().map(|&w| Type::from_u32(w)).collect()
    }

    /// Calls a function with the list of types that a word refers to. A short list, as nearly all are, needs no memory.
    pub fn with_types<R>(&self, word: u32, call: impl FnOnce(&[Type]) -> R) -> R {
        const SHORT: usize = 8;
        let list = self.list(word);
        if list.len() > SHORT {
            return call(&self.type_list(word));
        }
        let mut types = [Type::unknown(); SHORT];
        for (ty, &word) in types.iter_mut().zip(list) {
            *ty = Type::from_u32(word);
        }
        call(&types[..list.len()])
    }

    // ---- values ----

    /// Returns the data of a value.
    #[inline]
    pub fn value(&self, value: Value) -> &ValueData {
        &self.values[value]
    }

    /// Returns one more than the largest value index, including removed values: the size for side tables.
    pub fn value_bound(&self) -> usize {
        self.values.len()
    }

    /// Returns the definition of a value.
    #[inline]
    pub fn def(&self, value: Value) -> ValueDef {
        let data = &self.values[value];
        match data.kind {
            ValueKind::Result => ValueDef::Result(Inst::from_u32(data.def), data.index),
            ValueKind::Argument => ValueDef::Argument(Block::from_u32(data.def), data.index),
            ValueKind::Undef => ValueDef::Undef,
            ValueKind::Pending => ValueDef::Pending,
        }
    }

    /// Returns the instruction that defines a value, or `None` for arguments and `undef`.
    pub fn defining_inst(&self, value: Value) -> Option<Inst> {
        match self.def(value) {
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        }
    }

    /// Returns the block in which a value is defined; `None` for `undef` and for results of removed instructions.
    pub fn defining_block(&self, value: Value) -> Option<Block> {
        match self.def(value) {
            ValueDef::Result(inst, _) => self.inst_block(inst).some(),
            ValueDef::Argument(block, _) => Some(block),
            ValueDef::Undef | ValueDef::Pending => None,
        }
    }

    /// Returns the first result of an instruction that is an address.
    pub fn address_result(&self, inst: Inst) -> Option<Value> {
        self.results(inst).find(|&value| self.value(value).ty.is_address())
    }

    // ---- locations ----

    /// Returns a stored location.
    pub fn loc(&self, loc: Loc) -> Option<LocData> {
        loc.some().map(|l| self.locs[l])
    }

    /// Returns the number of bytes that the body has allocated.
    pub fn heap_size(&self) -> usize {
        self.insts.heap_size()
            + self.values.heap_size()
            + self.operands.heap_size()
            + self.blocks.heap_size()
            + self.edges.heap_size()
            + self.locs.heap_size()
            + self.words.capacity() * size_of::<u32>()
            + self.opened.heap_size()
    }

    /// Returns the symbol that an attribute word holds.
    pub fn symbol(word: u32) -> Option<Symbol> {
        (word != NONE).then(|| Symbol::from_u32(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_stay_small() {
        assert_eq!(size_of::<InstData>(), 44);
        assert_eq!(size_of::<ValueData>(), 20);
        assert_eq!(size_of::<OperandData>(), 16);
        assert_eq!(size_of::<BlockData>(), 64);
    }
}
