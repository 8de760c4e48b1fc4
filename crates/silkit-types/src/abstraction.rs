//! Lowering of function types under an abstraction (SIL.md, "Abstraction Difference").
//!
//! A function value that is stored in a generic declaration has the abstraction pattern of the declaration: a
//! property of type `(T) -> Bool` takes its argument indirectly, whatever `T` is. Each generic parameter of the
//! declaration that occurs in such a type becomes a parameter of a `@substituted` type.

use crate::decl::Query;
use crate::function::{
    CalleeConvention, Convention, FnFlags, FunctionType, Param, ParamConvention, ParamFlags,
    ResultConvention, ResultFlags, ResultInfo,
};
use crate::generics::{GenericParamDecl, GenericSig, SigData};
use crate::kind::{NamedType, TupleElement, Type, TypeKind};

/// The pattern parameters of a `@substituted` type under construction, with their replacement types.
#[derive(Default)]
struct PatternBuilder {
    params: Vec<GenericParamDecl>,
    args: Vec<Type>,
}

impl PatternBuilder {
    /// Returns a new pattern parameter whose replacement is `arg`.
    fn param(&mut self, arg: Type) -> Type {
        let index = u16::try_from(self.params.len()).unwrap_or(u16::MAX);
        let ty = Type::param(0, index);
        if let TypeKind::Param { name, depth, index } = ty.kind() {
            self.params.push(GenericParamDecl {
                name: *name,
                depth: *depth,
                index: *index,
                is_pack: false,
                value_type: None,
                bound: None,
                attribute: None,
            });
        }
        self.args.push(arg);
        ty
    }

    fn sig(&self) -> GenericSig {
        GenericSig::new(SigData { params: self.params.clone().into(), requirements: Box::default() })
    }

    /// Converts a lowered function type that uses the pattern parameters to a `@substituted` type.
    fn finish(self, f: &FunctionType) -> Type {
        let mut new = f.clone();
        if !self.params.is_empty() {
            new.pattern_sig = Some(self.sig());
            new.pattern_args = self.args.into();
        }
        Type::new(TypeKind::Function(Box::new(new)))
    }
}

/// Returns the lowered form of a formal type under the most general abstraction pattern, as it replaces a generic
/// parameter.
///
/// Functions take all arguments and return all results indirectly. The pattern also applies to the payloads of
/// optionals and to the elements of tuples.
///
/// ```
/// use silkit_types::{Type, lowered_as_parameter};
/// assert_eq!(lowered_as_parameter(Type::nominal("Int")), Type::nominal("Int"));
/// ```
pub fn lowered_as_parameter(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Function(f) if !f.lowered && f.convention == Convention::Thick && f.sig.is_none() => {
            most_general(f)
        }
        TypeKind::Named(n) if n.parent.is_none() && n.name == "Optional" => {
            let args = n.args.iter().map(|&t| lowered_as_parameter(t)).collect();
            Type::new(TypeKind::Named(NamedType { parent: None, name: n.name, args }))
        }
        TypeKind::Tuple(_) => ty.map(&mut lowered_as_parameter),
        _ => ty,
    }
}

/// Returns the lowered form of a function type under an abstraction pattern that fixes only the number of parameters.
fn most_general(f: &FunctionType) -> Type {
    let mut made = PatternBuilder::default();
    let mut new = FunctionType::lowered(Convention::Thick);
    new.callee = CalleeConvention::Guaranteed;
    new.flags = lowered_flags(f.flags);
    let kept = ParamFlags::SENDING | ParamFlags::ISOLATED | ParamFlags::NO_DERIVATIVE;
    let params = f.params.iter().map(|p| Param {
        convention: match p.convention {
            ParamConvention::FormalInout => ParamConvention::Inout,
            _ if is_passed_owned(p) => ParamConvention::In,
            _ => ParamConvention::InGuaranteed,
        },
        flags: (p.flags & kept) | ParamFlags::SIL,
        label: None,
        lifetime: p.lifetime,
        ty: made.param(p.passed_type()),
    });
    new.params = actor_of_caller(f).into_iter().chain(params).collect();
    let out = |ty| ResultInfo {
        convention: ResultConvention::Out,
        flags: ResultFlags::empty(),
        lifetime: None,
        ty,
    };
    new.error = match f.error {
        Some(error) => Some(out(made.param(error.ty))),
        None => f.flags.intersects(FnFlags::THROWS).then(|| ResultInfo {
            convention: ResultConvention::Owned,
            ..out(Type::new(TypeKind::Any(Type::nominal("Error"))))
        }),
    };
    let results: Vec<Type> = f.results.iter().map(|r| r.ty).collect();
    new.results = Box::new([ResultInfo { flags: result_flags(f), ..out(made.param(Type::tuple(&results))) }]);
    made.finish(&new)
}

/// Returns the flags of a formal function type that its lowered type keeps.
pub(crate) fn lowered_flags(flags: FnFlags) -> FnFlags {
    let formal = FnFlags::ESCAPING | FnFlags::AUTOCLOSURE | FnFlags::THROWS | FnFlags::RETHROWS;
    flags.difference(formal | FnFlags::NONISOLATED_NONSENDING | FnFlags::SENDING_RESULT)
}

/// Returns the flags of the results of a formal function type.
pub(crate) fn result_flags(f: &FunctionType) -> ResultFlags {
    if f.flags.contains(FnFlags::SENDING_RESULT) { ResultFlags::SENDING } else { ResultFlags::empty() }
}

/// Returns the parameter for the actor of the caller, which a `nonisolated(nonsending)` function runs on.
pub(crate) fn actor_of_caller(f: &FunctionType) -> Option<Param> {
    f.flags.contains(FnFlags::NONISOLATED_NONSENDING).then(|| Param {
        convention: ParamConvention::Guaranteed,
        flags: ParamFlags::ISOLATED | ParamFlags::IMPLICIT_LEADING | ParamFlags::SIL,
        label: None,
        lifetime: None,
        ty: Type::builtin("ImplicitActor"),
    })
}

/// Returns true if an argument for a formal parameter is passed with its ownership.
pub(crate) fn is_passed_owned(param: &Param) -> bool {
    matches!(param.convention, ParamConvention::FormalOwned | ParamConvention::Consuming)
        || param.flags.contains(ParamFlags::SENDING) && param.convention == ParamConvention::Unowned
}

impl Query<'_> {
    /// Returns the lowered form of `ty`, the substituted type of a declaration that spells `pattern`. `sig` gives the
    /// constraints on the generic parameters in the pattern.
    pub(crate) fn lower_abstracted(&self, pattern: Type, ty: Type, sig: Option<GenericSig>) -> Option<Type> {
        let _level = self.step()?;
        if !holds_parameter(pattern) {
            return self.lower(ty);
        }
        match (pattern.kind(), ty.kind()) {
            (TypeKind::Param { .. } | TypeKind::Member(..), _) => self.lower(lowered_as_parameter(ty)),
            (TypeKind::Function(p), TypeKind::Function(f)) if !f.lowered => self.lower_pattern(p, f, sig),
            (TypeKind::Named(p), TypeKind::Named(n)) if p.name == "Optional" && n.parent.is_none() => {
                let (pattern, payload) = (*p.args.first()?, *n.args.first()?);
                let payload = self.lower_abstracted(pattern, payload, sig)?;
                Some(Type::named(None, n.name, Box::new([payload])))
            }
            (TypeKind::Tuple(ps), TypeKind::Tuple(elements)) if ps.len() == elements.len() => {
                let lowered = ps
                    .iter()
                    .zip(elements)
                    .map(|(p, e)| Some(TupleElement { ty: self.lower_abstracted(p.ty, e.ty, sig)?, ..*e }));
                Some(Type::new(TypeKind::Tuple(lowered.collect::<Option<_>>()?)))
            }
            _ => self.lower(ty),
        }
    }

    fn lower_pattern(&self, p: &FunctionType, f: &FunctionType, sig: Option<GenericSig>) -> Option<Type> {
        let mut made = PatternBuilder::default();
        let pattern = self.abstracted_function(p, f, sig, &mut made)?;
        let lowered = self.lower_function(&pattern, Some(made.sig()))?;
        Some(made.finish(&lowered))
    }

    /// Returns the formal function type of `pattern` in which a new pattern parameter replaces each generic parameter
    /// of the declaration.
    fn abstracted_function(
        &self,
        p: &FunctionType,
        f: &FunctionType,
        sig: Option<GenericSig>,
        made: &mut PatternBuilder,
    ) -> Option<FunctionType> {
        if p.params.len() != f.params.len() || p.results.len() != f.results.len() || f.sig.is_some() {
            return None;
        }
        let mut new = p.clone();
        for (param, given) in new.params.iter_mut().zip(&f.params) {
            param.ty = self.abstracted(param.ty, given.ty, sig, made)?;
        }
        if let (Some(error), Some(given)) = (&mut new.error, &f.error) {
            error.ty = self.abstracted(error.ty, given.ty, sig, made)?;
        }
        for (result, given) in new.results.iter_mut().zip(&f.results) {
            result.ty = self.abstracted(result.ty, given.ty, sig, made)?;
        }
        Some(new)
    }

    fn abstracted(
        &self,
        pattern: Type,
        ty: Type,
        sig: Option<GenericSig>,
        made: &mut PatternBuilder,
    ) -> Option<Type> {
        let _level = self.step()?;
        if !holds_parameter(pattern) {
            return Some(pattern);
        }
        match (pattern.kind(), ty.kind()) {
            (TypeKind::Param { .. } | TypeKind::Member(..), _) => {
                // A class type or non-copyable type would need a requirement in the new signature.
                let properties = self.properties(pattern, sig);
                let is_plain = properties.address_only? && !properties.move_only?;
                is_plain.then(|| made.param(ty))
            }
            (TypeKind::Function(p), TypeKind::Function(f)) => {
                let function = self.abstracted_function(p, f, sig, made)?;
                Some(Type::new(TypeKind::Function(Box::new(function))))
            }
            (TypeKind::Named(p), TypeKind::Named(n)) if p.name == n.name && p.args.len() == n.args.len() => {
                let parent = match (p.parent, n.parent) {
                    (Some(p), Some(n)) => Some(self.abstracted(p, n, sig, made)?),
                    (None, None) => None,
                    _ => return None,
                };
                let pairs = p.args.iter().zip(&n.args);
                let args = pairs.map(|(&p, &n)| self.abstracted(p, n, sig, made)).collect::<Option<_>>()?;
                Some(Type::named(parent, p.name, args))
            }
            (TypeKind::Tuple(ps), TypeKind::Tuple(elements)) if ps.len() == elements.len() => {
                let pairs = ps.iter().zip(elements);
                let new = pairs
                    .map(|(p, e)| Some(TupleElement { ty: self.abstracted(p.ty, e.ty, sig, made)?, ..*p }));
                Some(Type::new(TypeKind::Tuple(new.collect::<Option<_>>()?)))
            }
            // The arguments of a constrained existential are not abstracted.
            (TypeKind::Any(_), TypeKind::Any(_)) => Some(ty),
            _ => None,
        }
    }
}

/// Returns true if a type contains a generic parameter or a dependent member type.
pub(crate) fn holds_parameter(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::Param { .. } | TypeKind::Member(..) => true,
        _ if !ty.holds_parameter() => false,
        _ => {
            let mut found = false;
            ty.map(&mut |part| {
                found = found || holds_parameter(part);
                part
            });
            found
        }
    }
}
