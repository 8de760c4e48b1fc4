//! Resolution of spelled types to concrete types.

use crate::builtin::builtin;
use crate::ty::{
    BoxedField, Builtin, ExistentialTy, Field, FnRepr, FunctionParam, FunctionTy, Nominal, Storage, Ty,
    TyKind, dynamic_self,
};
use crate::world::{ModuleId, TypeError, World};
use silkit_base::Symbol;
use silkit_types::decl::{DeclFlags, NominalKind};
use silkit_types::{
    Convention, FnFlags, FunctionType, GenericSig, MetatypeRepr, NamedType, RefStorage, Type, TypeKind,
};
use std::rc::Rc;

/// The context in which a spelled type is resolved.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// The module whose names the type uses.
    pub module: ModuleId,
    /// The signature that declares the generic parameters of the type.
    pub sig: Option<GenericSig>,
    /// The arguments for these generic parameters.
    pub args: &'a [Ty],
    /// The enclosing declaration and its generic arguments; its parameters can be looked up by name.
    pub nominal: Option<(Nominal, &'a [Ty])>,
    /// Names bound to types, such as `Self` or the parameters of an alias.
    pub locals: &'a [(Symbol, Ty)],
    /// The bindings of opened types.
    pub opened: Option<&'a dyn OpenedTypes>,
    /// The index of the pack element that `each T` refers to.
    pub element: Option<usize>,
}

/// The bindings of opened types, by the instructions that open them.
pub trait OpenedTypes {
    /// Returns the type that the instruction with this id opens.
    fn opened(&self, id: Symbol) -> Option<Ty>;
    /// Returns the element index, signature and generic arguments for the `open_pack_element` with this id.
    fn element(&self, id: Symbol) -> Option<(usize, Option<GenericSig>, Rc<[Ty]>)>;
}

/// A stored property and its concrete lowered type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredField {
    /// The name of the property.
    pub name: Symbol,
    /// The lowered type of the property.
    pub ty: Ty,
    /// True if the property is a `let`.
    pub is_let: bool,
}

impl Env<'_> {
    /// Creates the environment of the top level of a module.
    pub const fn top(module: ModuleId) -> Self {
        Self { module, sig: None, args: &[], nominal: None, locals: &[], opened: None, element: None }
    }
}

pub(crate) type Resolved = Result<Ty, TypeError>;

/// The maximum recursion depth of type queries; aliases can be circular.
const MAX_DEPTH: u32 = 128;

impl World {
    /// Resolves a spelled type to a concrete type. If `lowered` is true, the spelled type is a lowered type, so
    /// `T.Type` is a thin metatype if `T` is a struct; metatypes in generic arguments are never thin.
    ///
    /// # Errors
    /// Returns an error if a name cannot be resolved, or an opened type or generic parameter is not bound.
    pub fn resolve(&self, ty: Type, env: &Env<'_>, lowered: bool) -> Resolved {
        let depth = self.depth.get();
        if depth > MAX_DEPTH {
            return Err(unresolved(ty));
        }
        self.depth.set(depth + 1);
        let found = self.resolve_step(ty, env, lowered);
        self.depth.set(depth);
        found
    }

    fn resolve_step(&self, ty: Type, env: &Env<'_>, lowered: bool) -> Resolved {
        match ty.kind() {
            TypeKind::Builtin(name, args) => self.resolve_builtin(*name, args, env),
            TypeKind::Named(n) => self.resolve_named(ty, n, env, lowered),
            TypeKind::Param { name, depth, index } => self.resolve_param(ty, *name, *depth, *index, env),
            TypeKind::Member(base, name) => {
                let base = self.resolve(*base, env, false)?;
                self.member_type(base, *name, &[]).ok_or_else(|| unresolved(ty))
            }
            TypeKind::Tuple(elements) => {
                let mut fields = Vec::with_capacity(elements.len());
                for element in elements {
                    let mut label = element.label;
                    self.each_element(element.ty, env, lowered, &mut |ty| {
                        fields.push(Field { label: label.take(), ty });
                    })?;
                }
                Ok(match fields[..] {
                    [Field { label: None, ty }] => ty,
                    _ => Ty::new(TyKind::Tuple(fields.into())),
                })
            }
            TypeKind::Function(f) => self.resolve_function(f, env),
            TypeKind::Metatype(repr, instance) => self.resolve_metatype(*repr, *instance, env, lowered),
            TypeKind::ProtocolMetatype(_, protocol) => {
                let existential = self.resolve(*protocol, env, false)?;
                Ok(Ty::new(if lowered {
                    TyKind::ThinMetatype(existential)
                } else {
                    TyKind::Metatype(existential)
                }))
            }
            TypeKind::Any(inner) => match inner.kind() {
                TypeKind::Metatype(_, p) => {
                    Ok(Ty::new(TyKind::ExistentialMetatype(self.resolve_existential(*p, env)?)))
                }
                _ => self.resolve_existential(*inner, env),
            },
            TypeKind::Composition(_) => self.resolve_existential(ty, env),
            TypeKind::Optional(t) | TypeKind::ImplicitlyUnwrapped(t) => {
                Ok(Ty::nominal(Nominal::swift("Optional"), [self.resolve(*t, env, lowered)?]))
            }
            TypeKind::Array(t) => Ok(Ty::nominal(Nominal::swift("Array"), [self.resolve(*t, env, false)?])),
            TypeKind::Dictionary(k, v) => {
                let args = [self.resolve(*k, env, false)?, self.resolve(*v, env, false)?];
                Ok(Ty::nominal(Nominal::swift("Dictionary"), args))
            }
            TypeKind::InlineArray(n, t) => {
                let args = [self.resolve(*n, env, false)?, self.resolve(*t, env, false)?];
                Ok(Ty::nominal(Nominal::swift("InlineArray"), args))
            }
            TypeKind::Paren(t) if matches!(t.kind(), TypeKind::PackExpansion(_)) => {
                let mut types = Vec::new();
                self.each_element(*t, env, lowered, &mut |ty| types.push(ty))?;
                Ok(Ty::tuple(&types))
            }
            TypeKind::Box(b) => self.resolve_box(b, env),
            TypeKind::Pack { elements, .. } => {
                let mut types = Vec::with_capacity(elements.len());
                for &element in elements {
                    self.each_element(element, env, lowered, &mut |ty| types.push(ty))?;
                }
                Ok(Ty::new(TyKind::Pack(types.into())))
            }
            TypeKind::PackElement(t) => match (self.resolve(*t, env, lowered)?, env.element) {
                (pack, Some(index)) => {
                    let element = pack.as_pack().and_then(|elements| elements.get(index)).copied();
                    Ok(element.unwrap_or(pack))
                }
                (pack, None) => Ok(pack),
            },
            TypeKind::Opened { .. } | TypeKind::OpenedElement { .. } | TypeKind::OpaqueResult { .. } => {
                self.resolve_archetype(ty, env, lowered)
            }
            TypeKind::Storage(storage, t) => {
                let storage = match storage {
                    RefStorage::Weak => Storage::Weak,
                    RefStorage::Unowned => Storage::Unowned,
                    RefStorage::Unmanaged => Storage::Unmanaged,
                };
                Ok(Ty::new(TyKind::Storage(storage, self.resolve(*t, env, lowered)?)))
            }
            TypeKind::BlockStorage(t) => Ok(Ty::new(TyKind::BlockStorage(self.resolve(*t, env, lowered)?))),
            TypeKind::Paren(t) | TypeKind::MoveOnly(t) | TypeKind::Attributed(_, t) => {
                self.resolve(*t, env, lowered)
            }
            TypeKind::DynamicSelf(class) => match env.opened.and_then(|o| o.opened(dynamic_self())) {
                Some(bound) => Ok(bound),
                None => self.resolve(*class, env, lowered),
            },
            TypeKind::Integer(text) => integer(text.as_str()).ok_or_else(|| unresolved(ty)),
            TypeKind::Unknown | TypeKind::PackExpansion(_) | TypeKind::Some(_) | TypeKind::Inverse(_) => {
                Err(unresolved(ty))
            }
        }
    }

    fn resolve_archetype(&self, ty: Type, env: &Env<'_>, lowered: bool) -> Resolved {
        match ty.kind() {
            TypeKind::Opened { id, interface, .. } => {
                let bound = env.opened.and_then(|o| o.opened(*id)).ok_or_else(|| unbound(ty))?;
                self.member_of_opened(*interface, bound).ok_or_else(|| unresolved(ty))
            }
            TypeKind::OpenedElement { id, interface } => {
                let (index, sig, args) =
                    env.opened.and_then(|o| o.element(*id)).ok_or_else(|| unbound(ty))?;
                let inner = Env { sig, args: &args, element: Some(index), ..*env };
                let each = Type::new(TypeKind::PackElement(*interface));
                self.resolve_element(each, &inner, lowered)
            }
            TypeKind::OpaqueResult { decl, index, interface } => {
                let args = match interface.kind() {
                    TypeKind::Named(n) => self.resolve_all(&n.args, env)?,
                    _ => Vec::new(),
                };
                self.opaque_result(*decl, *index, &args)
            }
            _ => Err(unresolved(ty)),
        }
    }

    /// Resolves spelled types to concrete types and expands pack expansions.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Self::resolve`].
    pub fn resolve_all(&self, types: &[Type], env: &Env<'_>) -> Result<Vec<Ty>, TypeError> {
        let mut all = Vec::with_capacity(types.len());
        for &ty in types {
            self.each_element(ty, env, false, &mut |ty| all.push(ty))?;
        }
        Ok(all)
    }

    /// Resolves a type spelled in a declaration, given the generic arguments of the declaration.
    pub(crate) fn resolve_in(&self, ty: Type, nominal: Nominal, args: &[Ty], lowered: bool) -> Resolved {
        let module = self.module_of(nominal).unwrap_or(ModuleId(0));
        self.resolve_from(module, ty, nominal, args, lowered)
    }

    pub(crate) fn resolve_from(
        &self,
        module: ModuleId,
        ty: Type,
        nominal: Nominal,
        args: &[Ty],
        lowered: bool,
    ) -> Resolved {
        self.resolve(ty, &Env { nominal: Some((nominal, args)), ..Env::top(module) }, lowered)
    }

    /// Resolves `each T`. If `T` is a member type of a pack, the result is that member of the pack element.
    fn resolve_element(&self, ty: Type, env: &Env<'_>, lowered: bool) -> Resolved {
        let TypeKind::PackElement(inner) = ty.kind() else { return self.resolve(ty, env, lowered) };
        match inner.kind() {
            TypeKind::Member(base, name) => {
                let each = Type::new(TypeKind::PackElement(*base));
                let base = self.resolve_element(each, env, false)?;
                self.member_type(base, *name, &[]).ok_or_else(|| unresolved(ty))
            }
            _ => self.resolve(ty, env, lowered),
        }
    }

    /// Calls `each` with the resolved type, or with each type of the expansion of a pack expansion `repeat P`.
    fn each_element(
        &self,
        ty: Type,
        env: &Env<'_>,
        lowered: bool,
        each: &mut dyn FnMut(Ty),
    ) -> Result<(), TypeError> {
        let pattern = match ty.kind() {
            TypeKind::PackExpansion(pattern) => *pattern,
            TypeKind::Attributed(_, t) if matches!(t.kind(), TypeKind::PackExpansion(_)) => {
                return self.each_element(*t, env, lowered, each);
            }
            _ => {
                each(self.resolve(ty, env, lowered)?);
                return Ok(());
            }
        };
        let mut length = None;
        self.pack_length(pattern, env, &mut length)?;
        let length = length.ok_or_else(|| unbound(ty))?;
        for index in 0..length {
            each(self.resolve(pattern, &Env { element: Some(index), ..*env }, lowered)?);
        }
        Ok(())
    }

    /// Computes the number of elements of the packs in an expansion pattern.
    fn pack_length(&self, ty: Type, env: &Env<'_>, into: &mut Option<usize>) -> Result<(), TypeError> {
        if into.is_some() {
            return Ok(());
        }
        if let TypeKind::PackElement(inner) = ty.kind() {
            let mut root = *inner;
            while let TypeKind::Member(base, _) = root.kind() {
                root = *base;
            }
            if let Some(elements) = self.resolve(root, &Env { element: None, ..*env }, false)?.as_pack() {
                *into = Some(elements.len());
            }
            return Ok(());
        }
        let mut parts = Vec::new();
        ty.kind().for_each_part(&mut |part| parts.push(part));
        parts.into_iter().try_for_each(|part| self.pack_length(part, env, into))
    }

    fn resolve_param(&self, ty: Type, name: Symbol, depth: u16, index: u16, env: &Env<'_>) -> Resolved {
        if let Some(sig) = env.sig {
            let params = &sig.data().params;
            // The parameter of a signature that opens pack elements may not match the enclosing function by depth and
            // index: look it up by name first.
            let named = env.element.and_then(|_| params.iter().position(|p| p.name == name));
            let at = named.or_else(|| params.iter().position(|p| p.depth == depth && p.index == index));
            if let Some(arg) = at.and_then(|at| env.args.get(at)) {
                return Ok(*arg);
            }
        }
        if let Some(found) = self.name_in_scope(name, &[], env) {
            return found;
        }
        // Types in a declaration can refer to parameters by depth and index.
        if env.sig.is_none()
            && let Some((nominal, args)) = env.nominal
            && let Some(arg) = self.param_at(nominal, depth, index).and_then(|at| args.get(at))
        {
            return Ok(*arg);
        }
        Err(unbound(ty))
    }

    /// Returns the member of an opened type that an interface type (`Self`, `Self.A`, …) refers to.
    fn member_of_opened(&self, interface: Type, bound: Ty) -> Option<Ty> {
        match interface.kind() {
            TypeKind::Member(base, name) => {
                let base = self.member_of_opened(*base, bound)?;
                self.member_type(base, *name, &[])
            }
            TypeKind::Named(NamedType { parent: Some(base), name, .. }) => {
                let base = self.member_of_opened(*base, bound)?;
                self.member_type(base, *name, &[])
            }
            _ => Some(bound),
        }
    }

    fn resolve_builtin(&self, name: Symbol, args: &[Type], env: &Env<'_>) -> Resolved {
        let text = name.as_str();
        if text == "FixedArray" {
            let args = self.resolve_all(args, env)?;
            let [n, element] = args[..] else { return Err(TypeError::Unresolved(format!("Builtin.{name}"))) };
            let TyKind::Integer(n) = n.kind() else {
                return Err(TypeError::Unbound(format!("Builtin.{name}")));
            };
            return Ok(Ty::builtin(Builtin::FixedArray(u64::try_from(*n).unwrap_or(0), element)));
        }
        builtin(text).ok_or_else(|| TypeError::Unsupported(format!("`Builtin.{name}`")))
    }

    fn resolve_metatype(&self, repr: MetatypeRepr, instance: Type, env: &Env<'_>, lowered: bool) -> Resolved {
        if let TypeKind::Any(existential) = instance.kind() {
            let existential = self.resolve_existential(*existential, env)?;
            return Ok(Ty::new(TyKind::ExistentialMetatype(existential)));
        }
        let ty = self.resolve(instance, env, false)?;
        let is_thin = match repr {
            MetatypeRepr::Thin => true,
            MetatypeRepr::Thick | MetatypeRepr::ObjC => false,
            MetatypeRepr::Formal => {
                lowered && !is_param(instance) && !self.is_class(ty) && !is_any_object(ty)
            }
        };
        Ok(Ty::new(if is_thin { TyKind::ThinMetatype(ty) } else { TyKind::Metatype(ty) }))
    }

    fn resolve_box(&self, b: &silkit_types::BoxType, env: &Env<'_>) -> Resolved {
        let args = self.resolve_all(&b.args, env)?;
        let inner = match b.sig {
            Some(sig) => Env { sig: Some(sig), args: &args, ..*env },
            None => *env,
        };
        let mut fields = Vec::with_capacity(b.fields.len());
        for field in &b.fields {
            fields.push(BoxedField { mutable: field.mutable, ty: self.resolve(field.ty, &inner, true)? });
        }
        Ok(Ty::new(TyKind::Box(fields.into())))
    }

    fn resolve_function(&self, f: &FunctionType, env: &Env<'_>) -> Resolved {
        let repr = match f.convention {
            _ if f.differentiable.is_some() => FnRepr::Differentiable,
            Convention::Thick | Convention::ExplicitThick | Convention::Swift => {
                if f.flags.contains(FnFlags::NOESCAPE) { FnRepr::NoEscape } else { FnRepr::Thick }
            }
            Convention::Block => FnRepr::Block,
            _ => FnRepr::Thin,
        };
        // A formal type after `$` is parsed as a lowered type, but has no convention for its context.
        let is_formal = repr == FnRepr::Thick && f.callee == silkit_types::CalleeConvention::Unowned;
        if f.lowered && !is_formal {
            return Ok(Ty::new(TyKind::Lowered(repr)));
        }
        let mut params = Vec::new();
        for param in &f.params {
            let specifier = Symbol::new(param.convention.spelling());
            let variadic = param.flags.contains(silkit_types::ParamFlags::VARIADIC);
            self.each_element(param.ty, env, false, &mut |ty| {
                params.push(FunctionParam { ty, specifier, variadic });
            })?;
        }
        let result = match f.results.first() {
            Some(result) => self.resolve(result.ty, env, false)?,
            None => Ty::void(),
        };
        let throws = match &f.error {
            Some(error) => Some(self.resolve(error.ty, env, false)?),
            None if f.flags.contains(FnFlags::THROWS) => Some(self.error_type()),
            None => None,
        };
        let throws = throws.filter(|t| !t.is_swift("Never"));
        let is_async = f.is_async();
        let sendable = f.flags.contains(FnFlags::SENDABLE);
        let ty = FunctionTy { params: params.into(), result, throws, is_async, sendable, repr };
        Ok(Ty::new(TyKind::Function(Box::new(ty))))
    }

    /// Returns `any Error`.
    pub fn error_type(&self) -> Ty {
        let protocols = vec![Nominal::swift("Error")];
        Ty::new(TyKind::Existential(Box::new(ExistentialTy { protocols, ..ExistentialTy::default() })))
    }

    fn resolve_named(&self, ty: Type, n: &NamedType, env: &Env<'_>, lowered: bool) -> Resolved {
        // The payload of a lowered optional is lowered too.
        let is_optional = n.parent.is_none() && n.name == "Optional";
        let mut args = Vec::with_capacity(n.args.len());
        for &arg in &n.args {
            self.each_element(arg, env, lowered && is_optional, &mut |ty| args.push(ty))?;
        }
        let Some(parent) = n.parent else {
            return self.name_in_scope(n.name, &args, env).unwrap_or_else(|| Err(unresolved(ty)));
        };
        if let TypeKind::Named(p) = parent.kind()
            && p.parent.is_none()
            && p.args.is_empty()
            && self.is_module_name(env.module, p.name)
        {
            let module = self.module_named(p.name).unwrap_or(env.module);
            let top = Env { nominal: None, locals: &[], module, ..*env };
            return self.name_in_scope(n.name, &args, &top).unwrap_or_else(|| Err(unresolved(ty)));
        }
        let parent = self.resolve(parent, env, false)?;
        self.member_type(parent, n.name, &args).ok_or_else(|| unresolved(ty))
    }

    /// Looks up an unqualified name, innermost scope first.
    fn name_in_scope(&self, name: Symbol, args: &[Ty], env: &Env<'_>) -> Option<Resolved> {
        if let Some((_, ty)) = env.locals.iter().find(|(local, _)| *local == name) {
            return Some(Ok(*ty));
        }
        if let Some(sig) = env.sig
            && args.is_empty()
            && let Some(at) = sig.data().params.iter().position(|p| p.name == name)
            && let Some(ty) = env.args.get(at)
        {
            return Some(Ok(*ty));
        }
        if let Some((nominal, own)) = env.nominal {
            if name == "Self" {
                return Some(Ok(Ty::nominal(nominal, own)));
            }
            if let Some(found) = self.name_in_nominal(name, args, nominal, own) {
                return Some(Ok(found));
            }
        }
        if let Some(nominal) = self.find_nominal(env.module, name) {
            return Some(self.instantiate(nominal, args, env));
        }
        match name.as_str() {
            "Any" => return Some(Ok(Ty::any())),
            "AnyObject" => {
                let e = ExistentialTy { is_class: true, ..ExistentialTy::default() };
                return Some(Ok(Ty::new(TyKind::Existential(Box::new(e)))));
            }
            _ => {}
        }
        let (module, alias) = self.find_alias(env.module, name)?;
        let names = alias.sig.iter().flat_map(|s| s.data().params.iter().map(|p| p.name));
        let locals: Vec<_> = names.zip(args.iter().copied()).collect();
        Some(self.resolve(alias.target, &Env { locals: &locals, ..Env::top(module) }, false))
    }

    /// Looks up a name in a declaration and its enclosing declarations.
    fn name_in_nominal(&self, name: Symbol, args: &[Ty], nominal: Nominal, own: &[Ty]) -> Option<Ty> {
        let mut enclosing = Some((nominal, own.len()));
        while let Some((at, count)) = enclosing {
            let params = self.params(at);
            let outer = self.outer_param_count(at);
            if args.is_empty()
                && let Some(index) = params.iter().skip(outer).position(|(p, _)| *p == name)
            {
                return self.argument(&params, outer + index, own.get(..count)?);
            }
            let base = Ty::nominal(at, own.get(..count)?);
            if let Some(found) = self.own_member(base, name, args) {
                return Some(found);
            }
            enclosing = self.parent(at).map(|parent| (parent, outer));
        }
        self.inherited_member(Ty::nominal(nominal, own), name)
    }

    /// Returns the generic argument of the parameter at a position. A parameter pack takes all arguments that the other
    /// parameters do not take, unless its argument already is a pack.
    fn argument(&self, params: &[(Symbol, bool)], index: usize, args: &[Ty]) -> Option<Ty> {
        if params[index].1 && !(args.len() == params.len() && args[index].as_pack().is_some()) {
            let end = args.len().checked_sub(params.len() - index - 1)?;
            return Some(Ty::new(TyKind::Pack(args.get(index..end)?.into())));
        }
        args.get(index).copied()
    }

    /// Returns a declared type with generic arguments; for a protocol, its existential type.
    fn instantiate(&self, nominal: Nominal, args: &[Ty], env: &Env<'_>) -> Resolved {
        if self.kind(nominal) == Some(NominalKind::Protocol) {
            let mut e = ExistentialTy::default();
            if !self.is_marker(nominal) {
                e.protocols.push(nominal);
            }
            e.is_class = self.is_class_bound(nominal);
            return Ok(Ty::new(TyKind::Existential(Box::new(e))));
        }
        // A generic type can be named without arguments within its own declaration.
        if args.is_empty()
            && let Some((enclosing, own)) = env.nominal
            && !self.params(nominal).is_empty()
            && (enclosing == nominal
                || enclosing.name().path.as_str().starts_with(&format!("{}.", nominal.name().path)))
        {
            let count = self.params(nominal).len();
            return Ok(Ty::nominal(nominal, own.get(..count).unwrap_or(own)));
        }
        Ok(Ty::nominal(nominal, self.packed(nominal, args)))
    }

    /// Returns generic arguments in which the arguments of a parameter pack are combined into one pack type.
    pub(crate) fn packed(&self, nominal: Nominal, args: &[Ty]) -> Vec<Ty> {
        let params = self.params(nominal);
        if !params.iter().any(|(_, is_pack)| *is_pack) {
            return args.to_vec();
        }
        let packed: Option<Vec<Ty>> = (0..params.len()).map(|i| self.argument(&params, i, args)).collect();
        packed.unwrap_or_else(|| args.to_vec())
    }

    /// Returns the stored properties of a struct or class with their concrete types, excluding those of superclasses.
    ///
    /// # Errors
    /// Returns an error if a type cannot be resolved.
    pub fn stored_fields(&self, ty: Ty) -> Result<Rc<[StoredField]>, TypeError> {
        if let Some(found) = self.fields.borrow().get(&ty) {
            return Ok(found.clone());
        }
        let unknown = || TypeError::Unresolved(ty.to_string());
        let (nominal, args) = ty.as_nominal().ok_or_else(unknown)?;
        let decl = self.decl(nominal).ok_or_else(unknown)?;
        let mut fields = Vec::with_capacity(decl.body.fields.len());
        for field in &decl.body.fields {
            let resolved = self.resolve_in(field.ty, nominal, args, true)?;
            let is_let = field.flags.contains(DeclFlags::LET);
            fields.push(StoredField { name: field.name, ty: in_storage(resolved, field.flags), is_let });
        }
        let fields: Rc<[StoredField]> = fields.into();
        self.fields.borrow_mut().insert(ty, fields.clone());
        Ok(fields)
    }
}

/// Returns the storage type of a `weak`, `unowned` or `unowned(unsafe)` property.
fn in_storage(ty: Ty, flags: DeclFlags) -> Ty {
    let storage = match () {
        () if matches!(ty.kind(), TyKind::Storage(..)) => return ty,
        () if flags.contains(DeclFlags::WEAK) => Storage::Weak,
        () if flags.contains(DeclFlags::UNOWNED) => Storage::Unowned,
        () if flags.contains(DeclFlags::UNMANAGED) => Storage::Unmanaged,
        () => return ty,
    };
    Ty::new(TyKind::Storage(storage, ty))
}

fn is_param(ty: Type) -> bool {
    matches!(
        ty.kind(),
        TypeKind::Param { .. }
            | TypeKind::Member(..)
            | TypeKind::Opened { .. }
            | TypeKind::OpenedElement { .. }
    )
}

fn is_any_object(ty: Ty) -> bool {
    matches!(ty.kind(), TyKind::Param(..))
}

fn integer(text: &str) -> Option<Ty> {
    text.replace('_', "").parse().ok().map(|n| Ty::new(TyKind::Integer(n)))
}

pub(crate) fn unresolved(ty: Type) -> TypeError {
    TypeError::Unresolved(ty.to_string())
}

fn unbound(ty: Type) -> TypeError {
    TypeError::Unbound(ty.to_string())
}
