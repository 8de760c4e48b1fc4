//! Name lookup in spelled types.
//!
//! A declaration's types are kept as spelled. With the type that they are seen through (`Heap<Int>`
//! for a property of `Heap`), names are looked up from the inside to the outside: generic parameters,
//! which become the arguments, then members, then the top of the modules.

use super::budget::Query;
use super::model::{AliasDecl, DeclFlags, NominalKind};
use super::query::{Declarations, join};
use crate::expand::{expands, written_out};
use crate::kind::{Named, TupleElement, Type, TypeKind};
use silkit_base::Symbol;

/// The position of a spelled type.
#[derive(Clone, Copy)]
struct Scope<'a> {
    /// The type whose members see each other.
    base: Option<Type>,
    /// Arguments of an alias' own parameters.
    locals: &'a [(Symbol, Type)],
    /// The aliases that are being followed: inside of its own target a name means something further outside.
    following: Option<&'a Following<'a>>,
}

/// One alias that is being followed, and those around it.
struct Following<'a> {
    alias: &'a AliasDecl,
    outer: Option<&'a Following<'a>>,
}

impl Scope<'_> {
    const TOP: Self = Scope { base: None, locals: &[], following: None };

    /// Returns the same question, asked from inside of another type.
    fn inside(self, base: Type) -> Self {
        Scope { base: Some(base), locals: &[], ..self }
    }

    fn follows(&self, alias: &AliasDecl) -> bool {
        let mut next = self.following;
        while let Some(at) = next {
            if std::ptr::eq(at.alias, alias) {
                return true;
            }
            next = at.outer;
        }
        false
    }
}

impl Declarations {
    /// Returns a type that stands at the top of the module, without aliases and sugar.
    pub fn resolve(&self, ty: Type) -> Type {
        self.resolved.get_or_find(ty, || self.ask(Type::unknown(), |q| q.resolve(ty)))
    }

    /// Returns a type that is spelled in the declaration of `base`, as seen through `base`'s arguments.
    ///
    /// Generic parameters whose arguments are not known become the unknown type.
    pub fn resolve_in(&self, ty: Type, base: Type) -> Type {
        self.ask(Type::unknown(), |q| q.resolve_in(ty, base))
    }

    /// Returns the type called `name` inside of `base`: `Array<Int>.Element` is `Int`.
    ///
    /// Of a generic parameter it is a dependent member type. `None` where it is not known.
    pub fn member_type(&self, base: Type, name: Symbol) -> Option<Type> {
        let find = || self.ask(None, |q| q.member_scoped(q.resolve(base), name, Scope::TOP));
        self.members.get_or_find((base, name), find)
    }
}

impl Query<'_> {
    pub(crate) fn resolve(&self, ty: Type) -> Type {
        self.resolve_scoped(ty, Scope::TOP)
    }

    pub(crate) fn resolve_in(&self, ty: Type, base: Type) -> Type {
        self.resolve_scoped(ty, Scope::TOP.inside(base))
    }

    fn resolve_scoped(&self, ty: Type, scope: Scope<'_>) -> Type {
        let Some(_level) = self.step() else { return Type::unknown() };
        let named = |name: &str, args: &[Type]| {
            let args = args.iter().map(|&t| self.resolve_scoped(t, scope)).collect();
            Type::named(None, Symbol::new(name), args)
        };
        match ty.kind() {
            TypeKind::Named(n) => self.resolve_named(n, scope),
            // In a declaration a parameter is known by its name; `τ_0_0` is nobody's here.
            TypeKind::Param { name, .. } => match scope.base {
                Some(_) => self.resolve_name(*name, &[], scope).unwrap_or(ty),
                None => ty,
            },
            TypeKind::Member(base, name) => {
                let base = self.resolve_scoped(*base, scope);
                self.member_scoped(base, *name, scope).unwrap_or_else(Type::unknown)
            }
            TypeKind::Optional(t) | TypeKind::ImplicitlyUnwrapped(t) => named("Optional", &[*t]),
            TypeKind::Array(t) => named("Array", &[*t]),
            TypeKind::Dictionary(k, v) => named("Dictionary", &[*k, *v]),
            TypeKind::InlineArray(n, t) => named("InlineArray", &[*n, *t]),
            // A tuple of one expansion is spelled like a type in parentheses.
            TypeKind::Paren(t) if matches!(t.kind(), TypeKind::PackExpansion(_)) => {
                self.resolve_tuple(&[TupleElement { label: None, ty: *t, variadic: false }], scope)
            }
            TypeKind::Paren(t) => self.resolve_scoped(*t, scope),
            TypeKind::Tuple(elements) => self.resolve_tuple(elements, scope),
            // The compiler's own name for it, which the library's interfaces spell.
            TypeKind::Builtin(name, _) if *name == "AnyObject" => Type::nominal("AnyObject"),
            // Type parameters of the function itself shadow, which their signature keeps apart.
            TypeKind::Function(f) if f.sig.is_some() => ty,
            _ => ty.map(&mut |t| self.resolve_scoped(t, scope)),
        }
    }

    /// Returns a tuple; expansions become as many elements as the packs have that the scope gives.
    fn resolve_tuple(&self, elements: &[TupleElement], scope: Scope<'_>) -> Type {
        let mut new: Vec<TupleElement> = Vec::with_capacity(elements.len());
        for element in elements {
            let Some(types) = written_out(vec![self.resolve_scoped(element.ty, scope)]) else {
                return Type::unknown();
            };
            // The label of an expansion is that of its first element.
            let labels = std::iter::once(element.label).chain(std::iter::repeat(None));
            new.extend(labels.zip(types).map(|(label, ty)| TupleElement { label, ty, ..*element }));
        }
        match new[..] {
            [TupleElement { label: None, ty, variadic: false }] if !expands(&[ty]) => ty,
            _ => Type::new(TypeKind::Tuple(new.into())),
        }
    }

    fn resolve_named(&self, n: &Named, scope: Scope<'_>) -> Type {
        let args = n.args.iter().map(|&t| self.resolve_scoped(t, scope)).collect();
        let Some(args) = written_out(args).map(Vec::into_boxed_slice) else { return Type::unknown() };
        let Some(parent) = n.parent else {
            return self
                .resolve_name(n.name, &args, scope)
                .unwrap_or_else(|| Type::named(None, n.name, args));
        };
        if let TypeKind::Named(p) = parent.kind()
            && p.parent.is_none()
            && p.args.is_empty()
            && self.is_module(p.name)
            && self.nominal_at(p.name).is_none()
        {
            let top = Scope { base: None, ..scope };
            return self.resolve_name(n.name, &args, top).unwrap_or_else(|| Type::named(None, n.name, args));
        }
        let parent = self.resolve_scoped(parent, scope);
        if parent.is_unknown() {
            return parent;
        }
        if args.is_empty()
            && let Some(member) = self.member_scoped(parent, n.name, scope)
        {
            return member;
        }
        if let Some(alias) = self.member_alias(parent, n.name).filter(|a| a.sig.is_some()) {
            return self.expand(alias, &args, Some(parent), scope);
        }
        Type::named(Some(parent), n.name, args)
    }

    /// Looks an unqualified name up, innermost scope first.
    fn resolve_name(&self, name: Symbol, args: &[Type], scope: Scope<'_>) -> Option<Type> {
        if let Some((_, ty)) = scope.locals.iter().find(|(local, _)| *local == name) {
            return Some(*ty);
        }
        if name == "Self" {
            return scope.base;
        }
        let mut around = scope.base;
        while let Some(base) = around {
            if let Some(arg) = self.generic_arg(base, name) {
                return Some(arg);
            }
            if let Some(found) = self.own_member(base, name, args, false, scope) {
                return Some(found);
            }
            around = match base.kind() {
                TypeKind::Named(n) => n.parent,
                _ => None,
            };
        }
        // What a protocol or a superclass gives comes after the parameters of all types around.
        let mut around = scope.base.filter(|_| args.is_empty());
        while let Some(base) = around {
            if let Some(found) = self.named_member(base, name, &[], scope) {
                return Some(found);
            }
            around = match base.kind() {
                TypeKind::Named(n) => n.parent,
                _ => None,
            };
        }
        if self.nominal_at(name).is_none()
            && let Some(alias) = self.top_alias(name).filter(|a| !repeats_its_name(a) && !scope.follows(a))
        {
            return Some(self.expand(alias, args, None, scope));
        }
        None
    }

    /// Returns a member of `base` by its name, with arguments where it is generic.
    fn named_member(&self, base: Type, name: Symbol, args: &[Type], scope: Scope<'_>) -> Option<Type> {
        let own = self.own_member(base, name, args, true, scope);
        if own.is_some() || !args.is_empty() {
            return own;
        }
        self.inherited_member(base, name, scope)
    }

    /// Returns a member that the declaration or an extension of `base` spells. An alias that witnesses a
    /// requirement under another name is none to a bare name.
    fn own_member(
        &self,
        base: Type,
        name: Symbol,
        args: &[Type],
        as_witness: bool,
        scope: Scope<'_>,
    ) -> Option<Type> {
        let path = self.path_of(base)?;
        if self.entries(join(path, name)).any(|e| e.nominal.is_some()) {
            return Some(Type::named(Some(base), name, args.into()));
        }
        let alias = self.member_alias(base, name)?;
        let alias = Some(alias).filter(|a| (as_witness || a.name == name) && !scope.follows(a))?;
        Some(self.expand(alias, args, Some(base), scope))
    }

    /// Returns the alias called `name` in a type or its extensions. One that only repeats the name of
    /// something further outside is none.
    fn member_alias(&self, base: Type, name: Symbol) -> Option<&AliasDecl> {
        let path = self.path_of(base)?;
        self.spend(self.extensions(path).count())?;
        let repeats = repeats_its_name;
        let unconditional = self.bodies(path).find_map(|b| b.alias(name).filter(|a| !repeats(a)));
        if unconditional.is_none() || self.extensions(path).all(|e| e.requirements.is_empty()) {
            return unconditional;
        }
        // Of several conditional ones, the first whose conditions are not known to fail.
        let own = self.entries(path).filter_map(|e| e.nominal.as_ref()).find_map(|n| n.body.alias(name));
        own.filter(|a| !repeats(a)).or_else(|| {
            self.extensions(path)
                .filter(|e| e.body.alias(name).is_some_and(|a| !repeats(a)))
                .find(|e| {
                    // Same-type conditions tell specialized aliases apart; others only say when they exist.
                    let same: Vec<_> = e
                        .requirements
                        .iter()
                        .filter(|r| r.kind == crate::RequirementKind::SameType)
                        .copied()
                        .collect();
                    same.is_empty() || self.requirements_hold(&same, base) != Some(false)
                })
                .and_then(|e| e.body.alias(name))
        })
    }

    fn expand(&self, alias: &AliasDecl, args: &[Type], base: Option<Type>, scope: Scope<'_>) -> Type {
        let params = alias.sig.map_or(&[][..], |s| &s.data().params);
        if params.len() != args.len() {
            return Type::unknown();
        }
        let locals: Vec<_> = params.iter().map(|p| p.name).zip(args.iter().copied()).collect();
        let following = Some(&Following { alias, outer: scope.following });
        let inside = Scope { base, locals: &locals, following };
        self.resolve_scoped(alias.target, inside)
    }

    /// Returns the argument for a generic parameter that the declaration of `base` itself declares.
    fn generic_arg(&self, base: Type, name: Symbol) -> Option<Type> {
        let TypeKind::Named(n) = base.kind() else { return None };
        let decl = self.nominal_of(base)?;
        let index = decl.param_index(name)?;
        // A pack parameter takes what the others leave, where its arguments are not spelled as a pack.
        let params = &decl.sig?.data().params;
        let is_spelled = n.args.len() == params.len()
            && n.args.get(index).is_some_and(|t| matches!(t.kind(), TypeKind::Pack { .. }));
        if params[index].is_pack && !is_spelled {
            let end = n.args.len().checked_sub(params.len() - index - 1)?;
            let is_alone = params.iter().filter(|p| p.is_pack).count() == 1;
            let elements = n.args.get(index..end).filter(|_| is_alone);
            return Some(elements.map_or_else(Type::unknown, |elements| {
                Type::new(TypeKind::Pack { direct: false, elements: elements.into() })
            }));
        }
        Some(n.args.get(index).copied().unwrap_or_else(Type::unknown))
    }

    fn member_scoped(&self, base: Type, name: Symbol, scope: Scope<'_>) -> Option<Type> {
        let _level = self.step()?;
        match base.kind() {
            TypeKind::Param { .. } | TypeKind::Member(..) => Some(Type::new(TypeKind::Member(base, name))),
            TypeKind::Opened { id, existential, interface } => Some(Type::new(TypeKind::Opened {
                id: *id,
                existential: *existential,
                interface: Type::new(TypeKind::Member(*interface, name)),
            })),
            TypeKind::OpenedElement { id, interface } => Some(Type::new(TypeKind::OpenedElement {
                id: *id,
                interface: Type::new(TypeKind::Member(*interface, name)),
            })),
            TypeKind::PackElement(t) => {
                Some(Type::new(TypeKind::PackElement(self.member_scoped(*t, name, scope)?)))
            }
            TypeKind::Named(_) => {
                if let Some(found) = self.own_member(base, name, &[], true, scope) {
                    return Some(found);
                }
                if let Some(arg) = self.generic_arg(base, name) {
                    return Some(arg).filter(|t| !t.is_unknown());
                }
                if let Some(found) = self.inherited_member(base, name, scope) {
                    return Some(found);
                }
                // A parameter of that name witnesses the associated type, also one from further outside.
                let mut around = Some(base);
                while let Some(outer) = around {
                    if let Some(arg) = self.generic_arg(outer, name) {
                        return Some(arg).filter(|t| !t.is_unknown());
                    }
                    around = match outer.kind() {
                        TypeKind::Named(o) => o.parent,
                        _ => None,
                    };
                }
                None
            }
            TypeKind::Any(_) | TypeKind::Composition(_) => None,
            TypeKind::DynamicSelf(t) | TypeKind::MoveOnly(t) => self.member_scoped(*t, name, scope),
            _ => None,
        }
    }

    /// Returns a member that a superclass, or a protocol that the type conforms to, gives it.
    fn inherited_member(&self, base: Type, name: Symbol, scope: Scope<'_>) -> Option<Type> {
        let key = (base, name);
        if let Some(found) = self.inherited.borrow().get(&key) {
            return *found;
        }
        // The names of what a type inherits from are not looked up in what it inherits.
        self.inherited.borrow_mut().insert(key, None);
        let found = self.find_inherited(base, name, scope);
        if scope.following.is_none() {
            self.inherited.borrow_mut().insert(key, found);
        } else {
            // Elsewhere other aliases may be followed.
            self.inherited.borrow_mut().remove(&key);
        }
        found
    }

    fn find_inherited(&self, base: Type, name: Symbol, scope: Scope<'_>) -> Option<Type> {
        let decl = self.nominal_of(base)?;
        if decl.kind == NominalKind::Protocol {
            return None;
        }
        let mut seen = Vec::new();
        let mut queue: Vec<Type> = Vec::new();
        let path = decl.path;
        queue.extend(decl.inherited.iter());
        let conforming = self.extensions(path).filter(|e| !e.flags.contains(DeclFlags::UNAVAILABLE));
        queue.extend(conforming.flat_map(|e| e.inherited.iter()));
        let mut next = 0;
        while let Some(&ty) = queue.get(next) {
            next += 1;
            let Some(path) = self.path_of(ty) else { continue };
            if seen.contains(&path) || path == decl.path {
                continue;
            }
            seen.push(path);
            self.spend(1 + seen.len() / 16)?;
            let Some(found) = self.nominal_at(path) else { continue };
            if found.is_class() {
                let superclass = self.resolve_scoped(ty, scope.inside(base));
                return self.member_scoped(superclass, name, scope);
            }
            queue.extend(found.inherited.iter());
        }
        // First what extensions of the protocols say, then the defaults of the associated types.
        let scope = scope.inside(base);
        let default = seen.iter().find_map(|&p| {
            let protocol = self.nominal_at(p)?;
            protocol.body.associated.iter().find(|a| a.name == name)?.default
        });
        if let Some(default) = default {
            return Some(self.resolve_scoped(default, scope)).filter(|t| !t.is_unknown());
        }
        let alias = seen.iter().find_map(|&p| self.bodies(p).find_map(|b| b.alias(name)));
        let alias = alias.filter(|a| !scope.follows(a))?;
        Some(self.expand(alias, &[], Some(base), scope)).filter(|t| !t.is_unknown())
    }
}

/// Returns true if an alias only says again what something further outside is called: `typealias T = T`.
fn repeats_its_name(alias: &AliasDecl) -> bool {
    match alias.target.kind() {
        TypeKind::Named(n) => n.parent.is_none() && n.name == alias.name,
        TypeKind::Param { name, .. } => *name == alias.name,
        _ => false,
    }
}
