//! Equality of lowered types, as a three-valued answer.
//!
//! Aliases, sugar and the names of generic parameters do not matter. The answer is "no" only if no declaration of an
//! unknown module could make the types equal.

use super::query::{Declarations, Lookup};
use crate::function::{FunctionType, Param, ResultInfo};
use crate::kind::{BoxType, MetatypeRepr, NamedType, Type, TypeKind};
use crate::{Convention, GenericSig};

/// Two types, and the signature that constrains the parameters in them.
pub(super) type Question = (Type, Type, Option<GenericSig>);

/// The depth to which two types are compared.
const MAX_DEPTH: u32 = 48;

/// The correspondence of generic parameters in one comparison.
#[derive(Clone, Copy)]
struct Pair {
    /// True if a requirement may equate two different parameters.
    params_may_meet: bool,
    /// True if one of two parameters with the same spelling may hide the other.
    params_hide: bool,
    /// True if a parameter may have the spelling of another type.
    params_hide_types: bool,
    depth: u32,
}

impl Declarations {
    /// Returns whether two lowered types are the same type in a function with this generic signature.
    ///
    /// ```
    /// use silkit_types::{Type, decl::{DeclTable, Declarations}};
    /// let decls = Declarations::new(DeclTable::new(), Vec::new());
    /// let (i1, i64) = (Type::builtin("Int1"), Type::builtin("Int64"));
    /// assert_eq!(decls.same_type(i1, i1, None), Some(true));
    /// assert_eq!(decls.same_type(i1, i64, None), Some(false));
    /// assert_eq!(decls.same_type(i1, Type::unknown(), None), None);
    /// ```
    pub fn same_type(&self, a: Type, b: Type, sig: Option<GenericSig>) -> Option<bool> {
        if a == b {
            return if a.is_unknown() { None } else { Some(true) };
        }
        self.same.get_or_compute((a, b, sig), || {
            let pair = Pair {
                params_may_meet: sig.is_none_or(GenericSig::params_may_meet),
                params_hide: sig.is_some_and(GenericSig::params_hide),
                params_hide_types: sig.is_some_and(|sig| self.hides_type(sig)),
                depth: 0,
            };
            self.same(self.resolve(a).canonical(), self.resolve(b).canonical(), pair)
        })
    }

    fn same(&self, a: Type, b: Type, pair: Pair) -> Option<bool> {
        use TypeKind as K;
        if a == b {
            return if a.is_unknown() { None } else { Some(true) };
        }
        if pair.depth > MAX_DEPTH {
            return None;
        }
        let pair = Pair { depth: pair.depth + 1, ..pair };
        // A tuple with one labelled element compares equal to its element.
        let (x, y) = (single(a), single(b));
        if x.is_some() || y.is_some() {
            return self.same(x.unwrap_or(a), y.unwrap_or(b), pair);
        }
        match (a.kind(), b.kind()) {
            (K::Unknown | K::OpaqueResult { .. } | K::Some(_), _)
            | (_, K::Unknown | K::OpaqueResult { .. } | K::Some(_)) => None,
            (K::Member(..) | K::PackElement(_) | K::PackExpansion(_), _)
            | (_, K::Member(..) | K::PackElement(_) | K::PackExpansion(_)) => None,
            (K::Any(t), other) | (other, K::Any(t))
                if matches!(t.kind(), K::Composition(_)) && self.is_no_composition(t.kind(), other) =>
            {
                Some(false)
            }
            (K::Attributed(..) | K::DynamicSelf(_) | K::Composition(_) | K::Inverse(_), _)
            | (_, K::Attributed(..) | K::DynamicSelf(_) | K::Composition(_) | K::Inverse(_)) => None,
            (K::Builtin(name, args), K::Builtin(other, others)) => {
                if name != other || args.len() != others.len() {
                    return Some(false);
                }
                self.all_same(args, others, pair)
            }
            (K::Named(n), K::Named(m)) => self.same_named(a, n, b, m, pair),
            (K::Param { .. }, K::Param { .. }) => {
                (!pair.params_may_meet && !pair.params_hide).then_some(false)
            }
            (K::Param { .. }, _) | (_, K::Param { .. }) if pair.params_may_meet || pair.params_hide_types => {
                None
            }
            (K::Tuple(es), K::Tuple(fs)) => {
                let expands = |t: &Type| matches!(t.kind(), K::PackExpansion(_));
                if es.iter().chain(fs).any(|e| expands(&e.ty)) {
                    return None;
                }
                if es.len() != fs.len() {
                    return Some(false);
                }
                let types = es.iter().zip(fs).map(|(e, f)| self.same(e.ty, f.ty, pair));
                let labels = es.iter().zip(fs).all(|(e, f)| e.label == f.label);
                all(types).and_then(|same| if same && !labels { None } else { Some(same) })
            }
            (K::Function(f), K::Function(g)) => self.same_function(f, g, pair),
            (K::Metatype(r, t), K::Metatype(s, u))
            | (K::ProtocolMetatype(r, t), K::ProtocolMetatype(s, u)) => {
                if r == s {
                    self.same(*t, *u, pair)
                } else if *r == MetatypeRepr::Formal || *s == MetatypeRepr::Formal {
                    None
                } else {
                    Some(false)
                }
            }
            (K::Any(t), K::Any(u)) => self.same(*t, *u, pair),
            (K::Any(_), K::Named(_) | K::Metatype(..) | K::ProtocolMetatype(..)) => self.same_any(a, b),
            (K::Named(_) | K::Metatype(..) | K::ProtocolMetatype(..), K::Any(_)) => self.same_any(b, a),
            (K::Box(x), K::Box(y)) => self.same_box(x, y, pair),
            (K::Pack { direct, elements }, K::Pack { direct: d, elements: es }) => {
                let expands = |t: &Type| matches!(t.kind(), K::PackExpansion(_));
                if direct != d {
                    return Some(false);
                }
                if elements.iter().chain(es).any(expands) {
                    return None;
                }
                self.all_same(elements, es, pair)
            }
            (K::Opened { id, interface, .. }, K::Opened { id: jd, interface: other, .. }) => {
                let plain =
                    !matches!(interface.kind(), K::Member(..)) && !matches!(other.kind(), K::Member(..));
                (plain && id != jd).then_some(false)
            }
            (K::OpenedElement { .. }, _) | (_, K::OpenedElement { .. }) => None,
            (K::Opened { interface, .. }, other) | (other, K::Opened { interface, .. }) => {
                let plain = !matches!(interface.kind(), K::Member(..));
                (plain && is_concrete(other)).then_some(false)
            }
            (K::Storage(s, t), K::Storage(r, u)) => {
                if s == r {
                    self.same(*t, *u, pair)
                } else {
                    Some(false)
                }
            }
            (K::BlockStorage(t), K::BlockStorage(u)) | (K::MoveOnly(t), K::MoveOnly(u)) => {
                self.same(*t, *u, pair)
            }
            (K::MoveOnly(t), _) => (self.same(*t, b, pair) == Some(false)).then_some(false),
            (_, K::MoveOnly(t)) => (self.same(a, *t, pair) == Some(false)).then_some(false),
            (K::Named(_), _) => (self.is_known(a) || self.is_own_nominal(a)).then_some(false),
            (_, K::Named(_)) => (self.is_known(b) || self.is_own_nominal(b)).then_some(false),
            _ => Some(false),
        }
    }

    /// Returns whether an existential is the same type as a name or a metatype.
    fn same_any(&self, any: Type, other: Type) -> Option<bool> {
        // `any` may be omitted before a protocol, and `any P.Type` has two spellings.
        match other.kind() {
            TypeKind::Named(named) if named.name == "AnyObject" => match any.kind() {
                TypeKind::Any(t) => self.nominal_of(*t).is_some().then_some(false),
                _ => None,
            },
            TypeKind::Named(_) => self.is_no_existential(other).then_some(false),
            // The metatype of an opened type is not the existential metatype.
            TypeKind::Metatype(_, of) if matches!(of.kind(), TypeKind::Opened { .. }) => Some(false),
            _ => matches!(any.kind(), TypeKind::Any(t) if matches!(t.kind(), TypeKind::Named(_)))
                .then_some(false),
        }
    }

    /// Returns true if a type is definitely not the existential of a composition of protocols.
    fn is_no_composition(&self, composition: &TypeKind, other: &TypeKind) -> bool {
        let TypeKind::Composition(parts) = composition else { return false };
        match other {
            TypeKind::Named(named) if named.name == "AnyObject" => {
                parts.iter().any(|&part| self.nominal_of(part).is_some())
            }
            TypeKind::Named(_) => self.is_no_existential(Type::new(other.clone())),
            TypeKind::Builtin(..) | TypeKind::Tuple(_) | TypeKind::Box(_) | TypeKind::Storage(..) => true,
            TypeKind::Function(function) => function.lowered,
            _ => false,
        }
    }

    fn all_same(&self, a: &[Type], b: &[Type], pair: Pair) -> Option<bool> {
        if a.len() != b.len() {
            return Some(false);
        }
        all(a.iter().zip(b).map(|(&x, &y)| self.same(x, y, pair)))
    }

    fn same_named(&self, a: Type, n: &NamedType, b: Type, m: &NamedType, pair: Pair) -> Option<bool> {
        let (path, other) = (self.path_of(a)?, self.path_of(b)?);
        if path != other {
            // A module that is not known may declare what one of the two names denotes.
            return (self.is_known(a) && self.is_known(b)).then_some(false);
        }
        if n.args.len() != m.args.len() || !self.is_known(a) {
            return None;
        }
        let expands = |t: &Type| matches!(t.kind(), TypeKind::PackExpansion(_));
        if n.args.iter().chain(&m.args).any(expands) {
            return None;
        }
        let own = self.all_same(&n.args, &m.args, pair);
        let parents = match (n.parent, m.parent) {
            (Some(p), Some(q)) if p != q => match (p.kind(), q.kind()) {
                (TypeKind::Named(x), TypeKind::Named(y)) if x.args.len() == y.args.len() => {
                    self.same(p, q, pair)
                }
                _ => None,
            },
            _ => Some(true),
        };
        all([own, parents].into_iter())
    }

    /// Returns true if a named type has a known declaration that is not an alias.
    fn is_known(&self, ty: Type) -> bool {
        let Some(path) = self.path_of(ty) else { return false };
        matches!(path.as_str(), "Any" | "AnyObject") || matches!(self.lookup_nominal(path), Lookup::Known(_))
    }

    /// Returns true if all declarations that a name may denote are nominal types, and one of them is declared in this
    /// module.
    fn is_own_nominal(&self, ty: Type) -> bool {
        let Some(path) = self.path_of(ty) else { return false };
        let is_own = self.own().get(path).is_some_and(|entry| entry.nominal.is_some());
        is_own && self.entries(path).all(|entry| entry.nominal.is_some() && entry.alias.is_none())
    }

    fn is_no_existential(&self, ty: Type) -> bool {
        self.nominal_of(ty).is_some_and(|d| d.kind != super::NominalKind::Protocol)
    }

    fn same_box(&self, x: &BoxType, y: &BoxType, pair: Pair) -> Option<bool> {
        if x.fields.len() != y.fields.len() {
            return Some(false);
        }
        if x.fields.iter().zip(&y.fields).any(|(f, g)| f.mutable != g.mutable) {
            return Some(false);
        }
        match (x.sig, y.sig) {
            (None, None) => all(x.fields.iter().zip(&y.fields).map(|(f, g)| self.same(f.ty, g.ty, pair))),
            (Some(_), Some(_)) => {
                let layout = Pair { params_may_meet: true, ..pair };
                let fields = x.fields.iter().zip(&y.fields).map(|(f, g)| self.same(f.ty, g.ty, layout));
                all([all(fields), self.all_same(&x.args, &y.args, pair)].into_iter())
            }
            _ => None,
        }
    }

    fn same_function(&self, f: &FunctionType, g: &FunctionType, pair: Pair) -> Option<bool> {
        if f.lowered != g.lowered {
            return None;
        }
        if f.sig.is_some() != g.sig.is_some() && f.lowered {
            return Some(false);
        }
        if !f.lowered || f.pattern_sig.is_some() != g.pattern_sig.is_some() {
            return None;
        }
        let conventions = match (f.convention, g.convention) {
            (Convention::WitnessMethod(p), Convention::WitnessMethod(q)) => self.same(p, q, pair),
            (a, b) => Some(a == b || (is_thick(a) && is_thick(b))),
        };
        let shape = f.flags == g.flags
            && f.callee == g.callee
            && f.params.len() == g.params.len()
            && f.yields.len() == g.yields.len()
            && f.results.len() == g.results.len()
            && f.error.is_some() == g.error.is_some()
            && f.differentiable.is_some() == g.differentiable.is_some();
        if !shape {
            return Some(false);
        }
        let packs = |p: &Param| matches!(p.ty.kind(), TypeKind::Pack { .. });
        if f.params.iter().chain(&g.params).any(packs) {
            return None;
        }
        // Inside a generic function type, parameters refer to its own signature.
        let own = if f.sig.is_some() || f.pattern_sig.is_some() {
            Pair { params_may_meet: true, ..pair }
        } else {
            pair
        };
        let params = f.params.iter().zip(&g.params).chain(f.yields.iter().zip(&g.yields));
        let params = params.map(|(p, q)| self.same_param(p, q, own));
        let results = f.results.iter().zip(&g.results).chain(f.error.iter().zip(&g.error));
        let results = results.map(|(r, s)| self.same_result(r, s, own));
        let exact = f.sig == g.sig
            && f.differentiable == g.differentiable
            && f.clang_type == g.clang_type
            && f.pattern_sig == g.pattern_sig;
        let args = all(f.pattern_args.iter().zip(&g.pattern_args).map(|(&x, &y)| self.same(x, y, pair)));
        let found = all(params.chain(results).chain([conventions, args]));
        if found == Some(true) && !exact { None } else { found }
    }

    fn same_param(&self, p: &Param, q: &Param, pair: Pair) -> Option<bool> {
        if p.convention != q.convention {
            return Some(false);
        }
        if p.flags != q.flags || p.lifetime != q.lifetime {
            return None;
        }
        self.same(p.ty, q.ty, pair)
    }

    fn same_result(&self, r: &ResultInfo, s: &ResultInfo, pair: Pair) -> Option<bool> {
        if r.convention != s.convention {
            return Some(false);
        }
        if r.flags != s.flags || r.lifetime != s.lifetime {
            return None;
        }
        self.same(r.ty, s.ty, pair)
    }
}

fn single(ty: Type) -> Option<Type> {
    match ty.kind() {
        TypeKind::Tuple(elements) if elements.len() == 1 => Some(elements[0].ty),
        _ => None,
    }
}

fn is_thick(convention: Convention) -> bool {
    matches!(convention, Convention::Thick | Convention::ExplicitThick | Convention::Swift)
}

/// Returns "no" if one answer is "no", "yes" if all are "yes", otherwise "not known".
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut found = Some(true);
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            None => found = None,
            Some(true) => {}
        }
    }
    found
}

/// Returns true for kinds of types that no archetype can be bound to.
fn is_concrete(kind: &TypeKind) -> bool {
    use TypeKind as K;
    matches!(
        kind,
        K::Builtin(..) | K::Tuple(_) | K::Function(_) | K::Any(_) | K::Metatype(..) | K::Storage(..)
    )
}
