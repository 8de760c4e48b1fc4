//! Decoding of bodies from untrusted bytes.

use super::shape::{Category, Location, ResultTypes, Shape, Word};
use super::write::LocationBase;
use crate::codec::Codec;
use crate::source::{DecodeError, Source};
use crate::tables::Table;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::info::AttrKind;
use silkit_ir::{
    ArgFlags, Block, Body, BodyBuilder, Loc, LocData, NONE, NewInst, Ownership, SourceLoc, Value,
};
use silkit_types::{SilType, Type};

/// Reads a body, which must take up all remaining bytes.
pub(crate) fn read(source: &mut Source<'_, '_>, work: &mut Workspace) -> Result<Body, DecodeError> {
    let blocks = source.count()?;
    let insts = source.count()?;
    let values = source.count()?;
    let operands = source.count()?;
    let strangers = source.count()?;
    work.clear();
    let mut reader = Reader {
        source,
        builder: BodyBuilder::with_capacity(blocks + strangers, insts, values, operands),
        work,
        value_count: values as u32,
        loc: Loc::NONE,
        place: LocationBase::default(),
    };
    for _ in 0..blocks + strangers {
        let block = reader.builder.new_block();
        reader.work.blocks.push(block);
    }
    reader.detached()?;
    for index in 0..blocks {
        reader.block(reader.work.blocks[index])?;
    }
    if reader.work.values.len() != values || !reader.work.early.is_empty() {
        return Err(reader.source.damage(format!("{} of {values} values", reader.work.values.len())));
    }
    reader.orders()?;
    reader.source.end()?;
    Ok(reader.builder.finish())
}

/// Memory that is reused for the next body.
#[derive(Default)]
pub(crate) struct Workspace {
    /// The values by number.
    values: Vec<Value>,
    detached: Vec<Value>,
    /// Placeholders for values that are used before their definition, by value number.
    early: FxHashMap<u32, Value>,
    blocks: Vec<Block>,
    parts: Parts,
}

impl Workspace {
    fn clear(&mut self) {
        self.values.clear();
        self.detached.clear();
        self.early.clear();
        self.blocks.clear();
    }
}

/// The parts of the current instruction.
#[derive(Default)]
struct Parts {
    operands: Vec<Value>,
    words: Vec<u32>,
    results: Vec<SilType>,
    list: Vec<u32>,
}

struct Reader<'r, 'a, 'l> {
    source: &'r mut Source<'a, 'l>,
    builder: BodyBuilder,
    work: &'r mut Workspace,
    value_count: u32,
    loc: Loc,
    place: LocationBase,
}

impl Reader<'_, '_, '_> {
    fn detached(&mut self) -> Result<(), DecodeError> {
        for _ in 0..self.source.count()? {
            let is_undef = bool::read(self.source)?;
            let ty = SilType::read(self.source)?;
            let value = if is_undef { self.builder.undef(ty) } else { self.builder.pending(ty) };
            self.work.detached.push(value);
        }
        Ok(())
    }

    fn block(&mut self, block: Block) -> Result<(), DecodeError> {
        self.builder.append_block(block);
        let arguments = self.source.count()?;
        if arguments > usize::from(u16::MAX) {
            return Err(self.source.damage(format!("a block with {arguments} arguments")));
        }
        for _ in 0..arguments {
            let ownership = Ownership::read(self.source)?;
            let flags = self.source.byte()?;
            let flags = ArgFlags::from_bits(flags)
                .ok_or_else(|| self.source.unknown("flag set of an argument", u32::from(flags)))?;
            let ty = SilType::read(self.source)?;
            let value = self.builder.add_argument(block, ty, ownership, flags);
            self.define(value);
        }
        for _ in 0..self.source.count()? {
            self.inst(block)?;
        }
        Ok(())
    }

    fn define(&mut self, value: Value) {
        if !self.work.early.is_empty()
            && let Some(early) = self.work.early.remove(&(self.work.values.len() as u32))
        {
            self.builder.resolve(early, value);
        }
        self.work.values.push(value);
    }

    fn inst(&mut self, block: Block) -> Result<(), DecodeError> {
        let number = self.source.number()?;
        let Some(shape) = self.source.locals().shape(number) else {
            return Err(self.source.unknown("shape of an instruction", number));
        };
        let mut parts = std::mem::take(&mut self.work.parts);
        self.operands(shape, &mut parts.operands)?;
        let first = match shape.operands {
            0 => SilType::unknown(),
            _ => self.builder.value(parts.operands[0]).ty,
        };
        self.words(shape, first, &mut parts)?;
        self.results(shape, first, &mut parts)?;
        let loc = match shape.location {
            Location::None => Loc::NONE,
            Location::Same => self.loc,
            Location::Written => self.location()?,
        };
        self.loc = loc;
        let (operands, type_operands) = parts.operands.split_at(shape.operands as usize);
        let inst = self.builder.append_inst(
            block,
            &NewInst {
                opcode: shape.opcode,
                flags: shape.flags,
                forwarding: shape.forwarding,
                operands,
                type_operands,
                words: &parts.words,
                results: &parts.results,
                loc,
            },
        );
        for result in self.builder.results(inst) {
            self.define(result);
        }
        self.work.parts = parts;
        Ok(())
    }

    fn operands(&mut self, shape: &Shape, operands: &mut Vec<Value>) -> Result<(), DecodeError> {
        let count = shape.operands as usize + usize::from(shape.type_operands);
        if count > self.source.remaining() {
            return Err(self.source.damage(format!("an instruction with {count} operands")));
        }
        operands.clear();
        for _ in 0..count {
            let ago = self.source.number()?;
            let value = match self.work.values.len().checked_sub(ago as usize) {
                _ if ago == 0 => self.rare_operand()?,
                Some(number) => self.work.values[number],
                None => return Err(self.source.unknown("distance of a value", ago)),
            };
            operands.push(value);
        }
        Ok(())
    }

    /// Returns a value that is not defined yet, or that has no definition.
    fn rare_operand(&mut self) -> Result<Value, DecodeError> {
        let code = self.source.number()?;
        let number = code >> 1;
        if code & 1 == 1 {
            let value = self.work.detached.get(number as usize).copied();
            return value.ok_or_else(|| self.source.unknown("value without a definition", number));
        }
        let number = (self.work.values.len() as u32).checked_add(number).filter(|&n| n < self.value_count);
        let Some(number) = number else {
            return Err(self.source.unknown("distance of a value", code));
        };
        let builder = &mut self.builder;
        Ok(*self.work.early.entry(number).or_insert_with(|| builder.pending(SilType::unknown())))
    }

    fn words(&mut self, shape: &Shape, first: SilType, parts: &mut Parts) -> Result<(), DecodeError> {
        parts.words.clear();
        for (spec, &how) in shape.opcode.info().attrs.iter().zip(&shape.words) {
            parts.words.push(match how {
                Word::Absent => NONE,
                Word::Fixed(number) => number,
                Word::FirstOperand => first.as_u32(),
                Word::Written => self.word(spec.kind, &mut parts.list)?,
            });
        }
        Ok(())
    }

    fn word(&mut self, kind: AttrKind, list: &mut Vec<u32>) -> Result<u32, DecodeError> {
        match kind {
            // These are encoded in the shape.
            AttrKind::Count | AttrKind::Choice(..) => Ok(NONE),
            AttrKind::U32 | AttrKind::OptU32 => self.source.number(),
            AttrKind::Sym | AttrKind::Str | AttrKind::OptStr | AttrKind::Function | AttrKind::Global => {
                self.source.reference(Table::Symbols)
            }
            AttrKind::SilType | AttrKind::OptSilType => self.source.reference(Table::LoweredTypes),
            AttrKind::Type | AttrKind::OptType => self.source.reference(Table::Types),
            AttrKind::Decl => self.source.reference(Table::Decls),
            AttrKind::Block | AttrKind::OptBlock => self.target(),
            AttrKind::DebugVar => self.source.reference(Table::Variables),
            AttrKind::KeyPath => self.source.reference(Table::KeyPaths),
            AttrKind::OptSig => self.source.reference(Table::Signatures),
            AttrKind::ListU32
            | AttrKind::ListOptSym
            | AttrKind::ListType
            | AttrKind::ListSilType
            | AttrKind::ListBlock
            | AttrKind::ListDecl
            | AttrKind::ListDeclBlock => {
                list.clear();
                let count = self.source.count()?;
                if kind == AttrKind::ListDeclBlock && count % 2 == 1 {
                    return Err(self.source.damage("a case without a target block"));
                }
                for index in 0..count {
                    list.push(self.item(kind, index)?);
                }
                Ok(self.builder.new_list(list))
            }
        }
    }

    fn item(&mut self, kind: AttrKind, index: usize) -> Result<u32, DecodeError> {
        match kind {
            AttrKind::ListOptSym => self.source.reference_or_none(Table::Symbols),
            AttrKind::ListType => self.source.reference(Table::Types),
            AttrKind::ListSilType => self.source.reference(Table::LoweredTypes),
            AttrKind::ListDecl => self.source.reference_or_none(Table::Decls),
            AttrKind::ListDeclBlock if index.is_multiple_of(2) => self.source.reference(Table::Decls),
            AttrKind::ListBlock | AttrKind::ListDeclBlock => self.target(),
            _ => self.source.number(),
        }
    }

    fn target(&mut self) -> Result<u32, DecodeError> {
        let number = self.source.number()?;
        match self.work.blocks.get(number as usize) {
            Some(block) => Ok(block.as_u32()),
            None => Err(self.source.unknown("block", number)),
        }
    }

    fn results(&mut self, shape: &Shape, first: SilType, parts: &mut Parts) -> Result<(), DecodeError> {
        parts.results.clear();
        let in_category = |ty: SilType, category: Category| match category {
            Category::Same => ty,
            Category::Object => ty.to_object(),
            Category::Address => ty.to_address(),
        };
        match shape.result_types {
            ResultTypes::Written => {
                for _ in 0..shape.results {
                    parts.results.push(SilType::read(self.source)?);
                }
            }
            ResultTypes::FirstOperand(category) => parts.results.push(in_category(first, category)),
            ResultTypes::Attribute(index, category) => {
                let index = usize::from(index);
                let word = parts.words[index];
                let ty = match shape.opcode.info().attrs[index].kind {
                    AttrKind::SilType | AttrKind::OptSilType => SilType::from_u32(word),
                    _ => SilType::object(Type::from_u32(word)),
                };
                parts.results.push(in_category(ty, category));
            }
        }
        Ok(())
    }

    fn location(&mut self) -> Result<Loc, DecodeError> {
        let bits = self.source.byte()?;
        let bit = |n: u8| bits >> n & 1 == 1;
        if bits >> 5 != 0 {
            return Err(self.source.unknown("location", u32::from(bits)));
        }
        let mut source = None;
        if bit(0) {
            let file = match (bit(2), bit(3)) {
                (false, _) => None,
                (true, true) => self.place.file,
                (true, false) => Some(Symbol::read(self.source)?),
            };
            let line = self.ahead_of(self.place.line)?;
            let column = self.source.number()?;
            self.place.line = line;
            self.place.file = file;
            source = Some(SourceLoc { file, line, column, is_auto: bit(1), is_inlined: false });
        }
        let mut scope = NONE;
        if bit(4) {
            scope = self.ahead_of(self.place.scope)?;
            self.place.scope = scope;
        }
        Ok(self.builder.new_loc(LocData { source, scope }))
    }

    fn ahead_of(&mut self, base: u32) -> Result<u32, DecodeError> {
        let number = self.source.signed()?.checked_add(i64::from(base));
        number
            .and_then(|n| u32::try_from(n).ok())
            .ok_or_else(|| self.source.damage("a line or scope out of range"))
    }

    /// Reads the orders of use lists and of incoming edges that differ from the order of reading.
    fn orders(&mut self) -> Result<(), DecodeError> {
        let uses: Vec<(u32, Vec<u32>)> = Codec::read(self.source)?;
        for (number, order) in uses {
            let value = self.work.values.get(number as usize);
            if !value.is_some_and(|&value| self.builder.reorder_uses(value, &order)) {
                return Err(self.source.unknown("value with an order of its uses", number));
            }
        }
        let edges: Vec<(u32, Vec<u32>)> = Codec::read(self.source)?;
        for (number, order) in edges {
            let block = self.work.blocks.get(number as usize);
            if !block.is_some_and(|&block| self.builder.reorder_incoming(block, &order)) {
                return Err(self.source.unknown("block with an order of its predecessors", number));
            }
        }
        Ok(())
    }
}
