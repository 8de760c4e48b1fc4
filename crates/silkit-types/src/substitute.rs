//! Substitution of generic parameters, and the mapping over the direct parts of a type.

use crate::expand::expands;
use crate::function::{FnFlags, FunctionType, Param};
use crate::generics::GenericSig;
use crate::kind::{BoxField, BoxType, NamedType, TupleElement, Type, TypeKind};
use silkit_base::Symbol;

/// The replacement of each generic parameter of a signature.
#[derive(Clone, Copy, Debug)]
pub struct Substitution<'a> {
    /// The signature whose parameters are replaced.
    pub sig: GenericSig,
    /// The replacement of each parameter, in the order of the signature.
    pub args: &'a [Type],
}

impl Substitution<'_> {
    /// Returns true if there is one replacement for each parameter.
    pub fn is_complete(&self) -> bool {
        self.sig.data().params.len() == self.args.len()
    }

    /// Returns the replacement of a parameter.
    pub fn lookup(&self, depth: u16, index: u16) -> Option<Type> {
        let position = self.sig.data().params.iter().position(|p| p.depth == depth && p.index == index)?;
        self.args.get(position).copied()
    }
}

impl Type {
    /// Returns this type with its generic parameters replaced.
    ///
    /// `member` resolves a dependent member type whose base has become concrete (`Array<Int>.Element`). If it returns
    /// `None`, the result is [`Type::unknown`].
    pub fn substitute(self, subst: Substitution<'_>, member: &dyn Fn(Type, Symbol) -> Option<Type>) -> Type {
        match self.kind() {
            _ if self.is_plain() => self,
            TypeKind::Param { depth, index, .. } => subst.lookup(*depth, *index).unwrap_or(self),
            TypeKind::Member(base, name) => {
                let new_base = base.substitute(subst, member);
                if new_base == *base {
                    return self;
                }
                match new_base.kind() {
                    TypeKind::Param { .. } | TypeKind::Member(..) => {
                        Type::new(TypeKind::Member(new_base, *name))
                    }
                    TypeKind::Opened { id, existential, interface } => {
                        let opened = || {
                            let interface = Type::new(TypeKind::Member(*interface, *name));
                            Type::new(TypeKind::Opened { id: *id, existential: *existential, interface })
                        };
                        // `any Sequence<Int>` states what `Element` is.
                        let stated = if has_arguments(*existential) { member(new_base, *name) } else { None };
                        stated.filter(|t| !matches!(t.kind(), TypeKind::Opened { .. })).unwrap_or_else(opened)
                    }
                    TypeKind::OpenedElement { id, interface } => Type::new(TypeKind::OpenedElement {
                        id: *id,
                        interface: Type::new(TypeKind::Member(*interface, *name)),
                    }),
                    _ => member(new_base, *name).unwrap_or_else(Type::unknown),
                }
            }
            // The function type binds its own parameters.
            TypeKind::Function(f) if f.sig.is_some() => self,
            TypeKind::Named(n) if expands(&n.args) => {
                let args = subst.expand(&n.args, &mut |t, s| t.substitute(s, member));
                let parent = n.parent.map(|t| t.substitute(subst, member));
                args.map_or_else(Type::unknown, |args| Type::named(parent, n.name, args.into()))
            }
            TypeKind::Tuple(elements) => subst.expand_tuple(elements, &mut |t, s| t.substitute(s, member)),
            // A tuple with a single pack expansion is spelled like a parenthesized type.
            TypeKind::Paren(ty) if expands(&[*ty]) => {
                let element = TupleElement { label: None, ty: *ty, variadic: false };
                subst.expand_tuple(&[element], &mut |t, s| t.substitute(s, member))
            }
            TypeKind::Pack { direct, elements } => {
                let elements = subst.expand(elements, &mut |t, s| t.substitute(s, member));
                elements.map_or_else(Type::unknown, |elements| {
                    Type::new(TypeKind::Pack { direct: *direct, elements: elements.into() })
                })
            }
            TypeKind::Function(f) if f.params.iter().any(|p| expands(&[p.ty])) && f.pattern_sig.is_none() => {
                let mut new = f.map(&mut |t| t.substitute(subst, member));
                let mut params = Vec::new();
                for param in &f.params {
                    let types = subst.expand(&[param.ty], &mut |t, s| t.substitute(s, member));
                    let Some(types) = types else { return Type::unknown() };
                    params.extend(types.into_iter().map(|ty| Param { ty, ..*param }));
                }
                new.params = params.into();
                Type::new(TypeKind::Function(Box::new(new)))
            }
            _ => self.map(&mut |t| t.substitute(subst, member)),
        }
    }

    /// Returns this type with `each` applied to every type that it directly contains.
    ///
    /// Generic signatures are not mapped, since the type binds their parameters.
    pub fn map(self, each: &mut dyn FnMut(Type) -> Type) -> Type {
        use TypeKind as K;
        let mut is_changed = false;
        let each = &mut |part: Type| {
            let new = each(part);
            is_changed |= new != part;
            new
        };
        let kind = match self.kind() {
            K::Unknown | K::Param { .. } | K::Integer(_) => return self,
            K::Builtin(name, args) => {
                if args.is_empty() {
                    return self;
                }
                let Some(args) = map_all(args, each) else { return self };
                K::Builtin(*name, args)
            }
            K::Named(n) => {
                if n.parent.is_none() && n.args.is_empty() {
                    return self;
                }
                let parent = n.parent.map(&mut *each);
                let args = map_all(&n.args, each);
                if parent == n.parent && args.is_none() {
                    return self;
                }
                K::Named(NamedType { parent, name: n.name, args: args.unwrap_or_else(|| n.args.clone()) })
            }
            K::Member(t, name) => K::Member(each(*t), *name),
            K::Tuple(elements) => {
                let each = |e: &TupleElement| TupleElement { ty: each(e.ty), ..*e };
                let Some(elements) = map_changed(elements, each) else { return self };
                K::Tuple(elements)
            }
            K::Function(f) => K::Function(Box::new(f.map(each))),
            K::Metatype(repr, t) => match each(*t) {
                new if new == *t => return self,
                new if t.is_placeholder() => return Type::metatype_of(*repr, new),
                new => K::Metatype(*repr, new),
            },
            K::ProtocolMetatype(repr, t) => K::ProtocolMetatype(*repr, each(*t)),
            K::Any(t) => K::Any(each(*t)),
            K::Some(t) => K::Some(each(*t)),
            K::Composition(parts) => {
                let Some(parts) = map_all(parts, each) else { return self };
                K::Composition(parts)
            }
            K::Inverse(t) => K::Inverse(each(*t)),
            K::Optional(t) => K::Optional(each(*t)),
            K::ImplicitlyUnwrapped(t) => K::ImplicitlyUnwrapped(each(*t)),
            K::Array(t) => K::Array(each(*t)),
            K::Dictionary(k, v) => K::Dictionary(each(*k), each(*v)),
            K::InlineArray(n, t) => K::InlineArray(each(*n), each(*t)),
            K::Paren(t) => K::Paren(each(*t)),
            K::Box(b) => K::Box(Box::new(BoxType {
                sig: b.sig,
                captures_generics: b.captures_generics,
                // With a signature, the fields refer to the layout's own parameters.
                fields: if b.sig.is_some() {
                    b.fields.clone()
                } else {
                    b.fields.iter().map(|f| BoxField { ty: each(f.ty), ..*f }).collect()
                },
                args: map_all(&b.args, each).unwrap_or_else(|| b.args.clone()),
            })),
            K::Pack { direct, elements } => {
                let Some(elements) = map_all(elements, each) else { return self };
                K::Pack { direct: *direct, elements }
            }
            K::PackExpansion(t) => K::PackExpansion(each(*t)),
            K::PackElement(t) => K::PackElement(each(*t)),
            K::Opened { id, existential, interface } => {
                K::Opened { id: *id, existential: each(*existential), interface: *interface }
            }
            K::OpenedElement { .. } => return self,
            K::OpaqueResult { decl, index, interface } => {
                K::OpaqueResult { decl: *decl, index: *index, interface: each(*interface) }
            }
            K::Storage(storage, t) => K::Storage(*storage, each(*t)),
            K::BlockStorage(t) => K::BlockStorage(each(*t)),
            K::MoveOnly(t) => K::MoveOnly(each(*t)),
            K::DynamicSelf(t) => K::DynamicSelf(each(*t)),
            K::Attributed(attribute, t) => K::Attributed(*attribute, each(*t)),
        };
        if is_changed { Type::new(kind) } else { self }
    }
}

/// Returns true if a protocol of an existential type has generic arguments.
fn has_arguments(existential: Type) -> bool {
    match existential.kind() {
        TypeKind::Any(inner) | TypeKind::Paren(inner) => has_arguments(*inner),
        TypeKind::Composition(parts) => parts.iter().any(|&part| has_arguments(part)),
        TypeKind::Named(n) => !n.args.is_empty(),
        _ => false,
    }
}

/// Returns types with `each` applied to all; `None` if none of them changes.
fn map_all(types: &[Type], each: &mut dyn FnMut(Type) -> Type) -> Option<Box<[Type]>> {
    map_changed(types, |&ty| each(ty))
}

/// Returns a list with `each` applied to all parts, in order; `None` if none of them changes.
fn map_changed<T: Copy + PartialEq>(parts: &[T], mut each: impl FnMut(&T) -> T) -> Option<Box<[T]>> {
    for (at, part) in parts.iter().enumerate() {
        let new = each(part);
        if new != *part {
            let rest = parts[at + 1..].iter().map(each);
            return Some(parts[..at].iter().copied().chain([new]).chain(rest).collect());
        }
    }
    None
}

impl FunctionType {
    /// Returns this type with `each` applied to the type of every parameter, yield, result and error, or only to the
    /// replacement types if it is `@substituted`.
    pub fn map(&self, each: &mut dyn FnMut(Type) -> Type) -> FunctionType {
        let mut new = self.clone();
        if self.pattern_sig.is_some() {
            new.pattern_args.iter_mut().for_each(|t| *t = each(*t));
            return new;
        }
        for param in &mut new.params {
            let ty = each(param.ty);
            let escapes = !self.lowered && param.ty.is_placeholder();
            param.ty = if escapes { escaping(ty) } else { ty };
        }
        new.yields.iter_mut().for_each(|p| p.ty = each(p.ty));
        new.results.iter_mut().chain(new.error.iter_mut()).for_each(|r| r.ty = each(r.ty));
        new
    }
}

/// Returns the type of a parameter whose declared type is not a function type: a function that replaces it escapes.
fn escaping(ty: Type) -> Type {
    match ty.kind() {
        TypeKind::Function(f) if !f.flags.contains(FnFlags::NOESCAPE) => {
            let flags = f.flags | FnFlags::ESCAPING;
            Type::new(TypeKind::Function(Box::new(FunctionType { flags, ..(**f).clone() })))
        }
        _ => ty,
    }
}

#[cfg(test)]
mod tests {
    use crate::kind::{TupleElement, Type, TypeKind};
    use silkit_base::Symbol;

    #[test]
    fn a_list_is_mapped_from_its_first_changed_part() {
        let [a, b, c, x] = ["A", "B", "C", "X"].map(Type::nominal);
        let element = |ty| TupleElement { label: None, ty, variadic: false };
        let kinds: [fn(&[Type]) -> TypeKind; 3] = [
            |types| TypeKind::Composition(types.into()),
            |types| TypeKind::Pack { direct: true, elements: types.into() },
            |types| TypeKind::Builtin(Symbol::new("FixedArray"), types.into()),
        ];
        let tuple = |types: [Type; 3]| Type::new(TypeKind::Tuple(types.map(element).into()));
        let named = |parent, types: [Type; 3]| Type::named(parent, Symbol::new("N"), types.into());
        for replaced in [&[][..], &[a], &[b], &[c], &[a, c], &[a, b, c]] {
            let with = |ty: Type| if replaced.contains(&ty) { x } else { ty };
            let mapped = |ty: Type| {
                let mut parts = Vec::new();
                let new = ty.map(&mut |part| {
                    parts.push(part);
                    with(part)
                });
                assert_eq!(parts, [a, b, c], "each part is mapped once");
                new
            };
            for kind in kinds {
                let of = |types: [Type; 3]| Type::new(kind(&types));
                assert_eq!(mapped(of([a, b, c])), of([a, b, c].map(with)));
            }
            assert_eq!(mapped(tuple([a, b, c])), tuple([a, b, c].map(with)));
            let inner = |parent, types: [Type; 2]| Type::named(Some(parent), Symbol::new("N"), types.into());
            assert_eq!(mapped(inner(a, [b, c])), inner(with(a), [b, c].map(with)));
            assert_eq!(mapped(named(None, [a, b, c])), named(None, [a, b, c].map(with)));
        }
    }
}
