//! Members of classes that have the name of a member of a superclass: they override it, or are different from it. The types of
//! a generic superclass are those that the class gives it.
//!
//! ```swift
//! class A { init(); func m() }
//! class B : A {
//!   init()                    // lacks `override`
//!   override func n()         // no superclass declares `n`
//! }
//! ```

use super::seen_from::{apart, labels_match, same, self_type};
use crate::context::ModuleVerifier;
use silkit_base::Symbol;
use silkit_text::decl::{MemberSignature, member_signature};
use silkit_types::decl::{
    Accessors, DeclBody, DeclEntry, DeclFlags, MAX_SUPERCLASSES, Member, MemberKind, NominalDecl, NominalKind,
};
use silkit_types::{RequirementKind, Type, TypeKind};

/// Returns an error about a member that overrides none of a superclass or does so wrongly, or that hides one. The file
/// declares all superclasses.
pub(super) fn violation(cx: &ModuleVerifier<'_>, decl: &NominalDecl, text: &str) -> Option<String> {
    if !decl.is_class() {
        return None;
    }
    let own = self_type(cx.declarations, decl.path)?;
    let above = superclasses(cx, own)?;
    if above.is_empty() {
        return None;
    }
    let class = Overriding { cx, text, own, above };
    let fields = decl.body.fields.iter().map(|field| Property {
        name: field.name,
        ty: field.ty,
        flags: field.flags,
        accessors: field.accessors,
        is_stored: true,
    });
    fields.into_iter().find_map(|field| class.property(field)).or_else(|| {
        decl.body.members.iter().find_map(|member| match member.kind {
            MemberKind::Property => class.property(property(member)),
            MemberKind::Function | MemberKind::Initializer | MemberKind::Subscript => class.callable(member),
            _ => None,
        })
    })
}

/// Returns an error about a member of an extension of a class that a superclass declares as well.
pub(super) fn in_extension(
    cx: &ModuleVerifier<'_>,
    decl: &NominalDecl,
    body: &DeclBody,
    text: &str,
) -> Option<String> {
    if !decl.is_class() {
        return None;
    }
    let own = self_type(cx.declarations, decl.path)?;
    let above = superclasses(cx, own)?;
    let class = Overriding { cx, text, own, above };
    body.members.iter().filter(|m| m.kind == MemberKind::Function).find_map(|member| {
        let signature = member_signature(text, member.signature)?;
        let bases = class.bases(member)?;
        let is_dynamic = |m: &Member| m.flags.intersects(DeclFlags::OBJC | DeclFlags::DYNAMIC);
        let hidden = bases.iter().find(|base| {
            let results = base.signature.result.zip(signature.result);
            let same_result = base.signature.result.is_some() == signature.result.is_some()
                && results.is_none_or(|(a, b)| class.same(b, a, base.ty) == Some(true));
            let is_plain = !is_dynamic(member) && !is_dynamic(base.member);
            is_plain
                && same_result
                && base.signature.is_async == signature.is_async
                && class.same_params(&signature, base)
        })?;
        Some(format!("declares `{}`, which `{}` declares as well", member.name, hidden.class.name))
    })
}

/// A superclass of the file.
struct Above<'a> {
    entry: &'a DeclEntry,
    decl: &'a NominalDecl,
    /// The type that inherits from it, with its generic arguments.
    ty: Type,
}

/// Returns the superclasses of a class, the direct one first, if the file declares all of them.
fn superclasses<'a>(cx: &ModuleVerifier<'a>, own: Type) -> Option<Vec<Above<'a>>> {
    let mut found = Vec::new();
    let mut class = own;
    while let Some(superclass) = cx.declarations.known_superclass(class)? {
        let entry = cx.declarations.own().get(cx.declarations.path_of(superclass)?)?;
        let decl = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS))?;
        let TypeKind::Named(named) = superclass.kind() else { return None };
        if found.len() > MAX_SUPERCLASSES as usize || named.args.len() != decl.param_count() {
            return None;
        }
        found.push(Above { entry, decl, ty: superclass });
        class = superclass;
    }
    Some(found)
}

/// A property of a class.
#[derive(Clone, Copy)]
struct Property {
    name: Symbol,
    ty: Type,
    flags: DeclFlags,
    accessors: Accessors,
    is_stored: bool,
}

fn property(member: &Member) -> Property {
    Property {
        name: member.name,
        ty: member.ty.unwrap_or_else(Type::unknown),
        flags: member.flags,
        accessors: member.accessors,
        is_stored: false,
    }
}

impl Property {
    fn may_change(&self) -> bool {
        !self.flags.contains(DeclFlags::LET) && (self.is_stored || self.accessors.contains(Accessors::SET))
    }
}

/// A callable member of a superclass.
struct Base<'a> {
    class: &'a NominalDecl,
    /// The class with its generic arguments.
    ty: Type,
    member: &'a Member,
    signature: MemberSignature,
}

/// A class whose members are compared with those of its superclasses.
struct Overriding<'a> {
    cx: &'a ModuleVerifier<'a>,
    text: &'a str,
    /// The class itself.
    own: Type,
    above: Vec<Above<'a>>,
}

impl<'a> Overriding<'a> {
    fn callable(&self, member: &Member) -> Option<String> {
        let name = member.name;
        let own = member_signature(self.text, member.signature)?;
        let bases = self.bases(member)?;
        let has = |member: &Member, flag| member.flags.contains(flag);
        let is_init = member.kind == MemberKind::Initializer;
        let is_implicit = is_init && own.params.is_empty() && self.has_implicit_init();
        let count = |signature: &MemberSignature| signature.sig.map(|sig| sig.data().params.len());
        let like = |base: &&Base<'_>| {
            labels_match(&base.signature, &own)
                && count(&base.signature) == count(&own)
                && base.signature.result.is_some() == own.result.is_some()
        };
        let is_required =
            |base: &&Base<'_>| self.same_params(&own, base) && has(base.member, DeclFlags::REQUIRED);
        if is_init && !has(member, DeclFlags::REQUIRED) && bases.iter().any(|base| is_required(&base)) {
            return Some(
                "declares an initializer that its superclass requires, but not as `required`".to_owned(),
            );
        }
        if has(member, DeclFlags::OVERRIDE) {
            if is_implicit || self.may_be_in_extension(name) || bases.is_empty() && is_init {
                return None;
            }
            let mut misfits =
                bases.iter().filter(like).map(|base| self.misfit(member, &own, base)).peekable();
            if misfits.peek().is_none() {
                let first = bases.first().map(|base| base.class.name);
                return Some(match first {
                    Some(class) => format!("overrides `{name}`, which `{class}` declares otherwise"),
                    None => format!("overrides `{name}`, which no superclass declares"),
                });
            }
            return misfits.collect::<Option<Vec<_>>>()?.into_iter().next();
        }
        let is_same = |base: &&Base<'_>| {
            let signature = &base.signature;
            let results = signature.result.zip(own.result);
            let same_result = results.is_none_or(|(a, b)| self.same(b, a, base.ty) == Some(true));
            self.same_params(&own, base)
                && !constrains(signature)
                && !constrains(&own)
                && (is_init || same_result && signature.is_async == own.is_async)
        };
        let hidden = bases.iter().filter(like).filter(is_same).find(|base| {
            !is_init || !base.member.flags.intersects(DeclFlags::CONVENIENCE | DeclFlags::REQUIRED)
        });
        match hidden {
            Some(base) => {
                Some(format!("declares `{name}` like `{}`, but not as an `override`", base.class.name))
            }
            None => is_implicit
                .then(|| "declares `init` like its superclass, but not as an `override`".to_owned()),
        }
    }

    /// Returns the members of superclasses with the name and kind of a member. Initializers are those of the nearest class
    /// that declares any. Nothing if a signature is not known.
    fn bases(&self, member: &Member) -> Option<Vec<Base<'a>>> {
        let is_static = |member: &Member| member.flags.contains(DeclFlags::STATIC);
        let mut found = Vec::new();
        for Above { decl, ty, .. } in &self.above {
            let named = decl.body.members.all_named(member.name);
            for base in named.filter(|b| b.kind == member.kind && is_static(b) == is_static(member)) {
                let signature = member_signature(self.text, base.signature)?;
                found.push(Base { class: decl, ty: *ty, member: base, signature });
            }
            if member.kind == MemberKind::Initializer && !found.is_empty() {
                break;
            }
        }
        Some(found)
    }

    /// Returns true if the superclasses declare no initializer and no stored property, so that they have one without
    /// parameters.
    fn has_implicit_init(&self) -> bool {
        self.above.iter().all(|Above { entry, decl, .. }| {
            let init = Symbol::new("init");
            decl.body.fields.is_empty()
                && decl.body.members.named(init).is_none()
                && entry.extensions.iter().all(|e| e.body.members.named(init).is_none())
        })
    }

    /// Returns true if an extension of a superclass declares a name.
    fn may_be_in_extension(&self, name: Symbol) -> bool {
        let mut bodies = self.above.iter().flat_map(|above| above.entry.extensions.iter().map(|e| &e.body));
        bodies.any(|body| body.members.named(name).is_some())
    }

    /// Returns an error about an override of a member with the same labels.
    fn misfit(&self, member: &Member, own: &MemberSignature, base: &Base<'_>) -> Option<String> {
        let (name, class, signature) = (member.name, base.class.name, &base.signature);
        let flags = base.member.flags;
        let is_of_type = flags.contains(DeclFlags::STATIC) && !flags.contains(DeclFlags::CLASS_MEMBER);
        let is_less_failable = member.kind == MemberKind::Initializer
            && member.flags.contains(DeclFlags::FAILABLE)
            && !flags.contains(DeclFlags::FAILABLE);
        let mut params = own.params.iter().zip(&signature.params);
        let results = own.result.zip(signature.result);
        let what = if flags.contains(DeclFlags::FINAL) {
            "is `final`"
        } else if is_of_type {
            "is `static`"
        } else if flags.contains(DeclFlags::CONVENIENCE) {
            "is `convenience`"
        } else if own.is_async != signature.is_async {
            return Some(format!("overrides `{name}` of `{class}`, but only one of them is `async`"));
        } else if own.throws && !signature.throws {
            "does not throw"
        } else if is_less_failable {
            "does not fail"
        } else if own.is_inout != signature.is_inout || params.any(|(a, b)| self.differ(a.1, b.1, base.ty)) {
            "has other parameters"
        } else if constrains(own) && signature.sig.is_some() && !constrains(signature) {
            "is less constrained"
        } else if results.is_some_and(|(a, b)| self.differ(a, b, base.ty) || self.is_above(a, b)) {
            "has another result"
        } else {
            return None;
        };
        Some(format!("overrides `{name}`, which {what} in `{class}`"))
    }

    fn property(&self, own: Property) -> Option<String> {
        let (name, is_static) = (own.name, own.flags.contains(DeclFlags::STATIC));
        let base = self.above.iter().find_map(|Above { decl, ty, .. }| {
            let field = decl.body.fields.named(name).filter(|_| !is_static).map(|field| Property {
                name,
                ty: field.ty,
                flags: field.flags,
                accessors: field.accessors,
                is_stored: true,
            });
            let mut members = decl.body.members.all_named(name).filter(|member| {
                member.kind == MemberKind::Property && member.flags.contains(DeclFlags::STATIC) == is_static
            });
            Some((*decl, *ty, field.or_else(|| members.next().map(property))?))
        });
        let is_override = own.flags.contains(DeclFlags::OVERRIDE);
        let Some((class, ty, base)) = base else {
            let is_missing = is_override && !self.may_be_in_extension(name);
            return is_missing.then(|| format!("overrides `{name}`, which no superclass declares"));
        };
        let class = class.name;
        if !is_override {
            return Some(format!("declares `{name}` like `{class}`, but not as an `override`"));
        }
        let what = if base.flags.contains(DeclFlags::FINAL) {
            "is `final`"
        } else if base.flags.contains(DeclFlags::LET) {
            "is a `let`"
        } else if is_static && !base.flags.contains(DeclFlags::CLASS_MEMBER) {
            "is `static`"
        } else if self.differ(own.ty, base.ty, ty) {
            "has another type"
        } else if base.may_change() && own.accessors == Accessors::GET && !own.is_stored {
            "has a setter"
        } else {
            return None;
        };
        Some(format!("overrides `{name}`, which {what} in `{class}`"))
    }

    /// Returns whether a type of the class is one of a superclass with these arguments.
    fn same(&self, own: Type, base: Type, superclass: Type) -> Option<bool> {
        let declarations = self.cx.declarations;
        let own = declarations.resolve_in(apart(own), self.own);
        same(declarations, own, declarations.resolve_in(apart(base), superclass))
    }

    /// Returns true if a member surely has the parameters of one of a superclass.
    fn same_params(&self, own: &MemberSignature, base: &Base<'_>) -> bool {
        let signature = &base.signature;
        let mut params = own.params.iter().zip(&signature.params);
        labels_match(own, signature)
            && own.is_inout == signature.is_inout
            && own.sig.map(|sig| sig.data().params.len()) == signature.sig.map(|sig| sig.data().params.len())
            && params.all(|(a, b)| self.same(a.1, b.1, base.ty) == Some(true))
    }

    /// Returns true if two types, optional or not, are surely different values, of which none is a subtype of the other.
    fn differ(&self, own: Type, base: Type, superclass: Type) -> bool {
        let declarations = self.cx.declarations;
        let payload = |ty: Type| {
            std::iter::successors(Some(ty), |&ty| declarations.optional_payload(ty)).last().unwrap_or(ty)
        };
        let own = payload(declarations.resolve_in(apart(own), self.own));
        let base = payload(declarations.resolve_in(apart(base), superclass));
        self.has_no_subtypes(own)
            && self.has_no_subtypes(base)
            && same(declarations, own, base) == Some(false)
    }

    /// Returns true for a struct, an enum, a generic parameter, and for tuples and functions of them.
    fn has_no_subtypes(&self, ty: Type) -> bool {
        match ty.kind() {
            TypeKind::Param { .. } => true,
            TypeKind::Named(named) => {
                let decl = self.cx.declarations.nominal_of(ty);
                let is_value =
                    |decl: &NominalDecl| matches!(decl.kind, NominalKind::Struct | NominalKind::Enum);
                decl.is_some_and(|decl| is_value(decl) && !self.cx.declarations.may_be_another(decl))
                    && named.args.iter().all(|&ty| self.has_no_subtypes(ty))
            }
            TypeKind::Tuple(elements) => elements.iter().all(|element| self.has_no_subtypes(element.ty)),
            TypeKind::Function(f) => f.component_types().all(|ty| self.has_no_subtypes(ty)),
            _ => false,
        }
    }

    /// Returns true if a class is above another one, or above that in the optional type.
    fn is_above(&self, class: Type, other: Type) -> bool {
        let is_named = |ty: Type| matches!(ty.kind(), TypeKind::Named(n) if n.args.is_empty());
        is_named(class) && is_named(other) && self.cx.declarations.is_subclass(other, class)
    }
}

/// Returns true if a signature constrains its generic parameters.
fn constrains(signature: &MemberSignature) -> bool {
    let of_sig = signature.sig.is_some_and(|sig| {
        let data = sig.data();
        data.params.iter().any(|param| param.bound.is_some())
            || data.requirements.iter().any(|r| r.kind != RequirementKind::Layout)
    });
    of_sig || !signature.requirements.is_empty()
}
