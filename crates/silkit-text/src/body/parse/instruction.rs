//! One instruction of a body: its pieces in order, results and location.

use super::BodyParser;
use crate::error::{Parse, err_at, err_here};
use silkit_ir::info::{Arity, AttrKind, Results};
use silkit_ir::{Block, Inst, Loc, LocData, NONE, NewInst, Opcode, Ownership};
use silkit_types::SilType;

impl<'a, 'e> BodyParser<'a, 'e> {
    pub(super) fn instruction(&mut self, block: Block, opcode: Opcode, start: usize) -> Parse<()> {
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
        // Operands are stored in the order of their specifications, regardless of text order.
        if !self.inst.operands.is_sorted_by_key(|&(spec, _)| spec) {
            self.inst.operands.sort_by_key(|&(spec, _)| spec);
        }
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
        self.unknown_results(opcode, self.line_names.len());
        let parts = &self.inst;
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
        self.infer(inst);
        self.bind_results(inst, opcode, start)
    }

    /// Binds the result names on the line to the results of an instruction.
    pub(super) fn bind_results(&mut self, inst: Inst, opcode: Opcode, start: usize) -> Parse<()> {
        let results = self.body.results(inst);
        let named = self.line_names.len();
        if named > results.len() {
            let name = opcode.info().name;
            let message = format!("`{name}` has {} results, but {named} are named", results.len());
            return Err(err_at(start, self.cur.pos(), message));
        }
        for (index, value) in results.take(named).enumerate() {
            let (name, at) = self.line_names[index];
            self.define(name, at, value)?;
        }
        Ok(())
    }

    /// Adds the results of an instruction with unknown types. The text gives their number if there are several; the
    /// types are inferred once the instruction exists.
    pub(super) fn unknown_results(&mut self, opcode: Opcode, named: usize) {
        let count = match opcode.info().results {
            Results::One => 1,
            Results::Several => named,
            Results::None | Results::Terminator => 0,
        };
        self.inst.results.clear();
        self.inst.results.resize(count, SilType::unknown());
    }

    /// Checks that every required attribute is present.
    pub(super) fn check_attributes(&self, opcode: Opcode, start: usize) -> Parse<()> {
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

    /// Parses `: @owned` after `forwarding`.
    pub(super) fn forwarding(&mut self) -> Parse<Ownership> {
        self.text(": @")?;
        match self.cur.ident() {
            Some("owned") => Ok(Ownership::Owned),
            Some("guaranteed") => Ok(Ownership::Guaranteed),
            Some("unowned") => Ok(Ownership::Unowned),
            Some("none") => Ok(Ownership::None),
            _ => Err(err_here(&self.cur, "expected `owned`, `guaranteed`, `unowned` or `none`")),
        }
    }

    /// Parses `, forwarding: @owned, loc "f":1:2, scope 3`.
    pub(super) fn location(&mut self) -> Parse<Loc> {
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
