//! The class hierarchy of a module.

use super::access::Visibility;
use silkit_base::{FxHashMap, FxHashSet, Symbol};
use silkit_types::decl::{Access, DeclFlags};

/// The classes that a module declares, each with its direct subclasses in the module.
#[derive(Clone, Debug, Default)]
pub struct ClassHierarchy {
    superclasses: FxHashMap<Symbol, Symbol>,
    subclasses: FxHashMap<Symbol, Vec<Symbol>>,
    /// The classes of which no subclass can be elsewhere.
    closed: FxHashSet<Symbol>,
}

impl ClassHierarchy {
    /// Creates the classes of a module, by their paths.
    pub fn new(visibility: Visibility<'_>) -> Self {
        let mut this = Self::default();
        let declarations = visibility.declarations();
        for decl in declarations.own().nominals().filter(|d| d.is_class()) {
            let superclass = decl
                .inherited
                .first()
                .filter(|&&first| declarations.is_class(first) == Some(true))
                .and_then(|&first| Some(declarations.nominal_of(first)?.path));
            if let Some(superclass) = superclass.filter(|&s| s != decl.path) {
                this.superclasses.insert(decl.path, superclass);
                this.subclasses.entry(superclass).or_default().push(decl.path);
            }
            let is_closed = decl.flags.contains(DeclFlags::FINAL)
                || match visibility.access_of_type(decl.path) {
                    None | Some(Access::Open) => false,
                    Some(Access::Public | Access::Package | Access::Internal) => visibility.is_whole_module,
                    Some(Access::FilePrivate | Access::Private) => true,
                };
            if is_closed {
                this.closed.insert(decl.path);
            }
        }
        this
    }

    /// Returns the superclass of a class, wherever that is declared.
    pub fn superclass(&self, class: Symbol) -> Option<Symbol> {
        self.superclasses.get(&class).copied()
    }

    /// Returns the classes that a class inherits from, nearest first.
    pub fn superclasses(&self, class: Symbol) -> impl Iterator<Item = Symbol> + '_ {
        // A wrong module may let classes inherit from each other.
        let most = self.superclasses.len();
        std::iter::successors(self.superclass(class), |&c| self.superclass(c)).take(most)
    }

    /// Returns the classes of the module that inherit from a class directly, in order.
    pub fn direct_subclasses(&self, class: Symbol) -> &[Symbol] {
        self.subclasses.get(&class).map_or(&[], Vec::as_slice)
    }

    /// Returns all classes of the module that inherit from a class, each after the one that it inherits from
    /// directly.
    pub fn subclasses(&self, class: Symbol) -> Vec<Symbol> {
        let mut all = self.direct_subclasses(class).to_vec();
        let mut seen: FxHashSet<Symbol> = all.iter().copied().chain([class]).collect();
        let mut at = 0;
        while let Some(&next) = all.get(at) {
            all.extend(self.direct_subclasses(next).iter().filter(|&&c| seen.insert(c)));
            at += 1;
        }
        all
    }

    /// Returns true if no subclass of a class, or of one that inherits from it, can be in another file or module.
    pub fn is_closed(&self, class: Symbol) -> bool {
        self.closed.contains(&class)
            && self.subclasses(class).iter().all(|subclass| self.closed.contains(subclass))
    }

    /// Returns true if a class inherits from another one or is that.
    pub fn inherits(&self, class: Symbol, from: Symbol) -> bool {
        class == from || self.superclasses(class).any(|c| c == from)
    }
}
