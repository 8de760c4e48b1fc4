//! Enums.

use super::Translator;
use crate::op::{NO_PC, Op, Slot};
use crate::sites::{Branch, Move, SelectSite, SwitchTable};
use crate::types::TypeId;
use crate::violation::{Run, unsupported};
use silkit_base::Symbol;
use silkit_ir::instructions::{
    Enum, InitEnumDataAddr, InjectEnumAddr, List, SelectEnum, SelectEnumAddr, SwitchEnum, SwitchEnumAddr,
    UncheckedBorrowEnumDataAddr, UncheckedEnumData,
};
use silkit_ir::{Block, Body, DeclRef, Inst, Value};
use silkit_layout::Ty;
use silkit_layout::layout::{EnumLayout, SinglePayload, Strategy};
use std::rc::Rc;

/// A one-comparison test for the empty case of an enum with a payload.
enum Test {
    /// The empty case has a zero word at this offset.
    Word(u32),
    /// The empty case has a nonzero byte at this offset.
    Byte(u32),
}

impl Translator<'_, '_> {
    fn layout_of(&mut self, ty: Ty) -> Run<(TypeId, Rc<EnumLayout>)> {
        let id = self.type_id(ty)?;
        match self.it.types.get(id).layout.as_enum() {
            Some(layout) => Ok((id, layout.clone())),
            None => unsupported(format!("`{ty}` as an enum")),
        }
    }

    fn case(&self, layout: &EnumLayout, element: DeclRef) -> Run<u32> {
        let name = element.name().unwrap_or_else(|| Symbol::new(""));
        match layout.case_named(name) {
            Some(case) => Ok(case),
            None => unsupported(format!("the case `{element}`")),
        }
    }

    pub(super) fn enumeration(&mut self, body: &Body, inst: Inst, i: Enum) -> Run<()> {
        let ty = self.resolve(i.ty.ty())?;
        let (id, layout) = self.layout_of(ty)?;
        let case = self.case(&layout, i.element)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let size = layout.size as u32;
        let Some(payload) = i.payload else {
            let to = self.define(body, value, ty, false)?;
            let mut bytes = vec![0; size as usize];
            layout.inject(case, &mut bytes);
            self.bytes_constant(to, &bytes);
            return Ok(());
        };
        let from = self.use_value(body, payload)?;
        let len = self.len_of(body, payload)?;
        if self.is_plain(&layout, case) && len == size {
            self.alias(body, value, from, ty, false)?;
            return Ok(());
        }
        let to = self.define(body, value, ty, false)?;
        self.copy(to, from, len);
        if len < size {
            self.emit(Op::Zero { to: to + len, len: size - len });
        }
        if !self.is_plain(&layout, case) {
            self.emit(Op::Inject { value: to, ty: id, case });
        }
        Ok(())
    }

    /// Returns true if the tag of a case is zero: the value is the payload, followed by zeros.
    fn is_plain(&self, layout: &EnumLayout, case: u32) -> bool {
        match &layout.strategy {
            Strategy::Single => true,
            Strategy::SinglePayload(s) => s.payload_case == case,
            Strategy::MultiPayload(m) => m.payloads.first() == Some(&case),
            _ => false,
        }
    }

    /// Writes constant bytes to the frame.
    pub(super) fn bytes_constant(&mut self, to: Slot, bytes: &[u8]) {
        match bytes.len() {
            0 => {}
            1 => {
                self.emit(Op::Const1 { to, value: bytes[0] });
            }
            8 => {
                let mut word = [0; 8];
                word.copy_from_slice(bytes);
                self.constant(to, u64::from_le_bytes(word));
            }
            _ if bytes.iter().all(|&b| b == 0) => {
                self.emit(Op::Zero { to, len: bytes.len() as u32 });
            }
            _ => {
                self.it.sites.bytes.push(bytes.into());
                let bytes = self.it.sites.bytes.len() as u32 - 1;
                self.emit(Op::Const { to, bytes });
            }
        }
    }

    pub(super) fn unchecked_enum_data(&mut self, body: &Body, inst: Inst, i: UncheckedEnumData) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        let (id, layout) = self.layout_of(ty)?;
        let case = self.case(&layout, i.element)?;
        let from = self.use_value(body, i.operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let Some(payload) = layout.cases[case as usize].payload else {
            return unsupported(format!("the payload of the case `{}`, which has no payload,", i.element));
        };
        if layout.projects_in_place() {
            if layout.cases.len() > 1 {
                self.emit(Op::CheckCase { value: from, ty: id, case });
            }
            self.alias(body, value, from, payload, false)?;
            return Ok(());
        }
        // The enum value itself is not changed; the tag is removed from a copy.
        self.note_type(body, value, payload, false);
        let to = self.place(value, layout.size as u32);
        self.copy(to, from, layout.size as u32);
        self.emit(Op::Project { value: to, ty: id, case });
        Ok(())
    }

    pub(super) fn init_enum_data_addr(&mut self, body: &Body, inst: Inst, i: InitEnumDataAddr) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        let (_, layout) = self.layout_of(ty)?;
        let case = self.case(&layout, i.element)?;
        let from = self.use_value(body, i.operand)?;
        if let (Some(value), Some(payload)) = (body.first_result(inst), layout.cases[case as usize].payload) {
            self.alias(body, value, from, payload, true)?;
        }
        Ok(())
    }

    pub(super) fn project_payload(
        &mut self,
        body: &Body,
        inst: Inst,
        operand: Value,
        element: DeclRef,
    ) -> Run<()> {
        let (ty, _) = self.type_of(body, operand)?;
        let (id, layout) = self.layout_of(ty)?;
        let case = self.case(&layout, element)?;
        let from = self.use_value(body, operand)?;
        if let (Some(value), Some(payload)) = (body.first_result(inst), layout.cases[case as usize].payload) {
            self.alias(body, value, from, payload, true)?;
        }
        if !layout.projects_in_place() {
            self.emit(Op::ProjectAddr { address: from, ty: id, case });
        } else if layout.cases.len() > 1 {
            self.emit(Op::CheckCaseAddr { address: from, ty: id, case });
        }
        Ok(())
    }

    /// Translates a projection that leaves the enum as it is: in place, so without the scratch memory.
    pub(super) fn borrow_payload(
        &mut self,
        body: &Body,
        inst: Inst,
        i: UncheckedBorrowEnumDataAddr,
    ) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        if !self.layout_of(ty)?.1.projects_in_place() {
            return unsupported("`unchecked_borrow_enum_data_addr` of an enum with a payload in spare bits");
        }
        self.project_payload(body, inst, i.operand, i.element)
    }

    pub(super) fn inject_enum_addr(&mut self, body: &Body, i: InjectEnumAddr) -> Run<()> {
        self.check_writable(body, i.operand);
        let (ty, _) = self.type_of(body, i.operand)?;
        let (id, layout) = self.layout_of(ty)?;
        let case = self.case(&layout, i.element)?;
        let address = self.use_value(body, i.operand)?;
        self.emit(Op::InjectAddr { address, ty: id, case });
        Ok(())
    }

    /// Returns a one-comparison test that distinguishes the case with a payload from the only other case.
    fn test(&self, layout: &EnumLayout, s: &SinglePayload) -> Option<Test> {
        if s.empty.len() != 1 || layout.cases.len() != 2 {
            return None;
        }
        match &s.xi {
            Some(xi) if s.tag_size == 0 && xi.is_null_pointer() => Some(Test::Word(xi.offset as u32)),
            None if s.tag_size == 1 => Some(Test::Byte(s.payload_size as u32)),
            _ => None,
        }
    }

    pub(super) fn switch_enum(&mut self, body: &Body, i: SwitchEnum<'_>) -> Run<()> {
        self.require_defined(body, i.operand);
        let (ty, _) = self.type_of(body, i.operand)?;
        let (id, layout) = self.layout_of(ty)?;
        let value = self.use_value(body, i.operand)?;
        let mut targets: Vec<(u32, Block)> = Vec::new();
        for (element, block) in i.cases.iter() {
            targets.push((self.case(&layout, element)?, block));
        }
        self.is_open = false;
        if let Strategy::SinglePayload(s) = &layout.strategy
            && let Some(test) = self.test(&layout, s)
        {
            let block =
                |case: u32| targets.iter().find(|(c, _)| *c == case).map(|(_, b)| *b).or(i.default_target);
            if let (Some(some), Some(none)) = (block(s.payload_case), block(s.empty[0])) {
                return self.switch_by_test(
                    body,
                    i.operand,
                    value,
                    &layout,
                    test,
                    (s, some, none, i.default_target),
                );
            }
        }
        let table = self.switch_table(id, layout.cases.len());
        self.emit(Op::SwitchEnum { table, value });
        let listed: Vec<u32> = targets.iter().map(|&(case, _)| case).collect();
        for (case, block) in targets {
            let moves = self.payload_moves(body, i.operand, value, &layout, id, case, block)?;
            let pc = self.way_with(moves, block, table, case as usize);
            self.it.sites.switches[table as usize].targets[case as usize] = pc;
        }
        if let Some(block) = i.default_target {
            // A block that only one case reaches takes its payload.
            let mut left = (0..layout.cases.len() as u32).filter(|case| !listed.contains(case));
            let only = left.next().filter(|_| left.next().is_none());
            let takes_whole = |&argument: &Value| body.value(argument).ty == body.value(i.operand).ty;
            let moves = match only.filter(|_| !body.arguments(block).first().is_some_and(takes_whole)) {
                Some(case) => self.payload_moves(body, i.operand, value, &layout, id, case, block)?,
                None => (None, self.default_moves(body, i.operand, value, block)?),
            };
            let pc = self.way_with(moves, block, table, usize::MAX);
            self.it.sites.switches[table as usize].default = pc;
        }
        Ok(())
    }

    fn switch_table(&mut self, ty: TypeId, cases: usize) -> u32 {
        self.it.sites.switches.push(SwitchTable {
            ty,
            values: Vec::new(),
            targets: vec![NO_PC; cases],
            default: NO_PC,
            len: 0,
        });
        self.it.sites.switches.len() as u32 - 1
    }

    fn way_with(
        &mut self,
        (project, moves): (Option<Op>, Vec<Move>),
        block: Block,
        table: u32,
        at: usize,
    ) -> u32 {
        let from = self.it.code.len() as u32;
        if project.is_none() {
            return self.way_to(block, moves, from, Branch::Table(table, at));
        }
        self.copies(moves);
        if let Some(op) = project {
            self.emit(op);
        }
        self.go_to(block, Vec::new());
        from
    }

    /// Returns the operations that pass the payload of a case to a block: the copies, and the operation that removes
    /// the tag.
    #[allow(clippy::too_many_arguments, reason = "called from two places with the same locals")]
    fn payload_moves(
        &mut self,
        body: &Body,
        operand: Value,
        value: Slot,
        layout: &EnumLayout,
        id: TypeId,
        case: u32,
        block: Block,
    ) -> Run<(Option<Op>, Vec<Move>)> {
        let Some(&argument) = body.arguments(block).first() else { return Ok((None, Vec::new())) };
        let Some(payload) = layout.cases[case as usize].payload else {
            return Ok((None, self.default_moves(body, operand, value, block)?));
        };
        if layout.projects_in_place() {
            let to = self.define(body, argument, payload, false)?;
            let len = self.size(payload)?;
            return Ok((None, vec![Move { from: value, to, len }]));
        }
        self.note_type(body, argument, payload, false);
        let to = self.place(argument, layout.size as u32);
        let len = layout.size as u32;
        Ok((Some(Op::Project { value: to, ty: id, case }), vec![Move { from: value, to, len }]))
    }

    /// Returns the moves for the edge to the default block, which takes the whole value.
    fn default_moves(&mut self, body: &Body, operand: Value, value: Slot, block: Block) -> Run<Vec<Move>> {
        let Some(&argument) = body.arguments(block).first() else { return Ok(Vec::new()) };
        let (ty, _) = self.type_of(body, operand)?;
        let to = self.define(body, argument, ty, false)?;
        let len = self.size(ty)?;
        Ok(vec![Move { from: value, to, len }])
    }

    fn switch_by_test(
        &mut self,
        body: &Body,
        operand: Value,
        value: Slot,
        layout: &EnumLayout,
        test: Test,
        (s, some, none, default): (&SinglePayload, Block, Block, Option<Block>),
    ) -> Run<()> {
        let (to_some, to_none) = (Some(some) == default, Some(none) == default);
        let op = match test {
            Test::Word(at) => Op::JumpIfZero { word: value + at, zero: NO_PC, other: NO_PC },
            Test::Byte(at) => Op::JumpIfZeroByte { byte: value + at, zero: NO_PC, other: NO_PC },
        };
        let at = self.emit(op);
        let payload_is_zero = matches!(test, Test::Byte(_));
        let (some_branch, none_branch) =
            if payload_is_zero { (Branch::First, Branch::Second) } else { (Branch::Second, Branch::First) };
        let some_moves = if to_some {
            self.default_moves(body, operand, value, some)?
        } else {
            let id = self.object_type(body, operand)?;
            self.payload_moves(body, operand, value, layout, id, s.payload_case, some)?.1
        };
        let none_moves = if to_none { self.default_moves(body, operand, value, none)? } else { Vec::new() };
        let some_pc = self.way_to(some, some_moves, at, some_branch);
        let none_pc = self.way_to(none, none_moves, at, none_branch);
        let (zero, other) = if payload_is_zero { (some_pc, none_pc) } else { (none_pc, some_pc) };
        match &mut self.it.code[at as usize] {
            Op::JumpIfZero { zero: z, other: o, .. } | Op::JumpIfZeroByte { zero: z, other: o, .. } => {
                (*z, *o) = (zero, other);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn switch_enum_addr(&mut self, body: &Body, i: SwitchEnumAddr<'_>) -> Run<()> {
        let (ty, _) = self.type_of(body, i.operand)?;
        let (id, layout) = self.layout_of(ty)?;
        let address = self.use_value(body, i.operand)?;
        let table = self.switch_table(id, layout.cases.len());
        self.is_open = false;
        self.emit(Op::SwitchEnumAddr { table, address });
        for (element, block) in i.cases.iter() {
            let case = self.case(&layout, element)?;
            let pc = self.way_with((None, Vec::new()), block, table, case as usize);
            self.it.sites.switches[table as usize].targets[case as usize] = pc;
        }
        if let Some(block) = i.default_target {
            let pc = self.way_with((None, Vec::new()), block, table, usize::MAX);
            self.it.sites.switches[table as usize].default = pc;
        }
        Ok(())
    }

    pub(super) fn select_enum(&mut self, body: &Body, inst: Inst, i: SelectEnum<'_>) -> Run<()> {
        self.select(body, inst, i.operand, i.cases, &i.values.to_vec(), false)
    }

    pub(super) fn select_enum_addr(&mut self, body: &Body, inst: Inst, i: SelectEnumAddr<'_>) -> Run<()> {
        self.select(body, inst, i.operand, i.cases, &i.values.to_vec(), true)
    }

    fn select(
        &mut self,
        body: &Body,
        inst: Inst,
        operand: Value,
        cases: List<'_, Option<DeclRef>>,
        values: &[Value],
        by_address: bool,
    ) -> Run<()> {
        let (ty, _) = self.type_of(body, operand)?;
        let (id, layout) = self.layout_of(ty)?;
        let value = self.use_value(body, operand)?;
        let mut choices = vec![None; layout.cases.len()];
        let mut default = None;
        for (case, &choice) in cases.iter().zip(values) {
            let slot = self.use_value(body, choice)?;
            match case {
                Some(element) => choices[self.case(&layout, element)? as usize] = Some(slot),
                None => default = Some(slot),
            }
        }
        let to = self.result(body, inst)?;
        let Some(result) = body.first_result(inst) else { return Ok(()) };
        let len = self.len_of(body, result)?;
        self.it.sites.selects.push(SelectSite { ty: id, value, by_address, choices, default, len });
        let site = self.it.sites.selects.len() as u32 - 1;
        self.emit(Op::SelectEnum { site, to });
        Ok(())
    }
}
