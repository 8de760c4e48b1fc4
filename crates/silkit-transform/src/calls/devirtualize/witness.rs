//! Devirtualization of witness methods: the witness in the witness table of a concrete type.

use super::{MethodTarget, generic_arguments};
use silkit_ir::Inst;
use silkit_ir::conventions::ApplySite;
use silkit_ir::instructions::WitnessMethod;
use silkit_link::linker::conformance_of_lookup;
use silkit_pass::FunctionContext;
use silkit_types::{FunctionType, Requirement, RequirementKind, Type, TypeKind};

/// Requests the witness table and the witness of a lookup from the library. Returns true if something was requested.
pub(super) fn request(cx: &mut FunctionContext<'_>, lookup: Inst) -> bool {
    let Some(found) = cx.body().view_as::<WitnessMethod>(lookup) else { return false };
    let Some((path, protocol)) =
        conformance_of_lookup(cx.declarations(), found).filter(|_| cx.library().is_some())
    else {
        return false;
    };
    let (ty, declarations) = (found.lookup.ty(), cx.declarations());
    let mut of = Some((ty, path));
    // Invalid declarations may contain inheritance cycles.
    for _ in 0..64 {
        let Some((ty, path)) = of else { return false };
        if cx.request_witness_table((path, protocol)) {
            return true;
        }
        if cx.callees().witness_table(path, protocol).is_some() {
            break;
        }
        of = declarations.superclass(ty).and_then(|ty| Some((ty, declarations.path_of(ty)?)));
    }
    let Some(witness) = cx.callees().witness(ty, found.member, found.formal) else { return false };
    let name = cx.program().module.functions[witness].name;
    cx.request_body(name)
}

pub(super) fn target(cx: &FunctionContext<'_>, site: &ApplySite<'_>, lookup: Inst) -> Option<MethodTarget> {
    let lookup: WitnessMethod = cx.body().view_as(lookup)?;
    let WitnessMethod { member, formal, .. } = lookup;
    let ty = lookup.lookup.ty();
    let function = cx.callees().witness(ty, member, formal)?;
    let function = &cx.program().module.functions[function];
    // A witness of another module is loaded in OSSA, which a non-OSSA caller cannot use.
    let is_own =
        cx.declarations().path_of(ty).is_some_and(|path| cx.declarations().own().get(path).is_some());
    let has_ossa = function.body.is_none() || function.has_ossa();
    if !is_own && has_ossa && !cx.function().has_ossa() {
        return None;
    }
    let witness = function.ty.ty().as_function()?.clone().with_canonical_signature();
    let substitutions = substitutions(cx, site, lookup, &witness)?;
    MethodTarget::new(cx, site, function.name, substitutions)
}

/// Returns the generic arguments of the witness of a requirement.
fn substitutions(
    cx: &FunctionContext<'_>,
    site: &ApplySite<'_>,
    lookup: WitnessMethod,
    witness: &FunctionType,
) -> Option<Vec<Type>> {
    let all = site.substitutions();
    let Some(sig) = witness.sig else { return Some(Vec::new()) };
    let ty = lookup.lookup.ty();
    let is_self = |ty: Type| matches!(ty.kind(), TypeKind::Param { depth: 0, index: 0, .. });
    let is_generic = witness.params.last().is_some_and(|param| match param.ty.kind() {
        TypeKind::Metatype(_, instance) => is_self(*instance),
        _ => is_self(param.ty),
    });
    let is_subclass = |requirement: &Requirement| {
        requirement.kind == RequirementKind::Conforms
            && is_self(requirement.subject)
            && cx.declarations().is_class(requirement.constraint) == Some(true)
    };
    let bound = match is_generic {
        true if sig.data().requirements.iter().any(is_subclass) => Some(ty),
        // A default implementation is a function of `Self`, as the requirement.
        true => return Some(all),
        false => None,
    };
    // `Self`, the generic arguments of the conforming type, and those of the method without `Self`.
    let mut types: Vec<Type> = bound.into_iter().collect();
    generic_arguments(conforming(cx, lookup)?, &mut types);
    types.extend(all.into_iter().skip(1));
    Some(types)
}

/// Returns the type, or its superclass, whose witness table has the implementation of a requirement.
fn conforming(cx: &FunctionContext<'_>, lookup: WitnessMethod) -> Option<Type> {
    let (_, protocol) = conformance_of_lookup(cx.declarations(), lookup)?;
    let ty = lookup.lookup.ty();
    let has_table = |&ty: &Type| {
        cx.declarations().path_of(ty).is_some_and(|path| cx.callees().witness_table(path, protocol).is_some())
    };
    std::iter::once(ty).chain(cx.declarations().superclasses(ty)).find(has_table)
}
