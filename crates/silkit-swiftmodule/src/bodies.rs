//! Bodies: records into blocks and instructions. `shapes.rs` has what each instruction needs.

use crate::container::{Event, Record, Stream};
use crate::decls::{DeclKind, Decoder};
use crate::error::{Damage, Result};
use crate::opcodes::Opcodes;
use silkit_base::FxHashMap;
use silkit_ir::{
    ArgFlags, Block, Body, BodyBuilder, DeclRef, DeclRefData, Loc, NONE, NewInst, Opcode, Ownership, Value,
};
use silkit_types::{NoFacts, SilType, Type};

/// The maximum number of blocks of a function.
const MAX_BLOCKS: u64 = 1 << 22;

/// A reader of one body.
pub(crate) struct BodyReader<'d, 'f> {
    pub(crate) decoder: &'d mut Decoder<'f>,
    pub(crate) body: BodyBuilder,
    /// The values by number; numbers begin with 2.
    values: Vec<Value>,
    /// Values that are used before their definition, by number.
    pending: FxHashMap<u64, Value>,
    blocks: Vec<Block>,
    placed: usize,
    /// True if the last instruction of the current block was a terminator.
    has_ended: bool,
    /// The instruction that is read.
    pub(crate) parts: Parts,
}

/// The parts of an instruction.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) flags: u8,
    pub(crate) operands: Vec<Value>,
    pub(crate) words: Vec<u32>,
    /// The type of the result if the record has it.
    pub(crate) result: Option<SilType>,
    /// The number of results of an instruction that may have several.
    pub(crate) several: Option<usize>,
}

impl<'d, 'f> BodyReader<'d, 'f> {
    /// Reads the records after the head of a function; `None` if it has no body.
    pub(crate) fn read(
        decoder: &'d mut Decoder<'f>,
        stream: &mut Stream<'f>,
        _sig: u64,
    ) -> Result<Option<Body>> {
        let mut reader = BodyReader {
            decoder,
            body: BodyBuilder::new(),
            values: Vec::new(),
            pending: FxHashMap::default(),
            blocks: Vec::new(),
            placed: 0,
            has_ended: true,
            parts: Parts::default(),
        };
        let minor = reader.decoder.file.control.format.1;
        let opcodes = Opcodes::of(minor)
            .ok_or_else(|| Damage::new(format!("format 0.{minor} is not known"), stream.position()))?;
        let classes: Vec<&str> = opcodes.classes().collect();
        let mut record = Record::default();
        while stream.next(&mut record)? == Event::Record {
            let block = stream.block().unwrap_or(0);
            let kind = reader.decoder.file.names().record(block, record.code).unwrap_or("?");
            match kind {
                "SIL_BASIC_BLOCK" => reader.begin_block(&record.fields)?,
                "SIL_FUNCTION"
                | "SIL_VTABLE"
                | "SIL_GLOBALVAR"
                | "SIL_WITNESS_TABLE"
                | "SIL_MOVEONLY_DEINIT"
                | "SIL_DEFAULT_WITNESS_TABLE"
                | "SIL_DEFAULT_OVERRIDE_TABLE" => break,
                // Effects of arguments and specializations are claims, which may be left out.
                "SIL_ARG_EFFECTS_ATTR" | "SIL_SPECIALIZE_ATTR" | "SIL_EXTRA_STRING" => {}
                _ => reader.instruction(kind, &classes, &record.fields, stream.position())?,
            }
        }
        if !reader.has_ended || reader.placed != reader.blocks.len() || !reader.pending.is_empty() {
            return Err(Damage::new("a block or a value of a function is missing", stream.position()));
        }
        Ok((reader.placed > 0).then(|| reader.body.finish()))
    }

    pub(crate) fn block(&mut self, number: u64) -> Result<Block> {
        // A block takes at least a record.
        if number > self.decoder.file.bytes().len() as u64 / 4 || number >= MAX_BLOCKS {
            return Err(Damage::new("a block has too large a number", 0));
        }
        while self.blocks.len() as u64 <= number {
            let block = self.body.new_block();
            self.blocks.push(block);
        }
        Ok(self.blocks[number as usize])
    }

    fn begin_block(&mut self, fields: &[u64]) -> Result<()> {
        if !self.has_ended {
            return Err(Damage::new("a block has no terminator", 0));
        }
        self.has_ended = false;
        let block = self.block(self.placed as u64)?;
        self.placed += 1;
        self.body.append_block(block);
        let args = fields.chunks_exact(3);
        if args.len() > 65_535 {
            return Err(Damage::new("a block has too many arguments", 0));
        }
        for arg in args {
            let [ty, packed, number] = *arg else { continue };
            let ty = self.decoder.sil_type(ty, packed & 0xFF)?;
            let is_reborrow = packed >> 11 & 1 == 1;
            let ownership = match packed >> 8 & 7 {
                1 => Ownership::Unowned,
                2 => Ownership::Owned,
                3 if !is_reborrow => Ownership::Guaranteed,
                _ => Ownership::None,
            };
            let mut flags = ArgFlags::empty();
            for (bit, flag) in [
                (11, ArgFlags::REBORROW),
                (12, ArgFlags::POINTER_ESCAPE),
                (13, ArgFlags::NO_IMPLICIT_COPY),
                (16, ArgFlags::CLOSURE_CAPTURE),
            ] {
                if packed >> bit & 1 == 1 {
                    flags |= flag;
                }
            }
            match packed >> 14 & 3 {
                1 => flags |= ArgFlags::EAGER_MOVE,
                2 => flags |= ArgFlags::LEXICAL,
                _ => {}
            }
            let value = self.body.add_argument(block, ty, ownership, flags);
            self.define(value);
            if self.values.len() as u64 + 1 != number {
                return Err(Damage::new("a block argument has a wrong number", 0));
            }
        }
        Ok(())
    }

    fn define(&mut self, value: Value) {
        self.values.push(value);
        if let Some(pending) = self.pending.remove(&(self.values.len() as u64 + 1)) {
            let ty = self.body.value(pending).ty;
            if self.body.value(value).ty.is_unknown() {
                self.body.set_type(value, ty);
            }
            self.body.resolve(pending, value);
        }
    }

    /// Returns a value by its number. Its type is that of the use, if its definition does not tell it.
    pub(crate) fn value(&mut self, number: u64, ty: SilType) -> Result<Value> {
        match number {
            0 => Err(Damage::new("an operand is missing", 0)),
            1 => Ok(self.body.undef(ty)),
            _ => match usize::try_from(number - 2).ok().and_then(|index| self.values.get(index).copied()) {
                Some(value) => {
                    if self.body.value(value).ty.is_unknown() {
                        self.body.set_type(value, ty);
                    }
                    Ok(value)
                }
                None => {
                    if let Some(&value) = self.pending.get(&number) {
                        return Ok(value);
                    }
                    let value = self.body.pending(ty);
                    self.pending.insert(number, value);
                    Ok(value)
                }
            },
        }
    }

    /// Reads a value with the type and the category before it.
    pub(crate) fn typed(&mut self, ty: u64, category: u64, number: u64) -> Result<Value> {
        let ty = self.decoder.sil_type(ty, category)?;
        self.value(number, ty)
    }

    /// Reads values of the form (type, category, number).
    pub(crate) fn triples(&mut self, fields: &[u64]) -> Result<()> {
        if !fields.len().is_multiple_of(3) {
            return Err(Damage::new("a list of operands is cut off", 0));
        }
        for triple in fields.chunks_exact(3) {
            let value = self.typed(triple[0], triple[1], triple[2])?;
            self.parts.operands.push(value);
        }
        Ok(())
    }

    /// Returns a list of types as an attribute word; none if it is empty.
    pub(crate) fn types(&mut self, types: &[Type]) -> u32 {
        if types.is_empty() { NONE } else { self.body.new_type_list(types) }
    }

    /// Returns a reference to a declaration as an attribute word.
    pub(crate) fn decl_ref(&mut self, id: u64, kind: Option<&str>) -> Result<u32> {
        let path = self.decoder.path(id)?.into();
        let kinds = kind.map(silkit_base::Symbol::new).into_iter().collect();
        Ok(DeclRef::new(DeclRefData { path, kinds }).as_u32())
    }

    /// Returns a reference to a method as an attribute word, from a declaration, a kind and whether it is foreign.
    pub(crate) fn method(&mut self, fields: &[u64]) -> Result<u32> {
        let [id, kind, foreign, ..] = *fields else {
            return Err(Damage::new("a reference to a declaration is cut off", 0));
        };
        let decl = self.decoder.decl(id)?;
        const ACCESSORS: [&str; 14] = [
            "getter",
            "setter",
            "willSet",
            "didSet",
            "addressor",
            "mutableAddressor",
            "read",
            "read2",
            "modify",
            "modify2",
            "init",
            "",
            "borrow",
            "mutate",
        ];
        let mut kinds = Vec::new();
        match (kind, decl.kind) {
            (0, DeclKind::Accessor(kind)) => {
                let name = ACCESSORS.get(usize::from(kind)).filter(|name| !name.is_empty());
                kinds.push(*name.ok_or_else(|| Damage::new("an unknown kind of accessor", 0))?);
            }
            (0, DeclKind::Foreign) if decl.is_accessor => {
                return Err(Damage::new("accessors of other modules are not supported", 0));
            }
            (0, _) => {}
            (1, _) => kinds.push("allocator"),
            (2, _) => kinds.push("initializer"),
            (3, _) => kinds.push("enumelt"),
            (4, _) => kinds.push("destroyer"),
            (5, _) => kinds.push("deallocator"),
            _ => return Err(Damage::new(format!("a reference of kind {kind}"), 0)),
        }
        if foreign == 1 {
            kinds.push("foreign");
        }
        let mut path = self.decoder.path(id)?;
        if let Some(last) = path.last_mut()
            && !last.as_str().starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            *last = silkit_base::Symbol::new(&format!("\"{last}\""));
        }
        let kinds = kinds.into_iter().map(silkit_base::Symbol::new).collect();
        Ok(DeclRef::new(DeclRefData { path: path.into(), kinds }).as_u32())
    }

    fn instruction(&mut self, kind: &str, classes: &[&str], fields: &[u64], at: u64) -> Result<()> {
        let unsupported = |what: &str| Damage::new(format!("{what} is not supported"), at);
        let (opcode, fields) = match kind {
            "SIL_INST_APPLY" => {
                let opcode = match fields.first() {
                    Some(0) => Opcode::Apply,
                    Some(1) => Opcode::PartialApply,
                    Some(2) => Opcode::Builtin,
                    Some(3) => Opcode::TryApply,
                    Some(4) => Opcode::BeginApply,
                    _ => return Err(unsupported("an application of an unknown kind")),
                };
                (opcode, &fields[1..])
            }
            "SIL_INST_WITNESS_METHOD" => (Opcode::WitnessMethod, fields),
            "SIL_INIT_EXISTENTIAL"
            | "SIL_ONE_OPERAND"
            | "SIL_ONE_VALUE_ONE_OPERAND"
            | "SIL_ONE_TYPE"
            | "SIL_ONE_TYPE_VALUES"
            | "SIL_ONE_TYPE_ONE_OPERAND"
            | "SIL_ONE_TYPE_ONE_OPERAND_EXTRA_ATTR"
            | "SIL_TWO_OPERANDS"
            | "SIL_ONE_OPERAND_EXTRA_ATTR"
            | "SIL_ONE_TYPE_OWNERSHIP_VALUES"
            | "SIL_INST_NO_OPERAND" => {
                let [number, fields @ ..] = fields else { return Err(unsupported("an empty record")) };
                let class = classes.get(*number as usize).copied().unwrap_or("?");
                let class = class.strip_suffix("Inst").unwrap_or(class);
                let opcode = opcode_of(class).ok_or_else(|| unsupported(class))?;
                (opcode, fields)
            }
            other => return Err(unsupported(other)),
        };
        let info = opcode.info();
        self.parts.flags = 0;
        self.parts.operands.clear();
        self.parts.result = None;
        self.parts.several = None;
        self.parts.words.clear();
        self.parts.words.resize(info.attrs.len(), NONE);
        self.shape(opcode, kind, fields)
            .map_err(|damage| Damage::new(format!("{}: {}", info.name, damage.message()), at))?;
        if self.has_ended {
            return Err(unsupported("an instruction after the terminator"));
        }
        self.has_ended = info.results == silkit_ir::info::Results::Terminator;
        check_operands(info, self.parts.operands.len(), at)?;
        let results = match info.results {
            silkit_ir::info::Results::None | silkit_ir::info::Results::Terminator => 0,
            silkit_ir::info::Results::One => 1,
            silkit_ir::info::Results::Several => match self.parts.several.take() {
                Some(count) => count,
                None => return Err(unsupported(info.name)),
            },
        };
        let block = self.blocks[self.placed.saturating_sub(1)];
        if results > 65_535 {
            return Err(unsupported("an instruction with that many results"));
        }
        let types = vec![SilType::unknown(); results];
        let type_operands = self.body.opened_values(opcode, &self.parts.words);
        let parts = std::mem::take(&mut self.parts);
        let new = NewInst {
            opcode,
            flags: parts.flags,
            forwarding: None,
            operands: &parts.operands,
            type_operands: &type_operands,
            words: &parts.words,
            results: &types,
            loc: Loc::NONE,
        };
        let inst = self.body.append_inst(block, &new);
        self.parts = parts;
        if info.results == silkit_ir::info::Results::Several {
            let types = silkit_ir::result_types(&self.body, inst, &NoFacts);
            let results: Vec<Value> = self.body.results(inst).collect();
            for (at, value) in results.into_iter().enumerate() {
                self.body.set_type(value, types.get(at).copied().unwrap_or_else(SilType::unknown));
                self.define(value);
            }
        } else if let Some(value) = self.body.first_result(inst) {
            let ty = match self.parts.result {
                Some(ty) => ty,
                None => silkit_ir::result_type(&self.body, inst, &NoFacts),
            };
            self.body.set_type(value, ty);
            self.define(value);
        }
        Ok(())
    }
}

/// Checks the number of operands of an instruction.
fn check_operands(info: &silkit_ir::InstInfo, count: usize, at: u64) -> Result<()> {
    use silkit_ir::info::Arity;
    let of = |arity: Arity| info.operands.iter().filter(|spec| spec.arity == arity).count();
    let (fixed, optional, many) = (of(Arity::One), of(Arity::Optional), of(Arity::Many));
    if count < fixed || many == 0 && count > fixed + optional {
        return Err(Damage::new(format!("{} has {count} operands", info.name), at));
    }
    Ok(())
}

/// Returns the kind of instruction with a class name.
fn opcode_of(class: &str) -> Option<Opcode> {
    use std::sync::LazyLock;
    static CLASSES: LazyLock<FxHashMap<&'static str, Opcode>> =
        LazyLock::new(|| Opcode::ALL.iter().map(|&opcode| (opcode.info().class, opcode)).collect());
    CLASSES.get(class).copied()
}
