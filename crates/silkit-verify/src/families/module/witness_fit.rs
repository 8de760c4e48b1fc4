//! Whether a member of a conforming type may meet a requirement of a protocol.
//!
//! ```swift
//! protocol P { func m(_ x: Int) }
//! struct S : P { func m(_ x: Bool) }      // does not meet `P.m`
//! ```

use super::associated::Bindings;
use super::seen_from::{apart, labels_match, mentions, same};
use silkit_base::{Symbol, TextRange};
use silkit_text::decl::{MemberSignature, member_signature};
use silkit_types::decl::{
    Accessors, DeclFlags, Declarations, EnumCase, Member, MemberKind, NominalDecl, NominalKind,
    StoredProperty,
};
use silkit_types::{RequirementKind, Type, TypeKind};

/// A declaration that may meet a requirement.
#[derive(Clone, Copy)]
pub(super) enum Candidate<'a> {
    Member(&'a Member),
    Field(&'a StoredProperty),
    Case(&'a EnumCase),
}

/// A candidate and where it is declared.
#[derive(Clone, Copy)]
pub(super) struct Witness<'a> {
    pub(super) candidate: Candidate<'a>,
    /// The type from which its types are seen; nothing in extensions of protocols and in constrained extensions.
    pub(super) base: Option<Type>,
}

/// Compares the members of a conforming type with requirements.
pub(super) struct Fit<'a, 'b> {
    pub(super) declarations: &'a Declarations,
    pub(super) text: &'a str,
    pub(super) decl: &'a NominalDecl,
    pub(super) bindings: &'b Bindings<'a>,
}

impl Fit<'_, '_> {
    /// Returns false if a candidate surely does not meet a requirement with its name.
    pub(super) fn may_witness(&self, witness: Witness<'_>, required: &Member) -> bool {
        let is_static = required.flags.contains(DeclFlags::STATIC);
        match witness.candidate {
            Candidate::Case(case) => is_static && self.case_fits(case, required),
            Candidate::Field(field) => {
                let sets = required.accessors.contains(Accessors::SET);
                required.kind == MemberKind::Property
                    && !is_static
                    && !(sets && field.flags.contains(DeclFlags::LET))
                    && self.types_fit(witness.base, required.ty, Some(field.ty))
            }
            Candidate::Member(member) => {
                !(witness.base.is_some() && self.crosses_isolation(member, required))
                    && member.kind == required.kind
                    && member.flags.contains(DeclFlags::STATIC) == is_static
                    && match member.kind {
                        MemberKind::Property => self.property_fits(witness.base, member, required),
                        _ => self.callable_fits(witness.base, member, required),
                    }
            }
        }
    }

    /// Returns true if a member of an actor, isolated to it, would meet a requirement that anyone may call.
    fn crosses_isolation(&self, member: &Member, required: &Member) -> bool {
        let is_isolated = self.decl.kind == NominalKind::Actor
            && matches!(member.kind, MemberKind::Function | MemberKind::Property)
            && !member.flags.intersects(DeclFlags::STATIC | DeclFlags::NONISOLATED | DeclFlags::LET);
        let text = self.text.get(required.signature.as_usize()).unwrap_or_default();
        is_isolated
            && required.kind == MemberKind::Function
            && !text.contains("async")
            && !text.contains("isolated")
    }

    fn types_fit(&self, base: Option<Type>, required: Option<Type>, found: Option<Type>) -> bool {
        let (Some(base), Some(required), Some(found)) = (base, required, found) else { return true };
        let found = self.declarations.resolve_in(apart(found), base);
        same(self.declarations, self.bindings.seen(apart(required)), found) != Some(false)
    }

    fn property_fits(&self, base: Option<Type>, member: &Member, required: &Member) -> bool {
        let sets = required.accessors.contains(Accessors::SET);
        let changes = !member.flags.contains(DeclFlags::LET) && member.accessors != Accessors::GET;
        (!sets || changes) && self.types_fit(base, required.ty, member.ty)
    }

    /// Returns false if an enum case is surely not of the type of a `static` requirement.
    fn case_fits(&self, case: &EnumCase, required: &Member) -> bool {
        match required.kind {
            MemberKind::Property => case.payload.is_none(),
            MemberKind::Function => {
                let Some(payload) = case.payload else { return false };
                let Some(wanted) = member_signature(self.text, required.signature) else { return true };
                if wanted.sig.is_some() || matches!(payload.kind(), TypeKind::Tuple(_)) {
                    return true;
                }
                let [(_, ty)] = &*wanted.params else { return false };
                let base = super::seen_from::self_type(self.declarations, self.decl.path);
                self.types_fit(base, Some(*ty), Some(payload))
            }
            _ => false,
        }
    }

    fn callable_fits(&self, base: Option<Type>, member: &Member, required: &Member) -> bool {
        let signature = |member: &Member| member_signature(self.text, member.signature);
        let (Some(found), Some(wanted)) = (signature(member), signature(required)) else { return true };
        if !labels_match(&found, &wanted) {
            return false;
        }
        let sets = |member: &Member| has_setter(self.text, member.signature);
        if required.kind == MemberKind::Subscript && sets(required) && !sets(member) {
            return false;
        }
        self.effects_fit(member, &found, required, &wanted)
            && self.generics_fit(&found, &wanted)
            && self.parts_fit(base, &found, &wanted, required.kind)
    }

    fn effects_fit(
        &self,
        member: &Member,
        found: &MemberSignature,
        required: &Member,
        wanted: &MemberSignature,
    ) -> bool {
        let throws = found.throws && !found.rethrows && found.thrown.is_none();
        let mutates = |member: &Member| member.flags.contains(DeclFlags::MUTATING);
        let fails = |member: &Member| question_mark(self.text, member.signature);
        let may_fail = required.flags.contains(DeclFlags::FAILABLE);
        !(throws && !wanted.throws
            || found.is_async && !wanted.is_async
            || mutates(member) && !mutates(required) && !self.decl.is_class()
            || fails(member) && !may_fail
            || found.is_inout != wanted.is_inout)
    }

    /// Returns false if a member takes fewer types than a generic requirement.
    fn generics_fit(&self, found: &MemberSignature, wanted: &MemberSignature) -> bool {
        let Some(sig) = wanted.sig else { return true };
        let names = |name: Symbol| sig.data().params.iter().any(|param| param.name == name);
        let Some(own) = found.sig else {
            return !wanted.params.iter().any(|(_, ty)| mentions(*ty, &names));
        };
        let (own, sig) = (own.data(), sig.data());
        let is_free = sig.params.iter().all(|p| p.bound.is_none())
            && sig.requirements.is_empty()
            && wanted.requirements.is_empty();
        let is_bound = |bound: Type| {
            let protocol = self.declarations.nominal_of(bound);
            protocol.is_some_and(|decl| !decl.flags.intersects(DeclFlags::MARKER))
                && !matches!(bound.kind(), TypeKind::Named(n) if matches!(n.name.as_str(), "Sendable" | "Copyable" | "Escapable"))
        };
        let conforms = own.requirements.iter().filter(|r| r.kind == RequirementKind::Conforms);
        let mut bounds = own.params.iter().filter_map(|p| p.bound).chain(conforms.map(|r| r.constraint));
        !(own.params.len() == sig.params.len() && is_free && bounds.any(is_bound))
    }

    fn parts_fit(
        &self,
        base: Option<Type>,
        found: &MemberSignature,
        wanted: &MemberSignature,
        kind: MemberKind,
    ) -> bool {
        // A generic member may meet a requirement with some of its types.
        let is_instance =
            found.sig.map(|sig| sig.data().params.len()) != wanted.sig.map(|sig| sig.data().params.len());
        if is_instance {
            return true;
        }
        let mut params = wanted.params.iter().zip(&found.params);
        if params.any(|(wanted, found)| !self.types_fit(base, Some(wanted.1), Some(found.1))) {
            return false;
        }
        if kind == MemberKind::Initializer {
            return true;
        }
        let result = |signature: &MemberSignature| signature.result.unwrap_or_else(Type::void);
        let (wanted, found) = (result(wanted), result(found));
        if base.is_some() && self.wants_dynamic_self(wanted, found) {
            return false;
        }
        self.types_fit(base, Some(wanted), Some(found))
    }

    /// Returns true if a method of a class that may have subclasses returns the class, not `Self`.
    fn wants_dynamic_self(&self, wanted: Type, found: Type) -> bool {
        let is_self =
            |ty: Type| matches!(ty.kind(), TypeKind::Named(n) if n.name == "Self" && n.parent.is_none());
        let is_open = self.decl.kind == NominalKind::Class && !self.decl.flags.contains(DeclFlags::FINAL);
        is_open && is_self(wanted) && matches!(found.kind(), TypeKind::Named(_)) && !is_self(found)
    }
}

/// Returns true if the name before a signature is `init?`.
pub(super) fn question_mark(text: &str, signature: TextRange) -> bool {
    text.get(..signature.start as usize).is_some_and(|before| before.ends_with("init?"))
}

/// Returns true if the braces after the signature of a subscript contain a way to change the element.
fn has_setter(text: &str, signature: TextRange) -> bool {
    let text = text.get(signature.as_usize()).unwrap_or_default();
    let accessors = text.rsplit_once('{').map_or("", |(_, rest)| rest);
    accessors
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| !matches!(word, "" | "get" | "_read" | "read"))
}
