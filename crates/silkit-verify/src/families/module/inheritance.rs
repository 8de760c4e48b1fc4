//! Checks of the parts of a declaration that refer to the types that it inherits from.

use crate::context::ModuleVerifier;
use silkit_base::Symbol;
use silkit_text::decl::{MemberSignature, member_signature};
use silkit_types::decl::{
    AliasDecl, DeclEntry, DeclFlags, Lookup, MAX_SUPERCLASSES, Member, MemberKind, NominalDecl, NominalKind,
};
use silkit_types::{NamedType, Type, TypeKind};

/// Returns an error about an initializer that the superclass, a class of the file, requires, and that a class with own
/// initializers does not declare.
pub(super) fn lacks_required(cx: &ModuleVerifier<'_>, decl: &NominalDecl, text: &str) -> Option<String> {
    let superclass = cx.declarations.known_superclass(Type::nominal(decl.path.as_str()))??;
    let above =
        cx.declarations.own_nominal_of(superclass).filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS))?;
    let signature = |member: &Member| member_signature(text, member.signature).filter(|s| s.sig.is_none());
    let mut own = Vec::new();
    for member in decl.body.members.iter().filter(|m| m.kind == MemberKind::Initializer) {
        own.push(signature(member)?);
    }
    let is_required =
        |m: &&Member| m.kind == MemberKind::Initializer && m.flags.contains(DeclFlags::REQUIRED);
    let mut required = above.body.members.iter().filter(is_required);
    required.find_map(|required| {
        let wanted = signature(required)?;
        let labels = |signature: &MemberSignature| signature.params.iter().map(|p| p.0).collect::<Vec<_>>();
        // A class without initializers inherits those of the superclass.
        let is_met = own.is_empty() || own.iter().any(|found| labels(found) == labels(&wanted));
        (!is_met).then(|| format!("does not declare the initializer that `{superclass}` requires"))
    })
}

/// Returns an error about the raw type of an enum that the file declares without conformances: no literal makes it.
pub(super) fn raw_type(cx: &ModuleVerifier<'_>, decl: &NominalDecl) -> Option<String> {
    let raw = *decl.inherited.first().filter(|_| decl.kind == NominalKind::Enum)?;
    let entry = cx.declarations.own().get(cx.declarations.path_of(raw)?)?;
    let above = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS))?;
    let is_plain = above.kind != NominalKind::Protocol
        && above.inherited.is_empty()
        && entry.extensions.is_empty()
        && matches!(raw.kind(), TypeKind::Named(_));
    is_plain.then(|| format!("has the raw type `{raw}`, for which there is no literal"))
}

/// Returns the name of a generic parameter that a declaration introduces twice.
pub(super) fn repeated_parameter(decl: &NominalDecl) -> Option<Symbol> {
    let params = &decl.sig.filter(|_| decl.kind != NominalKind::Protocol)?.data().params;
    let is_repeated = |at: usize| params[..at].iter().any(|p| p.name == params[at].name);
    (1..params.len())
        .find(|&at| params[at].depth == params[0].depth && is_repeated(at))
        .map(|at| params[at].name)
}

/// Returns true if an alias of the file leads to itself through others. A type of another module may have the name of an
/// alias for it, without the module that qualifies it.
pub(super) fn is_circular(cx: &ModuleVerifier<'_>, entry: &DeclEntry, alias: &AliasDecl) -> bool {
    let mut target = alias.target;
    for step in 0..MAX_SUPERCLASSES as usize {
        let TypeKind::Named(named) = target.kind() else { return false };
        if named.parent.is_some() || entry.nominal.is_some() {
            return false;
        }
        if named.name == alias.name {
            return step > 0 || !is_of_another_module(cx, alias.name);
        }
        let next = cx.declarations.own().get(named.name).filter(|next| next.nominal.is_none());
        let Some(next) = next.and_then(|next| next.alias.as_ref()) else { return false };
        target = next.target;
    }
    false
}

/// Returns an error about a computed property that is declared with `let`.
pub(super) fn computed_let(decl: &NominalDecl) -> Option<String> {
    let mut members = decl.body.members.iter();
    let found = members.find(|member| {
        member.kind == MemberKind::Property
            && member.flags.contains(DeclFlags::LET)
            && !member.flags.contains(DeclFlags::HAS_STORAGE)
            && !member.accessors.is_empty()
            && decl.body.fields.named(member.name).is_none()
    })?;
    Some(format!("has the computed property `{}`, which is a `let`", found.name))
}

/// Returns true if a type with this name may be declared by another module.
fn is_of_another_module(cx: &ModuleVerifier<'_>, name: Symbol) -> bool {
    let mut alone = silkit_types::decl::DeclTable::new();
    alone.imports.clone_from(&cx.declarations.own().imports);
    !matches!(silkit_text::decl::with_stdlib(alone).lookup_nominal(name), Lookup::Absent)
}

/// Returns an error about a type that conforms to `Actor` without being an actor.
pub(super) fn actor_protocol(
    cx: &ModuleVerifier<'_>,
    decl: &NominalDecl,
    named: &NamedType,
) -> Option<String> {
    let is_actor = named.parent.is_none()
        && named.name == "Actor"
        && !cx.declarations.own().is_printed_by_compiler
        && cx.declarations.own().get(named.name).is_none()
        && matches!(cx.declarations.lookup_nominal(named.name), Lookup::Known(_));
    let is_other = !matches!(decl.kind, NominalKind::Actor | NominalKind::Protocol);
    (is_actor && is_other).then(|| "conforms to `Actor`, but is not an actor".to_owned())
}
