//! Irregular pieces of aggregates and branches: objects, tuples, yields and lists of cases.

use crate::body::parse::BodyParser;
use crate::body::print::BodyPrinter;
use crate::error::Parse;
use silkit_ir::info::CustomPiece as C;
use silkit_ir::{Block, Inst, NONE};
use silkit_types::{SilType, Type, TypeKind};

impl BodyParser<'_, '_> {
    pub(super) fn custom_aggregate(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
        match piece {
            C::Object => {
                let mut base = 0;
                let mut in_tail = false;
                while !self.cur.looking_at(")") {
                    if self.cur.eat("[") {
                        self.text("tail_elems]")?;
                        in_tail = true;
                        if self.cur.looking_at(")") {
                            break;
                        }
                    }
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                    base += u32::from(!in_tail);
                    if !self.cur.eat(",") {
                        break;
                    }
                }
                self.inst.words[attr] = if in_tail { base } else { NONE };
            }
            C::Tuple => {
                let ty = if self.cur.peek() == b'$' { Some(self.sil_type()?) } else { None };
                self.text("(")?;
                self.operands_until(spec, ")", ty.is_some())?;
                self.text(")")?;
                if let Some(ty) = ty.filter(|&ty| self.needs_tuple_type(ty)) {
                    self.inst.words[attr] = ty.as_u32();
                }
            }
            C::Yields => {
                if self.cur.eat("(") {
                    self.operand_list(spec, ")")?;
                    self.text(")")?;
                } else {
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                }
            }
            C::Select => {
                let mut cases = Vec::new();
                while self.cur.eat(",") {
                    if self.cur.eat_word("default") {
                        cases.push(NONE);
                    } else {
                        self.text("case")?;
                        cases.push(self.enum_case()?);
                        self.text(":")?;
                    }
                    // A type that follows is the type of the result.
                    let value = self.use_bare_value()?;
                    self.push_operand(spec, value);
                }
                self.inst.words[attr] = self.body.new_list(&cases);
            }
            C::Cases => {
                let mut cases = Vec::new();
                while self.cur.looking_at(",") && self.case_follows() {
                    if self.cur.eat_word("default") {
                        self.inst.words[attr + 1] = self.block_name()?.as_u32();
                        break;
                    }
                    self.text("case")?;
                    cases.push(self.enum_case()?);
                    self.text(":")?;
                    cases.push(self.block_name()?.as_u32());
                }
                self.inst.words[attr] = self.body.new_list(&cases);
            }
            C::ValueCases => {
                let mut targets = Vec::new();
                while self.cur.looking_at(",") && self.case_follows() {
                    if self.cur.eat_word("default") {
                        self.inst.words[attr + 1] = self.block_name()?.as_u32();
                        break;
                    }
                    self.text("case")?;
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                    self.text(":")?;
                    targets.push(self.block_name()?.as_u32());
                }
                self.inst.words[attr] = self.body.new_list(&targets);
            }
            _ => self.custom_call(piece, attr, spec)?,
        }
        Ok(())
    }

    /// Consumes a `,` only if a case or the default follows it.
    pub(super) fn case_follows(&mut self) -> bool {
        let before = self.cur.pos();
        self.cur.eat(",");
        let follows = matches!(self.cur.peek_word(), Some("case" | "default"));
        if !follows {
            self.cur.set_pos(before);
        }
        follows
    }

    /// Returns true if the written type of a tuple does not follow from its elements: it has labels, or other types,
    /// which the verifier reports.
    fn needs_tuple_type(&self, ty: SilType) -> bool {
        let given: Vec<SilType> =
            self.inst.operands.iter().map(|&(_, value)| self.body.value(value).ty).collect();
        let is_other = |(wanted, given): (Type, &SilType)| !given.is_unknown() && given.ty() != wanted;
        match ty.ty().kind() {
            TypeKind::Tuple(elements) => {
                elements.iter().any(|e| e.label.is_some())
                    || elements.len() != given.len()
                    || elements.iter().map(|e| e.ty).zip(&given).any(is_other)
            }
            TypeKind::Unknown => false,
            _ => given.len() == 1 && is_other((ty.ty(), &given[0])),
        }
    }
}

impl BodyPrinter<'_, '_> {
    pub(super) fn custom_aggregate(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
        let body = self.body;
        let word = body.words(inst).get(attr).copied().unwrap_or(NONE);
        match piece {
            C::Object => {
                let range = body.operand_range(inst, spec);
                for (i, index) in range.clone().enumerate() {
                    self.out.push(if i > 0 { ", " } else { "" });
                    self.out.push(if i as u32 == word { "[tail_elems] " } else { "" });
                    self.operand(body.operand_value(inst, index), false);
                }
                if range.len() as u32 == word {
                    self.out.push(if range.is_empty() { "[tail_elems] " } else { ", [tail_elems] " });
                }
            }
            C::Tuple => {
                if word != NONE {
                    self.sil_type(SilType::from_u32(word));
                    self.out.push(" ");
                }
                self.out.push("(");
                if word == NONE {
                    self.operand_list(inst, spec);
                } else {
                    self.bare_operands(inst, spec);
                }
                self.out.push(")");
            }
            C::Yields => {
                let parens = body.operand_range(inst, spec).len() != 1;
                self.out.push(if parens { "(" } else { "" });
                self.operand_list(inst, spec);
                self.out.push(if parens { ")" } else { "" });
            }
            C::Select => {
                let range = body.operand_range(inst, spec);
                for (&case, index) in body.list(word).iter().zip(range) {
                    if case == NONE {
                        self.out.push(", default ");
                    } else {
                        self.out.push(", case ");
                        self.decl(case);
                        self.out.push(": ");
                    }
                    self.value_name(body.operand_value(inst, index));
                }
            }
            C::Cases => {
                for case in body.list(word).chunks_exact(2) {
                    self.out.push(", case ");
                    self.decl(case[0]);
                    self.out.push(": ");
                    self.block_name(Block::from_u32(case[1]));
                }
                self.default_block(body.words(inst)[attr + 1]);
            }
            C::ValueCases => {
                let range = body.operand_range(inst, spec);
                for (&target, index) in body.list(word).iter().zip(range) {
                    self.out.push(", case ");
                    self.bare_operand(body.operand_value(inst, index));
                    self.out.push(": ");
                    self.block_name(Block::from_u32(target));
                }
                self.default_block(body.words(inst)[attr + 1]);
            }
            _ => self.custom_call(inst, piece, attr, spec),
        }
    }

    pub(super) fn default_block(&mut self, word: u32) {
        if word != NONE {
            self.out.push(", default ");
            self.block_name(Block::from_u32(word));
        }
    }
}
