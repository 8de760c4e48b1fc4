//! The function types of the accessors of a computed key path component.

use silkit_base::Symbol;
use silkit_ir::KeyPathComponent;
use silkit_types::decl::Declarations;
use silkit_types::{
    Convention, FunctionType, GenericSig, ParamConvention, ResultConvention, SilType, Type, TypeKind,
};

/// The declarations around a key path, and the signature of its function.
pub(crate) type Around<'a> = (&'a Declarations, Option<GenericSig>);

/// Returns an error about an accessor of a component whose base is `base`.
pub(crate) fn violation(
    cx: Around<'_>,
    component: &KeyPathComponent,
    base: Type,
    is_generic: bool,
) -> Option<String> {
    let KeyPathComponent::Computed { settable, ty, getter, setter, indices, equals, hash, .. } = component
    else {
        return None;
    };
    if getter.is_none() || (*settable && setter.is_none()) {
        let (component, lacks) = match (settable, getter) {
            (_, None) => ("computed", "getter"),
            _ => ("settable", "setter"),
        };
        return Some(format!("the {component} component has no {lacks}"));
    }
    let mut accessors = getter.iter().chain(setter);
    if let Some((name, found)) = accessors.find(|(_, ty)| ty.ty().as_function().is_none()) {
        return Some(format!("`@{name}` is a function, and cannot have the type `{found}`"));
    }
    // The parameters of a generic pattern are those of its accessors, whatever their names are.
    let types = (!is_generic).then_some((base, *ty));
    let index = usize::from(!indices.is_empty());
    let check = |accessor: &Option<(Symbol, SilType)>, why: &dyn Fn(&FunctionType) -> Option<String>| {
        let (name, found) = accessor.as_ref()?;
        let why = why(found.ty().as_function()?)?;
        Some(format!("`@{name}` {why}"))
    };
    check(getter, &|f| getter_violation(cx, f, types, index))
        .or_else(|| check(setter, &|f| setter_violation(cx, f, types, index)))
        .or_else(|| check(equals, &|f| index_violation(f, Convention::KeyPathEquals, 2)))
        .or_else(|| check(hash, &|f| index_violation(f, Convention::KeyPathHash, 1)))
}

fn getter_violation(
    cx: Around<'_>,
    f: &FunctionType,
    types: Option<(Type, Type)>,
    index: usize,
) -> Option<String> {
    if f.convention != Convention::KeyPathGetter {
        return Some("is a getter, and has not `@convention(keypath_accessor_getter)`".to_owned());
    }
    if f.params.len() != 1 + index || f.results.len() != 1 {
        return Some("is a getter, and has other parameters or results".to_owned());
    }
    if f.params[0].convention != ParamConvention::InGuaranteed
        || f.results[0].convention != ResultConvention::Out
    {
        return Some("is a getter, and does not take the base and return the value by address".to_owned());
    }
    let (base, value) = types?;
    differ(cx, f.params[0].ty, base).or_else(|| differ(cx, f.results[0].ty, value))
}

fn setter_violation(
    cx: Around<'_>,
    f: &FunctionType,
    types: Option<(Type, Type)>,
    index: usize,
) -> Option<String> {
    if f.convention != Convention::KeyPathSetter {
        return Some("is a setter, and has not `@convention(keypath_accessor_setter)`".to_owned());
    }
    if f.params.len() != 2 + index || !f.results.is_empty() {
        return Some("is a setter, and has other parameters or results".to_owned());
    }
    let is_address = |c| matches!(c, ParamConvention::InGuaranteed | ParamConvention::Inout);
    if f.params[0].convention != ParamConvention::InGuaranteed || !is_address(f.params[1].convention) {
        return Some("is a setter, and does not take the value and the base by address".to_owned());
    }
    let (base, value) = types?;
    differ(cx, f.params[0].ty, value).or_else(|| differ(cx, f.params[1].ty, base))
}

fn index_violation(f: &FunctionType, convention: Convention, params: usize) -> Option<String> {
    (f.convention != convention || f.params.len() != params || f.results.len() != 1)
        .then(|| "has not the type of a function for indices".to_owned())
}

/// Returns the difference of two nominal types. Others are lowered for the accessor, and not for the component.
fn differ(cx: Around<'_>, found: Type, wanted: Type) -> Option<String> {
    let is_other =
        is_nominal(found) && is_nominal(wanted) && cx.0.same_type(found, wanted, cx.1) == Some(false);
    is_other.then(|| format!("has `{found}` where the key path has `{wanted}`"))
}

/// Returns true for a type whose lowered and formal forms are the same.
fn is_nominal(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Named(named) => {
            named.parent.is_none_or(is_nominal) && named.args.iter().copied().all(is_nominal)
        }
        TypeKind::Builtin(..) => true,
        _ => false,
    }
}
