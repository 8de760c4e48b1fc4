//! Encoding of bodies.

use super::shape::{Category, Location, ResultTypes, Shape, word_of};
use crate::body::shape::Word;
use crate::codec::Codec;
use crate::sink::Sink;
use crate::tables::Table;
use silkit_base::{FxHashMap, Symbol};
use silkit_ir::info::AttrKind;
use silkit_ir::{Body, Inst, Loc, LocData, NONE, Value, ValueDef};
use silkit_types::{SilType, Type};

/// Writes a body. Returns an error if an instruction does not match the instruction table.
pub(crate) fn write(body: &Body, sink: &mut Sink<'_>) -> Result<(), String> {
    let mut writer = Writer {
        body,
        sink,
        values: vec![NONE; body.value_bound()],
        detached: FxHashMap::default(),
        blocks: vec![NONE; body.block_bound()],
        next: 0,
        loc: Loc::NONE,
        place: LocationBase::default(),
    };
    writer.header();
    writer.blocks()?;
    writer.use_orders();
    writer.edge_orders();
    Ok(())
}

/// The base for delta-encoded locations.
#[derive(Default)]
pub(super) struct LocationBase {
    pub(super) file: Option<Symbol>,
    pub(super) line: u32,
    pub(super) scope: u32,
}

struct Writer<'b, 's, 't> {
    body: &'b Body,
    sink: &'s mut Sink<'t>,
    /// The number of each value, in definition order.
    values: Vec<u32>,
    /// The number of each value without a definition.
    detached: FxHashMap<Value, u32>,
    blocks: Vec<u32>,
    /// The number of the next definition.
    next: u32,
    loc: Loc,
    place: LocationBase,
}

impl Writer<'_, '_, '_> {
    /// Numbers all entities, and writes their counts and the values without definition.
    fn header(&mut self) {
        let body = self.body;
        let (mut values, mut insts, mut operands) = (0, 0, 0);
        let mut define = |numbers: &mut Vec<u32>, value: Value| {
            numbers[value.as_u32() as usize] = values;
            values += 1;
        };
        for (number, block) in (0..).zip(body.blocks()) {
            self.blocks[block.as_u32() as usize] = number;
            body.arguments(block).iter().for_each(|&arg| define(&mut self.values, arg));
            for inst in body.block_insts(block) {
                insts += 1;
                operands += body.operands(inst).len();
                body.results(inst).for_each(|result| define(&mut self.values, result));
            }
        }
        let strangers = self.strangers();
        self.sink.length(body.block_count());
        self.sink.length(insts);
        self.sink.length(values as usize);
        self.sink.length(operands);
        self.sink.length(strangers);
        let detached = self.detached_values();
        self.sink.length(detached.len());
        for value in detached {
            self.sink.byte(u8::from(body.def(value) == ValueDef::Undef));
            body.value(value).ty.write(self.sink);
        }
    }

    /// Numbers the blocks that are referenced and not in the layout. Returns their number.
    fn strangers(&mut self) -> usize {
        let mut next = self.body.block_count() as u32;
        let first = next;
        for inst in self.body.insts() {
            for (spec, &word) in self.body.info(inst).attrs.iter().zip(self.body.words(inst)) {
                for block in blocks_in(self.body, spec.kind, word) {
                    let number = &mut self.blocks[block as usize];
                    if *number == NONE {
                        *number = next;
                        next += 1;
                    }
                }
            }
        }
        (next - first) as usize
    }

    fn detached_values(&mut self) -> Vec<Value> {
        let mut found = Vec::new();
        for inst in self.body.insts() {
            for operand in self.body.operands(inst) {
                let value = operand.value;
                if self.values[value.as_u32() as usize] == NONE && !self.detached.contains_key(&value) {
                    self.detached.insert(value, found.len() as u32);
                    found.push(value);
                }
            }
        }
        found
    }

    fn blocks(&mut self) -> Result<(), String> {
        let body = self.body;
        for block in body.blocks() {
            self.sink.length(body.arguments(block).len());
            for &arg in body.arguments(block) {
                let data = body.value(arg);
                data.ownership.write(self.sink);
                self.sink.byte(data.arg_flags.bits());
                data.ty.write(self.sink);
                self.next += 1;
            }
            self.sink.length(body.block_insts(block).count());
            for inst in body.block_insts(block) {
                self.inst(inst)?;
                self.next += body.results(inst).len() as u32;
            }
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst) -> Result<(), String> {
        let body = self.body;
        let shape = self.shape(inst);
        shape.check()?;
        self.sink.shape(&shape);
        for operand in body.operands(inst) {
            self.operand(operand.value);
        }
        for ((spec, &word), how) in body.info(inst).attrs.iter().zip(body.words(inst)).zip(&shape.words) {
            if *how == Word::Written {
                self.word(spec.kind, word);
            }
        }
        if shape.result_types == ResultTypes::Written {
            for result in body.results(inst) {
                body.value(result).ty.write(self.sink);
            }
        }
        let data = body.inst(inst);
        if shape.location == Location::Written
            && let Some(loc) = body.loc(data.loc)
        {
            self.location(loc);
        }
        self.loc = data.loc;
        Ok(())
    }

    fn shape(&self, inst: Inst) -> Shape {
        let body = self.body;
        let data = body.inst(inst);
        let first = self.first_operand_type(inst);
        let info = body.info(inst);
        let type_operands = body.type_operands(inst).len();
        Shape {
            opcode: data.opcode,
            flags: data.flags,
            forwarding: data.forwarding,
            operands: (body.operands(inst).len() - type_operands) as u32,
            type_operands: type_operands as u8,
            results: body.results(inst).len() as u16,
            words: (info.attrs.iter().zip(body.words(inst)))
                .map(|(spec, &word)| word_of(spec.kind, word, first.map(SilType::as_u32)))
                .collect(),
            result_types: self.result_types(inst, first),
            location: match data.loc.some() {
                None => Location::None,
                Some(loc) if loc == self.loc => Location::Same,
                Some(_) => Location::Written,
            },
        }
    }

    /// Returns the type of the first operand if it is known before the instruction.
    fn first_operand_type(&self, inst: Inst) -> Option<SilType> {
        let first = self.body.operands(inst).len() - self.body.type_operands(inst).len();
        let value = self.body.operands(inst)[..first].first()?.value;
        let number = self.values[value.as_u32() as usize];
        (number == NONE || number < self.next).then(|| self.body.value(value).ty)
    }

    fn result_types(&self, inst: Inst, first: Option<SilType>) -> ResultTypes {
        let mut results = self.body.results(inst);
        let (Some(result), None) = (results.next(), results.next()) else { return ResultTypes::Written };
        let wanted = self.body.value(result).ty;
        let category = |from: SilType| {
            let other = if wanted.is_address() { Category::Address } else { Category::Object };
            (from.ty() == wanted.ty()).then(|| if from == wanted { Category::Same } else { other })
        };
        if let Some(category) = first.and_then(category) {
            return ResultTypes::FirstOperand(category);
        }
        let info = self.body.info(inst);
        for (index, (spec, &word)) in (0..).zip(info.attrs.iter().zip(self.body.words(inst))) {
            let from = match spec.kind {
                AttrKind::SilType | AttrKind::OptSilType if word != NONE => SilType::from_u32(word),
                AttrKind::Type | AttrKind::OptType if word != NONE => SilType::object(Type::from_u32(word)),
                _ => continue,
            };
            if let Some(category) = category(from) {
                return ResultTypes::Attribute(index, category);
            }
        }
        ResultTypes::Written
    }

    /// Writes the distance to the definition of a value, counted in definitions; 0 introduces the rarer forms.
    fn operand(&mut self, value: Value) {
        let number = self.values[value.as_u32() as usize];
        if number != NONE && number < self.next {
            self.sink.number(self.next - number);
            return;
        }
        self.sink.byte(0);
        match self.detached.get(&value) {
            Some(&detached) => self.sink.length((detached as usize) << 1 | 1),
            None => self.sink.length(((number - self.next) as usize) << 1),
        }
    }

    fn word(&mut self, kind: AttrKind, word: u32) {
        let body = self.body;
        match kind {
            // These are encoded in the shape.
            AttrKind::Count | AttrKind::Choice(..) => {}
            AttrKind::U32 | AttrKind::OptU32 => self.sink.number(word),
            AttrKind::Sym | AttrKind::Str | AttrKind::OptStr | AttrKind::Function | AttrKind::Global => {
                self.sink.reference(Table::Symbols, word);
            }
            AttrKind::SilType | AttrKind::OptSilType => self.sink.reference(Table::LoweredTypes, word),
            AttrKind::Type | AttrKind::OptType => self.sink.reference(Table::Types, word),
            AttrKind::Decl => self.sink.reference(Table::Decls, word),
            AttrKind::Block | AttrKind::OptBlock => self.block(word),
            AttrKind::DebugVar => self.sink.reference(Table::Variables, word),
            AttrKind::KeyPath => self.sink.reference(Table::KeyPaths, word),
            AttrKind::OptSig => self.sink.reference(Table::Signatures, word),
            AttrKind::ListU32
            | AttrKind::ListOptSym
            | AttrKind::ListType
            | AttrKind::ListSilType
            | AttrKind::ListBlock
            | AttrKind::ListDecl
            | AttrKind::ListDeclBlock => {
                let list = body.list(word);
                self.sink.length(list.len());
                for (index, &item) in list.iter().enumerate() {
                    self.item(kind, index, item);
                }
            }
        }
    }

    fn item(&mut self, kind: AttrKind, index: usize, item: u32) {
        match kind {
            AttrKind::ListOptSym => self.sink.reference_or_none(Table::Symbols, item),
            AttrKind::ListType => self.sink.reference(Table::Types, item),
            AttrKind::ListSilType => self.sink.reference(Table::LoweredTypes, item),
            AttrKind::ListDecl => self.sink.reference_or_none(Table::Decls, item),
            AttrKind::ListDeclBlock if index.is_multiple_of(2) => self.sink.reference(Table::Decls, item),
            AttrKind::ListBlock | AttrKind::ListDeclBlock => self.block(item),
            _ => self.sink.number(item),
        }
    }

    fn block(&mut self, block: u32) {
        self.sink.number(self.blocks[block as usize]);
    }

    fn location(&mut self, loc: LocData) {
        let place = &mut self.place;
        let source = loc.source;
        let file = source.and_then(|s| s.file);
        let bits = [
            source.is_some(),
            source.is_some_and(|s| s.is_auto),
            file.is_some(),
            file == place.file,
            loc.scope != NONE,
        ];
        self.sink.byte((0..).zip(bits).map(|(n, bit)| u8::from(bit) << n).sum());
        if let Some(source) = source {
            if let Some(file) = file.filter(|&f| Some(f) != place.file) {
                file.write(self.sink);
            }
            self.sink.signed(i64::from(source.line) - i64::from(place.line));
            self.sink.number(source.column);
            place.line = source.line;
            place.file = file;
        }
        if loc.scope != NONE {
            self.sink.signed(i64::from(loc.scope) - i64::from(place.scope));
            place.scope = loc.scope;
        }
    }

    /// Writes the order of use lists, which is visible in printed text, if it differs from the order that reading
    /// produces: newest first, followed by the uses before the definition.
    fn use_orders(&mut self) {
        let body = self.body;
        let mut keys: FxHashMap<silkit_ir::Operand, i64> = FxHashMap::default();
        let mut orders = Vec::new();
        let mut next = 0;
        let mut position = 0;
        for block in body.blocks() {
            next += body.arguments(block).len() as u32;
            for inst in body.block_insts(block) {
                for operand in body.operand_ids(inst) {
                    position += 1;
                    let number = self.values[body.operand(operand).value.as_u32() as usize];
                    // Uses before the definition come after the rest, oldest first.
                    let is_early = number != NONE && number >= next;
                    if !body.has_single_use(body.operand(operand).value) {
                        keys.insert(operand, if is_early { position } else { -position });
                    }
                }
                next += body.results(inst).len() as u32;
            }
        }
        for (number, value) in self.defined() {
            let listed: Vec<i64> = body.uses(value).filter_map(|o| keys.get(&o).copied()).collect();
            if let Some(order) = permutation(&listed) {
                orders.push((number, order));
            }
        }
        self.orders(orders);
    }

    /// Writes the order of incoming edges if it differs from the order of reading, newest first.
    fn edge_orders(&mut self) {
        let body = self.body;
        let mut orders = Vec::new();
        for block in body.blocks() {
            let key = |edge: silkit_ir::Edge| {
                let from = self.blocks[body.edge(edge).from.as_u32() as usize];
                (from != NONE).then(|| -(i64::from(from) << 32 | body.edge_index(edge) as i64))
            };
            let listed: Vec<i64> = body.incoming(block).filter_map(key).collect();
            if let Some(order) = permutation(&listed) {
                orders.push((self.blocks[block.as_u32() as usize], order));
            }
        }
        self.orders(orders);
    }

    fn orders(&mut self, orders: Vec<(u32, Vec<u32>)>) {
        orders.write(self.sink);
    }

    /// Returns the values with a definition and their numbers.
    fn defined(&self) -> impl Iterator<Item = (u32, Value)> + '_ {
        let values = (0..self.values.len() as u32).map(Value::from_u32);
        self.values.iter().copied().zip(values).filter(|&(number, _)| number != NONE)
    }
}

/// Returns the permutation that sorts the keys; `None` if they are already sorted.
fn permutation(keys: &[i64]) -> Option<Vec<u32>> {
    if keys.is_sorted() {
        return None;
    }
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    Some(keys.iter().map(|key| sorted.partition_point(|k| k < key) as u32).collect())
}

fn blocks_in(body: &Body, kind: AttrKind, word: u32) -> Vec<u32> {
    match kind {
        AttrKind::Block | AttrKind::OptBlock if word != NONE => vec![word],
        AttrKind::ListBlock => body.list(word).to_vec(),
        AttrKind::ListDeclBlock => body.list(word).iter().skip(1).step_by(2).copied().collect(),
        _ => Vec::new(),
    }
}
