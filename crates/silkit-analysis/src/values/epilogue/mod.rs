//! Epilogue retains and releases: the last ones of a function, which can be moved to its callers.

mod flow;
mod matching;

use crate::BodyView;
use crate::RcIdentity;
use silkit_ir::info::ApplyKind;
use silkit_ir::instructions::FunctionRef;
use silkit_ir::{Behavior, Body, EffectsKind, FunctionStep, Inst, Opcode, Value};

/// The kind of epilogue instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EpilogueKind {
    /// `strong_retain`, `retain_value`.
    Retain,
    /// `strong_release`, `release_value`.
    Release,
}

/// The epilogue analysis of one function.
pub struct Epilogue<'a> {
    view: BodyView<'a>,
    body: &'a Body,
    behavior: Behavior<'a>,
    identity: RcIdentity<'a>,
}

impl std::fmt::Debug for Epilogue<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Epilogue").finish_non_exhaustive()
    }
}

impl<'a> Epilogue<'a> {
    /// Creates the analysis of a body.
    pub fn new(view: BodyView<'a>, identity: RcIdentity<'a>) -> Self {
        Self { view, body: view.body, behavior: view.behavior(), identity }
    }

    fn is(&self, inst: Inst, kind: EpilogueKind) -> bool {
        match self.body.inst(inst).opcode {
            Opcode::StrongRetain | Opcode::RetainValue => kind == EpilogueKind::Retain,
            Opcode::StrongRelease | Opcode::ReleaseValue => kind == EpilogueKind::Release,
            _ => false,
        }
    }

    fn root_of_operand(&self, inst: Inst) -> Value {
        self.identity.root(self.body.operand_value(inst, 0))
    }

    /// Returns true if an instruction is a recursive call. A call of what replaces the function dynamically, or of
    /// what it replaces, is not.
    fn recurses(&self, inst: Inst) -> bool {
        let body = self.body;
        let is_dynamic = |callee| {
            let origin = body.function_origin(callee, |step, _| step != FunctionStep::Depend);
            body.def_as::<FunctionRef>(origin).is_none()
        };
        body.inst(inst).opcode == Opcode::Apply
            && body.called_function(inst) == Some(self.view.function.name)
            && !is_dynamic(body.operand_value(inst, 0))
    }

    /// Returns true if an instruction is a barrier for moving a retain or release of a value: it may release a
    /// reference or observe a reference count.
    fn blocks(&self, inst: Inst, kind: EpilogueKind, value: Value) -> bool {
        let body = self.body;
        let sees_count = matches!(
            body.inst(inst).opcode,
            Opcode::IsUnique | Opcode::BeginCOWMutation | Opcode::DestroyNotEscapedClosure
        );
        let is_call = body.info(inst).apply == Some(ApplyKind::Full);
        match kind {
            EpilogueKind::Retain if is_call => {
                let callee = body.called_function(inst).and_then(|name| self.view.program.function(name));
                // As in the reference, calls do not release trivial values.
                let is_trivial = self.identity.is_trivial_type(body.value(value).ty);
                !is_trivial
                    && !matches!(
                        callee.and_then(|callee| callee.attributes.effects),
                        Some(EffectsKind::ReadNone | EffectsKind::ReadOnly | EffectsKind::ReleaseNone)
                    )
            }
            _ => sees_count || is_call || self.behavior.may_release(inst),
        }
    }
}
