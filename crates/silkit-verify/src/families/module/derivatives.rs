//! The types of derivatives and transposes follow from the type of the function that they belong to.

use super::method_abi::is_value;
use crate::context::FunctionVerifier;
use crate::finding::Place;
use crate::rule::{Check, Rule};
use silkit_base::Symbol;
use silkit_diag::{RuleId, Severity};
use silkit_ir::{Inst, Opcode, instructions as i};
use silkit_types::decl::Declarations;
use silkit_types::{FunctionType, ParamConvention, ParamFlags, ResultFlags, Type};

pub(super) const RULES: &[&Rule] = &[&DERIVATIVE_TYPE];

pub(super) static DERIVATIVE_TYPE: Rule = Rule {
    id: RuleId::new("SIL0650"),
    name: "DerivativeType",
    severity: Severity::Error,
    summary: "A derivative also returns a linear map; a transpose exchanges linear parameters and results",
    details: "\
For `(A, B) -> C` and parameter 0, the `jvp` is `(A, B) -> (C, (A') -> C')` and the `vjp` is `(A, B) -> (C, (C') -> A')`,
where `A'` is `A.TangentVector`; the transpose is `(B, C) -> A`.",
    failing: "\
import Swift

sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil @vjp : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32 {
  vjp: @vjp : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
}
",
    corrected: "\
import Swift

sil @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32
sil @vjp : $@convention(thin) (Builtin.FPIEEE32) -> (Builtin.FPIEEE32, @owned @callee_guaranteed (Builtin.FPIEEE32) -> Builtin.FPIEEE32)
sil_differentiability_witness [reverse] [parameters 0] [results 0] @f : $@convention(thin) (Builtin.FPIEEE32) -> Builtin.FPIEEE32 {
  vjp: @vjp : $@convention(thin) (Builtin.FPIEEE32) -> (Builtin.FPIEEE32, @owned @callee_guaranteed (Builtin.FPIEEE32) -> Builtin.FPIEEE32)
}
",
    check: Check::Inst(&[Opcode::DifferentiableFunction, Opcode::LinearFunction], derivative_types),
};

fn derivative_types(cx: &FunctionVerifier<'_>, inst: Inst) {
    let function = |index: usize| {
        let operand = cx.body.operands(inst).get(index)?;
        cx.body.value(operand.value).ty.ty().as_function()
    };
    let Some(original) = function(0) else { return };
    let report = |why: String| cx.report(cx.finding(&DERIVATIVE_TYPE, Place::Inst(inst), why));
    if let Some(view) = cx.body.view_as::<i::DifferentiableFunction<'_>>(inst) {
        let (parameters, results): (Vec<u32>, Vec<u32>) =
            (view.parameters.iter().collect(), view.results.iter().collect());
        for (index, kind) in [(1, Derivative::Jvp), (2, Derivative::Vjp)] {
            let why = function(index)
                .and_then(|f| derivative_misfit(cx.declarations(), original, f, kind, &parameters, &results));
            if let Some(why) = why {
                return report(why);
            }
        }
    } else if let Some(view) = cx.body.view_as::<i::LinearFunction<'_>>(inst) {
        let parameters: Vec<u32> = view.parameters.iter().collect();
        let why = function(1).and_then(|f| transpose_misfit(cx.declarations(), original, f, &parameters));
        if let Some(why) = why {
            report(why);
        }
    }
}

/// The kinds of derivatives.
#[derive(Clone, Copy)]
pub(super) enum Derivative {
    /// It returns the differential, from tangents of parameters to tangents of results.
    Jvp,
    /// It returns the pullback, from tangents of results to tangents of parameters.
    Vjp,
}

impl Derivative {
    /// Returns the kind with this keyword.
    pub(super) fn named(keyword: Symbol) -> Option<Self> {
        match keyword.as_str() {
            "jvp" => Some(Self::Jvp),
            "vjp" => Some(Self::Vjp),
            _ => None,
        }
    }
}

/// Returns the types of the parameters and results of a function whose derivatives follow from them: it has neither
/// `inout` parameters, which are results too, nor parts without derivative.
fn plain_types(f: &FunctionType) -> Option<(Vec<Type>, Vec<Type>)> {
    use ParamConvention as P;
    let is_plain_param = |p: &silkit_types::Param| {
        !matches!(
            p.convention,
            P::Inout | P::InoutAliasable | P::PackInout | P::PackOwned | P::PackGuaranteed
        ) && !p.flags.contains(ParamFlags::NO_DERIVATIVE)
    };
    let is_plain = f.pattern_sig.is_none()
        && f.sig.is_none()
        && f.error.is_none()
        && !f.is_coroutine()
        && f.params.iter().all(is_plain_param)
        && f.results.iter().all(|r| !r.flags.contains(ResultFlags::NO_DERIVATIVE));
    is_plain.then(|| (f.params.iter().map(|p| p.ty).collect(), f.results.iter().map(|r| r.ty).collect()))
}

/// Returns why a function surely is not this derivative of another one.
pub(super) fn derivative_misfit(
    declarations: &Declarations,
    original: &FunctionType,
    derivative: &FunctionType,
    kind: Derivative,
    parameters: &[u32],
    results: &[u32],
) -> Option<String> {
    let (params, values) = plain_types(original)?;
    let (own_params, own_values) = plain_types(derivative)?;
    if let Some(why) = differ(declarations, "derivative", "parameters", &own_params, &params) {
        return Some(why);
    }
    let Some((map, own_values)) = own_values.split_last().filter(|(_, rest)| rest.len() == values.len())
    else {
        let message =
            format!("a derivative has {} results, and this one {}", values.len() + 1, own_values.len());
        return Some(message);
    };
    if let Some(why) = differ(declarations, "derivative", "results", own_values, &values) {
        return Some(why);
    }
    let Some(map) = map.as_function() else {
        return Some(format!("the last result of a derivative is a function, not `{map}`"));
    };
    let (from, to) = plain_types(map)?;
    let tangents = |of: &[Type], indices: &[u32]| -> Option<Vec<Type>> {
        let tangent = Symbol::new("TangentVector");
        let tangent = |ty| declarations.member_type(ty, tangent).unwrap_or_else(Type::unknown);
        indices.iter().map(|&index| Some(tangent(*of.get(index as usize)?))).collect()
    };
    let (params, values) = (tangents(&params, parameters)?, tangents(&values, results)?);
    let (name, wanted_from, wanted_to) = match kind {
        Derivative::Jvp => ("differential", params, values),
        Derivative::Vjp => ("pullback", values, params),
    };
    differ(declarations, name, "parameters", &from, &wanted_from)
        .or_else(|| differ(declarations, name, "results", &to, &wanted_to))
}

/// Returns why a function surely is not the transpose of another one.
fn transpose_misfit(
    declarations: &Declarations,
    original: &FunctionType,
    transpose: &FunctionType,
    parameters: &[u32],
) -> Option<String> {
    let (params, values) = plain_types(original)?;
    let (own_params, own_values) = plain_types(transpose)?;
    let (mut kept, mut linear) = (Vec::new(), Vec::new());
    for (index, &param) in params.iter().enumerate() {
        if parameters.contains(&(index as u32)) { linear.push(param) } else { kept.push(param) }
    }
    kept.extend(values);
    differ(declarations, "transpose", "parameters", &own_params, &kept)
        .or_else(|| differ(declarations, "transpose", "results", &own_values, &linear))
}

/// Returns the first certain difference between two lists of types.
fn differ(
    declarations: &Declarations,
    function: &str,
    what: &str,
    found: &[Type],
    wanted: &[Type],
) -> Option<String> {
    if found.len() != wanted.len() {
        return Some(format!("a {function} has {} {what}, and this one {}", wanted.len(), found.len()));
    }
    found.iter().zip(wanted).find_map(|(&found, &wanted)| {
        let is_other = is_value(declarations, found)
            && is_value(declarations, wanted)
            && declarations.same_type(found, wanted, None) == Some(false);
        is_other
            .then(|| format!("the {function} has `{found}` among its {what}, where `{wanted}` is expected"))
    })
}
