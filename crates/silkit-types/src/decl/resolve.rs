//! Name lookup in spelled types.
//!
//! A declaration's types are kept as spelled. They are resolved relative to a base type (`Heap<Int>` for a property
//! of `Heap`), from the innermost scope outwards: generic parameters, which become the arguments of the base, then
//! members, then top-level declarations.

use super::budget::Query;
use super::model::{AliasDecl, DeclFlags, NominalDecl, NominalKind};
use super::query::{Declarations, join};
use crate::expand::{expands, written_out};
use crate::kind::{NamedType, TupleElement, Type, TypeKind};
use silkit_base::Symbol;

/// The lookup scope of a spelled type.
#[derive(Clone, Copy)]
struct Scope<'a> {
    /// The type whose members are in scope.
    base: Option<Type>,
    /// The arguments for the parameters of a generic alias.
    locals: &'a [(Symbol, Type)],
    /// The aliases being expanded: inside its own target, an alias name refers to an outer declaration.
    following: Option<&'a Following<'a>>,
    /// True in the inheritance clause of `base`, where what `base` inherits is not in scope.
    is_clause: bool,
}

/// An alias being expanded, and the enclosing ones.
struct Following<'a> {
    alias: &'a AliasDecl,
    outer: Option<&'a Following<'a>>,
}

impl Scope<'_> {
    const TOP: Self = Scope { base: None, locals: &[], following: None, is_clause: false };

    /// Returns the scope inside another base type.
    fn inside(self, base: Type) -> Self {
        Scope { base: Some(base), locals: &[], is_clause: false, ..self }
    }

    /// Returns the scope of the inheritance clause of another base type.
    fn in_clause_of(self, base: Type) -> Self {
        Scope { is_clause: true, ..self.inside(base) }
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
    /// Resolves a type that is spelled at the top level of the module: expands aliases and sugar.
    pub fn resolve(&self, ty: Type) -> Type {
        self.resolved.get_or_compute(ty, || self.ask(Type::unknown(), |q| q.resolve(ty)))
    }

    /// Resolves a type that is spelled in the declaration of `base`, substituting the arguments of `base`.
    ///
    /// Generic parameters with unknown arguments become the unknown type.
    pub fn resolve_in(&self, ty: Type, base: Type) -> Type {
        self.ask(Type::unknown(), |q| q.resolve_in(ty, base))
    }

    /// Resolves a type that is spelled in the inheritance clause of `base`, where what `base` inherits is not in scope.
    pub fn resolve_in_clause(&self, ty: Type, base: Type) -> Type {
        self.ask(Type::unknown(), |q| q.resolve_in_clause(ty, base))
    }

    /// Returns the type called `name` inside of `base`: `Array<Int>.Element` is `Int`.
    ///
    /// If `base` is a generic parameter, the result is a dependent member type. Returns `None` if the member is not
    /// known.
    pub fn member_type(&self, base: Type, name: Symbol) -> Option<Type> {
        let find = || self.ask(None, |q| q.member_scoped(q.resolve(base), name, Scope::TOP));
        self.members.get_or_compute((base, name), find)
    }
}

impl Query<'_> {
    pub(crate) fn resolve(&self, ty: Type) -> Type {
        self.resolve_scoped(ty, Scope::TOP)
    }

    pub(crate) fn resolve_in(&self, ty: Type, base: Type) -> Type {
        self.resolve_scoped(ty, Scope::TOP.inside(base))
    }

    pub(super) fn resolve_in_clause(&self, ty: Type, base: Type) -> Type {
        self.resolve_constraint(ty, Scope::TOP.in_clause_of(base))
    }

    /// Resolves a protocol or a class of a composition, of an existential type or of an inheritance clause. Names are
    /// printed without their modules: `Date.Style : Style` inherits a protocol that the type hides.
    fn resolve_constraint(&self, ty: Type, scope: Scope<'_>) -> Type {
        let found = self.resolve_scoped(ty, scope);
        let (TypeKind::Named(n), TypeKind::Named(f)) = (ty.kind(), found.kind()) else { return found };
        let is_value = |d: &NominalDecl| matches!(d.kind, NominalKind::Struct | NominalKind::Enum);
        let hides = n.parent.is_none() && f.parent.is_some() && f.name == n.name;
        if !hides || !self.nominal_of(found).is_some_and(is_value) {
            return found;
        }
        self.resolve(Type::named(None, n.name, f.args.clone()))
    }

    fn resolve_scoped(&self, ty: Type, scope: Scope<'_>) -> Type {
        let Some(_level) = self.step() else { return Type::unknown() };
        let named = |name: &str, args: &[Type]| {
            let args = args.iter().map(|&t| self.resolve_scoped(t, scope)).collect();
            Type::named(None, Symbol::new(name), args)
        };
        match ty.kind() {
            TypeKind::Named(n) => self.resolve_named(n, scope),
            // Declarations refer to parameters by name; `τ_0_0` has no meaning here.
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
            // A tuple with a single pack expansion is spelled like a parenthesized type.
            TypeKind::Paren(t) if matches!(t.kind(), TypeKind::PackExpansion(_)) => {
                self.resolve_tuple(&[TupleElement { label: None, ty: *t, variadic: false }], scope)
            }
            TypeKind::Paren(t) => self.resolve_scoped(*t, scope),
            TypeKind::Composition(_) | TypeKind::Any(_) => ty.map(&mut |t| self.resolve_constraint(t, scope)),
            TypeKind::Tuple(elements) => self.resolve_tuple(elements, scope),
            // Interfaces of the library spell the compiler's own name.
            TypeKind::Builtin(name, _) if *name == "AnyObject" => Type::nominal("AnyObject"),
            // The signature of a generic function type keeps its own parameters apart.
            TypeKind::Function(f) if f.sig.is_some() => ty,
            _ => ty.map(&mut |t| self.resolve_scoped(t, scope)),
        }
    }

    /// Resolves a tuple. A pack expansion becomes as many elements as its packs have in this scope.
    fn resolve_tuple(&self, elements: &[TupleElement], scope: Scope<'_>) -> Type {
        let mut new: Vec<TupleElement> = Vec::with_capacity(elements.len());
        for element in elements {
            let Some(types) = self.expanded(vec![self.resolve_scoped(element.ty, scope)]) else {
                return Type::unknown();
            };
            // The label of an expansion belongs to its first element.
            let labels = std::iter::once(element.label).chain(std::iter::repeat(None));
            new.extend(labels.zip(types).map(|(label, ty)| TupleElement { label, ty, ..*element }));
        }
        match new[..] {
            [TupleElement { label: None, ty, variadic: false }] if !expands(&[ty]) => ty,
            _ => Type::new(TypeKind::Tuple(new.into())),
        }
    }

    /// Expands packs in a list of resolved types. Members of the elements can be resolved only then:
    /// `(repeat (each Pack{Array<Int>}).Element)` is `Int`.
    fn expanded(&self, types: Vec<Type>) -> Option<Vec<Type>> {
        if !expands(&types) {
            return Some(types);
        }
        Some(written_out(types)?.into_iter().map(|ty| self.resolve(ty)).collect())
    }

    fn resolve_named(&self, n: &NamedType, scope: Scope<'_>) -> Type {
        let args = n.args.iter().map(|&t| self.resolve_scoped(t, scope)).collect();
        let Some(args) = self.expanded(args).map(Vec::into_boxed_slice) else { return Type::unknown() };
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

    /// Looks up an unqualified name, innermost scope first.
    fn resolve_name(&self, name: Symbol, args: &[Type], scope: Scope<'_>) -> Option<Type> {
        if let Some((_, ty)) = scope.locals.iter().find(|(local, _)| *local == name) {
            return Some(*ty);
        }
        if name == "Self" {
            return scope.base;
        }
        let mut enclosing = scope.base;
        while let Some(base) = enclosing {
            if let Some(arg) = self.generic_arg(base, name) {
                let is_sure = !self.may_mean_top_level(base, name);
                return Some(if is_sure { arg } else { Type::unknown() });
            }
            if let Some(found) = self.own_member(base, name, args, false, scope) {
                match self.in_place_of_member(base, name, found) {
                    Some(found) => return Some(found),
                    None => break,
                }
            }
            enclosing = match base.kind() {
                TypeKind::Named(n) => n.parent,
                _ => None,
            };
        }
        // Members from protocols and superclasses come after the parameters of all enclosing types.
        let mut enclosing = scope.base.filter(|_| args.is_empty());
        while let Some(base) = enclosing {
            let is_visible = !scope.is_clause || Some(base) != scope.base;
            if is_visible && let Some(found) = self.named_member(base, name, &[], scope) {
                match self.in_place_of_member(base, name, found) {
                    Some(found) => return Some(found),
                    None => break,
                }
            }
            enclosing = match base.kind() {
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

    /// Returns the type that an unqualified name denotes in `base`, which has a member of this name: `None` for a type of
    /// the top level.
    fn in_place_of_member(&self, base: Type, name: Symbol, member: Type) -> Option<Type> {
        if !self.may_mean_top_level(base, name) {
            return Some(member);
        }
        let is_nested = matches!(member.kind(), TypeKind::Named(n) if n.parent.is_some() && n.name == name);
        (!is_nested).then(Type::unknown)
    }

    /// Returns the member of `base` with this name, applied to `args` if it is generic.
    fn named_member(&self, base: Type, name: Symbol, args: &[Type], scope: Scope<'_>) -> Option<Type> {
        let own = self.own_member(base, name, args, true, scope);
        if own.is_some() || !args.is_empty() {
            return own;
        }
        self.inherited_member(base, name, scope)
    }

    /// Returns a member that the declaration or an extension of `base` spells. Lookup by bare name ignores an alias
    /// that witnesses a requirement under another name.
    fn own_member(
        &self,
        base: Type,
        name: Symbol,
        args: &[Type],
        as_witness: bool,
        scope: Scope<'_>,
    ) -> Option<Type> {
        let path = self.path_of(base)?;
        if !self.declares_type(path, name) {
            return None;
        }
        if self.entries(join(path, name)).any(|e| e.nominal.is_some()) {
            return Some(Type::named(Some(base), name, args.into()));
        }
        let alias = self.member_alias(base, name)?;
        let alias = Some(alias).filter(|a| (as_witness || a.name == name) && !scope.follows(a))?;
        Some(self.expand(alias, args, Some(base), scope))
    }

    /// Returns the alias `name` of a type or its extensions. Ignores an alias that only repeats an outer name.
    fn member_alias(&self, base: Type, name: Symbol) -> Option<&AliasDecl> {
        let path = self.path_of(base)?;
        self.spend(self.extensions(path).count())?;
        let repeats = repeats_its_name;
        let unconditional = self.bodies(path).find_map(|b| b.alias(name).filter(|a| !repeats(a)));
        if unconditional.is_none() || self.extensions(path).all(|e| e.requirements.is_empty()) {
            return unconditional;
        }
        // Among conditional aliases, the first one whose conditions are not known to fail.
        let own = self.entries(path).filter_map(|e| e.nominal.as_ref()).find_map(|n| n.body.alias(name));
        own.filter(|a| !repeats(a)).or_else(|| {
            self.extensions(path)
                .filter(|e| e.body.alias(name).is_some_and(|a| !repeats(a)))
                .find(|e| {
                    // Same-type conditions select among specialized aliases; other conditions only restrict where
                    // they exist.
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
        let inside = Scope { base, locals: &locals, following, is_clause: false };
        self.resolve_scoped(alias.target, inside)
    }

    /// Returns the argument for a generic parameter that the declaration of `base` itself introduces.
    fn generic_arg(&self, base: Type, name: Symbol) -> Option<Type> {
        let TypeKind::Named(n) = base.kind() else { return None };
        let decl = self.nominal_of(base)?;
        let index = decl.param_index(name)?;
        // A parameter pack takes the arguments that the other parameters leave, unless they are spelled as a pack.
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
            TypeKind::Opened { existential, interface, .. }
                if matches!(interface.kind(), TypeKind::Param { .. })
                    && self.primary_argument(*existential, name).is_some() =>
            {
                self.primary_argument(*existential, name)
            }
            TypeKind::Opened { id, existential, interface } => Some(Type::new(TypeKind::Opened {
                id: *id,
                existential: *existential,
                interface: Type::new(TypeKind::Member(*interface, name)),
            })),
            TypeKind::OpenedElement { id, interface } => Some(Type::new(TypeKind::OpenedElement {
                id: *id,
                interface: Type::new(TypeKind::Member(*interface, name)),
            })),
            // The spelling is `(each T).Element`, and not `each T.Element`.
            TypeKind::PackElement(t) if matches!(t.kind(), TypeKind::Param { .. }) => {
                Some(Type::new(TypeKind::Member(Type::new(TypeKind::Paren(base)), name)))
            }
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
                // A parameter with this name witnesses the associated type, even a parameter of an enclosing type.
                let mut enclosing = Some(base);
                while let Some(outer) = enclosing {
                    if let Some(arg) = self.generic_arg(outer, name) {
                        return Some(arg).filter(|t| !t.is_unknown());
                    }
                    enclosing = match outer.kind() {
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

    /// Returns what an existential type states for a primary associated type: `Int` for `Element` of `any Sequence<Int>`.
    fn primary_argument(&self, existential: Type, name: Symbol) -> Option<Type> {
        match existential.kind() {
            TypeKind::Any(inner) | TypeKind::Paren(inner) => self.primary_argument(*inner, name),
            TypeKind::Composition(parts) => parts.iter().find_map(|&part| self.primary_argument(part, name)),
            TypeKind::Named(n) if !n.args.is_empty() => {
                let decl = self.nominal_of(existential).filter(|d| d.kind == NominalKind::Protocol)?;
                let index = decl.sig?.data().params.iter().position(|p| p.name == name)?;
                n.args.get(index).copied()
            }
            _ => None,
        }
    }

    /// Returns a member that a superclass or a protocol of the type provides.
    fn inherited_member(&self, base: Type, name: Symbol, scope: Scope<'_>) -> Option<Type> {
        let decl = self.nominal_of(base)?;
        if decl.kind == NominalKind::Protocol || !self.may_inherit_type(decl, name) {
            return None;
        }
        let key = (base, name);
        if let Some(found) = self.inherited.borrow().get(&key) {
            return *found;
        }
        // The names of inherited types are not themselves looked up among inherited members.
        self.inherited.borrow_mut().insert(key, None);
        let found = self.find_inherited(decl, base, name, scope);
        if scope.following.is_none() {
            self.inherited.borrow_mut().insert(key, found);
        } else {
            // Other scopes may follow other aliases.
            self.inherited.borrow_mut().remove(&key);
        }
        found
    }

    fn find_inherited(&self, decl: &NominalDecl, base: Type, name: Symbol, scope: Scope<'_>) -> Option<Type> {
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
                let superclass = self.resolve_scoped(ty, scope.in_clause_of(base));
                return self.member_scoped(superclass, name, scope);
            }
            queue.extend(found.inherited.iter());
        }
        // Extensions of the protocols first, then the defaults of the associated types.
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

/// Returns true if an alias only repeats an outer name: `typealias T = T`.
fn repeats_its_name(alias: &AliasDecl) -> bool {
    match alias.target.kind() {
        TypeKind::Named(n) => n.parent.is_none() && n.name == alias.name,
        TypeKind::Param { name, .. } => *name == alias.name,
        _ => false,
    }
}
