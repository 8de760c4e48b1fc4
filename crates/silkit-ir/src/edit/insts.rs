//! Editing of instructions, their operands and their attributes.

use super::{Editor, Point};
use crate::body::Changes;
use crate::body::{Body, Inst, Loc, NewInst, Operand, OperandData, Ownership, Value};
use crate::generated::Opcode;
use crate::info::{Arity, AttrKind, Results};
use silkit_types::SilType;

impl Editor<'_> {
    /// Inserts a new instruction at a point.
    ///
    /// # Panics
    /// Panics if the attribute words do not match the table, or if an instruction would come after a terminator.
    pub fn insert(&mut self, point: Point, new: &NewInst<'_>) -> Inst {
        let inst = self.body.make_inst(new);
        self.link(inst, point);
        self.touch(inst);
        inst
    }

    /// Moves an instruction, with its uses and results, to another point.
    ///
    /// # Panics
    /// Panics if the point is the instruction itself.
    pub fn move_inst(&mut self, inst: Inst, point: Point) {
        assert!(
            point != Point::Before(inst) && point != Point::After(inst),
            "invariant: an instruction moves elsewhere"
        );
        self.record_change(inst);
        self.body.unlink_inst(inst);
        self.link(inst, point);
    }

    pub(super) fn link(&mut self, inst: Inst, point: Point) {
        let next = match point {
            Point::Before(next) => Some(next),
            Point::After(prev) => self.body.next_inst(prev),
            Point::Start(block) => self.body.first_inst(block),
            Point::End(_) => None,
        };
        let block = self.body.point_block(point);
        match next {
            Some(next) => {
                assert!(
                    !self.body.insts[inst].opcode.is_terminator(),
                    "invariant: a terminator stands at the end of its block"
                );
                self.body.link_inst_before(inst, next);
            }
            None => {
                assert!(
                    self.body.terminator(block).is_none(),
                    "invariant: nothing stands after a terminator"
                );
                self.body.link_inst_last(inst, block);
            }
        }
    }

    /// Removes an instruction.
    ///
    /// # Panics
    /// Panics if one of its results is used.
    pub fn remove(&mut self, inst: Inst) {
        assert!(
            !self.body.results(inst).any(|v| self.body.is_used(v)),
            "invariant: a removed instruction has no uses"
        );
        self.record_change(inst);
        self.drop_operands(inst);
        self.body.unlink_inst(inst);
    }

    /// Removes an instruction and replaces the uses of its only result by [`Self::replacement`].
    pub fn replace(&mut self, inst: Inst, value: Value) {
        let results = self.body.results(inst);
        assert_eq!(results.len(), 1, "invariant: one value replaces one result");
        for result in results {
            let value = self.replacement(result, value);
            self.replace_all_uses(result, value);
        }
        self.remove(inst);
    }

    /// Returns the value that replaces `old`, whose definition will be removed: `new`, or `undef` if they are the same.
    /// An instruction in an unreachable block may forward its own result, which then nothing defines.
    pub fn replacement(&mut self, old: Value, new: Value) -> Value {
        if old == new { self.undef(self.body.value(old).ty) } else { new }
    }

    pub(super) fn drop_operands(&mut self, inst: Inst) {
        for operand in self.body.operand_ids(inst) {
            self.body.log_lost_use(self.body.operand(operand).value);
            self.body.drop_operand(operand);
        }
        let data = &mut self.body.insts[inst];
        data.operand_count = 0;
        data.type_operand_count = 0;
    }

    /// Replaces all uses of `old` by `new`; as in the reference, their order is reversed and they precede the
    /// existing uses of `new`.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        if old == new {
            return;
        }
        while let Some(operand) = self.body.values[old].first_use.some() {
            self.set_operand(operand, new);
        }
    }

    /// Replaces the uses of `old` that satisfy a condition by `new`.
    pub fn replace_uses_if(
        &mut self,
        old: Value,
        new: Value,
        mut is_candidate: impl FnMut(&Self, Operand) -> bool,
    ) {
        let uses: Vec<Operand> = self.body.uses(old).collect();
        for operand in uses {
            if is_candidate(self, operand) {
                self.set_operand(operand, new);
            }
        }
    }

    /// Sets the value of an operand.
    pub fn set_operand(&mut self, operand: Operand, value: Value) {
        let OperandData { user, value: old, .. } = *self.body.operand(operand);
        self.touch(user);
        self.body.log_lost_use(old);
        self.body.relink_operand(operand, value);
    }

    /// Sets the operands of an instruction, one list for each operand of the table. Type-dependent operands are kept.
    ///
    /// # Panics
    /// Panics if the lists do not match the table.
    pub fn set_operands(&mut self, inst: Inst, lists: &[&[Value]]) {
        let info = self.body.info(inst);
        assert_eq!(lists.len(), info.operands.len(), "invariant: one list per operand of the table");
        for (spec, list) in info.operands.iter().zip(lists) {
            match spec.arity {
                Arity::One => assert_eq!(list.len(), 1, "invariant: one operand"),
                Arity::Optional => assert!(list.len() <= 1, "invariant: at most one operand"),
                Arity::Many => {}
            }
            if let Some(attr) = spec.count {
                let at = self.body.insts[inst].words as usize + attr as usize;
                self.body.words[at] = list.len() as u32;
            }
        }
        let type_operands: Vec<Value> = self.body.type_operands(inst).iter().map(|o| o.value).collect();
        self.touch(inst);
        self.make_operands(inst, &lists.concat(), &type_operands);
    }

    /// Replaces all operands of an instruction.
    fn make_operands(&mut self, inst: Inst, values: &[Value], type_operands: &[Value]) {
        self.drop_operands(inst);
        let first = self.body.operands.next_key();
        for &value in values.iter().chain(type_operands) {
            self.body.make_operand(inst, value);
        }
        let count = self.body.operands.next_key().as_u32() - first.as_u32();
        let data = &mut self.body.insts[inst];
        data.first_operand = first;
        data.operand_count = count;
        data.type_operand_count = type_operands.len() as u8;
    }

    /// Updates the type-dependent operands of an instruction whose attributes changed.
    fn update_type_operands(&mut self, inst: Inst) {
        let (opcode, words) = (self.body.inst(inst).opcode, self.body.words(inst).to_vec());
        let new = self.body.opened_values(opcode, &words);
        let old = self.body.type_operands(inst);
        if old.iter().map(|operand| operand.value).eq(new.iter().copied()) {
            return;
        }
        let count = self.body.operands(inst).len() - old.len();
        let values: Vec<Value> =
            self.body.operands(inst)[..count].iter().map(|operand| operand.value).collect();
        self.make_operands(inst, &values, &new);
    }

    /// Returns the operands of an instruction as lists, one for each operand of the table.
    pub fn operand_lists(&self, inst: Inst) -> Vec<Vec<Value>> {
        (0..self.body.info(inst).operands.len())
            .map(|spec| {
                self.body.operands(inst)[self.body.operand_range(inst, spec)]
                    .iter()
                    .map(|o| o.value)
                    .collect()
            })
            .collect()
    }

    /// Sets the word of an attribute that is not a block.
    ///
    /// # Panics
    /// Panics if the attribute holds successors or counts operands; use [`Editor::set_successor`] and
    /// [`Editor::set_operands`] for those.
    pub fn set_word(&mut self, inst: Inst, attr: usize, word: u32) {
        use AttrKind as K;
        assert!(
            !matches!(
                self.body.info(inst).attrs[attr].kind,
                K::Block | K::OptBlock | K::ListBlock | K::ListDeclBlock | K::Count
            ),
            "invariant: successors and counts are changed with what they stand for"
        );
        self.with_opened(inst, |body| {
            let at = body.insts[inst].words as usize + attr;
            body.words[at] = word;
        });
        if self.body.info(inst).type_dependent {
            self.update_type_operands(inst);
        }
        self.touch(inst);
    }

    /// Changes the word of the attribute with this name in the table.
    ///
    /// # Panics
    /// Panics if the instruction has no such attribute, or as [`Editor::set_word`] does.
    pub fn set_attr(&mut self, inst: Inst, name: &str, word: u32) {
        let attr = self.body.info(inst).attr(name).expect("invariant: the table declares the attribute");
        self.set_word(inst, attr, word);
    }

    /// Changes the flags.
    pub fn set_flags(&mut self, inst: Inst, flags: u8) {
        self.body.insts[inst].flags = flags;
        self.touch(inst);
    }

    /// Sets or clears the flag with this name in the table.
    ///
    /// # Panics
    /// Panics if the instruction has no such flag.
    pub fn set_flag(&mut self, inst: Inst, name: &str, is_set: bool) {
        let bit = self.body.info(inst).flag(name).expect("invariant: the table declares the flag");
        let flags = self.body.insts[inst].flags & !(1 << bit);
        self.set_flags(inst, flags | u8::from(is_set) << bit);
    }

    /// Changes the opcode of an instruction to one with the same operands and number of results, such as
    /// `retain_value` to `strong_retain`.
    ///
    /// # Panics
    /// Panics if the words or operands do not match the new opcode, or if one of the opcodes is a terminator.
    pub fn set_opcode(&mut self, inst: Inst, opcode: Opcode, flags: u8, words: &[u32]) {
        let (old, new) = (self.body.info(inst), opcode.info());
        assert_eq!(words.len(), new.attrs.len(), "invariant: one word per attribute");
        assert!(
            old.results == new.results && new.results != Results::Terminator,
            "invariant: the results stay, and a terminator is replaced, not changed"
        );
        assert!(
            old.operands
                .iter()
                .map(|o| (o.arity, o.count))
                .eq(new.operands.iter().map(|o| (o.arity, o.count))),
            "invariant: the operands keep their shape"
        );
        self.touch(inst);
        self.with_opened(inst, |body| {
            let at = body.words.len() as u32;
            body.words.extend_from_slice(words);
            let data = &mut body.insts[inst];
            data.opcode = opcode;
            data.flags = flags;
            data.words = at;
        });
        self.touch(inst);
    }

    /// Applies a change to an instruction and updates the type that it opens.
    fn with_opened(&mut self, inst: Inst, change: impl FnOnce(&mut Body)) {
        let is_removed = self.body.is_removed(inst);
        if !is_removed {
            self.body.remove_opened(inst);
        }
        change(self.body);
        if !is_removed {
            self.body.add_opened(inst);
        }
    }

    /// Sets the ownership that an instruction forwards, if it differs from the ownership of its operand.
    pub fn set_forwarding(&mut self, inst: Inst, ownership: Option<Ownership>) {
        self.body.insts[inst].forwarding = ownership;
        self.touch(inst);
    }

    /// Changes the location of an instruction.
    pub fn set_loc(&mut self, inst: Inst, loc: Loc) {
        self.body.insts[inst].loc = loc;
        self.record(Changes::INSTRUCTIONS);
    }

    /// Changes the type of a value.
    pub fn set_type(&mut self, value: Value, ty: SilType) {
        self.body.values[value].ty = ty;
        self.record(Changes::INSTRUCTIONS);
    }

    /// Records and logs the creation or a change of an instruction.
    pub(super) fn touch(&mut self, inst: Inst) {
        self.record_change(inst);
        self.body.log_changed(inst);
    }

    /// Records a change of an instruction, or of its place.
    fn record_change(&mut self, inst: Inst) {
        let changes = self.body.inst_changes(inst);
        self.record(changes);
    }
}

impl crate::Body {
    /// Returns the kinds of changes that a change of this instruction implies.
    fn inst_changes(&self, inst: Inst) -> Changes {
        let opcode = self.insts[inst].opcode;
        let mut changes = Changes::INSTRUCTIONS;
        changes.set(Changes::BRANCHES, opcode.is_terminator());
        changes.set(Changes::CALLS, opcode.info().apply.is_some());
        changes
    }
}
