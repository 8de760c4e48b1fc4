//! Function types at a call: substitution of the callee's type, its direct results, its yields,
//! and the type of a closure.

use crate::NONE;
use crate::body::{Body, Inst};
use crate::semantics::conventions::Conventions;
use crate::semantics::infer::lowered;
use silkit_types::{
    CalleeConvention, Convention, FnFlags, FunctionType, GenericSig, Param, ResultConvention, ResultInfo,
    SilType, Substitution, TupleElement, Type, TypeFacts, TypeKind, lowered_as_parameter,
};

/// Returns a function type with its generic parameters replaced by formal types and `@substituted` resolved; `None`
/// if the number of arguments does not match.
pub fn substituted(f: &FunctionType, args: &[Type], facts: &dyn TypeFacts) -> Option<FunctionType> {
    into_substituted(f.clone(), args, facts)
}

/// Returns what [`substituted`] returns, in place of the function type.
pub(crate) fn into_substituted(
    mut f: FunctionType,
    args: &[Type],
    facts: &dyn TypeFacts,
) -> Option<FunctionType> {
    let types = CalleeTypes::new(&f, args, facts)?;
    each_type(&mut f, &|ty| types.of(ty));
    (f.sig, f.pattern_sig, f.pattern_args) = (None, None, Box::default());
    Some(f)
}

/// The lowered types of the parameters, results and yields of a callee as they are at a call with generic arguments.
pub struct CalleeTypes<'a> {
    outer: Option<Substitution<'a>>,
    /// The parameters of `@substituted` and what replaces them.
    pattern: Option<(GenericSig, Vec<Type>)>,
    facts: &'a dyn TypeFacts,
}

impl<'a> CalleeTypes<'a> {
    /// Returns the types of a callee with these generic arguments; `None` if their number does not match.
    pub fn new(f: &FunctionType, args: &'a [Type], facts: &'a dyn TypeFacts) -> Option<Self> {
        let outer = f.sig.map(|sig| Substitution { sig, args });
        if outer.is_some_and(|outer| !outer.is_complete()) {
            return None;
        }
        let member = |base, name| facts.member_type(base, name);
        let formal = |&ty: &Type| outer.map_or(ty, |outer| ty.substitute(outer, &member));
        let pattern = f.pattern_sig.map(|sig| (sig, f.pattern_args.iter().map(formal).collect::<Vec<_>>()));
        if pattern.as_ref().is_some_and(|(sig, args)| !(Substitution { sig: *sig, args }).is_complete()) {
            return None;
        }
        Some(Self { outer, pattern, facts })
    }

    /// Returns the type that a type within the function type stands for.
    pub fn of(&self, ty: Type) -> Type {
        let inner = self.pattern.as_ref().map(|(sig, args)| Substitution { sig: *sig, args });
        inner.or(self.outer).map_or(ty, |replaced| substitute_lowered(ty, replaced, self.facts))
    }

    /// Returns the result type of a call of this callee: the direct results, as a tuple unless there is exactly one.
    pub fn direct_result(&self, callee: Conventions<'_>) -> SilType {
        let ty = Type::tuple_of(callee.direct_results().map(|(_, result)| self.of(result.ty)));
        SilType::new(ty, callee.returns_address())
    }
}

impl Body {
    /// Calls a function with the type of the callee of an apply site, which is stated, and the types that its parts have
    /// at the call. Returns `None` if it is not a function type or takes another number of generic arguments.
    pub fn with_callee<R>(
        &self,
        inst: Inst,
        facts: &dyn TypeFacts,
        call: impl FnOnce(&'static FunctionType, &CalleeTypes<'_>) -> R,
    ) -> Option<R> {
        let f = SilType::from_u32(self.word(inst, "type")?).ty().as_function()?;
        let args = self.word(inst, "subs").unwrap_or(NONE);
        self.with_types(args, |args| Some(call(f, &CalleeTypes::new(f, args, facts)?)))
    }
}

/// Returns a function type without its parameters. The yields of a call do not depend on them.
pub(crate) fn without_parameters(f: &FunctionType) -> FunctionType {
    FunctionType {
        params: Box::default(),
        yields: f.yields.clone(),
        results: f.results.clone(),
        pattern_args: f.pattern_args.clone(),
        ..*f
    }
}

/// Returns a function type with its generic parameters replaced by formal types; `@substituted` is kept.
pub(crate) fn with_arguments(
    mut f: FunctionType,
    args: &[Type],
    facts: &dyn TypeFacts,
) -> Option<FunctionType> {
    let member = |base, name| facts.member_type(base, name);
    if let Some(sig) = f.sig {
        let outer = Substitution { sig, args };
        if !outer.is_complete() {
            return None;
        }
        if f.pattern_sig.is_some() {
            f.pattern_args.iter_mut().for_each(|t| *t = t.substitute(outer, &member));
        } else {
            each_type(&mut f, &|ty| substitute_lowered(ty, outer, facts));
        }
        f.sig = None;
    }
    Some(f)
}

/// Returns a lowered type with its generic parameters replaced by formal types, which are lowered where they become
/// the type of a value: a metatype becomes thick.
pub fn substitute_lowered(ty: Type, subst: Substitution<'_>, facts: &dyn TypeFacts) -> Type {
    use TypeKind as K;
    let inside = |ty: Type| ty.map(&mut |part| substitute_lowered(part, subst, facts));
    // Substitutions of calls keep their sugar; lowered types have none.
    let formal = |ty: Type| ty.substitute(subst, &|base, name| facts.member_type(base, name)).desugared();
    match ty.kind() {
        _ if ty.is_plain() => ty,
        K::Param { .. } | K::Member(..) => lowered(lowered_as_parameter(formal(ty))),
        K::Function(f) if f.sig.is_some() => ty,
        K::Function(f) if f.lowered && f.pattern_sig.is_none() => inside(ty),
        K::Box(b) if b.sig.is_none() => inside(ty),
        K::Named(n) if n.parent.is_none() && n.name == "Optional" => inside(ty),
        K::Tuple(elements) => subst.expand_tuple(elements, &mut |t, s| substitute_lowered(t, s, facts)),
        K::Paren(inner) if matches!(inner.kind(), K::PackExpansion(_)) => {
            let element = TupleElement { label: None, ty: *inner, variadic: false };
            subst.expand_tuple(&[element], &mut |t, s| substitute_lowered(t, s, facts))
        }
        K::Pack { direct, elements } => {
            let elements = subst.expand(elements, &mut |t, s| substitute_lowered(t, s, facts));
            elements.map_or_else(Type::unknown, |elements| {
                Type::new(K::Pack { direct: *direct, elements: elements.into() })
            })
        }
        K::Optional(_) | K::PackExpansion(_) => inside(ty),
        K::Storage(..) | K::BlockStorage(_) | K::MoveOnly(_) => inside(ty),
        _ => formal(ty),
    }
}

fn each_type(f: &mut FunctionType, replace: &dyn Fn(Type) -> Type) {
    f.params.iter_mut().chain(f.yields.iter_mut()).for_each(|p| p.ty = replace(p.ty));
    f.results.iter_mut().chain(f.error.iter_mut()).for_each(|r| r.ty = replace(r.ty));
}

/// Returns the types of the values that a coroutine yields.
pub fn yields(f: &FunctionType) -> Vec<SilType> {
    f.yields.iter().map(|y| SilType::new(y.ty, y.convention.is_indirect())).collect()
}

/// Returns the type of a closure that binds the last `bound` parameters.
pub(crate) fn closure_type(
    f: &FunctionType,
    bound: usize,
    callee_guaranteed: bool,
    on_stack: bool,
    isolated_any: bool,
) -> Option<Type> {
    let free = f.params.len().checked_sub(bound)?;
    let mut new = f.clone();
    new.params = f.params[..free].iter().map(|p| Param { ..*p }).collect();
    new.convention = Convention::Thick;
    new.clang_type = None;
    new.callee = if callee_guaranteed { CalleeConvention::Guaranteed } else { CalleeConvention::Owned };
    // A closure over a non-escaping function does not escape either.
    new.flags.set(FnFlags::NOESCAPE, on_stack || f.flags.contains(FnFlags::NOESCAPE));
    new.flags.set(FnFlags::ISOLATED_ANY, isolated_any);
    new.results =
        f.results.iter().map(|r| ResultInfo { convention: closure_result(r.convention), ..*r }).collect();
    Some(Type::new(TypeKind::Function(Box::new(new))))
}

/// Returns the convention of a closure's result: the closure retains a result that its function returns unretained.
fn closure_result(convention: ResultConvention) -> ResultConvention {
    match convention {
        ResultConvention::UnownedInnerPointer => ResultConvention::Unowned,
        ResultConvention::Autoreleased => ResultConvention::Owned,
        other => other,
    }
}
