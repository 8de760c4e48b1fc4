//! Function types at a call: substitution of the callee's type, its direct results, its yields,
//! and the type of a closure.

use crate::infer::lowered;
use silkit_types::{
    CalleeConvention, Convention, FnFlags, FunctionType, Param, ResultConvention, ResultInfo, SilType,
    Substitution, Type, TypeFacts, TypeKind,
};

/// A function type with its generic parameters replaced by formal types and `@substituted`
/// resolved; `None` where the number of arguments does not fit.
pub fn substituted(f: &FunctionType, args: &[Type], facts: &dyn TypeFacts) -> Option<FunctionType> {
    let member = |base, name| facts.member_type(base, name);
    let mut new = f.clone();
    if let Some(sig) = f.sig {
        if sig.data().params.len() != args.len() {
            return None;
        }
        // A parameter that is replaced by a metatype or a tuple of them stands for the lowered type.
        let lowered_args: Vec<Type> = args.iter().map(|&t| lowered(t)).collect();
        let outer = Substitution { sig, args };
        let top = Substitution { sig, args: &lowered_args };
        let replace = |ty: Type| {
            if is_parameter(ty) { ty.substitute(top, &member) } else { ty.substitute(outer, &member) }
        };
        if f.pattern_sig.is_some() {
            new.pattern_args.iter_mut().for_each(|t| *t = t.substitute(outer, &member));
        } else {
            each_type(&mut new, &replace);
        }
        new.sig = None;
    }
    if let Some(pattern) = f.pattern_sig {
        let args = std::mem::take(&mut new.pattern_args);
        if pattern.data().params.len() != args.len() {
            return None;
        }
        let lowered_args: Vec<Type> = args.iter().map(|&t| lowered(t)).collect();
        let inner = Substitution { sig: pattern, args: &args };
        let top = Substitution { sig: pattern, args: &lowered_args };
        let replace = |ty: Type| {
            if is_parameter(ty) { ty.substitute(top, &member) } else { ty.substitute(inner, &member) }
        };
        each_type(&mut new, &replace);
        new.pattern_sig = None;
    }
    Some(new)
}

fn is_parameter(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Param { .. } | TypeKind::Member(..) | TypeKind::Tuple(_))
}

fn each_type(f: &mut FunctionType, replace: &dyn Fn(Type) -> Type) {
    f.params.iter_mut().chain(f.yields.iter_mut()).for_each(|p| p.ty = replace(p.ty));
    f.results.iter_mut().chain(f.error.iter_mut()).for_each(|r| r.ty = replace(r.ty));
}

/// What a call of the function gives: its direct results, as a tuple unless there is one.
pub fn direct_result(f: &FunctionType) -> Type {
    let direct: Vec<Type> = f.results.iter().filter(|r| !r.convention.is_indirect()).map(|r| r.ty).collect();
    Type::tuple(&direct)
}

/// The values that a call of the coroutine yields.
pub fn yields(f: &FunctionType) -> Vec<SilType> {
    f.yields.iter().map(|y| SilType::new(y.ty, y.convention.is_indirect())).collect()
}

/// The type of a closure that binds the last `bound` parameters.
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
    new.flags.set(FnFlags::NOESCAPE, on_stack);
    new.flags.set(FnFlags::ISOLATED_ANY, isolated_any);
    new.results =
        f.results.iter().map(|r| ResultInfo { convention: closure_result(r.convention), ..*r }).collect();
    Some(Type::new(TypeKind::Function(Box::new(new))))
}

/// A closure retains what its function returned unretained.
fn closure_result(convention: ResultConvention) -> ResultConvention {
    match convention {
        ResultConvention::UnownedInnerPointer => ResultConvention::Unowned,
        ResultConvention::Autoreleased => ResultConvention::Owned,
        other => other,
    }
}
