//! Instructions of asynchronous code and of isolation.

use super::Translator;
use super::functions::Target;
use crate::builtin_names::Name;
use crate::op::{NO_PC, Op};
use crate::sites::{AwaitSite, Branch, Callee, ContinuationSite};
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{
    AwaitAsyncContinuation, Builtin, DifferentiableFunction, DifferentiableFunctionExtract,
};
use silkit_ir::{Body, Inst, Value};
use silkit_types::Type;

impl Translator<'_, '_> {
    /// Translates `hop_to_executor`. All tasks run on one thread, so only the order of execution can change.
    pub(super) fn hop_to_executor(&mut self, body: &Body, operand: Value) -> Run<()> {
        let len = self.len_of(body, operand)?;
        if len >= 8 {
            let executor = self.use_value(body, operand)?;
            self.emit(Op::Hop { executor });
        }
        Ok(())
    }

    /// Translates `extract_executor`: the actor represents its executor.
    pub(super) fn extract_executor(&mut self, body: &Body, inst: Inst, operand: Value) -> Run<()> {
        let from = self.use_value(body, operand)?;
        let to = self.result(body, inst)?;
        self.copy(to, from, 8);
        self.constant(to + 8, 0);
        Ok(())
    }

    pub(super) fn extract_isolation(&mut self, body: &Body, inst: Inst) -> Run<()> {
        // Nonisolated: `Optional<any Actor>.none`.
        let to = self.result(body, inst)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let len = self.len_of(body, value)?;
        self.emit(Op::Zero { to, len });
        Ok(())
    }

    pub(super) fn get_continuation(
        &mut self,
        body: &Body,
        inst: Inst,
        resume: Type,
        address: Option<Value>,
    ) -> Run<()> {
        let address = match address {
            Some(address) => Some(self.use_value(body, address)?),
            None => None,
        };
        let ty = self.resolve(resume)?;
        let ty = self.type_id(ty)?;
        let to = self.result(body, inst)?;
        self.it.sites.continuations.push(ContinuationSite { address, ty, to });
        let site = self.it.sites.continuations.len() as u32 - 1;
        self.emit(Op::GetContinuation { site });
        Ok(())
    }

    pub(super) fn await_continuation(&mut self, body: &Body, i: AwaitAsyncContinuation) -> Run<()> {
        let continuation = self.use_value(body, i.operand)?;
        let value = match body.arguments(i.resume).first() {
            Some(_) => Some(self.argument_place(body, i.resume)?.0),
            None => None,
        };
        let error = match i.error {
            Some(block) => self.argument_place(body, block)?.0,
            None => 0,
        };
        let site = self.it.sites.awaits.len() as u32;
        self.it.sites.awaits.push(AwaitSite { continuation, value, error, next: NO_PC, error_to: NO_PC });
        self.emit(Op::AwaitContinuation { site });
        self.is_open = false;
        let here = self.it.code.len() as u32;
        let next = self.way_to(i.resume, Vec::new(), here, Branch::First);
        let error_to = match i.error {
            Some(block) => self.way_to(block, Vec::new(), here, Branch::First),
            None => NO_PC,
        };
        let of = &mut self.it.sites.awaits[site as usize];
        (of.next, of.error_to) = (next, error_to);
        Ok(())
    }

    /// Translates a builtin that calls a function of the runtime, which may suspend the task.
    pub(super) fn async_builtin(
        &mut self,
        body: &Body,
        inst: Inst,
        i: Builtin<'_>,
        name: &Name<'_>,
    ) -> Run<bool> {
        let Some(native) = crate::runtime::builtin_call(name.base) else { return Ok(false) };
        let target = Target {
            callee: Some(Callee::Native(native)),
            method: None,
            value: 0,
            is_thick: false,
            name: i.name,
            types: self.formal_all(i.subs.iter())?.into(),
        };
        let args = self.arguments(body, i.args)?;
        let result = self.result(body, inst)?;
        let site = self.call_site(target, args, (result, 0));
        self.emit_call(site);
        Ok(true)
    }

    pub(super) fn differentiable_function(
        &mut self,
        body: &Body,
        inst: Inst,
        i: DifferentiableFunction<'_>,
    ) -> Run<()> {
        let _ = i;
        unsupported(format!("`{}`", body.info(inst).name))
    }

    pub(super) fn differentiable_extract(
        &mut self,
        body: &Body,
        inst: Inst,
        i: DifferentiableFunctionExtract,
    ) -> Run<()> {
        let _ = i;
        unsupported(format!("`{}`", body.info(inst).name))
    }
}
