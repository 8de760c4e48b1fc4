//! Differentiability: witnesses belong to functions and stand once, and indices are those of parameters and results.

use super::derivatives::{DERIVATIVE_TYPE, Derivative, derivative_misfit};
use super::place;
use crate::context::{FunctionVerifier, ModuleVerifier, Owner};
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::{FxHashSet, Symbol};
use silkit_diag::{RuleId, Severity};
use silkit_ir::attributes::DifferentiabilityKind;
use silkit_ir::{Inst, Opcode, SilStage, instructions as i};
use silkit_text::SourceEntity;
use silkit_types::{FunctionType, ParamConvention, SilType};

pub(super) const RULES: &[&Rule] = &[&INDICES, &WITNESS, &WITNESS_REFERENCE, &EXTRACTED];

static INDICES: Rule = Rule {
    id: RuleId::new("SIL0635"),
    name: "DifferentiabilityIndices",
    severity: Severity::Error,
    summary: "The indices of differentiability are those of parameters and results of the function",
    details: "\
Parameters and results are numbered from 0. Results are followed by the `@inout` parameters, which are results too.",
    failing: "\
sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil_differentiability_witness [reverse] [parameters 1] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
",
    check: Check::Inst(&[Opcode::DifferentiableFunction, Opcode::LinearFunction], indices),
};

static WITNESS: Rule = Rule {
    id: RuleId::new("SIL0636"),
    name: "DifferentiabilityWitness",
    severity: Severity::Error,
    summary: "A differentiability witness has the type of its function, and there is one for each configuration",
    details: "\
A configuration consists of the function, the kind, the parameters, the results and the generic signature of the derivative.",
    failing: "\
sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(method) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
",
    check: Check::Module(witnesses),
};

static WITNESS_REFERENCE: Rule = Rule {
    id: RuleId::new("SIL0637"),
    name: "WitnessReference",
    severity: Severity::Error,
    summary: "`differentiability_witness_function` names a witness that is declared, with the type of its function",
    details: "\
The kind, the parameters and the results are those of a `sil_differentiability_witness`. A type after `as` is for lowered SIL.",
    failing: "\
sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil @g : $@convention(thin) () -> () {
bb0:
  %0 = differentiability_witness_function [vjp] [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
  %1 = tuple ()
  return %1
}
",
    corrected: "\
sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil @g : $@convention(thin) () -> () {
bb0:
  %0 = differentiability_witness_function [vjp] [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
  %1 = tuple ()
  return %1
}
",
    check: Check::Inst(&[Opcode::DifferentiabilityWitnessFunction], witness_reference),
};

static EXTRACTED: Rule = Rule {
    id: RuleId::new("SIL0638"),
    name: "DifferentiableExtract",
    severity: Severity::Error,
    summary: "Derivatives are extracted from differentiable functions, transposes from linear ones",
    details: "\
The type of the operand is `@differentiable`, and `@differentiable(_linear)` for `linear_function_extract`.",
    failing: "\
sil @f : $@convention(thin) (@guaranteed @callee_guaranteed (Builtin.FPIEEE32) -> Builtin.FPIEEE32) -> () {
bb0(%0 : $@callee_guaranteed (Builtin.FPIEEE32) -> Builtin.FPIEEE32):
  %1 = differentiable_function_extract [vjp] %0
  %2 = tuple ()
  return %2
}
",
    corrected: "\
import _Differentiation

sil @f : $@convention(thin) (@guaranteed @differentiable(reverse) @callee_guaranteed (Builtin.FPIEEE32) -> Builtin.FPIEEE32) -> () {
bb0(%0 : $@differentiable(reverse) @callee_guaranteed (Builtin.FPIEEE32) -> Builtin.FPIEEE32):
  %1 = differentiable_function_extract [vjp] %0
  %2 = tuple ()
  return %2
}
",
    check: Check::Inst(&[Opcode::DifferentiableFunctionExtract, Opcode::LinearFunctionExtract], extracted),
};

/// Returns an error about an index that the function does not have.
fn wrong_index(
    function: &FunctionType,
    parameters: impl Iterator<Item = u32>,
    results: impl Iterator<Item = u32>,
) -> Option<String> {
    let is_inout = |c: ParamConvention| matches!(c, ParamConvention::Inout | ParamConvention::InoutAliasable);
    let counts = [
        function.params.len(),
        function.results.len() + function.params.iter().filter(|p| is_inout(p.convention)).count(),
    ];
    let wrong = |kind: &str, count: usize, mut indices: Box<dyn Iterator<Item = u32> + '_>| {
        let index = indices.find(|&index| index as usize >= count)?;
        Some(format!("there is no {kind} {index}: the function has {count}"))
    };
    wrong("parameter", counts[0], Box::new(parameters))
        .or_else(|| wrong("result", counts[1], Box::new(results)))
}

fn indices(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(original) = cx.body.operands(inst).first() else { return };
    let ty = cx.body.value(original.value).ty.ty();
    let Some(function) = ty.as_function() else { return };
    let wrong = if let Some(view) = cx.body.view_as::<i::DifferentiableFunction<'_>>(inst) {
        wrong_index(function, view.parameters.iter(), view.results.iter())
    } else if let Some(view) = cx.body.view_as::<i::LinearFunction<'_>>(inst) {
        wrong_index(function, view.parameters.iter(), std::iter::empty())
    } else {
        None
    };
    if let Some(message) = wrong {
        cx.report(cx.finding(&INDICES, Place::Inst(inst), message));
    }
}

/// Returns an error about the type that a reference gives to a function.
fn wrong_type(
    declarations: &silkit_types::decl::Declarations,
    name: Symbol,
    given: SilType,
    declared: Option<SilType>,
) -> Option<String> {
    if given.is_unknown() {
        return None;
    }
    if given.is_address() || given.ty().as_function().is_none() {
        return Some(format!("`{given}` is not the type of a function"));
    }
    let declared = declared.filter(|d| !d.is_unknown())?;
    (given != declared && declarations.same_type(given.ty(), declared.ty(), None) == Some(false))
        .then(|| format!("`@{name}` has the type `{declared}`, not `{given}`"))
}

fn witnesses(cx: &ModuleVerifier<'_>) {
    let mut seen = FxHashSet::default();
    for (at, witness) in cx.module.differentiability_witnesses.iter().enumerate() {
        let report = |rule: &'static Rule, message: String| {
            let place = place::entity(cx, SourceEntity::DifferentiabilityWitness(at));
            cx.report(cx.finding(rule, Owner::Module, place, message));
        };
        let attributes = &witness.attributes;
        let function = |name| cx.function(name).map(|f| f.ty);
        let derivatives = witness.derivatives.iter().flatten().map(|&(_, name, ty)| (name, ty));
        for (name, ty) in std::iter::once((witness.function, witness.ty)).chain(derivatives) {
            if let Some(message) = wrong_type(cx.declarations, name, ty, function(name)) {
                report(&WITNESS, message);
            }
        }
        if let Some(ty) = witness.ty.ty().as_function() {
            let (parameters, results) = (attributes.parameters.iter(), attributes.results.iter());
            if let Some(message) = wrong_index(ty, parameters.copied(), results.copied()) {
                report(&INDICES, message);
            }
            let of = witness.derivatives.iter().flatten();
            let wrong = of.filter_map(|&(kind, _, derivative)| {
                derivative_misfit(
                    cx.declarations,
                    ty,
                    derivative.ty().as_function()?,
                    Derivative::named(kind)?,
                    &attributes.parameters,
                    &attributes.results,
                )
            });
            wrong.for_each(|message| report(&DERIVATIVE_TYPE, message));
        }
        let configuration =
            (witness.function, attributes.kind, &attributes.parameters, &attributes.results, witness.sig);
        if !seen.insert(configuration) {
            report(&WITNESS, format!("`@{}` has two witnesses of this configuration", witness.function));
        }
    }
}

fn kind_name(kind: DifferentiabilityKind) -> &'static str {
    match kind {
        DifferentiabilityKind::Forward => "forward",
        DifferentiabilityKind::Reverse => "reverse",
        DifferentiabilityKind::Normal => "",
        DifferentiabilityKind::Linear => "linear",
    }
}

fn witness_reference(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(view) = cx.body.view_as::<i::DifferentiabilityWitnessFunction<'_>>(inst) else { return };
    let report = |message: String| cx.report(cx.finding(&WITNESS_REFERENCE, Place::Inst(inst), message));
    let declared = cx.callee(view.function).map(|f| f.ty);
    if let Some(message) = wrong_type(cx.declarations(), view.function, view.original_type, declared) {
        report(message);
        return;
    }
    if view.ty.is_some() && cx.module().stage != Some(SilStage::Lowered) {
        report("a type after `as` is allowed only in lowered SIL".to_owned());
    }
    let is_declared = cx.witnesses(view.function).any(|witness| {
        let attributes = &witness.attributes;
        kind_name(attributes.kind.unwrap_or(DifferentiabilityKind::Normal)) == view.diff_kind.as_str()
            && attributes.parameters.iter().copied().eq(view.parameters.iter())
            && attributes.results.iter().copied().eq(view.results.iter())
            && (view.sig.is_some() || witness.sig.is_none())
    });
    if !is_declared {
        report(format!("`@{}` has no differentiability witness of this configuration", view.function));
    }
}

fn extracted(cx: &FunctionVerifier<'_>, inst: Inst) {
    let Some(operand) = cx.body.operands(inst).first() else { return };
    let ty = cx.body.value(operand.value).ty.ty();
    let Some(function) = ty.as_function() else { return };
    let is_linear = cx.body.inst(inst).opcode == Opcode::LinearFunctionExtract;
    let wanted = match function.differentiable {
        Some(kind) if is_linear == (kind == "_linear") => return,
        _ if is_linear => "`@differentiable(_linear)`",
        _ => "`@differentiable`",
    };
    let message = format!("`{}` expects a function that is {wanted}", cx.body.info(inst).name);
    cx.report(cx.finding(&EXTRACTED, Place::Inst(inst), message));
}
