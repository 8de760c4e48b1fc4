//! Members of classes that have the name of a member of a superclass: they override it, or are different from it.
//!
//! ```swift
//! class A { init(); func m() }
//! class B : A {
//!   init()                    // lacks `override`
//!   override func n()         // no superclass declares `n`
//! }
//! ```

use super::method_abi::is_value;
use crate::context::ModuleVerifier;
use silkit_base::Symbol;
use silkit_text::decl::{MemberSignature, member_signature};
use silkit_types::decl::{
    Accessors, DeclEntry, DeclFlags, MAX_SUPERCLASSES, Member, MemberKind, NominalDecl,
};
use silkit_types::{Type, TypeKind};

/// Returns an error about a member that overrides none of a superclass or does so wrongly, or that hides one. The file
/// declares all superclasses, without generic parameters.
pub(super) fn violation(cx: &ModuleVerifier<'_>, decl: &NominalDecl, text: &str) -> Option<String> {
    if !decl.is_class() || decl.sig.is_some() {
        return None;
    }
    let above = superclasses(cx, decl)?;
    if above.is_empty() {
        return None;
    }
    let class = Overriding { cx, text, above };
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

/// Returns the superclasses of a class, the direct one first, if the file declares all of them.
fn superclasses<'a>(
    cx: &ModuleVerifier<'a>,
    decl: &NominalDecl,
) -> Option<Vec<(&'a DeclEntry, &'a NominalDecl)>> {
    let mut found = Vec::new();
    let mut class = Type::nominal(decl.path.as_str());
    while let Some(superclass) = cx.declarations.known_superclass(class)? {
        let entry = cx.declarations.own().get(cx.declarations.path_of(superclass)?)?;
        let nominal = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS))?;
        if found.len() > MAX_SUPERCLASSES as usize || nominal.sig.is_some() {
            return None;
        }
        found.push((entry, nominal));
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
    member: &'a Member,
    signature: MemberSignature,
}

/// A class whose members are compared with those of its superclasses.
struct Overriding<'a> {
    cx: &'a ModuleVerifier<'a>,
    text: &'a str,
    above: Vec<(&'a DeclEntry, &'a NominalDecl)>,
}

impl<'a> Overriding<'a> {
    fn callable(&self, member: &Member) -> Option<String> {
        let name = member.name;
        let own = member_signature(self.text, member.signature)?;
        let bases = self.bases(member)?;
        if own.sig.is_some() {
            return None;
        }
        let has = |member: &Member, flag| member.flags.contains(flag);
        let is_init = member.kind == MemberKind::Initializer;
        let is_implicit = is_init && own.params.is_empty() && self.has_implicit_init();
        let like = |base: &&Base<'_>| {
            let labels = base.signature.params.iter().zip(&own.params);
            base.signature.params.len() == own.params.len()
                && labels.clone().all(|(a, b)| a.0 == b.0)
                && base.signature.result.is_some() == own.result.is_some()
        };
        let is_required =
            |base: &&Base<'_>| base.signature.params == own.params && has(base.member, DeclFlags::REQUIRED);
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
            signature.params == own.params
                && (is_init || signature.result == own.result && signature.is_async == own.is_async)
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
        for (_, class) in &self.above {
            let named = class.body.members.all_named(member.name);
            for base in named.filter(|b| b.kind == member.kind && is_static(b) == is_static(member)) {
                let signature = member_signature(self.text, base.signature).filter(|s| s.sig.is_none())?;
                found.push(Base { class, member: base, signature });
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
        self.above.iter().all(|(entry, class)| {
            let init = Symbol::new("init");
            class.body.fields.is_empty()
                && class.body.members.named(init).is_none()
                && entry.extensions.iter().all(|e| e.body.members.named(init).is_none())
        })
    }

    /// Returns true if an extension of a superclass declares a name.
    fn may_be_in_extension(&self, name: Symbol) -> bool {
        let mut bodies = self.above.iter().flat_map(|(entry, _)| entry.extensions.iter().map(|e| &e.body));
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
        } else if params.any(|(a, b)| self.differ(a.1, b.1)) {
            "has other parameters"
        } else if own
            .result
            .zip(signature.result)
            .is_some_and(|(a, b)| self.differ(a, b) || self.is_above(a, b))
        {
            "has another result"
        } else {
            return None;
        };
        Some(format!("overrides `{name}`, which {what} in `{class}`"))
    }

    fn property(&self, own: Property) -> Option<String> {
        let (name, is_static) = (own.name, own.flags.contains(DeclFlags::STATIC));
        let base = self.above.iter().find_map(|(_, class)| {
            let field = class.body.fields.named(name).filter(|_| !is_static).map(|field| Property {
                name,
                ty: field.ty,
                flags: field.flags,
                accessors: field.accessors,
                is_stored: true,
            });
            let mut members = class.body.members.all_named(name).filter(|member| {
                member.kind == MemberKind::Property && member.flags.contains(DeclFlags::STATIC) == is_static
            });
            Some((*class, field.or_else(|| members.next().map(property))?))
        });
        let is_override = own.flags.contains(DeclFlags::OVERRIDE);
        let Some((class, base)) = base else {
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
        } else if self.differ(own.ty, base.ty) {
            "has another type"
        } else if base.may_change() && own.accessors == Accessors::GET && !own.is_stored {
            "has a setter"
        } else {
            return None;
        };
        Some(format!("overrides `{name}`, which {what} in `{class}`"))
    }

    /// Returns true if two types are surely different values.
    fn differ(&self, a: Type, b: Type) -> bool {
        let declarations = self.cx.declarations;
        is_value(declarations, a)
            && is_value(declarations, b)
            && declarations.same_type(a, b, None) == Some(false)
    }

    /// Returns true if a class is above another one, or above that in the optional type.
    fn is_above(&self, class: Type, other: Type) -> bool {
        let is_named = |ty: Type| matches!(ty.kind(), TypeKind::Named(n) if n.args.is_empty());
        is_named(class) && is_named(other) && self.cx.declarations.is_subclass(other, class)
    }
}
