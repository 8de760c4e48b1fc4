//! Checks of the parts of a declaration that refer to the types that it inherits from.

use crate::context::ModuleVerifier;
use silkit_base::Symbol;
use silkit_types::decl::{
    AliasDecl, DeclEntry, DeclFlags, MAX_SUPERCLASSES, MemberKind, NominalDecl, NominalKind,
};
use silkit_types::{Type, TypeKind};

/// Returns an error about a member that overrides none of a superclass, where the file declares all superclasses.
pub(super) fn overrides_nothing(cx: &ModuleVerifier<'_>, decl: &NominalDecl) -> Option<String> {
    let is_override = |flags: DeclFlags| flags.contains(DeclFlags::OVERRIDE);
    let mut members = decl.body.members.iter().filter(|member| {
        is_override(member.flags) && matches!(member.kind, MemberKind::Function | MemberKind::Property)
    });
    let first = members.next()?;
    if !decl.is_class() || decl.sig.is_some() {
        return None;
    }
    let mut above = Vec::new();
    let mut class = Type::nominal(decl.path.as_str());
    while let Some(superclass) = cx.declarations.known_superclass(class)? {
        let entry = cx.declarations.own().get(cx.declarations.path_of(superclass)?)?;
        let nominal = entry.nominal.as_ref().filter(|d| !d.flags.contains(DeclFlags::AMBIGUOUS))?;
        if above.len() > MAX_SUPERCLASSES as usize || nominal.sig.is_some() {
            return None;
        }
        above.push((entry, nominal));
        class = superclass;
    }
    if above.is_empty() {
        return None;
    }
    let declares = |name: Symbol| {
        above.iter().any(|(entry, nominal)| {
            let extensions = entry.extensions.iter().map(|extension| &extension.body);
            std::iter::once(&nominal.body)
                .chain(extensions)
                .any(|body| body.fields.named(name).is_some() || body.members.named(name).is_some())
        })
    };
    let missing = std::iter::once(first).chain(members).find(|member| !declares(member.name))?;
    Some(format!("overrides `{}`, which no superclass declares", missing.name))
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
    is_plain.then(|| format!("has the raw type `{raw}`, which no literal makes"))
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
            return step > 0;
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
            && !member.accessors.is_empty()
            && decl.body.fields.named(member.name).is_none()
    })?;
    Some(format!("has the computed property `{}`, which is a `let`", found.name))
}
