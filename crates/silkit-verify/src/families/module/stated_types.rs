//! The formal types that references to members state: they are those of the declarations.
//!
//! ```text
//! class C { func m(_ x: Int) }
//! %1 = class_method %0, #C.m : (C) -> (Bool) -> (), $…      // `m` takes an `Int`
//! ```

use silkit_ir::DeclRef;
use silkit_text::decl::{MemberSignature, member_signature};
use silkit_types::decl::{DeclBody, DeclFlags, Declarations, Member, MemberKind, NominalDecl, NominalKind};
use silkit_types::{FnFlags, FunctionType, Type, TypeKind};

/// Returns an error about a reference to a member that states a type which no declaration with the name has. `text` are the
/// declarations of the file.
pub(crate) fn violation(
    declarations: &Declarations,
    text: &str,
    method: DeclRef,
    formal: Option<Type>,
) -> Option<String> {
    let own = declarations.own();
    if own.is_printed_by_compiler {
        return None;
    }
    let path = method.owner_path()?;
    let entry = own.get(path)?;
    let owner = entry.nominal.as_ref().filter(|decl| !decl.flags.contains(DeclFlags::AMBIGUOUS))?;
    let is_protocol = owner.kind == NominalKind::Protocol;
    if path.as_str().contains('.') || owner.sig.is_some() && !is_protocol {
        return None;
    }
    let formal = formal?.as_function()?;
    let stated = formal.results.first()?.ty.as_function()?;
    let [this] = &*formal.params else { return None };
    let reference = Reference {
        declarations,
        owner,
        stated,
        is_generic: stated.sig.is_some() || formal.sig.is_some() && !is_protocol,
        is_of_type: matches!(this.ty.kind(), TypeKind::Metatype(..)),
    };
    let bodies: Vec<&DeclBody> =
        std::iter::once(&owner.body).chain(entry.extensions.iter().map(|e| &e.body)).collect();
    let name = method.name()?;
    let members = || bodies.iter().flat_map(|body| body.members.all_named(name));
    let kind = match &*method.data().kinds {
        [] => MemberKind::Function,
        [kind] => match kind.as_str() {
            "allocator" | "initializer" => MemberKind::Initializer,
            accessor @ ("getter" | "setter") => {
                let fields = bodies.iter().flat_map(|body| body.fields.all_named(name));
                let types: Vec<Type> = fields
                    .map(|field| Some(field.ty))
                    .chain(members().map(|m| m.ty.filter(|_| m.kind == MemberKind::Property)))
                    .collect::<Option<_>>()?;
                let passed = match accessor {
                    "getter" => stated.results.first()?.ty,
                    _ => stated.params.first()?.ty,
                };
                let is_wrong = !types.is_empty() && types.iter().all(|&ty| reference.differ(passed, ty));
                return is_wrong
                    .then(|| format!("`{method}` has another type than `{passed}` in its declaration"));
            }
            _ => return None,
        },
        _ => return None,
    };
    let found: Vec<&Member> = members().collect();
    if found.is_empty() || found.iter().any(|member| member.kind != kind) {
        return None;
    }
    for member in found {
        let signature = member_signature(text, member.signature)?;
        reference.mismatch(member, &signature)?;
    }
    Some(format!("no declaration of `{method}` has the type `{}`", formal.results.first()?.ty))
}

struct Reference<'a> {
    declarations: &'a Declarations,
    owner: &'a NominalDecl,
    stated: &'a FunctionType,
    /// True if the member has generic parameters of its own.
    is_generic: bool,
    /// True if `self` is a metatype.
    is_of_type: bool,
}

impl Reference<'_> {
    /// Returns something if a member surely has another type.
    fn mismatch(&self, member: &Member, signature: &MemberSignature) -> Option<()> {
        let stated = self.stated;
        let is_protocol = self.owner.kind == NominalKind::Protocol;
        let is_init = member.kind == MemberKind::Initializer;
        let is_static = member.flags.contains(DeclFlags::STATIC);
        if signature.sig.is_some() || self.is_generic {
            let is_other = signature.sig.is_some() != self.is_generic;
            return (is_other && !is_protocol).then_some(());
        }
        let throws = stated.flags.intersects(FnFlags::THROWS | FnFlags::RETHROWS);
        let is_other = stated.params.len() != signature.params.len()
            || stated.is_async() != signature.is_async
            || throws != signature.throws
            || !is_init && is_static != self.is_of_type
            || stated.params.iter().zip(&signature.params).any(|(param, (_, ty))| self.differ(param.ty, *ty));
        let result = signature.result.unwrap_or_else(Type::void);
        let differs =
            || !is_init && stated.results.first().is_some_and(|found| self.differ(found.ty, result));
        (is_other || differs()).then_some(())
    }

    /// Returns true if a stated type is surely not the declared one.
    fn differ(&self, stated: Type, declared: Type) -> bool {
        let is_void =
            |ty: Type| ty == Type::void() || matches!(ty.kind(), TypeKind::Named(n) if n.name == "Void");
        if is_void(stated) != is_void(declared) {
            return self.is_plain(stated) || self.is_plain(declared);
        }
        let base = Type::nominal(self.owner.path.as_str());
        let declared = self.declarations.resolve_in(declared, base);
        self.is_plain(stated)
            && self.is_plain(declared)
            && self.declarations.same_type(stated, declared, None) == Some(false)
    }

    /// Returns true for a known nominal type, or an optional of one.
    fn is_plain(&self, ty: Type) -> bool {
        if let Some(payload) = self.declarations.optional_payload(ty) {
            return self.is_plain(payload);
        }
        matches!(ty.kind(), TypeKind::Named(named) if named.args.is_empty() && named.name != "Self")
            && self.declarations.nominal_of(ty).is_some_and(|decl| !self.declarations.may_be_another(decl))
    }
}
