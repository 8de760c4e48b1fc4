//! Bodies of functions, from IR to text, with the reference's comments.

use crate::options::PrintOptions;
use crate::printer::Out;
use silkit_base::{SecondaryMap, Symbol};
use silkit_ir::info::{AttrKind, Piece, Results};
use silkit_ir::{ArgFlags, Block, Body, DeclRef, Inst, InstInfo, NONE, Ownership, Value, ValueDef};
use silkit_types::{SilType, Type};

/// The column at which the reference puts comments.
pub(crate) const COMMENT_COLUMN: usize = 50;

/// The spellings of argument flags, in the order of printing.
pub(super) const ARG_FLAGS: &[(ArgFlags, &str)] = &[
    (ArgFlags::NO_IMPLICIT_COPY, "@noImplicitCopy"),
    (ArgFlags::LEXICAL, "@_lexical"),
    (ArgFlags::EAGER_MOVE, "@_eagerMove"),
    (ArgFlags::CLOSURE_CAPTURE, "@closureCapture"),
    (ArgFlags::REBORROW, "@reborrow"),
    (ArgFlags::POINTER_ESCAPE, "@pointer_escape"),
    (ArgFlags::INFERRED_IMMUTABLE, "@inferredImmutable"),
];

/// Prints one body.
pub(crate) struct BodyPrinter<'a, 'o> {
    pub(super) body: &'a Body,
    pub(super) out: &'a mut Out<'o>,
    options: &'a PrintOptions,
    /// The printed number of each value.
    value_ids: Vec<u32>,
    /// The printed number of each instruction: that of its first result, or its own.
    inst_ids: Vec<u32>,
    block_ids: SecondaryMap<Block, u32>,
    current: u32,
    in_initializer: bool,
}

impl<'a, 'o> BodyPrinter<'a, 'o> {
    /// A printer that writes to `out`.
    pub(crate) fn new(body: &'a Body, out: &'a mut Out<'o>, options: &'a PrintOptions) -> Self {
        let mut printer = Self {
            body,
            out,
            options,
            value_ids: vec![NONE; body.value_count()],
            inst_ids: vec![NONE; body.inst_count()],
            block_ids: SecondaryMap::with_len(body.block_count(), NONE),
            current: 0,
            in_initializer: false,
        };
        printer.number();
        printer
    }

    /// Numbers blocks and values in order, as the reference does: an instruction without a
    /// result takes a number too.
    fn number(&mut self) {
        let mut next = 0;
        for (i, &block) in self.body.block_order().iter().enumerate() {
            self.block_ids[block] = i as u32;
            for &arg in self.body.arguments(block) {
                self.value_ids[arg.as_u32() as usize] = next;
                next += 1;
            }
            for inst in self.body.block_insts(block) {
                self.inst_ids[inst.as_u32() as usize] = next;
                let results = self.body.results(inst);
                next += u32::from(results.len() == 0);
                for value in results {
                    self.value_ids[value.as_u32() as usize] = next;
                    next += 1;
                }
            }
        }
    }

    /// Prints all blocks.
    pub(crate) fn blocks(&mut self) {
        for (i, &block) in self.body.block_order().iter().enumerate() {
            if i > 0 {
                self.out.push("\n");
            }
            self.block(block);
        }
    }

    fn block(&mut self, block: Block) {
        self.current = self.block_ids[block];
        let args = self.body.arguments(block);
        for &arg in args {
            if self.body.is_used(arg) {
                self.out.start_line();
                self.out.push("// ");
                self.value_name(arg);
                self.out.pad(COMMENT_COLUMN);
                self.out.push("// ");
                self.users(std::iter::once(arg));
                self.out.push("\n");
            }
        }
        self.out.start_line();
        self.block_name(block);
        if !args.is_empty() {
            self.out.push("(");
            for (i, &arg) in args.iter().enumerate() {
                self.out.push(if i > 0 { ", " } else { "" });
                self.argument(arg);
            }
            self.out.push(")");
        }
        self.out.push(":");
        if self.body.predecessors(block).next().is_some() {
            self.out.pad(COMMENT_COLUMN);
            self.out.push("// Preds:");
            let mut preds: Vec<u32> = self.body.predecessors(block).map(|b| self.block_ids[b]).collect();
            if self.options.sorted {
                preds.sort_unstable();
            }
            for pred in preds {
                self.out.push(" bb");
                self.out.number(pred);
            }
        }
        self.out.push("\n");
        for inst in self.body.block_insts(block) {
            self.inst(inst, "  ");
        }
    }

    fn argument(&mut self, arg: Value) {
        self.value_name(arg);
        self.out.push(" : ");
        let data = self.body.value(arg);
        for (flag, name) in ARG_FLAGS {
            if data.arg_flags.contains(*flag) {
                self.out.push(name);
                self.out.push(" ");
            }
        }
        self.out.push(match data.ownership {
            Ownership::None => "",
            Ownership::Owned => "@owned ",
            Ownership::Guaranteed => "@guaranteed ",
            Ownership::Unowned => "@unowned ",
        });
        self.sil_type(data.ty);
    }

    /// Prints one instruction with its comments.
    fn inst(&mut self, inst: Inst, indent: &str) {
        self.callee_comment(inst, indent);
        self.out.start_line();
        self.out.push(indent);
        let results = self.body.results(inst);
        match results.len() {
            0 if self.body.info(inst).results == Results::Several => self.out.push("() = "),
            0 => {}
            1 => {
                if self.is_initial_value(inst) {
                    self.out.push("%initval");
                } else {
                    results.clone().for_each(|v| self.value_name(v));
                }
                self.out.push(" = ");
            }
            _ => {
                self.out.push("(");
                for (i, v) in results.clone().enumerate() {
                    self.out.push(if i > 0 { ", " } else { "" });
                    self.value_name(v);
                }
                self.out.push(") = ");
            }
        }
        self.inst_text(inst);
        self.location(inst);
        self.comment(inst);
        self.out.push("\n");
    }

    /// Prints `// type-defs: %1; users: %2`, `// id: %3`, or nothing.
    fn comment(&mut self, inst: Inst) {
        let results = self.body.results(inst);
        let is_used = results.clone().any(|v| self.body.is_used(v));
        // The one operand of `witness_method` is there for the type that it looks up.
        let is_lookup = self.body.inst(inst).opcode == silkit_ir::Opcode::WitnessMethod;
        let definitions = if is_lookup { self.body.operands(inst) } else { self.body.type_operands(inst) };
        if results.len() > 0 && !is_used && definitions.is_empty() {
            return;
        }
        self.out.pad(COMMENT_COLUMN);
        self.out.push("// ");
        for (i, definition) in definitions.iter().enumerate() {
            self.out.push(if i == 0 { "type-defs: " } else { ", " });
            self.value_name(definition.value);
        }
        if !definitions.is_empty() && (is_used || results.len() == 0) {
            self.out.push("; ");
        }
        if results.len() == 0 {
            self.out.push("id: %");
            self.out.number(self.inst_ids[inst.as_u32() as usize]);
        } else if is_used {
            self.users(results);
        }
    }

    /// Whether this is the last instruction of a static initializer: its value prints as `%initval`.
    fn is_initial_value(&self, inst: Inst) -> bool {
        self.in_initializer && self.body.next_inst(inst).is_none()
    }

    /// The demangled name before a reference to a function.
    fn callee_comment(&mut self, inst: Inst, indent: &str) {
        use silkit_ir::Opcode as O;
        let opcode = self.body.inst(inst).opcode;
        if !matches!(opcode, O::FunctionRef | O::DynamicFunctionRef | O::PreviousDynamicFunctionRef) {
            return;
        }
        let name = Symbol::from_u32(self.body.words(inst)[0]);
        self.out.push(indent);
        self.out.push("// ");
        self.out.push(opcode.info().name);
        self.out.push(" ");
        self.out.demangled(name);
        self.out.push("\n");
    }

    fn users(&mut self, values: impl Iterator<Item = Value>) {
        let mut ids: Vec<u32> = Vec::new();
        for value in values {
            ids.extend(self.body.users(value).map(|user| self.inst_ids[user.as_u32() as usize]));
        }
        if self.options.sorted {
            ids.sort_unstable();
        }
        self.out.push(if ids.len() == 1 { "user: " } else { "users: " });
        for (i, id) in ids.into_iter().enumerate() {
            self.out.push(if i > 0 { ", %" } else { "%" });
            self.out.number(id);
        }
    }

    /// Prints the name and the form of an instruction.
    pub(super) fn inst_text(&mut self, inst: Inst) {
        let info = self.body.info(inst);
        self.out.push(info.name);
        let before = self.out.len();
        self.out.push(" ");
        for &piece in info.form {
            self.piece(inst, info, piece);
        }
        self.out.trim_space(before);
    }

    fn piece(&mut self, inst: Inst, info: &'static InstInfo, piece: Piece) {
        let words = self.body.words(inst);
        match piece {
            Piece::Text(text) => self.out.push(text),
            Piece::Flag(bit) => {
                if self.body.inst(inst).flags & (1 << bit) != 0 {
                    self.bracketed(info.flags[bit as usize]);
                }
            }
            Piece::Choice { attr, bracketed } => {
                let AttrKind::Choice(options, _) = info.attrs[attr as usize].kind else { return };
                if let Some(option) = options.get(words[attr as usize] as usize) {
                    if bracketed { self.bracketed(option) } else { self.out.push(option) }
                }
            }
            Piece::Operand(spec) => self.operand_of(inst, spec as usize, false),
            Piece::TypedOperand(spec) => self.operand_of(inst, spec as usize, true),
            Piece::BareOperand(spec) => {
                let range = self.body.operand_range(inst, spec as usize);
                self.bare_operand(self.body.operand_value(inst, range.start));
            }
            Piece::Operands(spec) => self.operand_list(inst, spec as usize),
            Piece::Attr(attr) => self.attribute(info.attrs[attr as usize].kind, words[attr as usize]),
            Piece::Target(attr, args) => {
                self.block_name(Block::from_u32(words[attr as usize]));
                if args != 255 && !self.body.operand_range(inst, args as usize).is_empty() {
                    self.out.push("(");
                    self.operand_list(inst, args as usize);
                    self.out.push(")");
                }
            }
            Piece::OptOperand(text, spec, typed) => {
                if !self.body.operand_range(inst, spec as usize).is_empty() {
                    self.out.push(text);
                    self.operand_of(inst, spec as usize, typed);
                }
            }
            Piece::OptTarget(text, attr) => {
                if words[attr as usize] != NONE {
                    self.out.push(text);
                    self.block_name(Block::from_u32(words[attr as usize]));
                }
            }
            Piece::Custom(custom, attr, spec) => self.custom(inst, custom, attr as usize, spec as usize),
        }
    }

    fn bracketed(&mut self, word: &str) {
        self.out.push("[");
        self.out.push(word);
        self.out.push("] ");
    }

    fn attribute(&mut self, kind: AttrKind, word: u32) {
        match kind {
            AttrKind::U32 => self.out.number(word),
            AttrKind::Sym => self.out.push(Symbol::from_u32(word).as_str()),
            AttrKind::Str => self.quoted(word),
            AttrKind::SilType => self.sil_type(SilType::from_u32(word)),
            AttrKind::Type => self.out.ty(Type::from_u32(word)),
            AttrKind::Decl => self.decl(word),
            AttrKind::Function | AttrKind::Global => self.out.global_name(Symbol::from_u32(word)),
            _ => {}
        }
    }

    pub(super) fn decl(&mut self, word: u32) {
        self.out.display(DeclRef::from_u32(word));
    }

    pub(super) fn quoted(&mut self, word: u32) {
        self.out.push("\"");
        self.out.push(Symbol::from_u32(word).as_str());
        self.out.push("\"");
    }

    pub(super) fn sil_type(&mut self, ty: SilType) {
        self.out.sil_type(ty);
    }

    /// Prints the operand of a specification that stands for one.
    pub(super) fn operand_of(&mut self, inst: Inst, spec: usize, always_typed: bool) {
        let range = self.body.operand_range(inst, spec);
        if let Some(operand) = self.body.operands(inst).get(range.start) {
            self.operand(operand.value, always_typed);
        }
    }

    pub(super) fn operand_list(&mut self, inst: Inst, spec: usize) {
        for (i, index) in self.body.operand_range(inst, spec).enumerate() {
            self.out.push(if i > 0 { ", " } else { "" });
            self.operand(self.body.operand_value(inst, index), false);
        }
    }

    /// Prints a use of a value: with its type where types are asked for, where it is `undef`, or
    /// where its block is not printed yet.
    pub(super) fn operand(&mut self, value: Value, always_typed: bool) {
        let typed = always_typed
            || self.options.types
            || match self.body.def(value) {
                ValueDef::Undef => true,
                ValueDef::Argument(block, _) => self.block_ids[block] > self.current,
                ValueDef::Result(inst, _) => self.block_ids[self.body.inst(inst).block] > self.current,
                ValueDef::Pending => true,
            };
        self.value_name(value);
        if typed {
            self.out.push(" : ");
            self.sil_type(self.body.value(value).ty);
        }
    }

    /// Prints `%3` or `undef`.
    pub(super) fn value_name(&mut self, value: Value) {
        match self.value_ids[value.as_u32() as usize] {
            NONE => self.out.push("undef"),
            id => {
                self.out.push("%");
                self.out.number(id);
            }
        }
    }

    pub(super) fn block_name(&mut self, block: Block) {
        self.out.push("bb");
        self.out.number(self.block_ids[block]);
    }

    fn location(&mut self, inst: Inst) {
        if let Some(ownership) = self.body.inst(inst).forwarding {
            self.out.push(match ownership {
                Ownership::None => ", forwarding: @none",
                Ownership::Owned => ", forwarding: @owned",
                Ownership::Guaranteed => ", forwarding: @guaranteed",
                Ownership::Unowned => ", forwarding: @unowned",
            });
        }
        let Some(loc) = self.body.loc(self.body.inst(inst).loc) else { return };
        if !self.options.debug_info && !self.options.keep_locations {
            return;
        }
        if let Some(source) = loc.source {
            self.out.push(", loc ");
            self.out.source_loc(source);
        }
        if loc.scope != NONE {
            self.out.push(", scope ");
            self.out.number(loc.scope);
        }
    }

    /// Prints the instructions of a static initializer.
    pub(crate) fn initializer(&mut self) {
        self.in_initializer = true;
        for &block in self.body.block_order() {
            for inst in self.body.block_insts(block) {
                self.inst(inst, "  ");
            }
        }
    }
}
