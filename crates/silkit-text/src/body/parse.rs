//! Bodies of functions, from text to IR.
//!
//! One interpreter serves all instructions: it walks the pieces of the text form that the
//! instruction table declares ([`silkit_ir::info::Piece`]). Irregular pieces are in
//! [`super::custom`].

use super::older::{self, Older};
use super::result_types::{Spelling, is_respelled};
use crate::cursor::Cursor;
use crate::decl::formal::FormalTypes;
use crate::error::{Parse, SyntaxError, err_at, err_here};
use crate::generics::GenericEnv;
use crate::source_map::{BodySourceMap, StatedType};
use crate::types::{argument, parse_sil_type};
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_ir::info::{Arity, AttrKind, CustomPiece, Piece, Results};
use silkit_ir::opened::opened_in;
use silkit_ir::{
    ArgFlags, Block, Body, BodyBuilder, DeclRef, Inst, InstInfo, Loc, LocData, NONE, NewInst, Opcode,
    Ownership, Value,
};
use silkit_types::{GenericSig, SilType, Type, TypeFacts, TypeKind};

/// Reads the body of one function or static initializer.
pub(crate) struct BodyParser<'a, 'e> {
    pub(crate) cur: Cursor<'a>,
    pub(super) env: &'e mut GenericEnv,
    pub(super) facts: &'e dyn TypeFacts,
    /// Tells the formal types of members that the text leaves out.
    formals: Option<&'e FormalTypes<'e>>,
    pub(super) body: BodyBuilder,
    source_map: BodySourceMap,
    values: FxHashMap<&'a str, Value>,
    blocks: FxHashMap<&'a str, (Block, bool)>,
    /// Values that were used and not defined yet, with the place of their first use.
    pending: Vec<(&'a str, usize)>,
    pending_blocks: Vec<(&'a str, usize)>,
    /// What tests say, which name values.
    specifications: Vec<Symbol>,
    errors: Vec<SyntaxError>,
    /// How the types of results are spelled in this function.
    pub(super) spelling: Spelling,
    /// True if the function has ownership.
    is_ossa: bool,
    /// True if an instruction spells the ownership that it forwards.
    has_forwarding: bool,
    /// What the instruction that is being read is an older spelling of.
    older: Option<Older>,
    /// Where the line began that is being read.
    line_start: usize,
    /// The results that the line names.
    line_names: Vec<(&'a str, usize)>,
    /// The parts of the instruction that is being read.
    pub(super) inst: Parts,
}

/// The parts of an instruction while it is read.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) flags: u8,
    /// The ownership that the text says is forwarded.
    forwarding: Option<Ownership>,
    pub(super) words: Vec<u32>,
    /// Operands with the specification that each belongs to.
    pub(super) operands: Vec<(u8, Value)>,
    flat: Vec<Value>,
    type_operands: Vec<Value>,
    results: Vec<SilType>,
}

/// A body with what was wrong with its text.
pub(crate) struct ParsedBody {
    /// What could be read.
    pub(crate) body: Body,
    /// Where its parts stand.
    pub(crate) source_map: BodySourceMap,
    /// True if an instruction spells the ownership that it forwards.
    pub(crate) has_forwarding: bool,
    /// The offset after the brace that closes it, or where reading ended without one.
    pub(crate) end: usize,
    /// All errors, in the order of the text.
    pub(crate) errors: Vec<SyntaxError>,
}

impl<'a, 'e> BodyParser<'a, 'e> {
    /// Creates a parser at the first token after `{`.
    pub(crate) fn new(cur: Cursor<'a>, env: &'e mut GenericEnv, facts: &'e dyn TypeFacts) -> Self {
        Self {
            cur,
            env,
            facts,
            formals: None,
            body: BodyBuilder::new(),
            source_map: BodySourceMap::default(),
            values: FxHashMap::default(),
            blocks: FxHashMap::default(),
            pending: Vec::new(),
            pending_blocks: Vec::new(),
            specifications: Vec::new(),
            errors: Vec::new(),
            spelling: Spelling::default(),
            is_ossa: false,
            has_forwarding: false,
            older: None,
            line_start: 0,
            line_names: Vec::new(),
            inst: Parts::default(),
        }
    }

    /// This parser, which adds the formal types that the text leaves out.
    pub(crate) fn with_formals(mut self, formals: &'e FormalTypes<'e>) -> Self {
        self.formals = Some(formals);
        self
    }

    /// This parser, for a function with a generic signature.
    pub(crate) fn with_signature(mut self, sig: Option<GenericSig>) -> Self {
        let body = self.cur.text().get(self.cur.pos()..self.cur.end()).unwrap_or_default();
        self.spelling = sig.map_or_else(Spelling::default, |sig| Spelling::of(sig, body));
        self
    }

    /// This parser, for a function with ownership if `is_ossa`.
    pub(crate) fn with_ownership(mut self, is_ossa: bool) -> Self {
        self.is_ossa = is_ossa;
        self
    }

    /// Reads blocks up to the closing brace.
    pub(crate) fn function(mut self) -> ParsedBody {
        let mut block = None;
        loop {
            match self.cur.peek() {
                // Whether a brace closes the body is known before it is read.
                0 => break,
                b'}' => {
                    self.cur.eat("}");
                    break;
                }
                _ => {
                    if let Err(error) = self.line(&mut block) {
                        self.recover(error);
                    }
                }
            }
        }
        self.finish()
    }

    /// Reads the instructions of a static initializer up to the closing brace.
    pub(crate) fn initializer(mut self) -> ParsedBody {
        let block = self.body.new_block();
        self.body.append_block(block);
        let mut block = Some(block);
        while !matches!(self.cur.peek(), 0 | b'}') {
            // `%initval = …` marks the value; it prints under that name again.
            if let Err(error) = self.line(&mut block) {
                self.recover(error);
            }
        }
        self.cur.eat("}");
        self.finish()
    }

    fn recover(&mut self, error: SyntaxError) {
        // A line is the unit of recovery: no instruction of the printed form spans two.
        // What follows on later lines is read as if the line had been good.
        self.cur.set_pos((error.range.start as usize).max(self.line_start));
        self.cur.set_pos(self.cur.line_end());
        self.errors.push(error);
        // What the line would have defined is known by name, so that its uses are no errors too.
        for (name, at) in std::mem::take(&mut self.line_names) {
            let is_defined =
                self.values.get(name).is_some_and(|&v| self.body.def(v) != silkit_ir::ValueDef::Pending);
            if !is_defined {
                let unknown = self.body.undef(SilType::unknown());
                // The name has no definition yet: this cannot fail.
                let _ = self.define(name, at, unknown);
            }
        }
    }

    /// Notes the values that tests name: they may be defined after the test.
    fn name_values(&mut self) {
        let words =
            self.specifications.iter().flat_map(|test| super::literal::specified_words(test.as_str()));
        let names: FxHashSet<&str> = words.filter_map(|word| word.strip_prefix('%')).collect();
        for name in names {
            if let Some(&value) = self.values.get(name) {
                self.source_map.note_named_value(Symbol::new(name), value);
            }
        }
    }

    fn finish(mut self) -> ParsedBody {
        self.name_values();
        for (name, pos) in std::mem::take(&mut self.pending) {
            let value = self.values[name];
            if self.body.def(value) == silkit_ir::ValueDef::Pending {
                self.errors.push(err_at(
                    pos,
                    pos + name.len() + 1,
                    format!("use of undefined value `%{name}`"),
                ));
            }
        }
        for (name, pos) in std::mem::take(&mut self.pending_blocks) {
            if !self.blocks[name].1 {
                self.errors.push(err_at(pos, pos + name.len(), format!("use of undefined block `{name}`")));
            }
        }
        self.infer_late();
        self.errors.sort_by_key(|e| e.range.start);
        self.errors.iter_mut().skip(1).for_each(|e| e.is_first = false);
        let mut body = self.body.finish();
        body.update_reborrow_flags();
        let end = self.cur.pos();
        self.source_map.shrink_to_fit();
        ParsedBody {
            body,
            source_map: self.source_map,
            has_forwarding: self.has_forwarding,
            end,
            errors: self.errors,
        }
    }

    /// Reads a label or an instruction.
    fn line(&mut self, block: &mut Option<Block>) -> Parse<()> {
        let first = self.cur.peek();
        self.line_start = self.cur.pos();
        self.line_names.clear();
        if first != b'%' && first != b'(' {
            let start = self.cur.pos();
            let Some(word) = self.cur.ident() else {
                return Err(err_here(&self.cur, "expected an instruction or a block label"));
            };
            let next = self.cur.peek();
            match self.opcode(word) {
                // The label of the entry block may be missing, but then its first instruction must not look like one.
                Some(_) if next != b':' && block.is_none() => {
                    return Err(err_at(start, start + word.len(), "expected the label of a block before it"));
                }
                Some(opcode) if next != b':' => {
                    let block = self.current_block(block);
                    return self.instruction(block, &[], opcode, start);
                }
                _ if next == b':' || next == b'(' => {
                    let label = self.label(word, start);
                    // A label begins its block even where its arguments are wrong.
                    *block = self.blocks.get(word).map(|&(known, _)| known);
                    return label.map(|_| ());
                }
                _ => return Err(unknown_instruction(word, start)),
            }
        }
        let start = self.cur.pos();
        let names = self.result_names()?;
        self.line_names.clone_from(&names);
        let at = self.cur.pos();
        let word =
            self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected an instruction after `=`"))?;
        let at = at.max(self.cur.pos() - word.len());
        let opcode = self.opcode(word).ok_or_else(|| unknown_instruction(word, at))?;
        let block = self.current_block(block);
        self.instruction(block, &names, opcode, start)
    }

    /// Returns the instruction with a name, or the one that is written in the place of an older one.
    fn opcode(&mut self, name: &str) -> Option<Opcode> {
        self.older = None;
        let known = Opcode::from_name(name);
        if !matches!(known, None | Some(Opcode::DeallocRef | Opcode::AssignByWrapper)) {
            return known;
        }
        let Some((opcode, older)) = older::opcode(name, &self.cur) else { return known };
        self.older = older;
        Some(opcode)
    }

    /// Returns the block that is being read; an entry block without arguments needs no label.
    fn current_block(&mut self, block: &mut Option<Block>) -> Block {
        *block.get_or_insert_with(|| {
            let entry = self.body.new_block();
            self.body.append_block(entry);
            entry
        })
    }

    fn result_names(&mut self) -> Parse<Vec<(&'a str, usize)>> {
        let mut names = Vec::new();
        if self.cur.eat("(") {
            while !self.cur.eat(")") {
                names.push(self.value_name()?);
                if !self.cur.eat(",") && !self.cur.looking_at(")") {
                    return Err(err_here(&self.cur, "expected `,` or `)` in the list of results"));
                }
            }
        } else {
            names.push(self.value_name()?);
        }
        if !self.cur.eat("=") {
            return Err(err_here(&self.cur, "expected `=` after the results"));
        }
        Ok(names)
    }

    fn label(&mut self, name: &'a str, start: usize) -> Parse<Block> {
        let (block, defined) = match self.blocks.get(name) {
            Some(&known) => known,
            None => (self.body.new_block(), false),
        };
        if defined {
            return Err(err_at(start, start + name.len(), format!("block `{name}` is defined twice")));
        }
        self.blocks.insert(name, (block, true));
        self.body.append_block(block);
        self.source_map.place_block(block, start);
        if self.cur.eat("(") {
            while !self.cur.eat(")") {
                let (name, at) = self.value_name()?;
                if !self.cur.eat(":") {
                    return Err(err_here(&self.cur, "expected `:` and the type of the argument"));
                }
                let (ownership, flags) = self.argument_attributes()?;
                let ty = parse_sil_type(&mut self.cur, self.env)?;
                // Values of trivial type have no ownership.
                let is_owned = ownership != Ownership::None && self.env.protocols.is_some();
                let trivial = is_owned
                    && !ty.is_address()
                    && self.facts.type_properties(ty.ty(), None).trivial == Some(true);
                let ownership = if trivial { Ownership::None } else { ownership };
                let value = self.body.add_argument(block, ty, ownership, flags);
                self.define(name, at, value)?;
                if !self.cur.eat(",") && !self.cur.looking_at(")") {
                    return Err(err_here(&self.cur, "expected `,` or `)` in the list of arguments"));
                }
            }
        }
        if !self.cur.eat(":") {
            return Err(err_here(&self.cur, "expected `:` after the block label"));
        }
        Ok(block)
    }

    fn argument_attributes(&mut self) -> Parse<(Ownership, ArgFlags)> {
        let (mut ownership, mut flags) = (None, ArgFlags::empty());
        while self.cur.looking_at("@") {
            let at = self.cur.clone();
            self.cur.eat("@");
            let word = self.cur.ident().unwrap_or_default();
            let kind = match word {
                "owned" => Some(Ownership::Owned),
                "guaranteed" | "reborrow" => Some(Ownership::Guaranteed),
                "unowned" => Some(Ownership::Unowned),
                "none" => Some(Ownership::None),
                _ => None,
            };
            if kind.is_some() && !self.is_ossa {
                return Err(err_here(&at, format!("`@{word}` is for arguments in `[ossa]` functions")));
            }
            if kind.is_some() && ownership.is_some() {
                return Err(err_here(&at, "an argument has one ownership"));
            }
            ownership = ownership.or(kind);
            match word {
                "reborrow" => flags |= ArgFlags::REBORROW,
                _ if kind.is_some() => {}
                _ => match super::print::ARG_FLAGS.iter().find(|(_, name)| &name[1..] == word) {
                    Some((flag, _)) => flags |= *flag,
                    None => {
                        return Err(err_here(
                            &self.cur,
                            format!("unknown attribute `@{word}` of an argument"),
                        ));
                    }
                },
            }
        }
        Ok((ownership.unwrap_or(Ownership::None), flags))
    }

    // ---- values and blocks ----

    /// Reads `%name`; gives the name without `%` and its place.
    pub(super) fn value_name(&mut self) -> Parse<(&'a str, usize)> {
        if self.cur.peek() != b'%' {
            return Err(err_here(&self.cur, "expected a value such as `%0`"));
        }
        let start = self.cur.pos();
        match self.cur.value_name() {
            Some(name) => Ok((name, start)),
            None => Err(err_here(&self.cur, "expected a name or number after `%`")),
        }
    }

    fn define(&mut self, name: &'a str, at: usize, value: Value) -> Parse<()> {
        if let Some(old) = self.values.insert(name, value) {
            if self.body.def(old) != silkit_ir::ValueDef::Pending {
                return Err(err_at(at, at + name.len() + 1, format!("value `%{name}` is defined twice")));
            }
            let stated = self.body.value(old).ty;
            if self.body.value(value).ty.is_unknown() {
                self.body.set_type(value, stated);
            }
            self.body.resolve(old, value);
        }
        Ok(())
    }

    /// Reads the use of a value with the type that may follow it.
    pub(super) fn use_value(&mut self) -> Parse<Value> {
        if self.cur.peek() != b'%' && self.cur.eat_word("undef") {
            let ty = self.type_after_colon()?.unwrap_or_else(SilType::unknown);
            return Ok(self.body.undef(ty));
        }
        let at = self.cur.pos() as u32;
        let value = self.use_bare_value()?;
        if let Some(ty) = self.type_after_colon()? {
            let known = self.body.value(value).ty;
            if known.is_unknown() || known != ty && is_respelled(known, ty) {
                self.body.set_type(value, ty);
            } else if known != ty {
                self.source_map.note_stated_type(StatedType { value, ty, at });
            }
        }
        Ok(value)
    }

    /// Reads the use of a value that no type follows.
    pub(super) fn use_bare_value(&mut self) -> Parse<Value> {
        if self.cur.peek() != b'%' && self.cur.eat_word("undef") {
            return Ok(self.body.undef(SilType::unknown()));
        }
        let (name, at) = self.value_name()?;
        if let Some(&value) = self.values.get(name) {
            return Ok(value);
        }
        let value = self.body.pending(SilType::unknown());
        self.values.insert(name, value);
        self.pending.push((name, at));
        Ok(value)
    }

    fn type_after_colon(&mut self) -> Parse<Option<SilType>> {
        if self.cur.peek() != b':' {
            return Ok(None);
        }
        let colon = self.cur.pos();
        self.cur.eat(":");
        if self.cur.peek() != b'$' {
            self.cur.set_pos(colon);
            return Ok(None);
        }
        parse_sil_type(&mut self.cur, self.env).map(Some)
    }

    /// Returns the type of the first operand of the instruction that is being read.
    pub(super) fn first_operand_type(&self) -> Option<SilType> {
        self.inst.operands.first().map(|&(_, value)| self.body.value(value).ty)
    }

    /// Returns true if the type of the first operand is spelled where the value is defined, or was loaded so.
    pub(super) fn first_operand_is_spelled(&self) -> bool {
        let Some(&(_, value)) = self.inst.operands.first() else { return false };
        match self.body.def(value) {
            silkit_ir::ValueDef::Argument(..) => true,
            silkit_ir::ValueDef::Result(inst, _) => {
                matches!(
                    self.body.inst(inst).opcode,
                    Opcode::AllocStack
                        | Opcode::AllocBox
                        | Opcode::CopyableToMoveOnlyWrapperValue
                        | Opcode::MoveOnlyWrapperToCopyableValue
                        | Opcode::MoveOnlyWrapperToCopyableAddr
                )
            }
            _ => false,
        }
    }

    /// Adds a value to an operand specification.
    pub(super) fn push_operand(&mut self, spec: u8, value: Value) {
        self.inst.operands.push((spec, value));
    }

    /// Reads `%a, %b` up to something else.
    pub(super) fn operand_list(&mut self, spec: u8, close: &str) -> Parse<()> {
        while !self.cur.looking_at(close) {
            let value = self.use_value()?;
            self.push_operand(spec, value);
            let before = self.cur.pos();
            if !self.cur.eat(",") {
                break;
            }
            if matches!(self.cur.peek_word(), Some("loc" | "scope")) {
                // A list without brackets ends before the location.
                self.cur.set_pos(before);
                break;
            }
        }
        Ok(())
    }

    /// Reads the name of a block.
    pub(super) fn block_name(&mut self) -> Parse<Block> {
        self.cur.skip_trivia();
        let at = self.cur.pos();
        let name = self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected a block such as `bb1`"))?;
        if let Some(&(block, _)) = self.blocks.get(name) {
            return Ok(block);
        }
        let block = self.body.new_block();
        self.blocks.insert(name, (block, false));
        self.pending_blocks.push((name, at));
        Ok(block)
    }

    // ---- instructions ----

    fn instruction(
        &mut self,
        block: Block,
        names: &[(&'a str, usize)],
        opcode: Opcode,
        start: usize,
    ) -> Parse<()> {
        let info = opcode.info();
        self.inst.flags = 0;
        self.inst.forwarding = None;
        self.inst.operands.clear();
        self.inst.words.clear();
        self.inst.words.resize(info.attrs.len(), NONE);
        match self.older.take() {
            Some(older) => self.older_pieces(older, info)?,
            None => self.pieces(info)?,
        }
        let loc = self.location()?;
        self.check_attributes(opcode, start)?;
        self.canonical_attributes(opcode, start)?;
        self.canonical_variable(opcode);
        self.check_wrapping(opcode, start)?;
        // Operands stand in the order of their specifications, whatever the order of the text.
        self.inst.operands.sort_by_key(|&(spec, _)| spec);
        for (spec, operand) in info.operands.iter().enumerate() {
            let count = self.inst.operands.iter().filter(|(s, _)| *s as usize == spec).count();
            if let Some(attr) = operand.count {
                self.inst.words[attr as usize] = count as u32;
            }
            if operand.arity == Arity::One && count != 1 {
                return Err(err_at(
                    start,
                    self.cur.pos(),
                    format!("`{}` needs its operand `{}`", info.name, operand.name),
                ));
            }
        }
        self.inst.flat.clear();
        self.inst.flat.extend(self.inst.operands.iter().map(|&(_, v)| v));
        self.inst.type_operands = self.body.opened_values(opcode, &self.inst.words);
        self.unknown_results(opcode, names.len());
        let parts = std::mem::take(&mut self.inst);
        let inst = self.body.append_inst(
            block,
            &NewInst {
                opcode,
                flags: parts.flags,
                forwarding: parts.forwarding,
                operands: &parts.flat,
                type_operands: &parts.type_operands,
                words: &parts.words,
                results: &parts.results,
                loc,
            },
        );
        self.source_map.place_inst(inst, start);
        self.inst = parts;
        self.infer(inst);
        self.bind_results(inst, names, opcode, start)
    }

    fn bind_results(
        &mut self,
        inst: Inst,
        names: &[(&'a str, usize)],
        opcode: Opcode,
        start: usize,
    ) -> Parse<()> {
        let results = self.body.results(inst);
        if names.len() > results.len() {
            let message =
                format!("`{}` has {} results, {} are named", opcode.info().name, results.len(), names.len());
            return Err(err_at(start, self.cur.pos(), message));
        }
        for (&(name, at), value) in names.iter().zip(results) {
            self.define(name, at, value)?;
        }
        Ok(())
    }

    /// Gives an instruction its results. How many there are is known from the text where there are
    /// several, and their types follow when the instruction is there.
    fn unknown_results(&mut self, opcode: Opcode, named: usize) {
        let count = match opcode.info().results {
            Results::One => 1,
            Results::Several => named,
            Results::None | Results::Terminator => 0,
        };
        self.inst.results.clear();
        self.inst.results.resize(count, SilType::unknown());
    }

    /// Checks that every attribute that must be there is there.
    fn check_attributes(&self, opcode: Opcode, start: usize) -> Parse<()> {
        for (spec, &word) in opcode.info().attrs.iter().zip(&self.inst.words) {
            let required = match spec.kind {
                AttrKind::Choice(_, optional) => !optional,
                AttrKind::U32 | AttrKind::Sym | AttrKind::Str | AttrKind::SilType | AttrKind::Type => true,
                AttrKind::Decl | AttrKind::Function | AttrKind::Global | AttrKind::Block => true,
                _ => false,
            };
            if required && word == NONE {
                let message = format!("`{}` needs its {}", opcode.info().name, spec.name.replace('_', " "));
                return Err(err_at(start, self.cur.pos().max(start + 1), message));
            }
        }
        Ok(())
    }

    /// Gives literals and the like the one spelling in which they are printed.
    fn canonical_attributes(&mut self, opcode: Opcode, start: usize) -> Parse<()> {
        let words = &mut self.inst.words;
        let spelled = |word: u32| Symbol::from_u32(word).as_str();
        let canonical = match opcode {
            Opcode::IntegerLiteral => {
                super::literal::integer(SilType::from_u32(words[0]).ty(), spelled(words[1]))
                    .map_err(|message| err_at(start, self.cur.pos(), message))?
            }
            Opcode::FloatLiteral => super::literal::float(spelled(words[1])),
            Opcode::StringLiteral => super::literal::string(spelled(words[1])),
            Opcode::WitnessMethod if self.env.protocols.is_some() => {
                self.canonical_lookup();
                return Ok(());
            }
            Opcode::ClassMethod | Opcode::SuperMethod | Opcode::ObjCMethod | Opcode::ObjCSuperMethod => {
                self.formal_of_member(opcode);
                return Ok(());
            }
            Opcode::PackLength => {
                let shape = shape(SilType::from_u32(words[0]));
                words[0] = shape.as_u32();
                return Ok(());
            }
            Opcode::AllocStack | Opcode::RefTailAddr => {
                words[0] = SilType::from_u32(words[0]).to_object().as_u32();
                return Ok(());
            }
            Opcode::SpecifyTest => {
                if let Some(symbol) = super::literal::specification(spelled(words[0])) {
                    words[0] = symbol.as_u32();
                }
                self.specifications.push(Symbol::from_u32(words[0]));
                return Ok(());
            }
            // With a result it is that of a compiler which gives the type.
            Opcode::EndApply if words[0] == NONE && !self.line_names.is_empty() => {
                words[0] = SilType::object(Type::void()).as_u32();
                return Ok(());
            }
            Opcode::CondFail if words[0] == NONE => {
                words[0] = crate::symbols::symbol("").as_u32();
                return Ok(());
            }
            _ => return Ok(()),
        };
        if let Some(symbol) = canonical {
            words[1] = symbol.as_u32();
        }
        Ok(())
    }

    /// Adds the formal type of a member that the text leaves out.
    fn formal_of_member(&mut self, opcode: Opcode) {
        let words = &mut self.inst.words;
        let (member, formal) = (opcode.info().attr("member"), opcode.info().attr("formal"));
        if let (Some(member), Some(formal), Some(formals)) = (member, formal, self.formals)
            && words[formal] == NONE
            && let Some(ty) = formals.of(DeclRef::from_u32(words[member]))
        {
            words[formal] = ty.as_u32();
        }
    }

    /// The value that a `witness_method` uses is the one that opened the type that it looks up.
    fn canonical_lookup(&mut self) {
        self.formal_of_member(Opcode::WitnessMethod);
        let Some(lookup) = Opcode::WitnessMethod.info().attr("lookup") else { return };
        let ty = SilType::from_u32(self.inst.words[lookup]).ty();
        let opened = opened_in(ty).first().and_then(|&id| self.body.opened_value(id));
        let spec = self.inst.operands.first().map_or(0, |&(spec, _)| spec);
        if opened.is_some() || opened_in(ty).is_empty() {
            self.inst.operands.clear();
            self.inst.operands.extend(opened.map(|value| (spec, value)));
        }
    }

    /// Reads a reference to a case of an enum.
    pub(super) fn enum_case(&mut self) -> Parse<u32> {
        let decl = crate::decl_ref::parse(&mut self.cur, self.env)?;
        Ok(decl.with_kind("enumelt").as_u32())
    }

    pub(super) fn pieces(&mut self, info: &'static InstInfo) -> Parse<()> {
        let form = info.form;
        let mut i = 0;
        while let Some(&piece) = form.get(i) {
            i += 1;
            if let Some(source) = self.left_out_source(info, piece) {
                let value = self.use_value()?;
                self.push_operand(0, value);
                self.inst.words[source as usize] = self.formal_type_of_operand();
                // The `in` and the operand are read.
                i += 2;
                continue;
            }
            match piece {
                Piece::Flag(_)
                | Piece::Choice { bracketed: true, .. }
                | Piece::Custom(CustomPiece::Align, ..) => {
                    let run = form[i - 1..].iter().take_while(|p| is_bracket(p)).count();
                    self.brackets(&form[i - 1..i - 1 + run], info);
                    i += run - 1;
                }
                Piece::Choice { attr, bracketed: false } => self.keyword(info, attr)?,
                Piece::Text(text) => self.text(text)?,
                Piece::Operand(spec) | Piece::TypedOperand(spec) | Piece::BareOperand(spec) => {
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                }
                Piece::Operands(spec) => self.operand_list(spec, ")")?,
                Piece::Attr(attr) => self.attribute(info, attr)?,
                Piece::Target(attr, args) => {
                    self.inst.words[attr as usize] = self.block_name()?.as_u32();
                    if args != 255 && self.cur.eat("(") {
                        self.operand_list(args, ")")?;
                        self.text(")")?;
                    }
                }
                Piece::OptOperand(text, spec, _) => {
                    let before = self.cur.pos();
                    if self.text(text).is_ok()
                        && (self.cur.peek() == b'%' || self.cur.peek_word() == Some("undef"))
                    {
                        let value = self.use_value()?;
                        self.push_operand(spec, value);
                    } else {
                        self.cur.set_pos(before);
                    }
                }
                Piece::OptTarget(text, attr) => {
                    let before = self.cur.pos();
                    if self.text(text).is_ok() {
                        self.inst.words[attr as usize] = self.block_name()?.as_u32();
                    } else {
                        self.cur.set_pos(before);
                    }
                }
                Piece::Custom(custom, attr, spec) => self.custom(custom, attr as usize, spec)?,
            }
        }
        Ok(())
    }

    /// Reads `[flag]`s and bracketed keywords in any order.
    fn brackets(&mut self, run: &[Piece], info: &'static InstInfo) {
        'next: while self.cur.peek() == b'[' {
            let before = self.cur.pos();
            self.cur.eat("[");
            let word = self.cur.ident().unwrap_or_default();
            if let Some(attr) = alignment(run).filter(|_| word == "align" && self.cur.eat("="))
                && let Some(bytes) = self.cur.integer()
                && self.cur.eat("]")
            {
                self.inst.words[attr] = crate::symbols::symbol(bytes).as_u32();
                continue;
            }
            if self.cur.eat("]") {
                let word = older::flag(word);
                for piece in run {
                    match *piece {
                        Piece::Flag(bit) if info.flags[bit as usize] == word => {
                            self.inst.flags |= 1 << bit;
                            continue 'next;
                        }
                        Piece::Choice { attr, .. } => {
                            if let AttrKind::Choice(options, _) = info.attrs[attr as usize].kind
                                && let Some(index) = options.iter().position(|o| *o == word)
                            {
                                self.inst.words[attr as usize] = index as u32;
                                continue 'next;
                            }
                        }
                        _ => {}
                    }
                }
            }
            self.cur.set_pos(before);
            return;
        }
    }

    fn keyword(&mut self, info: &'static InstInfo, attr: u8) -> Parse<()> {
        let AttrKind::Choice(options, _) = info.attrs[attr as usize].kind else { return Ok(()) };
        for (index, option) in options.iter().enumerate() {
            let before = self.cur.pos();
            let found = match option.strip_prefix('@') {
                Some(word) => self.cur.eat("@") && self.cur.eat_word(word),
                None => self.cur.eat_word(option),
            };
            if found {
                self.inst.words[attr as usize] = index as u32;
                return Ok(());
            }
            self.cur.set_pos(before);
        }
        Err(err_here(&self.cur, format!("expected one of `{}`", options.join("`, `"))))
    }

    /// Reads fixed text, white space aside.
    pub(super) fn text(&mut self, text: &'static str) -> Parse<()> {
        let mut rest = text.trim();
        while let Some(c) = rest.chars().next() {
            let len = if c.is_alphanumeric() || c == '_' {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            } else {
                c.len_utf8()
            };
            let (token, after) = rest.split_at(len);
            let found = if c.is_alphanumeric() { self.cur.eat_word(token) } else { self.cur.eat(token) };
            if !found {
                return Err(err_here(&self.cur, format!("expected `{token}`")));
            }
            rest = after.trim_start();
        }
        Ok(())
    }

    fn attribute(&mut self, info: &'static InstInfo, attr: u8) -> Parse<()> {
        let kind = info.attrs[attr as usize].kind;
        self.inst.words[attr as usize] = match kind {
            AttrKind::U32 => self.number()?,
            AttrKind::Sym => self.integer_symbol()?.as_u32(),
            AttrKind::Str => self.string_symbol()?.as_u32(),
            AttrKind::SilType => self.sil_type()?.as_u32(),
            AttrKind::Type => self.formal_type()?.as_u32(),
            AttrKind::Decl if info.attrs[attr as usize].name == "element" => self.enum_case()?,
            AttrKind::Decl => crate::decl_ref::parse(&mut self.cur, self.env)?.as_u32(),
            AttrKind::Function | AttrKind::Global => self.global_name()?.as_u32(),
            other => unreachable!("invariant: {other:?} is never a piece of its own"),
        };
        Ok(())
    }

    pub(super) fn number(&mut self) -> Parse<u32> {
        let text = self.cur.integer().ok_or_else(|| err_here(&self.cur, "expected a number"))?;
        text.parse().map_err(|_| err_here(&self.cur, "expected a number below 4294967295"))
    }

    /// Returns an integer or floating-point literal as it is spelled.
    pub(super) fn integer_symbol(&mut self) -> Parse<Symbol> {
        let text = self.cur.integer().ok_or_else(|| err_here(&self.cur, "expected an integer"))?;
        Ok(crate::symbols::symbol(text))
    }

    pub(super) fn string_symbol(&mut self) -> Parse<Symbol> {
        let text = self.cur.string().ok_or_else(|| err_here(&self.cur, "expected a string in quotes"))?;
        Ok(crate::symbols::symbol(text))
    }

    pub(super) fn sil_type(&mut self) -> Parse<SilType> {
        parse_sil_type(&mut self.cur, self.env)
    }

    /// Returns a formal type, which older compilers print with a `$`.
    pub(super) fn formal_type(&mut self) -> Parse<Type> {
        // Read as the compiler holds it, where all is read so.
        let around = std::mem::replace(&mut self.env.canonical, self.env.protocols.is_some());
        let found = argument(&mut self.cur, self.env);
        self.env.canonical = around;
        found
    }

    /// Reads `@name`.
    pub(super) fn global_name(&mut self) -> Parse<Symbol> {
        crate::names::global_name(&mut self.cur)
    }

    /// Reads `: @owned`, after `forwarding`.
    fn forwarding(&mut self) -> Parse<Ownership> {
        self.text(": @")?;
        match self.cur.ident() {
            Some("owned") => Ok(Ownership::Owned),
            Some("guaranteed") => Ok(Ownership::Guaranteed),
            Some("unowned") => Ok(Ownership::Unowned),
            Some("none") => Ok(Ownership::None),
            _ => Err(err_here(&self.cur, "expected `owned`, `guaranteed`, `unowned` or `none`")),
        }
    }

    /// Reads `, forwarding: @owned, loc "f":1:2, scope 3`.
    fn location(&mut self) -> Parse<Loc> {
        let mut data = LocData { source: None, scope: NONE };
        let mut found = false;
        while self.cur.peek() == b',' {
            let before = self.cur.pos();
            self.cur.eat(",");
            if self.cur.eat_word("loc") {
                data.source = Some(crate::names::source_loc(&mut self.cur)?);
            } else if self.cur.eat_word("scope") {
                data.scope = self.number()?;
            } else if self.cur.eat_word("forwarding") {
                self.inst.forwarding = Some(self.forwarding()?);
                self.has_forwarding = true;
                continue;
            } else {
                self.cur.set_pos(before);
                return Err(err_here(&self.cur, "expected the end of the instruction"));
            }
            found = true;
        }
        Ok(if found { self.body.new_loc(data) } else { Loc::NONE })
    }
}

/// Returns the shape of a pack: what its elements are does not matter, only which of them expand.
fn shape(pack: SilType) -> SilType {
    let TypeKind::Pack { direct, elements } = pack.ty().kind() else { return pack };
    let shape_of = |t: &Type| if matches!(t.kind(), TypeKind::PackExpansion(_)) { *t } else { Type::void() };
    let elements = elements.iter().map(shape_of).collect();
    pack.with_type(Type::new(TypeKind::Pack { direct: *direct, elements }))
}

/// Returns the attribute that holds the alignment, where the run of brackets has one.
fn alignment(run: &[Piece]) -> Option<usize> {
    run.iter().find_map(|piece| match piece {
        Piece::Custom(CustomPiece::Align, attr, _) => Some(*attr as usize),
        _ => None,
    })
}

fn is_bracket(piece: &Piece) -> bool {
    matches!(
        piece,
        Piece::Flag(_) | Piece::Choice { bracketed: true, .. } | Piece::Custom(CustomPiece::Align, ..)
    )
}

fn unknown_instruction(word: &str, start: usize) -> SyntaxError {
    let error = err_at(start, start + word.len(), format!("unknown instruction `{word}`"));
    match silkit_diag::nearest(word, Opcode::ALL.iter().map(|o| o.info().name)) {
        Some(name) => error.with_help(format!("did you mean `{name}`?")),
        None => error,
    }
}
