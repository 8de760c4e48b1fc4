//! What raw SIL leaves undecided, and the passes that are not valid before it is decided.

use silkit::ir::instructions::AnyInst;
use silkit::ir::{Body, Inst, Module, SilStage};
use silkit::pass::PipelineStep;

/// Passes that treat `consume` of a copyable value as a copy where its checker has not decided yet whether it moves: they
/// remove the mark, as the reference's passes do.
const COPY_CONSUMED: [&str; 4] = [
    "dce",
    "mandatory-arc-opts",
    "non-transparent-func-ownership-model-eliminator",
    "ownership-model-eliminator",
];

/// A decision of a diagnostic pass.
struct Decision {
    /// The pass that decides.
    by: &'static str,
    /// The passes that are valid only after the decision.
    needed_by: &'static [&'static str],
    /// Returns true if an instruction awaits the decision.
    is_open: fn(&AnyInst<'_>) -> bool,
}

const DECISIONS: [Decision; 2] = [
    // Whether a copy of a noncopyable value is a borrow, whose destruction has no effect. The reference's eliminators stop
    // at the mark; its devirtualizer makes the destruction of a borrow a call of the deinit.
    Decision {
        by: "sil-move-only-checker",
        needed_by: &[
            "deinit-devirtualizer",
            "non-transparent-func-ownership-model-eliminator",
            "ownership-model-eliminator",
        ],
        is_open: |inst| matches!(inst, AnyInst::MarkUnresolvedNonCopyableValue(_)),
    },
    // Whether an assignment to a wrapped property initializes. The reference asserts that this is known.
    Decision {
        by: "definite-init",
        needed_by: &["raw-sil-inst-lowering"],
        is_open: |inst| matches!(inst, AnyInst::AssignByWrapper(i) if i.mode.is_none()),
    },
];

/// Returns the reason if one of the steps is a pass that is not valid on a program, because its SIL is raw.
pub(crate) fn premature(module: &Module, steps: &[PipelineStep<'_>]) -> Option<String> {
    if module.stage != Some(SilStage::Raw) {
        return None;
    }
    DECISIONS.iter().find_map(|decision| {
        let mut before = steps.iter().map(|step| step.pass.tag).take_while(|&tag| tag != decision.by);
        let pass = before.find(|tag| decision.needed_by.contains(tag))?;
        let (name, opcode) = module.functions.values().find_map(|function| {
            let body = function.body.as_ref()?;
            let open = body.insts().find(|&inst| (decision.is_open)(&body.view(inst)))?;
            Some((function.name, body.inst(open).opcode.info().name))
        })?;
        Some(format!(
            "`{pass}` is valid only after `{}`, which decides about `{opcode}` in @{name}",
            decision.by
        ))
    })
}

/// Returns true if one of the steps is a pass that treats `consume` as a copy, and the program is raw SIL and has a
/// `consume` of a copyable value whose checker has not run.
pub(crate) fn copies_consumed(module: &Module, steps: &[PipelineStep<'_>]) -> bool {
    let is_mark = |body: &Body, inst: Inst| match body.view(inst) {
        AnyInst::MoveValue(i) => i.allows_diagnostics,
        AnyInst::MarkUnresolvedMoveAddr(_) => true,
        _ => false,
    };
    let mut bodies = module.functions.values().filter_map(|function| function.body.as_ref());
    module.stage == Some(SilStage::Raw)
        && steps.iter().any(|step| COPY_CONSUMED.contains(&step.pass.tag))
        && bodies.any(|body| body.insts().any(|inst| is_mark(body, inst)))
}
