//! Decisions that raw SIL leaves to diagnostic passes, and the passes that are not valid before.

use crate::pipeline::PipelineStep;
use silkit_base::Symbol;
use silkit_ir::conventions::{Addresses, ApplySite};
use silkit_ir::instructions::AnyInst;
use silkit_ir::{Body, Inst, Module, SilStage};

/// A decision of a diagnostic pass.
struct Decision {
    /// The pass that decides.
    by: &'static str,
    /// The passes that are valid only after the decision.
    needed_by: &'static [&'static str],
    /// Returns true if an instruction awaits the decision.
    is_open: fn(&Body, Inst) -> bool,
}

const DECISIONS: [Decision; 3] = [
    // Whether a copy of a noncopyable value is a borrow, whose destruction has no effect. The reference's eliminators stop
    // at the mark; its devirtualizer makes the destruction of a borrow a call of the deinit.
    Decision {
        by: "sil-move-only-checker",
        needed_by: &[
            "deinit-devirtualizer",
            "non-transparent-func-ownership-model-eliminator",
            "ownership-model-eliminator",
        ],
        is_open: |body, inst| matches!(body.view(inst), AnyInst::MarkUnresolvedNonCopyableValue(_)),
    },
    // How long a temporary lives whose result of a call depends on it.
    Decision {
        by: "lifetime-dependence-scope-fixup",
        needed_by: &["non-transparent-func-ownership-model-eliminator", "ownership-model-eliminator"],
        is_open: returns_dependent_value,
    },
    // Whether an assignment to a wrapped property initializes. The reference asserts that this is known.
    Decision {
        by: "definite-init",
        needed_by: &["raw-sil-inst-lowering"],
        is_open: |body, inst| matches!(body.view(inst), AnyInst::AssignByWrapper(i) if i.mode.is_none()),
    },
];

/// Returns true for a call whose result depends on a scope of the caller other than the whole function: not only on
/// parameters.
fn returns_dependent_value(body: &Body, inst: Inst) -> bool {
    let site = ApplySite::new(body, inst, Addresses::default()).filter(ApplySite::is_full);
    let is_dependent = |site: &ApplySite<'_>| {
        let ty = site.callee_type().ty().as_function();
        ty.and_then(|ty| ty.result_lifetime).is_some_and(|text| text.as_str().contains("borrow"))
    };
    let is_parameter = |value| body.entry_argument_index(value).is_some();
    site.filter(is_dependent).is_some_and(|site| !site.arguments().all(is_parameter))
}

/// A decision that a module leaves open before a pass that needs it.
#[derive(Clone, Copy, Debug)]
pub struct OpenDecision {
    /// The tag of the pass that needs the decision.
    pub pass: &'static str,
    /// The tag of the pass that decides.
    pub by: &'static str,
    /// The name of the function with the instruction that awaits the decision.
    pub function: Symbol,
    /// The name of the instruction.
    pub opcode: &'static str,
}

impl OpenDecision {
    /// Finds the first of some steps that is not valid on a module of raw SIL, because a decision is open that no earlier
    /// step makes.
    pub fn find(module: &Module, steps: &[PipelineStep<'_>]) -> Option<Self> {
        if module.stage != Some(SilStage::Raw) {
            return None;
        }
        DECISIONS.iter().find_map(|decision| {
            let mut before = steps.iter().map(|step| step.pass.tag).take_while(|&tag| tag != decision.by);
            let pass = before.find_map(|tag| decision.needed_by.iter().find(|&&needed| needed == tag))?;
            module.functions.values().find_map(|function| {
                let body = function.body.as_ref()?;
                let open = body.insts().find(|&inst| (decision.is_open)(body, inst))?;
                let opcode = body.inst(open).opcode.info().name;
                Some(Self { pass, by: decision.by, function: function.name, opcode })
            })
        })
    }
}

impl std::fmt::Display for OpenDecision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pass, by, function, opcode } = self;
        write!(f, "`{pass}` is valid only after `{by}`, which decides about `{opcode}` in @{function}")
    }
}
