//! Rules for function types.

use super::super::conformance::conforms;
use silkit_base::Symbol;
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{
    CalleeConvention, Convention, FnFlags, FunctionType, GenericSig, ParamConvention, ParamFlags,
    ResultConvention, ResultFlags, Type, TypeKind,
};

/// Returns the violation of the conventions of a function type.
pub(super) fn conventions(f: &FunctionType) -> Option<String> {
    if f.flags.contains(FnFlags::ISOLATED_ANY)
        && let Some(convention) = without_context(f.convention)
    {
        return Some(format!("an `@isolated(any)` function is thick, but its convention is `{convention}`"));
    }
    if !f.lowered {
        let is_lowered = f.callee != CalleeConvention::Unowned;
        return is_lowered
            .then(|| "a formal function type does not say how its context is passed".to_owned());
    }
    if f.convention == Convention::Swift {
        return Some("`@convention(swift)` is for formal types".to_owned());
    }
    if f.convention == Convention::Closure {
        return Some("`@convention(closure)` is for formal types".to_owned());
    }
    if f.flags.contains(FnFlags::PSEUDOGENERIC) && f.sig.is_none() && f.yields.is_empty() {
        return Some("a `@pseudogeneric` function has generic parameters".to_owned());
    }
    // The compiler's own tests pass `@noescape` blocks, thin functions and functions that own their context.
    let is_method =
        matches!(f.convention, Convention::Method | Convention::ObjCMethod | Convention::WitnessMethod(_));
    if is_method && f.flags.contains(FnFlags::NOESCAPE) {
        return Some("a `@noescape` function is thin or thick, found a method".to_owned());
    }
    if let Some(message) = f.pattern_sig.and_then(|sig| scalar_for_pack(sig, &f.pattern_args)) {
        return Some(message);
    }
    let params = f.params.iter().map(|p| (p.ty, is_of_pack(p.convention), "parameter"));
    let yields = f.yields.iter().map(|p| (p.ty, is_of_pack(p.convention), "yield"));
    let results =
        f.results.iter().map(|r| (r.ty, matches!(r.convention, ResultConvention::PackOut), "result"));
    params.chain(yields).chain(results).find_map(|(ty, is_passed_as_pack, what)| {
        let is_pack = match ty.kind() {
            TypeKind::Unknown | TypeKind::Attributed(..) => return None,
            TypeKind::Some(_) => {
                return Some(format!("the {what} `{ty}` is the type of a declaration, not of a function"));
            }
            TypeKind::PackExpansion(_) => {
                return Some(format!("expected a pack as a {what}, found the expansion `{ty}`"));
            }
            kind => matches!(kind, TypeKind::Pack { .. }),
        };
        match (is_pack, is_passed_as_pack) {
            (true, false) => {
                Some(format!("the {what} `{ty}` is a pack, but its convention is not that of a pack"))
            }
            (false, true) => Some(format!("the convention of the {what} `{ty}` is that of a pack")),
            _ if what == "result" && is_noescape(ty) => {
                Some(format!("a function does not return a closure that may not escape, found `{ty}`"))
            }
            _ => None,
        }
    })
}

/// Returns the message about an argument of a pattern that is a type for a pack parameter.
fn scalar_for_pack(sig: GenericSig, arguments: &[Type]) -> Option<String> {
    sig.data().params.iter().zip(arguments).filter(|(param, _)| param.is_pack).find_map(|(param, &ty)| {
        let may_be_pack = matches!(
            ty.kind(),
            TypeKind::Pack { .. } | TypeKind::PackExpansion(_) | TypeKind::Unknown | TypeKind::Attributed(..)
        );
        (!may_be_pack)
            .then(|| format!("expected a pack for the parameter `each {}`, found `{ty}`", param.name))
    })
}

fn is_of_pack(convention: ParamConvention) -> bool {
    use ParamConvention as P;
    matches!(convention, P::PackOwned | P::PackGuaranteed | P::PackInout)
}

fn is_noescape(ty: Type) -> bool {
    ty.as_function().is_some_and(|f| f.flags.contains(FnFlags::NOESCAPE) && f.convention != Convention::Thin)
}

/// Returns the spelling of a convention without a Swift context.
fn without_context(convention: Convention) -> Option<&'static str> {
    match convention {
        Convention::Thin => Some("thin"),
        Convention::Method => Some("method"),
        Convention::WitnessMethod(_) => Some("witness_method"),
        Convention::C => Some("c"),
        Convention::ObjCMethod => Some("objc_method"),
        Convention::Block => Some("block"),
        Convention::CxxMethod => Some("cxx_method"),
        _ => None,
    }
}

/// Returns the violation of the protocol of `@convention(witness_method: P)`: the last parameter, `self`, conforms to it.
pub(super) fn witness_protocol(
    declarations: &Declarations,
    f: &FunctionType,
    sig: Option<GenericSig>,
) -> Option<String> {
    let Convention::WitnessMethod(protocol) = f.convention else { return None };
    let decl = declarations.nominal_of(protocol).filter(|decl| !declarations.may_be_another(decl))?;
    if decl.kind != NominalKind::Protocol {
        return Some(format!("a witness method belongs to a protocol, which `{protocol}` is not"));
    }
    // The components of an `@substituted` type are written in its own parameters.
    if f.pattern_sig.is_some() || !f.lowered {
        return None;
    }
    let Some(this) = f.params.last() else {
        return Some(format!("a witness method of `{protocol}` takes `self`, found no parameters"));
    };
    let mut instance = this.ty;
    while let TypeKind::Metatype(_, inner) | TypeKind::Paren(inner) = instance.kind() {
        instance = *inner;
    }
    (conforms(declarations, instance, decl.path, f.sig.or(sig)) == Some(false))
        .then(|| format!("`self` of a witness method conforms to `{protocol}`, which `{instance}` does not"))
}

/// Returns the violation of differentiability attributes without their module.
pub(super) fn derivative_import(declarations: &Declarations, f: &FunctionType) -> Option<String> {
    let name = if f.differentiable.is_some() {
        "differentiable"
    } else if f.params.iter().any(|p| p.flags.contains(ParamFlags::NO_DERIVATIVE))
        || f.results.iter().any(|r| r.flags.contains(ResultFlags::NO_DERIVATIVE))
    {
        "noDerivative"
    } else {
        return None;
    };
    let own = declarations.own();
    let is_module = |module: &Symbol| *module == "_Differentiation";
    let has_module = own.imports.iter().any(is_module) || own.module.as_ref().is_some_and(is_module);
    (!has_module).then(|| format!("`@{name}` needs the module `_Differentiation`, which is not imported"))
}

/// Returns the violation of a declared method without parameters: the last one is `self`.
pub(super) fn lacks_self(f: &FunctionType) -> Option<String> {
    let is_method =
        matches!(f.convention, Convention::Method | Convention::ObjCMethod | Convention::WitnessMethod(_));
    (is_method && f.params.is_empty())
        .then(|| "a method has `self` as its last parameter, found none".to_owned())
}

/// Returns the violation of a declared function that names a parameter which its signature does not have.
pub(super) fn unbound(f: &FunctionType) -> Option<String> {
    if f.pattern_sig.is_some() || f.sig.is_some_and(GenericSig::params_hide) {
        return None;
    }
    let param = f.component_types().find_map(|ty| foreign_parameter(ty, &[f.sig]))?;
    Some(format!("`{param}` is not a generic parameter of the function"))
}

/// Returns the violation of the isolated parameters of a declared function.
pub(super) fn isolated(declarations: &Declarations, f: &FunctionType) -> Option<String> {
    let mut isolated = f.params.iter().filter(|p| p.flags.contains(ParamFlags::ISOLATED));
    let param = isolated.next()?;
    if isolated.next().is_some() {
        return Some("at most one parameter is `@sil_isolated`, found several".to_owned());
    }
    let is_wrong = is_actor(declarations, param.ty, f.sig) == Some(false);
    is_wrong.then(|| format!("a `@sil_isolated` parameter is an actor, which `{}` is not", param.ty))
}

/// Returns whether a function can be isolated to values of a type.
fn is_actor(declarations: &Declarations, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
    if let Some(payload) = declarations.optional_payload(ty) {
        return is_actor(declarations, payload, sig);
    }
    match ty.kind() {
        TypeKind::Named(_) => {
            let decl = declarations.nominal_of(ty).filter(|decl| !declarations.may_be_another(decl))?;
            match decl.kind {
                NominalKind::Actor => Some(true),
                NominalKind::Protocol => None,
                _ => Some(false),
            }
        }
        TypeKind::Tuple(_) => Some(false),
        TypeKind::Param { .. } => {
            let sig = sig.filter(|sig| !sig.params_may_meet() && !sig.params_hide())?;
            let is_plain = |constraint: Type| match constraint.kind() {
                TypeKind::Named(n) => n.name == "AnyObject",
                TypeKind::Inverse(_) => true,
                _ => false,
            };
            let data = sig.data();
            let of_param = data.requirements.iter().filter(|r| r.subject == ty).map(|r| r.constraint);
            let bound = super::parameter_in(sig, ty)?.bound;
            bound.into_iter().chain(of_param).all(is_plain).then_some(false)
        }
        _ => None,
    }
}

/// Returns the violation of the scope of an `@substituted` type: its signature binds all parameters of its components.
pub(super) fn scope(f: &FunctionType) -> Option<String> {
    let pattern = f.pattern_sig?;
    let param = f.component_types().find_map(|ty| foreign_parameter(ty, &[Some(pattern)]))?;
    Some(format!("an `@substituted` type binds its own parameters, which `{param}` is not"))
}

/// Returns a generic parameter in a type that none of the signatures binds.
pub(super) fn foreign_parameter(ty: Type, scope: &[Option<GenericSig>]) -> Option<Type> {
    if !ty.holds_parameter() {
        return None;
    }
    match ty.kind() {
        TypeKind::Param { name, .. } => {
            // The compiler refers to parameters with names also by their positions.
            let is_position = name.as_str().starts_with("τ_");
            let is_bound = |sig: &GenericSig| {
                sig.data().params.iter().any(|p| p.name == *name)
                    || (is_position && super::parameter_in(*sig, ty).is_some())
            };
            (!scope.iter().flatten().any(is_bound)).then_some(ty)
        }
        TypeKind::Opened { .. } | TypeKind::OpenedElement { .. } | TypeKind::OpaqueResult { .. } => None,
        TypeKind::Function(f) => {
            let mut inner = scope.to_vec();
            inner.push(f.sig);
            let outer = f.pattern_args.iter().find_map(|&ty| foreign_parameter(ty, &inner));
            if f.pattern_sig.is_some() {
                // The type is checked for itself.
                return outer;
            }
            outer.or_else(|| f.component_types().find_map(|ty| foreign_parameter(ty, &inner)))
        }
        TypeKind::Box(layout) => layout.args.iter().find_map(|&ty| foreign_parameter(ty, scope)),
        kind => {
            let mut found = None;
            kind.for_each_part(&mut |part| {
                if found.is_none() {
                    found = foreign_parameter(part, scope);
                }
            });
            found
        }
    }
}
