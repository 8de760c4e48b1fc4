//! The irregular pieces of text forms: the parse and print functions of each piece.

mod aggregate;
mod call;
mod differentiable;

use super::parse::BodyParser;
use super::print::BodyPrinter;
use crate::error::{Parse, err_here};
use crate::types::parse_type;
use silkit_base::Symbol;
use silkit_ir::info::CustomPiece as C;
use silkit_ir::{Body, DeclRef, Inst, NONE};
use silkit_types::{SilType, Type};

impl BodyParser<'_, '_> {
    /// Parses an irregular piece, given its first attribute and operand specification.
    pub(super) fn custom(&mut self, piece: C, attr: usize, spec: u8) -> Parse<()> {
        match piece {
            C::Var => self.inst.words[attr] = self.debug_var()?,
            C::CastTarget => {
                let target = match self.cur.eat_word("in") {
                    true => self.use_value()?,
                    false => {
                        let ty = Type::from_u32(self.inst.words[attr - 1]);
                        self.body.undef(SilType::address(ty))
                    }
                };
                self.push_operand(spec, target);
            }
            C::TailElems => self.tail_elems(attr, spec)?,
            C::Formal => {
                if self.cur.peek() == b':' {
                    let before = self.cur.pos();
                    self.cur.eat(":");
                    if self.cur.peek() == b'$' {
                        self.cur.set_pos(before);
                    } else {
                        self.inst.words[attr] = parse_type(&mut self.cur, self.env, false)?.as_u32();
                    }
                }
            }
            C::Counts => {
                let mut counts = [NONE, NONE];
                loop {
                    let before = self.cur.pos();
                    self.cur.eat(",");
                    if !self.cur.eat("!") {
                        self.cur.set_pos(before);
                        break;
                    }
                    let word = self.cur.ident().unwrap_or_default();
                    self.text("(")?;
                    let count = self.integer_symbol()?.as_u32();
                    self.text(")")?;
                    match word {
                        "true_count" | "normal_count" => counts[0] = count,
                        "false_count" | "error_count" => counts[1] = count,
                        _ => return Err(err_here(&self.cur, "expected `!true_count` or `!false_count`")),
                    }
                }
                if counts != [NONE, NONE] {
                    self.inst.words[attr] = self.body.new_list(&counts);
                }
            }
            C::Isolation => {
                for (i, key) in ["callee_isolation", "caller_isolation"].into_iter().enumerate() {
                    let before = self.cur.pos();
                    if self.cur.eat("[") && self.cur.eat_word(key) && self.cur.eat("=") {
                        let word = self
                            .cur
                            .ident()
                            .ok_or_else(|| err_here(&self.cur, "expected an isolation kind"))?;
                        self.inst.words[attr + i] = crate::symbols::symbol(word).as_u32();
                        self.text("]")?;
                    } else {
                        self.cur.set_pos(before);
                    }
                }
            }
            C::Assigned => {
                let mut assigned = Vec::new();
                loop {
                    let before = self.cur.pos();
                    if !(self.cur.eat("[") && self.cur.eat_word("assign") && self.cur.eat("=")) {
                        self.cur.set_pos(before);
                        break;
                    }
                    assigned.push(self.number()?);
                    self.text("]")?;
                }
                self.inst.words[attr] = self.body.new_list(&assigned);
            }
            C::SelfOrType => {
                if !self.cur.eat_word("local") {
                    self.text("self")?;
                }
                if self.cur.peek() == b'$' {
                    self.inst.words[attr] = self.sil_type()?.as_u32();
                } else {
                    let value = self.use_value()?;
                    self.push_operand(spec, value);
                }
            }
            _ => self.custom_aggregate(piece, attr, spec)?,
        }
        Ok(())
    }

    fn tail_elems(&mut self, attr: usize, spec: u8) -> Parse<()> {
        let mut types = Vec::new();
        loop {
            let before = self.cur.pos();
            if !(self.cur.eat("[") && self.cur.eat_word("tail_elems")) {
                self.cur.set_pos(before);
                break;
            }
            types.push(self.sil_type()?.as_u32());
            self.text("*")?;
            let count = self.use_value()?;
            self.push_operand(spec, count);
            self.text("]")?;
        }
        self.inst.words[attr] = if types.is_empty() { NONE } else { self.body.new_list(&types) };
        Ok(())
    }
}

/// Returns true if the property of `assign_or_init` is a local variable: a name without a type before it.
pub(crate) fn is_local(body: &Body, inst: Inst) -> bool {
    let property = body.word(inst, "property").map(|word| DeclRef::from_u32(word).data());
    property.is_some_and(|property| property.path.len() == 1)
}

impl BodyPrinter<'_, '_> {
    /// Prints an irregular piece, given its first attribute and operand specification.
    pub(super) fn custom(&mut self, inst: Inst, piece: C, attr: usize, spec: usize) {
        let body = self.body;
        let word = body.words(inst).get(attr).copied().unwrap_or(NONE);
        match piece {
            C::Var => self.debug_var(word),
            C::CastTarget => {
                if body.keyword(inst, "consumption") != Some("test_only") {
                    self.out.push(" in ");
                    self.operand_of(inst, spec, false);
                }
            }
            C::TailElems => {
                let range = body.operand_range(inst, spec);
                for (&ty, index) in body.list(word).iter().zip(range) {
                    self.out.push("[tail_elems ");
                    self.sil_type(SilType::from_u32(ty));
                    self.out.push(" * ");
                    self.operand(body.operand_value(inst, index), false);
                    self.out.push("] ");
                }
            }
            C::Formal => {
                if word != NONE {
                    self.out.push(" : ");
                    self.out.ty(Type::from_u32(word));
                }
            }
            C::Counts => {
                let names = if body.inst(inst).opcode == silkit_ir::Opcode::TryApply {
                    [", !normal_count(", ", !error_count("]
                } else {
                    [" !true_count(", " !false_count("]
                };
                for (&count, name) in body.list(word).iter().zip(names) {
                    if count != NONE {
                        self.out.push(name);
                        self.out.push(Symbol::from_u32(count).as_str());
                        self.out.push(")");
                    }
                }
            }
            C::Align => {
                if let Some(bytes) = silkit_ir::Body::symbol(word) {
                    self.out.push("[align=");
                    self.out.push(bytes.as_str());
                    self.out.push("] ");
                }
            }
            C::Isolation => {
                for (i, key) in ["[callee_isolation=", "[caller_isolation="].into_iter().enumerate() {
                    if let Some(isolation) = silkit_ir::Body::symbol(body.words(inst)[attr + i]) {
                        self.out.push(key);
                        self.out.push(isolation.as_str());
                        self.out.push("] ");
                    }
                }
            }
            C::Assigned => {
                for &index in body.list(word) {
                    self.out.push("[assign=");
                    self.out.number(index);
                    self.out.push("] ");
                }
            }
            C::SelfOrType => {
                if word == NONE {
                    self.out.push(if is_local(body, inst) { "local " } else { "self " });
                    self.operand_of(inst, spec, false);
                } else {
                    self.out.push("self ");
                    self.sil_type(SilType::from_u32(word));
                }
            }
            _ => self.custom_aggregate(inst, piece, attr, spec),
        }
    }
}
