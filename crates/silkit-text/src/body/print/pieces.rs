//! Printing of an instruction, piece by piece as the instruction table declares its text form.

use super::BodyPrinter;
use silkit_base::Symbol;
use silkit_ir::info::{AttrKind, Piece, Typed};
use silkit_ir::{Block, DeclRef, Inst, InstInfo, NONE, Value, ValueDef};
use silkit_types::{SilType, Type};

impl<'a, 'o> BodyPrinter<'a, 'o> {
    /// Prints the name and the form of an instruction.
    pub(in crate::body) fn inst_text(&mut self, inst: Inst) {
        let info = self.body.info(inst);
        self.out.push(info.spelling);
        let before = self.out.len();
        self.out.push(" ");
        for &piece in info.form {
            self.piece(inst, info, piece);
        }
        self.out.trim_space(before);
    }

    pub(super) fn piece(&mut self, inst: Inst, info: &'static InstInfo, piece: Piece) {
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
            Piece::BareOperand(spec) => self.bare_operand_of(inst, spec as usize),
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
                    match typed {
                        Typed::Never => self.bare_operand_of(inst, spec as usize),
                        _ => self.operand_of(inst, spec as usize, typed == Typed::Always),
                    }
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

    pub(super) fn bracketed(&mut self, word: &str) {
        self.out.push("[");
        self.out.push(word);
        self.out.push("] ");
    }

    pub(super) fn attribute(&mut self, kind: AttrKind, word: u32) {
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

    pub(in crate::body) fn decl(&mut self, word: u32) {
        self.out.decl(DeclRef::from_u32(word));
    }

    pub(in crate::body) fn quoted(&mut self, word: u32) {
        self.out.push("\"");
        self.out.push(Symbol::from_u32(word).as_str());
        self.out.push("\"");
    }

    pub(in crate::body) fn sil_type(&mut self, ty: SilType) {
        self.out.sil_type(ty);
    }

    pub(super) fn bare_operand_of(&mut self, inst: Inst, spec: usize) {
        let range = self.body.operand_range(inst, spec);
        self.bare_operand(self.body.operand_value(inst, range.start));
    }

    /// Prints the operand of a specification with a single operand.
    pub(in crate::body) fn operand_of(&mut self, inst: Inst, spec: usize, always_typed: bool) {
        let range = self.body.operand_range(inst, spec);
        if let Some(operand) = self.body.operands(inst).get(range.start) {
            self.operand(operand.value, always_typed);
        }
    }

    pub(in crate::body) fn operand_list(&mut self, inst: Inst, spec: usize) {
        for (i, index) in self.body.operand_range(inst, spec).enumerate() {
            self.out.push(if i > 0 { ", " } else { "" });
            self.operand(self.body.operand_value(inst, index), false);
        }
    }

    /// Prints a use of a value. The type is printed if types are requested, for `undef`, or if the definition has not
    /// been printed yet.
    pub(in crate::body) fn operand(&mut self, value: Value, always_typed: bool) {
        let typed = always_typed
            || self.options.types
            || match self.body.def(value) {
                ValueDef::Undef => true,
                ValueDef::Argument(block, _) => self.numbers.block(block) > self.current,
                ValueDef::Result(inst, _) => self.numbers.block(self.body.inst_block(inst)) > self.current,
                ValueDef::Pending => true,
            };
        self.value_name(value);
        if typed {
            self.out.push(" : ");
            self.sil_type(self.body.value(value).ty);
        }
    }

    /// Prints `%3` or `undef`.
    pub(in crate::body) fn value_name(&mut self, value: Value) {
        match self.numbers.value(value) {
            NONE => self.out.push("undef"),
            id => {
                self.out.push("%");
                self.out.number(id);
            }
        }
    }

    pub(in crate::body) fn block_name(&mut self, block: Block) {
        self.out.push("bb");
        self.out.number(self.numbers.block(block));
    }
}
