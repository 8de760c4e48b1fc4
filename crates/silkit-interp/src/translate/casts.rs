//! Dynamically checked casts.

use super::Translator;
use crate::op::{NO_PC, Op, Slot};
use crate::sites::{Branch, CastSite, CastTake, Move};
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{
    CastConsumption, CheckedCastAddrBranch, CheckedCastBranch, RefToBridgeObject, UncheckedRefCastAddr,
    UnconditionalCheckedCast, UnconditionalCheckedCastAddr,
};
use silkit_ir::{Body, Inst, Value};
use silkit_layout::Ty;

impl Translator<'_, '_> {
    pub(super) fn objective_c(&mut self, body: &Body, inst: Inst) -> Run<()> {
        unsupported(format!("the Objective-C instruction `{}`", body.info(inst).name))
    }

    /// Refuses an instruction that a newer release of Swift adds.
    pub(super) fn without_meaning(&mut self, body: &Body, inst: Inst) -> Run<()> {
        let info = body.info(inst);
        unsupported(format!("`{}` of Swift {}", info.name, info.releases))
    }

    /// Translates a bit cast. If the result is larger than the operand, the remaining bytes are zero.
    pub(super) fn bit_cast(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let (ty, is_address) = self.type_of(body, value)?;
        let len = self.len_of(body, operand)?;
        let wanted = if is_address { 8 } else { self.size(ty)? };
        if wanted <= len.next_multiple_of(8) || len == 0 {
            if len == 0 && wanted > 0 {
                // Some values, such as thin metatypes, have no bytes in the frame.
                let to = self.define(body, value, ty, is_address)?;
                self.emit(Op::Zero { to, len: wanted });
                return Ok(());
            }
            self.alias(body, value, from, ty, is_address)?;
            return Ok(());
        }
        let to = self.define(body, value, ty, is_address)?;
        self.copy(to, from, len);
        self.emit(Op::Zero { to: to + len, len: wanted - len });
        Ok(())
    }

    pub(super) fn ref_to_bridge_object(&mut self, body: &Body, inst: Inst, i: RefToBridgeObject) -> Run<()> {
        let a = self.use_value(body, i.reference)?;
        let b = self.use_value(body, i.bits)?;
        let to = self.result(body, inst)?;
        self.emit(Op::Int { op: crate::op::IntOp::Or, bits: 64, to, a, b });
        Ok(())
    }

    pub(super) fn bridge_object_to_ref(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let to = self.result(body, inst)?;
        let mask = self.allocate_slot(8);
        self.constant(mask, 0x00FF_FFFF_FFFF_FFF8);
        self.emit(Op::And64 { to, a: from, b: mask });
        Ok(())
    }

    pub(super) fn classify_bridge_object(&mut self, body: &Body, inst: Inst) -> Run<()> {
        let to = self.result(body, inst)?;
        self.emit(Op::Zero { to, len: 2 });
        Ok(())
    }

    fn cast_site(&mut self, source: Ty, target: Ty, from: Slot, to: Slot, by_address: bool) -> Run<CastSite> {
        Ok(CastSite {
            source: source.formal(),
            target: target.formal(),
            source_info: self.type_id(source)?,
            target_info: self.type_id(target)?,
            by_address,
            from,
            to,
            exact: false,
            take: CastTake::Always,
            unconditional: true,
            success: NO_PC,
            failure: NO_PC,
        })
    }

    fn emit_cast(&mut self, site: CastSite) -> u32 {
        self.it.sites.casts.push(site);
        let site = self.it.sites.casts.len() as u32 - 1;
        self.emit(Op::Cast { site });
        site
    }

    pub(super) fn unconditional_cast(
        &mut self,
        body: &Body,
        inst: Inst,
        i: UnconditionalCheckedCast,
    ) -> Run<()> {
        let (source, _) = self.type_of(body, i.operand)?;
        let target = self.resolve(i.target)?;
        let from = self.use_value(body, i.operand)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let to = self.define(body, value, target, false)?;
        let site = self.cast_site(source, target, from, to, false)?;
        self.emit_cast(site);
        Ok(())
    }

    pub(super) fn unconditional_cast_addr(
        &mut self,
        body: &Body,
        i: UnconditionalCheckedCastAddr,
    ) -> Run<()> {
        let source = self.formal(i.source_type)?;
        let target = self.formal(i.target_type)?;
        let from = self.use_value(body, i.source)?;
        let to = self.use_value(body, i.target)?;
        let site = self.cast_site(source, target, from, to, true)?;
        self.emit_cast(site);
        Ok(())
    }

    pub(super) fn unchecked_ref_cast_addr(&mut self, body: &Body, i: UncheckedRefCastAddr) -> Run<()> {
        let target = self.formal(i.target_type)?;
        let from = self.use_value(body, i.source)?;
        let to = self.use_value(body, i.target)?;
        let value = self.allocate_slot(8);
        let _ = target;
        self.emit(Op::Load8 { to: value, address: from });
        self.emit(Op::Store8 { from: value, address: to });
        Ok(())
    }

    pub(super) fn checked_cast_br(&mut self, body: &Body, i: CheckedCastBranch<'_>) -> Run<()> {
        let (source, _) = self.type_of(body, i.operand)?;
        let from = self.use_value(body, i.operand)?;
        let target = self.resolve(i.target_type)?;
        let to = match body.arguments(i.success).first() {
            Some(&argument) => self.define(body, argument, target, false)?,
            None => {
                let size = self.size(target)?;
                self.allocate_slot(size)
            }
        };
        let mut site = self.cast_site(source, target, from, to, false)?;
        site.unconditional = false;
        site.exact = i.exact;
        let number = self.emit_cast(site);
        self.is_open = false;
        let failed = match body.arguments(i.failure).first() {
            Some(&argument) => {
                let to = self.define(body, argument, source, false)?;
                let len = self.size(source)?;
                vec![Move { from, to, len }]
            }
            None => Vec::new(),
        };
        self.cast_ways(number, i.success, i.failure, failed)
    }

    fn cast_ways(
        &mut self,
        site: u32,
        success: silkit_ir::Block,
        failure: silkit_ir::Block,
        failed: Vec<Move>,
    ) -> Run<()> {
        let here = self.it.code.len() as u32;
        let success = self.way_to(success, Vec::new(), here, Branch::First);
        let failure = self.way_to(failure, failed, here, Branch::Second);
        let site = &mut self.it.sites.casts[site as usize];
        (site.success, site.failure) = (success, failure);
        Ok(())
    }

    pub(super) fn checked_cast_addr_br(&mut self, body: &Body, i: CheckedCastAddrBranch<'_>) -> Run<()> {
        let source = self.formal(i.source_type)?;
        let target = self.formal(i.target_type)?;
        let from = self.use_value(body, i.source)?;
        let to = self.use_value(body, i.target)?;
        let mut site = self.cast_site(source, target, from, to, true)?;
        site.unconditional = false;
        site.take = match i.consumption {
            CastConsumption::TakeAlways => CastTake::Always,
            CastConsumption::TakeOnSuccess => CastTake::OnSuccess,
            CastConsumption::CopyOnSuccess => CastTake::Copy,
            CastConsumption::BorrowAlways => CastTake::Never,
            CastConsumption::TestOnly => return unsupported("`checked_cast_addr_br test_only` of Swift 6.5"),
        };
        let number = self.emit_cast(site);
        self.is_open = false;
        self.cast_ways(number, i.success, i.failure, Vec::new())
    }
}
