//! The parser of function bodies.
//!
//! All instructions share one interpreter: it walks the pieces of the text form that the instruction table declares
//! ([`silkit_ir::info::Piece`]). Irregular pieces are in [`super::custom`].

use crate::cursor::Cursor;
use crate::decl::formal::FormalTypes;
use crate::error::{Parse, SyntaxError, err_at, err_here, err_unknown};
use crate::generic_env::GenericEnv;
use crate::source_map::BodySourceMap;
use crate::types::parse_sil_type;
use names::Names;
use older::OlderForm;
use result_types::Spelling;
use silkit_base::{FxHashSet, Symbol};
use silkit_ir::{ArgFlags, Block, Body, BodyBuilder, Inst, Opcode, Ownership, Value};
use silkit_types::{GenericSig, SilType, TypeFacts};
use std::cell::Cell;

mod attributes;
mod canonical;
mod instruction;
mod names;
mod older;
mod pieces;
mod result_types;
mod values;

/// Parses the body of one function or static initializer.
pub(crate) struct BodyParser<'a, 'e> {
    pub(crate) cur: Cursor<'a>,
    pub(super) env: &'e mut GenericEnv,
    pub(super) facts: &'e dyn TypeFacts,
    /// The formal types of members, for text that omits them.
    formals: Option<&'e FormalTypes<'e>>,
    pub(super) body: BodyBuilder,
    source_map: BodySourceMap,
    values: Names<'a, Value>,
    /// The blocks by name, and whether each is defined.
    blocks: Names<'a, (Block, bool)>,
    /// Values that are used and not yet defined, with the offset of the first use.
    pending: Vec<(&'a str, usize)>,
    pending_blocks: Vec<(&'a str, usize)>,
    /// The `specify_test` strings, which refer to values by name.
    specifications: Vec<Symbol>,
    errors: Vec<SyntaxError>,
    /// The spelling of result types in this function.
    pub(super) spelling: Spelling,
    /// The instructions whose result types could not be inferred in text order.
    late: Vec<Inst>,
    /// True if the function is in OSSA.
    is_ossa: bool,
    /// True if an instruction spells its forwarding ownership.
    has_forwarding: bool,
    /// The older spelling of the current instruction.
    older: Option<OlderForm>,
    /// The start of the current line.
    line_start: usize,
    /// The result names on the current line.
    line_names: Vec<(&'a str, usize)>,
    /// True if the next type keeps the names of its generic parameters.
    pub(super) keeps_names: bool,
    /// The parts of the current instruction.
    pub(super) inst: Parts,
}

/// The parts of an instruction while it is parsed.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) flags: u8,
    /// The forwarding ownership that the text states.
    forwarding: Option<Ownership>,
    pub(super) words: Vec<u32>,
    /// Operands with the index of their specification.
    pub(super) operands: Vec<(u8, Value)>,
    flat: Vec<Value>,
    type_operands: Vec<Value>,
    results: Vec<SilType>,
}

/// Memory that is reused for the next body.
#[derive(Default)]
struct Scratch {
    body: BodyBuilder,
    source_map: BodySourceMap,
    values: Vec<Option<Value>>,
    blocks: Vec<Option<(Block, bool)>>,
    pending_blocks: Vec<(&'static str, usize)>,
    line_names: Vec<(&'static str, usize)>,
    inst: Parts,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

/// A parsed body with its errors.
pub(crate) struct ParsedBody {
    /// The body, as far as it could be parsed.
    pub(crate) body: Body,
    /// The positions of its parts.
    pub(crate) source_map: BodySourceMap,
    /// True if an instruction spells its forwarding ownership.
    pub(crate) has_forwarding: bool,
    /// The offset after the closing brace, or where parsing ended without one.
    pub(crate) end: usize,
    /// All errors, in text order.
    pub(crate) errors: Vec<SyntaxError>,
}

impl<'a, 'e> BodyParser<'a, 'e> {
    /// Creates a parser at the first token after `{`.
    pub(crate) fn new(cur: Cursor<'a>, env: &'e mut GenericEnv, facts: &'e dyn TypeFacts) -> Self {
        let scratch = SCRATCH.take();
        let length = cur.end() - cur.pos();
        Self {
            cur,
            env,
            facts,
            formals: None,
            body: scratch.body,
            source_map: scratch.source_map,
            values: Names::new(b"", length, scratch.values),
            blocks: Names::new(b"bb", length, scratch.blocks),
            pending: Vec::new(),
            pending_blocks: scratch.pending_blocks,
            specifications: Vec::new(),
            errors: Vec::new(),
            spelling: Spelling::default(),
            late: Vec::new(),
            is_ossa: false,
            has_forwarding: false,
            older: None,
            line_start: 0,
            line_names: scratch.line_names,
            keeps_names: false,
            inst: scratch.inst,
        }
    }

    /// Adds formal types for text that omits them.
    pub(crate) fn with_formals(mut self, formals: &'e FormalTypes<'e>) -> Self {
        self.formals = Some(formals);
        self
    }

    /// Sets the generic signature of the function.
    pub(crate) fn with_signature(mut self, sig: Option<GenericSig>) -> Self {
        let body = self.cur.text().get(self.cur.pos()..self.cur.end()).unwrap_or_default();
        self.spelling = sig.map_or_else(Spelling::default, |sig| Spelling::of(sig, body));
        self
    }

    /// Sets whether the function is in OSSA.
    pub(crate) fn with_ownership(mut self, is_ossa: bool) -> Self {
        self.is_ossa = is_ossa;
        self
    }

    /// Parses blocks up to the closing brace.
    pub(crate) fn function(mut self) -> ParsedBody {
        let mut block = None;
        loop {
            match self.cur.peek() {
                // Whether a closing brace exists has been checked before.
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

    /// Parses the instructions of a static initializer up to the closing brace.
    pub(crate) fn initializer(mut self) -> ParsedBody {
        let block = self.body.new_block();
        self.body.append_block(block);
        let mut block = Some(block);
        if self.cur.peek() == b'}' {
            let error =
                err_here(&self.cur, "expected the value of the global variable, found no instruction");
            self.errors.push(error);
        }
        while !matches!(self.cur.peek(), 0 | b'}') {
            let mut ahead = self.cur.clone();
            if let Some(label) = ahead.ident()
                && ahead.peek() == b':'
            {
                self.line_start = self.cur.pos();
                let message = "expected an instruction: a static initializer has no blocks";
                self.recover(err_at(self.line_start, self.line_start + label.len(), message));
                continue;
            }
            // `%initval = …` marks the value, which prints with this name again.
            if let Err(error) = self.line(&mut block) {
                self.recover(error);
            }
        }
        self.cur.eat("}");
        self.finish()
    }

    fn recover(&mut self, error: SyntaxError) {
        // Error recovery continues at the next line: in printed SIL no instruction spans two lines. Later lines are
        // parsed as if this line had been correct.
        self.cur.set_pos((error.range.start as usize).max(self.line_start));
        self.cur.set_pos(self.cur.line_end());
        self.errors.push(error);
        // Define the names on the line, so that their uses are not errors as well.
        for (name, at) in std::mem::take(&mut self.line_names) {
            let is_defined =
                self.values.get(name).is_some_and(|v| self.body.def(v) != silkit_ir::ValueDef::Pending);
            if !is_defined {
                let unknown = self.body.undef(SilType::unknown());
                // This cannot fail, since the name has no definition yet.
                let _ = self.define(name, at, unknown);
            }
        }
    }

    /// Records the values that tests refer to, which may be defined after the test.
    fn name_values(&mut self) {
        let words =
            self.specifications.iter().flat_map(|test| crate::body::literal::specified_words(test.as_str()));
        let names: FxHashSet<&str> = words.filter_map(|word| word.strip_prefix('%')).collect();
        for name in names {
            if let Some(value) = self.values.get(name) {
                self.source_map.note_named_value(Symbol::new(name), value);
            }
        }
    }

    fn finish(mut self) -> ParsedBody {
        self.name_values();
        for (name, pos) in std::mem::take(&mut self.pending) {
            let value = self.values.get(name);
            if value.is_some_and(|value| self.body.def(value) == silkit_ir::ValueDef::Pending) {
                self.errors.push(err_at(
                    pos,
                    pos + name.len() + 1,
                    format!("use of undefined value `%{name}`"),
                ));
            }
        }
        for &(name, pos) in &self.pending_blocks {
            if self.blocks.get(name).is_some_and(|(_, is_defined)| !is_defined) {
                self.errors.push(err_at(pos, pos + name.len(), format!("use of undefined block `{name}`")));
            }
        }
        self.infer_late();
        self.errors.sort_by_key(|e| e.range.start);
        self.errors.iter_mut().skip(1).for_each(|e| e.is_first = false);
        let mut body = self.body.finish_exact();
        body.update_reborrow_flags();
        let end = self.cur.pos();
        let source_map = self.source_map.take_exact();
        SCRATCH.set(Scratch {
            body: self.body,
            source_map: self.source_map,
            values: self.values.into_memory(),
            blocks: self.blocks.into_memory(),
            pending_blocks: names::emptied(self.pending_blocks),
            line_names: names::emptied(self.line_names),
            inst: self.inst,
        });
        ParsedBody { body, source_map, has_forwarding: self.has_forwarding, end, errors: self.errors }
    }

    /// Parses a label or an instruction.
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
                // The label of the entry block may be omitted, unless its first instruction looks like a label.
                Some(_) if next != b':' && block.is_none() => {
                    return Err(err_at(
                        start,
                        start + word.len(),
                        "expected a block label before the first instruction",
                    ));
                }
                Some(opcode) if next != b':' => {
                    let block = self.current_block(block);
                    return self.instruction(block, opcode, start);
                }
                _ if next == b':' || next == b'(' => {
                    let label = self.label(word, start);
                    // A label begins its block even if its arguments are invalid.
                    *block = self.blocks.get(word).map(|(known, _)| known);
                    return label.map(|_| ());
                }
                _ => return Err(unknown_instruction(word, start)),
            }
        }
        let start = self.cur.pos();
        if let Err(error) = self.result_names() {
            self.line_names.clear();
            return Err(error);
        }
        let at = self.cur.pos();
        let word =
            self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected an instruction after `=`"))?;
        let at = at.max(self.cur.pos() - word.len());
        let opcode = self.opcode(word).ok_or_else(|| unknown_instruction(word, at))?;
        let block = self.current_block(block);
        self.instruction(block, opcode, start)
    }

    /// Returns the instruction with this name, or the current equivalent of an older one.
    fn opcode(&mut self, name: &str) -> Option<Opcode> {
        self.older = None;
        let known = match Opcode::from_name(name) {
            Some(Opcode::DebugValue) if lists_values(&self.cur) => Some(Opcode::DebugValues),
            Some(opcode) if opcode.info().spelling != name => None,
            known => known,
        };
        if !matches!(known, None | Some(Opcode::DeallocRef | Opcode::AssignByWrapper)) {
            return known;
        }
        let Some((opcode, older)) = older::opcode(name, &self.cur) else { return known };
        self.older = older;
        Some(opcode)
    }

    /// Returns the current block; an entry block without arguments needs no label.
    fn current_block(&mut self, block: &mut Option<Block>) -> Block {
        *block.get_or_insert_with(|| {
            let entry = self.body.new_block();
            self.body.append_block(entry);
            entry
        })
    }

    /// Parses what follows an element of a list in parentheses. Returns true if it is `,`, so that another element has to
    /// follow, and false if it is `)`.
    pub(in crate::body) fn list_goes_on(&mut self, otherwise: &'static str) -> Parse<bool> {
        if self.cur.eat(",") {
            Ok(true)
        } else if self.cur.eat(")") {
            Ok(false)
        } else {
            Err(err_here(&self.cur, otherwise))
        }
    }

    /// Parses the names before `=`.
    fn result_names(&mut self) -> Parse<()> {
        if self.cur.eat("(") {
            let mut is_open = !self.cur.eat(")");
            while is_open {
                let name = self.value_name()?;
                self.line_names.push(name);
                is_open = self.list_goes_on("expected `,` or `)` in the list of results")?;
            }
        } else {
            let name = self.value_name()?;
            self.line_names.push(name);
        }
        if !self.cur.eat("=") {
            return Err(err_here(&self.cur, "expected `=` after the results"));
        }
        Ok(())
    }

    fn label(&mut self, name: &'a str, start: usize) -> Parse<Block> {
        let (block, defined) = match self.blocks.get(name) {
            Some(known) => known,
            None => (self.body.new_block(), false),
        };
        if defined {
            return Err(err_at(start, start + name.len(), format!("block `{name}` is defined twice")));
        }
        self.blocks.insert(name, (block, true));
        self.body.append_block(block);
        self.source_map.place_block(block, start);
        if self.cur.eat("(") {
            let mut is_open = true;
            while is_open {
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
                is_open = self.list_goes_on("expected `,` or `)` in the list of arguments")?;
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
            // A reborrow is guaranteed, which may be spelled as well.
            let is_reborrow = |flags: ArgFlags| word == "reborrow" || flags.contains(ArgFlags::REBORROW);
            let is_said_again = kind == ownership && is_reborrow(flags);
            if kind.is_some() && ownership.is_some() && !is_said_again {
                return Err(err_here(&at, "expected one ownership kind for the argument, found two"));
            }
            ownership = ownership.or(kind);
            match word {
                "reborrow" => flags |= ArgFlags::REBORROW,
                _ if kind.is_some() => {}
                _ => match crate::body::print::ARG_FLAGS.iter().find(|(_, name)| &name[1..] == word) {
                    Some((flag, _)) => flags |= *flag,
                    None => {
                        let flags = crate::body::print::ARG_FLAGS.iter().map(|(_, name)| *name);
                        let known = flags.chain(["@owned", "@guaranteed", "@unowned", "@none"]);
                        let message = format!("unknown attribute `@{word}` of an argument");
                        let mut at = at;
                        at.skip_trivia();
                        return Err(err_unknown(at.pos(), &format!("@{word}"), message, known));
                    }
                },
            }
        }
        Ok((ownership.unwrap_or(Ownership::None), flags))
    }
}

/// Returns true if a list of values in parentheses follows the flags of `debug_value`.
fn lists_values(cur: &Cursor<'_>) -> bool {
    let mut cur = cur.clone();
    while cur.eat("[") {
        cur.ident();
        cur.eat("]");
    }
    cur.peek() == b'('
}

fn unknown_instruction(word: &str, start: usize) -> SyntaxError {
    let error = err_at(start, start + word.len(), format!("unknown instruction `{word}`"));
    match silkit_diag::nearest(word, Opcode::ALL.iter().map(|o| o.info().name)) {
        Some(name) => error.with_help(format!("did you mean `{name}`?")),
        None => error,
    }
}
