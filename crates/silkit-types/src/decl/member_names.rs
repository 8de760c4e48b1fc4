//! Which names types declare and inherit, so that the lookup of a name can pass over the types that do not have it.
//!
//! Most names in a declaration denote top-level types, but lookup begins with the members of the types around it. These
//! answers depend on the declarations alone, not on generic arguments or on the scope.

use super::model::{DeclFlags, NominalDecl};
use super::query::{Declarations, join};
use silkit_base::{FxHashSet, Symbol};

impl Declarations {
    /// Returns true if the declaration at a path or an extension of it declares a type or an alias with this name.
    pub(super) fn declares_type(&self, path: Symbol, name: Symbol) -> bool {
        self.declared_names.get_or_compute((path, name), || {
            self.entries(join(path, name)).any(|entry| entry.nominal.is_some())
                || self.bodies(path).any(|body| body.alias(name).is_some())
        })
    }

    /// Returns true if a superclass or a protocol of a type may provide a type with this name.
    pub(super) fn may_inherit_type(&self, decl: &NominalDecl, name: Symbol) -> bool {
        // Declarations that share a path inherit different types.
        self.is_ambiguous(decl.path)
            || self.inherited_names.get_or_compute((decl.path, name), || self.inherits_type(decl, name))
    }

    /// Visits the protocols of a type, up to a superclass, whose members depend on its generic arguments.
    fn inherits_type(&self, decl: &NominalDecl, name: Symbol) -> bool {
        let conforming = self.extensions(decl.path).filter(|e| !e.flags.contains(DeclFlags::UNAVAILABLE));
        let mut work: Vec<_> = decl.inherited.iter().chain(conforming.flat_map(|e| &e.inherited)).collect();
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        while let Some(ty) = work.pop() {
            let Some(path) = self.path_of(*ty).filter(|&path| seen.insert(path)) else { continue };
            let Some(found) = self.nominal_at(path) else { continue };
            let declares = found.is_class()
                || found.body.associated.iter().any(|a| a.name == name && a.default.is_some())
                || self.bodies(path).any(|body| body.alias(name).is_some());
            if declares {
                return true;
            }
            work.extend(&found.inherited);
        }
        false
    }
}
