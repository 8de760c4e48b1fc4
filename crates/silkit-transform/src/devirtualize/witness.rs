//! Devirtualization of witness methods: the witness in the witness table of a concrete type.

use super::{MethodTarget, generic_arguments};
use silkit_ir::Inst;
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::WitnessMethod;
use silkit_pass::{FunctionContext, linker};

/// Requests the witness table and the witness of a lookup from the library. Returns true if something was requested.
pub(super) fn request(cx: &mut FunctionContext<'_>, lookup: Inst) -> bool {
    let Some(found) = cx.body().view_as::<WitnessMethod>(lookup) else { return false };
    let Some((path, protocol)) =
        linker::conformance_of_lookup(cx.declarations(), found).filter(|_| cx.library().is_some())
    else {
        return false;
    };
    let (ty, declarations) = (found.lookup.ty(), cx.declarations());
    let mut of = Some((ty, path));
    // Invalid declarations may contain inheritance cycles.
    for _ in 0..64 {
        let Some((ty, path)) = of else { return false };
        if linker::request_witness_table(cx, (path, protocol)) {
            return true;
        }
        if cx.callees().witness_table(path, protocol).is_some() {
            break;
        }
        of = declarations.superclass(ty).and_then(|ty| Some((ty, declarations.path_of(ty)?)));
    }
    let Some(witness) = cx.callees().witness(ty, found.member, found.formal) else { return false };
    let name = cx.program().module.functions[witness].name;
    linker::request_body(cx, name)
}

pub(super) fn target(cx: &FunctionContext<'_>, site: &ApplySite<'_>, lookup: Inst) -> Option<MethodTarget> {
    let WitnessMethod { lookup, member, formal, .. } = cx.body().view_as(lookup)?;
    let ty = lookup.ty();
    let function = cx.callees().witness(ty, member, formal)?;
    let function = &cx.program().module.functions[function];
    // A witness of another module is loaded in OSSA, which a non-OSSA caller cannot use.
    let is_own =
        cx.declarations().path_of(ty).is_some_and(|path| cx.declarations().own().get(path).is_some());
    let has_ossa = function.body.is_none() || function.has_ossa();
    if !is_own && has_ossa && !cx.function().has_ossa() {
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
