//! Devirtualization of witness methods: the witness in the witness table of a concrete type.

use super::{MethodTarget, generic_arguments};
use silkit_ir::Inst;
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::WitnessMethod;
use silkit_pass::FunctionContext;

pub(super) fn target(cx: &FunctionContext<'_>, site: &ApplySite<'_>, lookup: Inst) -> Option<MethodTarget> {
    let WitnessMethod { lookup, member, formal, .. } = cx.body().view_as(lookup)?;
    let ty = lookup.ty();
    let function = cx.callees().witness(ty, member, formal)?;
    let function = &cx.program().module.functions[function];
    // A witness of another module is loaded in OSSA, which a non-OSSA caller cannot use.
    let is_own =
        cx.declarations().path_of(ty).is_some_and(|path| cx.declarations().own().get(path).is_some());
    if !is_own && function.body.is_none() && !cx.function().has_ossa() {
        return None;
    }
    let substitutions = match function.ty.ty().as_function()?.sig {
        None => Vec::new(),
        // The generic arguments of the type, followed by those of the method without `Self`.
        Some(_) => {
            let mut types = Vec::new();
            generic_arguments(ty, &mut types);
            types.extend(site.substitutions().into_iter().skip(1));
            types
        }
    };
    MethodTarget::new(cx, site, function.name, substitutions).filter(|target| target.cast.is_none())
}
