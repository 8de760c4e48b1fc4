//! Type lowering: from formal types to the types of SIL values (SIL.md, "Type Lowering"; Types.md).
//!
//! Each type is lowered under its own abstraction pattern: a stored property of type `(Int) -> Bool` holds
//! `@callee_guaranteed (Int) -> Bool`. Sugar is resolved; names of generic parameters stay.

use crate::abstraction::{actor_of_caller, is_passed_owned, lowered_flags, result_flags};
use crate::decl::{DeclFlags, Declarations, NominalKind, Query, StoredProperty, TypeProperties};
use crate::facts::TypeFacts;
use crate::function::{
    CalleeConvention, Convention, FnFlags, FunctionType, Param, ParamConvention, ParamFlags,
    ResultConvention, ResultFlags, ResultInfo,
};
use crate::generics::GenericSig;
use crate::kind::{MetatypeRepr, RefStorage, Type, TypeKind};
use silkit_base::Symbol;

impl Declarations {
    /// Returns the lowered form of a formal type; `None` if it depends on unknown declarations.
    pub fn lower(&self, ty: Type) -> Option<Type> {
        self.ask(None, |q| q.lower(ty))
    }
}

impl Query<'_> {
    pub(crate) fn lower(&self, ty: Type) -> Option<Type> {
        let _level = self.step()?;
        let ty = self.resolve(ty).desugared();
        Some(match ty.kind() {
            // What is behind `some P` is not spelled.
            TypeKind::Unknown | TypeKind::Some(_) => return None,
            TypeKind::Metatype(MetatypeRepr::Formal, instance) => {
                Type::new(TypeKind::Metatype(self.metatype_repr(*instance)?, *instance))
            }
            TypeKind::Any(inner) => match inner.kind() {
                // In `any P.Type`, the metatype is spelled inside the existential.
                TypeKind::Metatype(MetatypeRepr::Formal, p) => {
                    Type::new(TypeKind::Metatype(MetatypeRepr::Thick, Type::new(TypeKind::Any(*p))))
                }
                _ => ty,
            },
            TypeKind::Tuple(elements) => {
                let mut elements = elements.clone();
                for element in &mut elements {
                    element.ty = self.lower(element.ty)?;
                }
                Type::new(TypeKind::Tuple(elements))
            }
            // The payload of an optional is lowered; the generic arguments of other types stay formal.
            TypeKind::Named(n) if n.parent.is_none() && n.name == "Optional" && n.args.len() == 1 => {
                Type::named(None, n.name, Box::new([self.lower(n.args[0])?]))
            }
            TypeKind::Function(f) if !f.lowered => {
                Type::new(TypeKind::Function(Box::new(self.lower_function(f, None)?)))
            }
            _ => ty,
        })
    }

    /// Returns the representation of a metatype. Metatypes of structs and enums are thin; those of classes and
    /// unknown types are thick.
    fn metatype_repr(&self, instance: Type) -> Option<MetatypeRepr> {
        Some(match instance.kind() {
            TypeKind::Named(_) => match self.nominal_of(instance)?.kind {
                NominalKind::Struct | NominalKind::Enum => MetatypeRepr::Thin,
                _ => MetatypeRepr::Thick,
            },
            TypeKind::Builtin(..) | TypeKind::Tuple(_) | TypeKind::Function(_) => MetatypeRepr::Thin,
            // `(any P).Type` is the metatype of the existential type itself.
            TypeKind::Paren(_) => MetatypeRepr::Thin,
            _ => MetatypeRepr::Thick,
        })
    }

    /// Returns the lowered form of a formal function type. `sig` gives the constraints on its generic parameters.
    pub(crate) fn lower_function(&self, f: &FunctionType, sig: Option<GenericSig>) -> Option<FunctionType> {
        let mut new = FunctionType::lowered(f.convention);
        new.flags = lowered_flags(f.flags);
        new.sig = f.sig;
        if f.convention == Convention::Thick {
            new.callee = CalleeConvention::Guaranteed;
        }
        let mut params: Vec<Param> = actor_of_caller(f).into_iter().collect();
        for param in &f.params {
            self.lower_param(param, param.passed_type(), sig, &mut params)?;
        }
        new.params = params.into();
        let mut results = Vec::new();
        for result in &f.results {
            self.lower_result(result.ty, sig, &mut results)?;
        }
        results.iter_mut().for_each(|result| result.flags |= result_flags(f));
        new.results = results.into();
        if f.flags.intersects(FnFlags::THROWS) || f.error.is_some() {
            let ty = f.error.map_or_else(|| Type::new(TypeKind::Any(Type::nominal("Error"))), |e| e.ty);
            new.error = self.lower_error(ty, sig)?;
        }
        Some(new)
    }

    /// Lowers a parameter. Tuples are passed element by element.
    fn lower_param(
        &self,
        param: &Param,
        ty: Type,
        sig: Option<GenericSig>,
        into: &mut Vec<Param>,
    ) -> Option<()> {
        let _level = self.step()?;
        let ty = self.resolve(ty).desugared();
        if let TypeKind::Tuple(elements) = ty.kind()
            && param.convention != ParamConvention::FormalInout
        {
            return elements.iter().try_for_each(|e| self.lower_param(param, e.ty, sig, into));
        }
        let mut lowered = self.lower_within(ty, sig)?;
        if let (TypeKind::Function(formal), TypeKind::Function(f)) = (ty.kind(), lowered.kind())
            && !formal.flags.contains(FnFlags::ESCAPING)
            && f.convention == Convention::Thick
        {
            let flags = f.flags | FnFlags::NOESCAPE;
            lowered = Type::new(TypeKind::Function(Box::new(FunctionType { flags, ..(**f).clone() })));
        }
        let properties = self.properties(ty, sig);
        let address_only = properties.address_only?;
        let owned = is_passed_owned(param);
        let convention = match (param.convention, address_only) {
            (ParamConvention::FormalInout, _) => ParamConvention::Inout,
            (_, true) if owned => ParamConvention::In,
            (_, true) => ParamConvention::InGuaranteed,
            _ if properties.trivial? => ParamConvention::Unowned,
            _ if owned => ParamConvention::Owned,
            _ => ParamConvention::Guaranteed,
        };
        let kept = ParamFlags::SENDING | ParamFlags::ISOLATED | ParamFlags::NO_DERIVATIVE;
        let flags = (param.flags & kept) | ParamFlags::SIL;
        into.push(Param { convention, flags, label: None, lifetime: param.lifetime, ty: lowered });
        Some(())
    }

    fn lower_result(&self, ty: Type, sig: Option<GenericSig>, into: &mut Vec<ResultInfo>) -> Option<()> {
        let _level = self.step()?;
        let ty = self.resolve(ty).desugared();
        if let TypeKind::Tuple(elements) = ty.kind() {
            return elements.iter().try_for_each(|e| self.lower_result(e.ty, sig, into));
        }
        let properties = self.properties(ty, sig);
        let convention = if properties.address_only? {
            ResultConvention::Out
        } else if properties.trivial? {
            ResultConvention::Unowned
        } else {
            ResultConvention::Owned
        };
        into.push(ResultInfo {
            convention,
            flags: ResultFlags::empty(),
            lifetime: None,
            ty: self.lower_within(ty, sig)?,
        });
        Some(())
    }

    /// Returns the lowered form of a part of a function type. With a signature, the part belongs to a `@substituted`
    /// type, and its abstraction pattern is given by the parameters of the signature.
    fn lower_within(&self, ty: Type, sig: Option<GenericSig>) -> Option<Type> {
        match sig {
            Some(_) => self.lower_abstracted(ty, ty, sig),
            None => self.lower(ty),
        }
    }

    /// Returns the lowered error result. A function that throws `Never` has none.
    fn lower_error(&self, ty: Type, sig: Option<GenericSig>) -> Option<Option<ResultInfo>> {
        if matches!(ty.kind(), TypeKind::Named(n) if n.name == "Never") {
            return Some(None);
        }
        let mut results = Vec::new();
        self.lower_result(ty, sig, &mut results)?;
        Some(results.pop())
    }
}

impl Query<'_> {
    /// Returns the lowered type of a member of `base` with the formal type `ty`. A function is stored under the
    /// abstraction pattern that the declaration spells, and, in a module with library evolution, as other modules see
    /// it.
    fn lower_member(&self, base: Type, pattern: Type, ty: Type) -> Option<Type> {
        if !holds_function(ty, 0) {
            return self.lower(ty);
        }
        if self.own_is_resilient() && self.mentions_own(ty, 0) {
            return None;
        }
        let Some((generic, sig)) = self.generic_form(base) else { return self.lower(ty) };
        self.lower_abstracted(self.resolve_in(pattern, generic), ty, Some(sig))
    }

    /// Returns true if a type contains a type that the module declares.
    fn mentions_own(&self, ty: Type, depth: u32) -> bool {
        // No type is nested this deeply; treat it as if it contained one.
        let is_own = matches!(ty.kind(), TypeKind::Named(_))
            && self.path_of(self.resolve(ty)).is_none_or(|path| self.own().get(path).is_some());
        let mut found = is_own || depth > 32;
        if !found {
            ty.map(&mut |part| {
                found = found || self.mentions_own(part, depth + 1);
                part
            });
        }
        found
    }

    /// Returns a nominal type with its own generic parameters as arguments, and its signature; `None` if it is not
    /// generic.
    fn generic_form(&self, ty: Type) -> Option<(Type, GenericSig)> {
        let _level = self.step()?;
        let TypeKind::Named(n) = ty.kind() else { return None };
        let outer = n.parent.and_then(|parent| self.generic_form(parent));
        let own = self.nominal_of(ty).and_then(|decl| {
            let mut sig = decl.sig?.data().clone();
            sig.requirements = sig.requirements.iter().chain(&decl.requirements).copied().collect();
            Some(GenericSig::new(sig))
        });
        let sig = match (outer, own) {
            (None, None) => return None,
            (Some((_, outer)), None) => outer,
            (None, Some(own)) => own,
            (Some((_, outer)), Some(own)) => {
                let depth = outer.data().params.iter().map(|p| p.depth + 1).max().unwrap_or(0);
                outer.followed_by((0..depth).fold(own, |sig, _| sig.deeper()))
            }
        };
        let depth = sig.data().params.iter().map(|p| p.depth).max().filter(|_| own.is_some());
        let own = sig.data().params.iter().filter(|p| Some(p.depth) == depth);
        let args = own.map(|p| Type::new(TypeKind::Param { name: p.name, depth: p.depth, index: p.index }));
        let parent = outer.map(|(parent, _)| parent).or(n.parent);
        let generic = Type::named(parent, n.name, args.collect());
        Some((generic, self.with_resolved_requirements(sig, generic)))
    }
}

impl Query<'_> {
    /// Returns the signature of a nominal type with requirements on its parameters. Clauses of declarations spell these
    /// by name.
    fn with_resolved_requirements(&self, sig: GenericSig, base: Type) -> GenericSig {
        let data = sig.data();
        if data.requirements.is_empty() {
            return sig;
        }
        let mut resolved = data.clone();
        for requirement in &mut resolved.requirements {
            requirement.subject = self.resolve_in(requirement.subject, base);
        }
        GenericSig::new(resolved)
    }
}

impl Type {
    /// Returns this type without sugar and parentheses, at every level. The names of generic parameters are kept.
    pub fn desugared(self) -> Type {
        if !self.has_sugar() {
            return self;
        }
        // As a generic argument, `(any P)` is the same as `any P`.
        let argument = |ty: &Type| match ty.kind() {
            TypeKind::Paren(inner) if matches!(inner.kind(), TypeKind::Any(_)) => inner.desugared(),
            _ => ty.desugared(),
        };
        let nominal = |name: &str, args: &[Type]| {
            Type::named(None, Symbol::new(name), args.iter().map(argument).collect())
        };
        match self.kind() {
            TypeKind::Optional(t) | TypeKind::ImplicitlyUnwrapped(t) => nominal("Optional", &[*t]),
            TypeKind::Array(t) => nominal("Array", &[*t]),
            TypeKind::Dictionary(k, v) => nominal("Dictionary", &[*k, *v]),
            TypeKind::InlineArray(n, t) => nominal("InlineArray", &[*n, *t]),
            // The parentheses of `(any P).Type` are significant.
            TypeKind::Paren(t) if matches!(t.kind(), TypeKind::Any(_)) => self,
            TypeKind::Paren(t) => t.desugared(),
            _ => self.map(&mut Type::desugared),
        }
    }
}

fn holds_function(ty: Type, depth: u32) -> bool {
    match ty.kind() {
        TypeKind::Function(_) => true,
        // No type is nested this deeply; treat it as if it contained one.
        _ if depth > 32 => true,
        _ => {
            let mut found = false;
            ty.map(&mut |t| {
                found |= holds_function(t, depth + 1);
                t
            });
            found
        }
    }
}

/// Wraps the type of a `weak`, `unowned` or `unowned(unsafe)` property in its reference storage type.
fn in_storage(ty: Type, flags: DeclFlags) -> Type {
    // In a SIL file the declaration itself may spell the storage type.
    if matches!(ty.kind(), TypeKind::Storage(..)) {
        return ty;
    }
    let storage = if flags.contains(DeclFlags::WEAK) {
        RefStorage::Weak
    } else if flags.contains(DeclFlags::UNOWNED) {
        RefStorage::Unowned
    } else if flags.contains(DeclFlags::UNMANAGED) {
        RefStorage::Unmanaged
    } else {
        return ty;
    };
    Type::new(TypeKind::Storage(storage, ty))
}

impl TypeFacts for Declarations {
    fn stored_field(&self, base: Type, name: Symbol) -> Option<Type> {
        self.lowered_field(base, name, |q| {
            let (field, ty, owner) = q.declared_field(base, name)?;
            Some(in_storage(q.lower_member(owner, field.ty, ty)?, field.flags))
        })
    }

    fn stored_fields(&self, base: Type) -> Option<Vec<Type>> {
        let fields = Declarations::stored_fields(self, base)?;
        self.ask(None, |q| {
            let lowered = |f: &StoredProperty, ty| q.lower_member(q.desugared(base), f.ty, ty);
            fields.into_iter().map(|(f, ty)| Some(in_storage(lowered(f, ty)?, f.flags))).collect()
        })
    }

    fn enum_payload(&self, base: Type, case: Symbol) -> Option<Type> {
        self.lowered_field(base, case, |q| {
            let payload = q.enum_payload(base, case)?;
            let pattern = Declarations::enum_case(q, base, case)?.payload?;
            let lowered = q.lower_member(q.desugared(base), pattern, payload.ty)?;
            (!payload.indirect).then_some(lowered)
        })
    }

    fn member_type(&self, base: Type, name: Symbol) -> Option<Type> {
        Declarations::member_type(self, base, name)
    }

    fn plain_nominal(&self, path: Symbol) -> Option<Type> {
        let mut ty = None;
        let mut end = 0;
        for name in path.as_str().split('.') {
            end += name.len() + usize::from(end > 0);
            if self.nominal_at(Symbol::new(&path.as_str()[..end]))?.sig.is_some() {
                return None;
            }
            ty = Some(Type::named(ty, Symbol::new(name), Box::default()));
        }
        ty
    }

    fn reduced(&self, ty: Type, sig: GenericSig) -> Type {
        Declarations::reduced(self, ty, sig)
    }

    fn type_properties(&self, ty: Type, sig: Option<GenericSig>) -> TypeProperties {
        self.properties(ty, sig)
    }
}
