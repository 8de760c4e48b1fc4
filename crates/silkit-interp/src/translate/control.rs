//! Terminators and failures.

use super::Translator;
use crate::op::{NO_PC, Op};
use crate::sites::{Branch, Move, SwitchTable, YieldSite};
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{Branch as Br, CondBranch, CondFail, SwitchValue, Values, Yield};
use silkit_ir::{Block, Body, Value};

impl Translator<'_, '_> {
    /// Returns the copies that pass values to the arguments of a block.
    pub(super) fn pass(&mut self, body: &Body, values: Values<'_>, target: Block) -> Run<Vec<Move>> {
        let arguments = body.arguments(target).to_vec();
        let mut moves = Vec::with_capacity(arguments.len());
        for (value, argument) in values.iter().zip(arguments) {
            let from = self.use_value(body, value)?;
            let (ty, is_address) = match self.type_of(body, argument) {
                Ok(found) => found,
                Err(_) => self.type_of(body, value)?,
            };
            let to = self.define(body, argument, ty, is_address)?;
            let len = if is_address { 8 } else { self.size(ty)? };
            moves.push(Move { from, to, len });
        }
        Ok(moves)
    }

    pub(super) fn branch(&mut self, body: &Body, i: Br<'_>) -> Run<()> {
        let moves = self.pass(body, i.args, i.target)?;
        self.is_open = false;
        self.go_to(i.target, moves);
        Ok(())
    }

    pub(super) fn cond_branch(&mut self, body: &Body, i: CondBranch<'_>) -> Run<()> {
        self.require_defined(body, i.condition);
        let condition = self.use_value(body, i.condition)?;
        let if_true = self.pass(body, i.true_args, i.true_target)?;
        let if_false = self.pass(body, i.false_args, i.false_target)?;
        self.is_open = false;
        let at = self.emit(Op::JumpIf { condition, then: NO_PC, otherwise: NO_PC });
        let yes = self.way_to(i.true_target, if_true, at, Branch::First);
        let no = self.way_to(i.false_target, if_false, at, Branch::Second);
        if let Op::JumpIf { then, otherwise, .. } = &mut self.it.code[at as usize] {
            (*then, *otherwise) = (yes, no);
        }
        Ok(())
    }

    pub(super) fn switch_value(&mut self, body: &Body, i: SwitchValue<'_>) -> Run<()> {
        self.require_defined(body, i.operand);
        let value = self.use_value(body, i.operand)?;
        let len = self.len_of(body, i.operand)?;
        let ty = self.object_type(body, i.operand)?;
        let mut values = Vec::new();
        for constant in i.values.iter() {
            values.push(self.use_value(body, constant)?);
        }
        self.is_open = false;
        let count = values.len();
        self.it.sites.switches.push(SwitchTable {
            ty,
            values,
            targets: vec![NO_PC; count],
            default: NO_PC,
            len,
        });
        let table = self.it.sites.switches.len() as u32 - 1;
        let at = self.emit(Op::Switch { table, value });
        for (number, target) in i.targets.iter().enumerate() {
            let pc = self.way_to(target, Vec::new(), at, Branch::Table(table, number));
            self.it.sites.switches[table as usize].targets[number] = pc;
        }
        if let Some(target) = i.default_target {
            let pc = self.way_to(target, Vec::new(), at, Branch::Table(table, usize::MAX));
            self.it.sites.switches[table as usize].default = pc;
        }
        Ok(())
    }

    pub(super) fn return_value(&mut self, body: &Body, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let len = self.len_of(body, operand)?;
        self.is_open = false;
        self.emit(Op::Return { from, len });
        Ok(())
    }

    pub(super) fn throw(&mut self, body: &Body, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let len = self.len_of(body, operand)?;
        self.is_open = false;
        self.emit(Op::Throw { from, len });
        Ok(())
    }

    /// Throws an error that was already written to the error address.
    pub(super) fn throw_addr(&mut self) -> Run<()> {
        self.is_open = false;
        self.emit(Op::Throw { from: 0, len: 0 });
        Ok(())
    }

    pub(super) fn unwind(&mut self) -> Run<()> {
        self.is_open = false;
        self.emit(Op::Unwind);
        Ok(())
    }

    pub(super) fn unreachable(&mut self) -> Run<()> {
        self.is_open = false;
        self.emit(Op::Unreachable);
        Ok(())
    }

    pub(super) fn cond_fail(&mut self, body: &Body, i: CondFail) -> Run<()> {
        self.require_defined(body, i.condition);
        let condition = self.use_value(body, i.condition)?;
        let message = i.message.map_or("a condition failed", |m| m.as_str());
        let message = self.text(message);
        self.emit(Op::CondFail { condition, message });
        Ok(())
    }

    pub(super) fn yield_values(&mut self, body: &Body, i: Yield<'_>) -> Run<()> {
        let mut values = Vec::new();
        for value in i.operands.iter() {
            let slot = self.use_value(body, value)?;
            values.push((slot, self.len_of(body, value)?));
        }
        self.is_open = false;
        self.it.sites.yields.push(YieldSite { values: values.into(), resume: NO_PC, unwind: NO_PC });
        let site = self.it.sites.yields.len() as u32 - 1;
        let at = self.emit(Op::Yield { site });
        let resume = self.way_to(i.resume, Vec::new(), at, Branch::First);
        let unwind = self.way_to(i.unwind, Vec::new(), at, Branch::Second);
        let site = &mut self.it.sites.yields[site as usize];
        (site.resume, site.unwind) = (resume, unwind);
        Ok(())
    }

    pub(super) fn linear(&mut self, body: &Body, inst: silkit_ir::Inst) -> Run<()> {
        unsupported(format!("`{}`", body.info(inst).name))
    }
}
