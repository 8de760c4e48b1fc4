//! Types that declarations spell, resolved as seen from a type that declares or inherits them.
//!
//! ```swift
//! class A<T> { func put(_ x: T) }
//! class B : A<Int> {}               // seen from `B`, `put` takes an `Int`
//! ```

use silkit_base::Symbol;
use silkit_text::decl::MemberSignature;
use silkit_types::decl::{Declarations, NominalKind};
use silkit_types::{FunctionType, GenericSig, ParamConvention, SigData, Type, TypeKind};

/// The depth of the generic parameters of types, which keeps them apart from those of their members.
const OUTER_DEPTH: u16 = 1 << 8;

/// The maximum depth of function types that are compared.
const MAX_DEPTH: u32 = 16;

/// Returns the type that the file declares at a path, with its own generic parameters as arguments.
pub(super) fn self_type(declarations: &Declarations, path: Symbol) -> Option<Type> {
    let path = path.as_str();
    let ends = path.match_indices('.').map(|(dot, _)| dot).chain([path.len()]);
    let mut found = None;
    for (depth, end) in (OUTER_DEPTH..).zip(ends) {
        let decl = declarations.own().get(Symbol::new(&path[..end]))?.nominal.as_ref()?;
        let sig = decl.sig.filter(|_| decl.kind != NominalKind::Protocol);
        let params = sig.map(|sig| &*sig.data().params).unwrap_or_default();
        if params.iter().any(|param| param.is_pack) {
            return None;
        }
        let args = params.iter().map(|p| Type::new(TypeKind::Param { name: p.name, depth, index: p.index }));
        found = Some(Type::named(found, decl.name, args.collect()));
    }
    found
}

/// Returns a type in the signature of a member with its own generic parameters under names that no type around it uses.
pub(super) fn apart(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Param { depth, index, .. } if *depth < OUTER_DEPTH => {
            let name = Symbol::new(&format!("τ_{depth}_{index}"));
            Type::new(TypeKind::Param { name, depth: *depth, index: *index })
        }
        _ => ty.map(&mut apart),
    }
}

/// Returns whether two types are the same, both resolved as seen from one type.
pub(super) fn same(declarations: &Declarations, a: Type, b: Type) -> Option<bool> {
    same_at(declarations, a, b, 0)
}

fn same_at(declarations: &Declarations, a: Type, b: Type, depth: u32) -> Option<bool> {
    let (a, b) = (plain(a), plain(b));
    if let (TypeKind::Function(f), TypeKind::Function(g)) = (a.kind(), b.kind())
        && depth < MAX_DEPTH
    {
        return same_function(declarations, f, g, depth + 1);
    }
    let sig = GenericSig::new(SigData { params: Box::default(), requirements: Box::default() });
    declarations.same_type(a, b, Some(sig))
}

/// Compares formal function types by their parameters and results.
fn same_function(
    declarations: &Declarations,
    f: &FunctionType,
    g: &FunctionType,
    depth: u32,
) -> Option<bool> {
    if f.lowered || g.lowered || f.sig.is_some() || g.sig.is_some() {
        return None;
    }
    if f.params.len() != g.params.len() {
        return Some(false);
    }
    let is_inout = |convention| convention == ParamConvention::FormalInout;
    let mut params = f.params.iter().zip(&g.params);
    let mut answer = Some(true);
    let differ = params.any(|(p, q)| {
        let same = same_at(declarations, p.ty, q.ty, depth);
        answer = answer.filter(|_| same == Some(true));
        same == Some(false) || is_inout(p.convention) != is_inout(q.convention)
    });
    let result = |f: &FunctionType| f.results.first().map_or_else(Type::void, |result| result.ty);
    let results = same_at(declarations, result(f), result(g), depth);
    if differ || results == Some(false) {
        return Some(false);
    }
    answer.and(results).filter(|_| f.is_async() == g.is_async())
}

/// Returns a type without the attributes and sugar that make no other type of it.
fn plain(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Paren(inner) | TypeKind::Storage(_, inner) => plain(*inner),
        TypeKind::Attributed(name, inner)
            if matches!(name.as_str(), "escaping" | "autoclosure" | "sending" | "Sendable") =>
        {
            plain(*inner)
        }
        TypeKind::ImplicitlyUnwrapped(inner) => Type::new(TypeKind::Optional(*inner)),
        _ => ty,
    }
}

/// Returns true if two lists of parameters have the same labels.
pub(super) fn labels_match(a: &MemberSignature, b: &MemberSignature) -> bool {
    a.params.len() == b.params.len() && a.params.iter().zip(&b.params).all(|(a, b)| a.0 == b.0)
}

/// Returns what `find` returns first for a type or a part of it that is spelled: the types in the signature of a function and
/// those that an opened or opaque type is derived from are not.
pub(super) fn find_spelled<T>(ty: Type, find: &dyn Fn(Type) -> Option<T>) -> Option<T> {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        let found = find(ty);
        if found.is_some() {
            return found;
        }
        match ty.kind() {
            TypeKind::Function(f) => work.extend(f.component_types()),
            TypeKind::Opened { .. } | TypeKind::OpaqueResult { .. } => {}
            kind => kind.for_each_part(&mut |part| work.push(part)),
        }
    }
    None
}

/// Returns true if a type mentions a name that holds.
pub(super) fn mentions(ty: Type, holds: &dyn Fn(Symbol) -> bool) -> bool {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match ty.kind() {
            TypeKind::Named(named) => {
                if holds(named.name) {
                    return true;
                }
                work.extend(named.args.iter().copied().chain(named.parent));
            }
            TypeKind::Param { name, .. } if holds(*name) => return true,
            TypeKind::Member(base, name) => {
                if holds(*name) {
                    return true;
                }
                work.push(*base);
            }
            TypeKind::Function(f) => work.extend(f.component_types()),
            kind => kind.for_each_part(&mut |part| work.push(part)),
        }
    }
    false
}
