//! Instructions of asynchronous code and of isolation.

use super::Translator;
use crate::builtin_names::Name;
use crate::op::Op;
use crate::violation::{Run, unsupported};
use silkit_ir::instructions::{
    AwaitAsyncContinuation, Builtin, DifferentiableFunction, DifferentiableFunctionExtract,
};
use silkit_ir::{Body, Inst, Value};
use silkit_types::Type;

impl Translator<'_, '_> {
    /// Translates `hop_to_executor`: one thread runs everything: a hop to another executor changes nothing.
    pub(super) fn hop_to_executor(&mut self, _: &Body, _: Value) -> Run<()> {
        Ok(())
    }

    pub(super) fn extract_executor(&mut self, body: &Body, inst: Inst) -> Run<()> {
        unsupported(format!("`{}`", body.info(inst).name))
    }

    pub(super) fn extract_isolation(&mut self, body: &Body, inst: Inst) -> Run<()> {
        // No isolation: `Optional<any Actor>.none`.
        let to = self.result(body, inst)?;
        let Some(value) = body.first_result(inst) else { return Ok(()) };
        let len = self.len_of(body, value)?;
        self.emit(Op::Zero { to, len });
        Ok(())
    }

    pub(super) fn get_continuation(
        &mut self,
        _: &Body,
        _: Inst,
        _: bool,
        _: Type,
        _: Option<Value>,
    ) -> Run<()> {
        unsupported("a continuation")
    }

    pub(super) fn await_continuation(&mut self, _: &Body, _: AwaitAsyncContinuation) -> Run<()> {
        unsupported("a continuation")
    }

    pub(super) fn async_builtin(&mut self, _: &Body, _: Inst, _: Builtin<'_>, _: &Name<'_>) -> Run<bool> {
        Ok(false)
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
