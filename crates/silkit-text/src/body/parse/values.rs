//! Uses and definitions of values and blocks in the text of a body.

use super::BodyParser;
use super::result_types::is_respelled;
use crate::error::{Parse, err_at, err_here};
use crate::source_map::StatedType;
use crate::types::parse_sil_type;
use silkit_ir::{Block, Opcode, Value};
use silkit_types::SilType;

impl<'a, 'e> BodyParser<'a, 'e> {
    /// Parses `%name`. Returns the name without `%` and its offset.
    pub(in crate::body) fn value_name(&mut self) -> Parse<(&'a str, usize)> {
        if self.cur.peek() != b'%' {
            return Err(err_here(&self.cur, "expected a value such as `%0`"));
        }
        let start = self.cur.pos();
        match self.cur.value_name() {
            Some(name) => Ok((name, start)),
            None => Err(err_here(&self.cur, "expected a name or number after `%`")),
        }
    }

    pub(super) fn define(&mut self, name: &'a str, at: usize, value: Value) -> Parse<()> {
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

    /// Parses a use of a value with an optional type; that of `undef` is not optional.
    pub(in crate::body) fn use_value(&mut self) -> Parse<Value> {
        let before = self.cur.pos();
        if self.cur.peek() != b'%' && self.cur.eat_word("undef") {
            if self.cur.peek() != b':' {
                return Err(err_here(&self.cur, "expected `:` and the type of `undef`"));
            }
            self.cur.set_pos(before);
        }
        self.use_value_or_undef()
    }

    /// Parses a use of a value with an optional type, where that of `undef` follows from the instruction.
    pub(in crate::body) fn use_value_or_undef(&mut self) -> Parse<Value> {
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

    /// Parses a use of a value without a type.
    pub(in crate::body) fn use_bare_value(&mut self) -> Parse<Value> {
        if self.cur.peek() != b'%' && self.cur.eat_word("undef") {
            return Ok(self.body.undef(SilType::unknown()));
        }
        let (name, at) = self.value_name()?;
        if let Some(value) = self.values.get(name) {
            return Ok(value);
        }
        let value = self.body.pending(SilType::unknown());
        self.values.insert(name, value);
        self.pending.push((name, at));
        Ok(value)
    }

    pub(super) fn type_after_colon(&mut self) -> Parse<Option<SilType>> {
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

    /// Returns the type of the first operand of the current instruction.
    pub(in crate::body) fn first_operand_type(&self) -> Option<SilType> {
        self.inst.operands.first().map(|&(_, value)| self.body.value(value).ty)
    }

    /// Returns true if the type of the first operand is spelled at its definition or at the address that it is loaded
    /// from.
    pub(in crate::body) fn first_operand_is_spelled(&self) -> bool {
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
    pub(in crate::body) fn push_operand(&mut self, spec: u8, value: Value) {
        self.inst.operands.push((spec, value));
    }

    /// Parses `%a, %b` up to another token.
    pub(in crate::body) fn operand_list(&mut self, spec: u8, close: &str) -> Parse<()> {
        self.operands_until(spec, close, false)
    }

    /// Parses `%a, %b` up to another token. `is_typed` tells whether the types follow from the instruction.
    pub(in crate::body) fn operands_until(&mut self, spec: u8, close: &str, is_typed: bool) -> Parse<()> {
        while !self.cur.looking_at(close) {
            let value = if is_typed { self.use_value_or_undef()? } else { self.use_value()? };
            self.push_operand(spec, value);
            let before = self.cur.pos();
            if !self.cur.eat(",") {
                break;
            }
            // A list without brackets ends before the location, and no list ends with a comma.
            if matches!(self.cur.peek_word(), Some("loc" | "scope")) || self.cur.looking_at(close) {
                self.cur.set_pos(before);
                break;
            }
        }
        Ok(())
    }

    /// Parses the name of a block.
    pub(in crate::body) fn block_name(&mut self) -> Parse<Block> {
        self.cur.skip_trivia();
        let at = self.cur.pos();
        let name = self.cur.ident().ok_or_else(|| err_here(&self.cur, "expected a block such as `bb1`"))?;
        if let Some((block, _)) = self.blocks.get(name) {
            return Ok(block);
        }
        let block = self.body.new_block();
        self.blocks.insert(name, (block, false));
        self.pending_blocks.push((name, at));
        Ok(block)
    }
}
