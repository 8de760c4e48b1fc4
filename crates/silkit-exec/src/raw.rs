//! Raw SIL whose `consume`s are not checked, in runs of programs.

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
