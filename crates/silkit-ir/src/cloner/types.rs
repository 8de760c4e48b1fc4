//! Types of clones: generic parameters replaced, opened types renamed.

use crate::semantics::calls::substitute_lowered;
use silkit_base::{FxHashMap, Symbol};
use silkit_types::{SilType, Substitution, Type, TypeFacts, TypeKind};

/// The substitution of types from the source to the copies.
#[derive(Default)]
pub(super) struct TypeMap<'s> {
    subst: Option<(Substitution<'s>, &'s dyn TypeFacts)>,
    /// True if formal types lose their sugar.
    desugars: bool,
    /// The new ids of opened types.
    renamed: FxHashMap<Symbol, Symbol>,
    formal: FxHashMap<Type, Type>,
    lowered: FxHashMap<Type, Type>,
}

impl<'s> TypeMap<'s> {
    /// Returns true if generic parameters are replaced.
    pub(super) fn substitutes(&self) -> bool {
        self.subst.is_some()
    }

    pub(super) fn substitute(&mut self, subst: Substitution<'s>, facts: &'s dyn TypeFacts) {
        self.subst = Some((subst, facts));
    }

    /// Removes the sugar of formal types.
    pub(super) fn desugar(&mut self) {
        self.desugars = true;
    }

    /// Renames an opened type.
    pub(super) fn rename(&mut self, from: Symbol, to: Symbol) {
        self.renamed.insert(from, to);
        self.formal.clear();
        self.lowered.clear();
    }

    /// Returns the new id of an opened type.
    pub(super) fn id(&self, id: Symbol) -> Symbol {
        self.renamed.get(&id).copied().unwrap_or(id)
    }

    fn changes_nothing(&self) -> bool {
        self.subst.is_none() && self.renamed.is_empty()
    }

    /// Returns a formal type of the source as it is in the copies.
    pub(super) fn formal(&mut self, ty: Type) -> Type {
        if self.changes_nothing() && !self.desugars {
            return ty;
        }
        if let Some(&known) = self.formal.get(&ty) {
            return known;
        }
        let mut new = ty;
        if let Some((subst, facts)) = self.subst {
            new = new.substitute(subst, &|base, name| facts.member_type(base, name));
        }
        let mut new = self.rename_in(new);
        if self.desugars {
            new = new.desugared();
        }
        self.formal.insert(ty, new);
        new
    }

    /// Returns a lowered type of the source as it is in the copies.
    pub(super) fn sil_type(&mut self, ty: SilType) -> SilType {
        if self.changes_nothing() {
            return ty;
        }
        if let Some(&known) = self.lowered.get(&ty.ty()) {
            return ty.with_type(known);
        }
        let mut new = ty.ty();
        if let Some((subst, facts)) = self.subst {
            new = substitute_lowered(new, subst, facts);
        }
        let new = self.rename_in(new);
        self.lowered.insert(ty.ty(), new);
        ty.with_type(new)
    }

    fn rename_in(&self, ty: Type) -> Type {
        if self.renamed.is_empty() {
            return ty;
        }
        match ty.kind() {
            TypeKind::Opened { id, existential, interface } => Type::new(TypeKind::Opened {
                id: self.id(*id),
                existential: self.rename_in(*existential),
                interface: *interface,
            }),
            TypeKind::OpenedElement { id, interface } => {
                Type::new(TypeKind::OpenedElement { id: self.id(*id), interface: *interface })
            }
            _ => ty.map(&mut |part| self.rename_in(part)),
        }
    }
}
