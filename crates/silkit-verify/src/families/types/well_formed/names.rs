//! Rules for named types: the builtin ones, and generic arguments.

use crate::families::types::conformance::{conforms, protocols};
use crate::families::types::member_types::lacks_type;
use silkit_base::Symbol;
use silkit_types::decl::{Declarations, Lookup, NominalDecl, NominalKind};
use silkit_types::{
    CalleeConvention, GenericParamDecl, GenericSig, NamedType, RequirementKind, Type, TypeKind,
};

/// The builtin types without parameters, except for numbers and vectors.
const BUILTIN: &[&str] = &[
    "AnyObject",
    "BridgeObject",
    "DefaultActorStorage",
    "Executor",
    "ImplicitActor",
    "IntLiteral",
    "Job",
    "NativeObject",
    "NonDefaultDistributedActorStorage",
    "ObjCPointer",
    "PackIndex",
    "RawPointer",
    "RawUnsafeContinuation",
    "SILToken",
    "TheTupleType",
    "UnknownObject",
    "UnsafeValueBuffer",
    "Word",
];

/// The widths of builtin floating-point types.
const FLOAT_BITS: &[&str] = &["16", "32", "64", "80", "128"];

/// The maximum width of a builtin integer.
const MAX_INT_BITS: u32 = 1 << 23;

/// Returns the violation of a type of module `Builtin`.
pub(super) fn builtin(name: &str, args: &[Type]) -> Option<String> {
    if name == "FixedArray" {
        let is_size = |ty: &Type| !matches!(ty.kind(), TypeKind::Named(_) | TypeKind::Tuple(_));
        let is_element = |ty: &Type| !matches!(ty.kind(), TypeKind::Integer(_));
        let is_right = matches!(args, [size, element] if is_size(size) && is_element(element));
        return (!is_right).then(|| "`Builtin.FixedArray` has a size and an element type".to_owned());
    }
    if name == "Borrow" {
        return (args.len() != 1).then(|| "`Builtin.Borrow` has the type that it refers to".to_owned());
    }
    if !is_builtin(name) {
        return Some(format!("`Builtin.{name}` is not a builtin type"));
    }
    (!args.is_empty()).then(|| format!("`Builtin.{name}` has no generic parameters"))
}

fn is_builtin(name: &str) -> bool {
    let is_number = |name: &str| {
        let bits = name.strip_prefix("Int").and_then(|bits| bits.parse::<u32>().ok());
        bits.is_some_and(|bits| (1..=MAX_INT_BITS).contains(&bits))
            || name.strip_prefix("FPIEEE").is_some_and(|bits| FLOAT_BITS.contains(&bits))
            || name == "FPPPC128"
    };
    let is_vector = || {
        let (count, element) = name.strip_prefix("Vec")?.split_once('x')?;
        let is_count = count.parse::<u32>().is_ok_and(|count| count > 0);
        Some(is_count && (is_number(element) || element == "RawPointer"))
    };
    BUILTIN.contains(&name) || is_number(name) || is_vector() == Some(true)
}

/// Returns whether storage can refer to values of a type.
pub(super) fn is_reference(declarations: &Declarations, ty: Type, sig: Option<GenericSig>) -> Option<bool> {
    match ty.kind() {
        TypeKind::Builtin(name, _) => match name.as_str() {
            "NativeObject" | "BridgeObject" | "UnknownObject" | "AnyObject" => Some(true),
            _ => Some(false),
        },
        TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Metatype(..) => Some(false),
        TypeKind::Named(n) if n.name == "AnyObject" => Some(true),
        TypeKind::Named(_) => {
            let decl = declarations.nominal_of(ty).filter(|decl| !declarations.may_be_another(decl))?;
            if decl.kind == NominalKind::Protocol { None } else { Some(decl.is_class()) }
        }
        TypeKind::Any(inner) => match inner.kind() {
            TypeKind::Named(_) => {
                let decl = declarations.nominal_of(*inner)?;
                let is_plain = decl.kind == NominalKind::Protocol
                    && decl.inherited.is_empty()
                    && decl.requirements.is_empty()
                    && declarations.own().get(decl.path).is_some();
                is_plain.then_some(false)
            }
            _ => None,
        },
        TypeKind::Param { .. } => {
            let sig = sig.filter(|sig| !sig.params_may_meet() && !sig.params_hide())?;
            let param = super::parameter_in(sig, ty)?;
            let is_constrained = sig.data().requirements.iter().any(|r| r.subject == ty);
            (param.bound.is_none() && !is_constrained).then_some(false)
        }
        _ => None,
    }
}

/// Returns the violation of a name with a qualifier: the qualifier is a module or a type that declares the name.
pub(super) fn qualified(declarations: &Declarations, ty: Type) -> Option<String> {
    let TypeKind::Named(named) = ty.kind() else { return None };
    let TypeKind::Named(parent) = named.parent?.kind() else { return None };
    if parent.parent.is_some() || !declarations.sees_known_modules_only() {
        return None;
    }
    let own = declarations.own();
    match declarations.lookup_nominal(parent.name) {
        Lookup::Absent => {
            // A file does not say the name of its own module.
            let is_own = || own.get(named.name).is_some_and(|e| e.nominal.is_some() || e.alias.is_some());
            if own.imports.contains(&parent.name)
                && parent.name == "Swift"
                && is_absent(declarations, named.name)
            {
                return Some(format!("`Swift` does not declare `{}`", named.name));
            }
            let is_module = own.module.map_or_else(is_own, |module| module == parent.name)
                || own.imports.contains(&parent.name)
                || declarations.alias(parent.name).is_some()
                || declarations
                    .path_of(ty)
                    .is_some_and(|path| declarations.nominal_of(ty).is_some_and(|d| d.path == path));
            (!is_module).then(|| format!("`{}` is not declared, here or in an imported module", parent.name))
        }
        Lookup::Known(decl) => lacks_type(declarations, decl, named.name)
            .then(|| format!("`{}` is not a member type of `{}`", named.name, decl.path)),
        Lookup::Unknown => None,
    }
}

/// Returns true if no visible module declares a type with this name. Names that begin with an underscore may be internal.
fn is_absent(declarations: &Declarations, name: Symbol) -> bool {
    !name.as_str().starts_with('_')
        && matches!(declarations.lookup_nominal(name), Lookup::Absent)
        && declarations.alias(name).is_none()
}

/// Returns the violation of a generic argument that is a lowered function type. That of an optional is one.
pub(super) fn lowered_argument(named: &NamedType) -> Option<String> {
    let is_lowered = |ty: &&Type| ty.as_function().is_some_and(|f| f.callee != CalleeConvention::Unowned);
    let argument = named.args.iter().filter(|_| named.name != "Optional").find(is_lowered)?;
    Some(format!("a generic argument of `{}` is a formal type, found `{argument}`", named.name))
}

/// Returns the violation of the generic arguments of a nominal type.
pub(super) fn arguments(
    declarations: &Declarations,
    ty: Type,
    named: &NamedType,
    sig: Option<GenericSig>,
) -> Option<String> {
    if named.args.is_empty() {
        return None;
    }
    let decl = declarations.nominal_of(ty)?;
    let data = decl.sig?.data();
    if decl.kind == NominalKind::Protocol
        || declarations.may_be_another(decl)
        || data.params.len() != named.args.len()
        || data.params.iter().any(|p| p.is_pack)
    {
        return None;
    }
    data.params.iter().zip(&named.args).find_map(|(param, &argument)| {
        value(declarations, param, argument, sig)
            .or_else(|| requirements(declarations, decl, param, argument, sig))
    })
}

/// Returns the violation of an argument that is an integer where a type is expected, or the other way around.
fn value(
    declarations: &Declarations,
    param: &GenericParamDecl,
    argument: Type,
    sig: Option<GenericSig>,
) -> Option<String> {
    let is_value = match argument.kind() {
        TypeKind::Integer(_) => true,
        TypeKind::Param { .. } => super::parameter_in(sig?, argument)?.value_type.is_some(),
        TypeKind::Tuple(_) | TypeKind::Function(_) | TypeKind::Builtin(..) => false,
        TypeKind::Named(_) if declarations.nominal_of(argument).is_some() => false,
        _ => return None,
    };
    match (param.value_type.is_some(), is_value) {
        (true, false) => Some(format!("expected an integer for `{}`, found `{argument}`", param.name)),
        (false, true) => {
            Some(format!("expected a type for `{}`, found the integer `{argument}`", param.name))
        }
        _ => None,
    }
}

fn requirements(
    declarations: &Declarations,
    decl: &NominalDecl,
    param: &GenericParamDecl,
    argument: Type,
    sig: Option<GenericSig>,
) -> Option<String> {
    let of_sig = decl.sig.map(|sig| &*sig.data().requirements).unwrap_or_default();
    let required = of_sig
        .iter()
        .chain(&*decl.requirements)
        .filter(|r| r.kind == RequirementKind::Conforms && names_parameter(r.subject, param));
    let constraints: Vec<Type> = param.bound.into_iter().chain(required.map(|r| r.constraint)).collect();
    for &constraint in &constraints {
        let broken = protocols(declarations, constraint)
            .into_iter()
            .find(|&protocol| conforms(declarations, argument, protocol, sig) == Some(false));
        if let Some(protocol) = broken {
            return Some(format!(
                "`{argument}` does not conform to `{protocol}`, which `{}` requires",
                decl.path
            ));
        }
        let wants_class = matches!(constraint.kind(), TypeKind::Named(n) if n.name == "AnyObject");
        if wants_class && is_reference(declarations, argument, sig) == Some(false) {
            return Some(format!("`{}` requires a class, which `{argument}` is not", decl.path));
        }
    }
    let is_suppressed = constraints.iter().any(|&constraint| suppresses_copying(constraint));
    let is_named = matches!(argument.kind(), TypeKind::Named(_));
    let is_move_only = is_named && !is_suppressed && declarations.is_move_only(argument, sig) == Some(true);
    is_move_only.then(|| format!("`{argument}` is not copyable, which `{}` requires", decl.path))
}

/// Returns true if a type in a declaration denotes a parameter of this declaration.
fn names_parameter(ty: Type, param: &GenericParamDecl) -> bool {
    match ty.kind() {
        TypeKind::Param { name, .. } => *name == param.name,
        TypeKind::Named(n) => n.parent.is_none() && n.args.is_empty() && n.name == param.name,
        _ => false,
    }
}

fn suppresses_copying(constraint: Type) -> bool {
    match constraint.kind() {
        TypeKind::Composition(parts) => parts.iter().any(|&part| suppresses_copying(part)),
        TypeKind::Inverse(inner) => matches!(inner.kind(), TypeKind::Named(n) if n.name == "Copyable"),
        _ => false,
    }
}
