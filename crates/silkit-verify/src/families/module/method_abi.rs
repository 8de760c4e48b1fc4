//! How the formal type of a method says that it is called, as far as this is known: which arguments and results are
//! passed by address, by which conventions, and what `self` is.
//!
//! Functions in tables and looked-up methods are compared with it.

use silkit_base::Symbol;
use silkit_ir::DeclRef;
use silkit_types::decl::{DeclFlags, Declarations, MAX_SUPERCLASSES, NominalDecl, NominalKind};
use silkit_types::{
    Convention, FunctionType, GenericSig, MetatypeRepr, Param, ParamConvention, ParamFlags, ResultConvention,
    ResultInfo, Type, TypeKind,
};

/// What a function is compared with the formal type of a method for.
#[derive(Clone, Copy)]
pub(crate) enum Called {
    /// Through a vtable: by `class_method`, or by `super_method`.
    ByClass,
    /// Through a witness table.
    ByWitness,
}

/// What is known about how a value is passed.
struct Passed {
    /// The formal type, without aliases and sugar.
    ty: Type,
    /// True if the value is passed by address.
    is_indirect: Option<bool>,
    /// True if the value has no ownership.
    is_trivial: Option<bool>,
}

/// Returns the reason why a function surely cannot be called as a method with this formal type is called.
pub(crate) fn violation(
    declarations: &Declarations,
    method: DeclRef,
    formal: Option<Type>,
    f: &FunctionType,
    called: Called,
) -> Option<String> {
    let kind = match &*method.data().kinds {
        [] => "",
        [kind] => kind.as_str(),
        _ => return None,
    };
    let formal = formal?.as_function()?;
    let inner = formal.results.first()?.ty.as_function()?;
    let [this] = &*formal.params else { return None };
    let is_plain = matches!(kind, "" | "getter" | "setter" | "allocator" | "initializer");
    let is_deinit = method.name().is_some_and(|name| name == "deinit");
    // A function with another convention is not called like this at all.
    let is_method = match called {
        Called::ByClass => f.convention == Convention::Method,
        Called::ByWitness => matches!(f.convention, Convention::WitnessMethod(_)),
    };
    if !is_plain || is_deinit || !is_method || f.pattern_sig.is_some() || inner.sig.is_some() {
        return None;
    }
    let (own, given) = f.params.split_last()?;
    let sig = stated_signature(declarations, method, formal);
    let of_self = match called {
        Called::ByClass => self_of_class(declarations, kind, this, own),
        Called::ByWitness => self_of_witness(declarations, kind, this, own, sig),
    };
    if matches!(called, Called::ByClass) && of_self.is_none() && overrides_generic(declarations, method) {
        return None;
    }
    of_self
        .or_else(|| arguments(declarations, kind, given, inner, sig))
        .or_else(|| results(declarations, &f.results, inner, sig))
}

/// Returns the reason why a function surely does not return what a requirement of a protocol returns.
pub(crate) fn result_violation(
    declarations: &Declarations,
    method: DeclRef,
    formal: Option<Type>,
    f: &FunctionType,
) -> Option<String> {
    let is_plain = match &*method.data().kinds {
        [] => true,
        [kind] => matches!(kind.as_str(), "getter" | "setter" | "allocator"),
        _ => false,
    };
    let formal = formal?.as_function()?;
    let inner = formal.results.first()?.ty.as_function()?;
    if !is_plain || f.pattern_sig.is_some() || inner.sig.is_some() {
        return None;
    }
    results(declarations, &f.results, inner, stated_signature(declarations, method, formal))
}

/// Returns true if a method may override one of a generic superclass: it is then called as the overridden method is,
/// which passes a `T` by address even where it is an `Int`.
pub(super) fn overrides_generic(declarations: &Declarations, method: DeclRef) -> bool {
    let (Some(mut path), Some(name)) = (method.owner_path(), method.name()) else { return true };
    for _ in 0..MAX_SUPERCLASSES {
        let Some(decl) = declarations.own().get(path).and_then(|entry| entry.nominal.as_ref()) else {
            return true;
        };
        let Some(superclass) = decl.inherited.first() else { return false };
        let TypeKind::Named(named) = superclass.kind() else { return true };
        if !named.args.is_empty() || named.parent.is_some() {
            return true;
        }
        // The first type may also be a protocol.
        match declarations.nominal_of(*superclass) {
            Some(above) if above.kind == NominalKind::Protocol => return false,
            Some(above) => path = above.path,
            None => return name == "init" || is_override(decl, name),
        }
    }
    true
}

fn is_override(decl: &NominalDecl, name: Symbol) -> bool {
    let is_field = decl.body.fields.named(name).is_some();
    is_field || decl.body.members.all_named(name).any(|m| m.flags.contains(DeclFlags::OVERRIDE))
}

/// Returns the signature of the parameters in the formal type of a method, if it has all their constraints: where a
/// file omits the formal type, the `where` clause of the class is not part of it.
fn stated_signature(
    declarations: &Declarations,
    method: DeclRef,
    formal: &FunctionType,
) -> Option<GenericSig> {
    let owner = declarations.own().get(method.owner_path()?).and_then(|entry| entry.nominal.as_ref());
    let is_complete =
        owner.is_none_or(|decl| decl.kind == NominalKind::Protocol || decl.requirements.is_empty());
    formal.sig.filter(|_| is_complete)
}

/// Returns why `self` is surely not passed as to a method of a class.
fn self_of_class(declarations: &Declarations, kind: &str, formal: &Param, own: &Param) -> Option<String> {
    let found = declarations.resolve(own.ty).desugared();
    if let TypeKind::Metatype(repr, _) = found.kind() {
        return match is_metatype(formal.ty) {
            true if *repr == MetatypeRepr::Thin => Some("it takes a thin metatype as `self`".to_owned()),
            true => None,
            false => Some("it takes a metatype as `self`, and the method an instance".to_owned()),
        };
    }
    if is_value(declarations, found) {
        return Some(format!("it takes `{found}` as `self`"));
    }
    if is_class(declarations, found) != Some(true) || kind == "initializer" {
        return None;
    }
    if is_metatype(formal.ty) {
        return Some(format!("it takes `{found}` as `self`, and the method a metatype"));
    }
    let wanted =
        if is_owned(formal.convention) { ParamConvention::Owned } else { ParamConvention::Guaranteed };
    let is_other = own.convention != wanted && !own.convention.is_indirect();
    is_other.then(|| format!("`self` is not `{}`", wanted.spelling()))
}

/// Returns why `self` is surely not passed as to a requirement of a protocol.
fn self_of_witness(
    declarations: &Declarations,
    kind: &str,
    formal: &Param,
    own: &Param,
    sig: Option<GenericSig>,
) -> Option<String> {
    use ParamConvention as P;
    let found = declarations.resolve(own.ty).desugared();
    if is_metatype(formal.ty) {
        let is_instance = matches!(found.kind(), TypeKind::Param { .. }) || is_settled(declarations, found);
        return is_instance.then(|| format!("it takes `{found}` as `self`, and the requirement a metatype"));
    }
    let is_address = declarations.properties(formal.ty, Some(sig?)).address_only?;
    // Whether an accessor mutates `self` does not always follow from a formal type that the file omits.
    let wanted = match (formal.convention, is_address) {
        _ if !kind.is_empty() => {
            let fits = own.convention.is_indirect() || !is_address;
            return (!fits).then(|| format!("it takes `{found}` as `self`, not its address"));
        }
        (P::Inout | P::FormalInout, _) => P::Inout,
        (c, true) if is_owned(c) => P::In,
        (_, true) => P::InGuaranteed,
        (c, false) if is_owned(c) => P::Owned,
        (_, false) => P::Guaranteed,
    };
    (own.convention != wanted).then(|| format!("`self` is not `{}`", wanted.spelling()))
}

/// Returns why arguments are surely not passed as to a method.
fn arguments(
    declarations: &Declarations,
    kind: &str,
    given: &[Param],
    inner: &FunctionType,
    sig: Option<GenericSig>,
) -> Option<String> {
    use ParamConvention as P;
    // A `nonisolated(nonsending)` method takes the isolation of its caller, which its formal type does not have.
    let given = match given {
        [first, rest @ ..] if first.flags.contains(ParamFlags::IMPLICIT_LEADING) => rest,
        all => all,
    };
    let mut wanted = Vec::new();
    for param in &inner.params {
        let before = wanted.len();
        match param.convention {
            // An `inout` tuple is one argument.
            P::Inout | P::FormalInout => wanted.push((Passed::unknown(param.ty), Some(P::Inout))),
            _ => {
                let mut parts = Vec::new();
                expand(declarations, param.ty, sig, &mut parts)?;
                wanted.extend(parts.into_iter().map(|part| {
                    let convention = argument_convention(kind, param, &part);
                    (part, convention)
                }));
            }
        }
        if param.flags.intersects(ParamFlags::VARIADIC | ParamFlags::AUTOCLOSURE) {
            wanted.truncate(before);
            wanted.push((Passed::unknown(Type::unknown()), None));
        }
    }
    if wanted.len() != given.len() {
        return Some(format!("it takes {} arguments, and the method {}", given.len(), wanted.len()));
    }
    given.iter().zip(&wanted).find_map(|(found, (wanted, convention))| {
        if let Some(why) = differs(declarations, found.ty, found.convention.is_indirect(), wanted) {
            return Some(why);
        }
        let is_other = convention.is_some_and(|convention| convention != found.convention);
        is_other.then(|| format!("it takes `{}` by another convention than the method", found.ty))
    })
}

/// Returns the convention of an argument if it is known.
fn argument_convention(kind: &str, param: &Param, part: &Passed) -> Option<ParamConvention> {
    use ParamConvention as P;
    // A `sending` argument is consumed; an address may be needed for a dependence.
    if param.flags.intersects(ParamFlags::SENDING | ParamFlags::ISOLATED | ParamFlags::ADDRESSABLE) {
        return None;
    }
    // Initializers and setters consume their arguments.
    let consumes = matches!(kind, "allocator" | "initializer" | "setter");
    let is_owned = match param.convention {
        P::FormalShared | P::Borrowing | P::Guaranteed => false,
        convention => consumes || is_owned(convention),
    };
    Some(match (part.is_indirect?, is_owned) {
        (true, true) => P::In,
        (true, false) => P::InGuaranteed,
        (false, _) if part.is_trivial? => P::Unowned,
        (false, true) => P::Owned,
        (false, false) => P::Guaranteed,
    })
}

/// Returns why results are surely not returned as by a method.
fn results(
    declarations: &Declarations,
    given: &[ResultInfo],
    inner: &FunctionType,
    sig: Option<GenericSig>,
) -> Option<String> {
    use ResultConvention as R;
    let mut wanted = Vec::new();
    expand(declarations, inner.results.first()?.ty, sig, &mut wanted)?;
    if given.len() != wanted.len() {
        return Some(format!("it has {} results, and the method {}", given.len(), wanted.len()));
    }
    given.iter().zip(&wanted).find_map(|(found, wanted)| {
        let is_plain = matches!(found.convention, R::Unowned | R::Owned | R::Out);
        if !is_plain {
            return None;
        }
        let is_address = found.convention == R::Out;
        differs(declarations, found.ty, is_address, wanted).or_else(|| {
            let is_other = wanted.is_indirect == Some(false)
                && wanted.is_trivial.is_some_and(|trivial| trivial != (found.convention == R::Unowned));
            is_other.then(|| format!("it returns `{}` by another convention than the method", found.ty))
        })
    })
}

/// Returns why a value is surely not of the type that a method takes or returns, or not passed like it.
fn differs(declarations: &Declarations, found: Type, is_address: bool, wanted: &Passed) -> Option<String> {
    if wanted.is_indirect.is_some_and(|is_indirect| is_indirect != is_address) {
        let [this, other] = if is_address { ["by address", "directly"] } else { ["directly", "by address"] };
        return Some(format!("it has `{found}` {this} where the method has `{}` {other}", wanted.ty));
    }
    if is_address {
        return None;
    }
    let found = declarations.resolve(found).desugared();
    let is_other = match (is_reference(declarations, found), is_reference(declarations, wanted.ty)) {
        (true, _) => is_value(declarations, wanted.ty),
        (_, true) => is_value(declarations, found),
        _ => {
            is_value(declarations, found)
                && is_value(declarations, wanted.ty)
                && declarations.same_type(found, wanted.ty, None) == Some(false)
        }
    };
    is_other.then(|| format!("it has `{found}` where the method has `{}`", wanted.ty))
}

impl Passed {
    fn unknown(ty: Type) -> Self {
        Self { ty, is_indirect: None, is_trivial: None }
    }
}

/// Appends the values that are passed for a formal type: one for each element of a tuple. Returns `None` if their
/// number is not known.
fn expand(
    declarations: &Declarations,
    ty: Type,
    sig: Option<GenericSig>,
    into: &mut Vec<Passed>,
) -> Option<()> {
    let ty = declarations.resolve(ty).desugared();
    match ty.kind() {
        TypeKind::Tuple(elements) => {
            return elements.iter().try_for_each(|e| expand(declarations, e.ty, sig, into));
        }
        TypeKind::Param { .. } => {
            let properties = declarations.properties(ty, Some(sig?));
            let (is_indirect, is_trivial) = (properties.address_only, properties.trivial);
            into.push(Passed { ty, is_indirect, is_trivial });
        }
        _ if is_class(declarations, ty) == Some(true)
            || declarations.optional_payload(ty).is_some_and(|t| is_class(declarations, t) == Some(true)) =>
        {
            into.push(Passed { ty, is_indirect: Some(false), is_trivial: Some(false) });
        }
        _ if is_value(declarations, ty) && !is_own(declarations, ty) => {
            let properties = declarations.properties(ty, None);
            let (is_indirect, is_trivial) = (properties.address_only, properties.trivial);
            into.push(Passed { ty, is_indirect, is_trivial });
        }
        TypeKind::Named(_) if declarations.nominal_of(ty).is_some() => into.push(Passed::unknown(ty)),
        TypeKind::Builtin(..) | TypeKind::Function(_) | TypeKind::Metatype(..) | TypeKind::Any(_) => {
            into.push(Passed::unknown(ty));
        }
        // An alias that is not known, or a pack.
        _ => return None,
    }
    Some(())
}

/// Returns true if the module declares the type: other modules may see values of it only by address (library
/// evolution).
fn is_own(declarations: &Declarations, ty: Type) -> bool {
    declarations.own_nominal_of(ty).is_some()
}

/// Returns whether a nominal type is a class, unless an unknown module may declare another type with this name.
fn is_class(declarations: &Declarations, ty: Type) -> Option<bool> {
    let decl = declarations.nominal_of(ty).filter(|decl| !declarations.may_be_another(decl))?;
    Some(decl.is_class())
}

fn is_reference(declarations: &Declarations, ty: Type) -> bool {
    is_class(declarations, declarations.optional_payload(ty).unwrap_or(ty)) == Some(true)
}

/// Returns true for a struct or an enum without generic arguments.
pub(super) fn is_value(declarations: &Declarations, ty: Type) -> bool {
    let TypeKind::Named(named) = ty.kind() else { return false };
    let decl = declarations.nominal_of(ty).filter(|decl| !declarations.may_be_another(decl));
    named.args.is_empty()
        && named.parent.is_none()
        && decl.is_some_and(|d| d.sig.is_none() && matches!(d.kind, NominalKind::Struct | NominalKind::Enum))
}

fn is_settled(declarations: &Declarations, ty: Type) -> bool {
    is_value(declarations, ty) || is_class(declarations, ty) == Some(true)
}

fn is_metatype(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Metatype(..))
}

fn is_owned(convention: ParamConvention) -> bool {
    use ParamConvention as P;
    matches!(convention, P::Owned | P::FormalOwned | P::Consuming)
}
